#include "fold/sites.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"
#include "stats/rules.h"

enum { MAX_SITES = 1 << 22 };

static bool same_group(const void *owner, size_t index, const void *key)
{
    const struct ot_group *group = &((const struct ot_sites *)owner)->groups[index];
    const struct ot_group *wanted = key;
    return group->vtid == wanted->vtid && group->vpid == wanted->vpid &&
           group->session == wanted->session && group->host == wanted->host &&
           group->lane == wanted->lane;
}

int ot_sites_group(struct ot_sites *sites, const struct ot_group *key, uint32_t *ret_group,
                   struct ot_err *err)
{
    uint64_t hash = ot_hash_mix(ot_hash_mix(0, key->vtid), (uint64_t)key->vpid);
    hash = ot_hash_mix(ot_hash_mix(hash, key->lane), (uint64_t)key->session << 32 | key->host);
    int64_t found = ot_map_find(&sites->group_map, hash, same_group, sites, key);
    if (found == OT_MAP_NONE) {
        if (!ot_vec_reserve(&sites->groups, &sites->groups_cap, sites->n_groups + 1,
                            sizeof(*sites->groups)) ||
            !ot_map_put(&sites->group_map, hash, sites->n_groups))
            return ot_err_set(err, OT_ERR_NOMEM, "out of memory for threads");
        found = (int64_t)sites->n_groups++;
        sites->groups[found] = *key;
    }
    *ret_group = (uint32_t)found;
    return OT_OK;
}

static bool same_site(const void *owner, size_t index, const void *key)
{
    const struct ot_sites *sites = owner;
    const struct ot_site *site = &sites->of[index];
    const struct ot_site_key *wanted = key;
    const struct ot_row *row = &sites->pop->rows[site->row];
    const struct ot_names *names = &sites->pop->names;
    return row->vtid == wanted->vtid && row->vpid == wanted->vpid &&
           row->backend == wanted->backend && row->session == wanted->session &&
           site->device == wanted->device &&
           ot_text_same(ot_names_text(names, row->name), wanted->name) &&
           ot_text_same(ot_names_text(names, row->category), wanted->category) &&
           ot_text_same(ot_names_text(names, row->host), wanted->host);
}

static uint64_t hash_of(const struct ot_site_key *key)
{
    uint64_t hash = ot_hash_bytes(key->name.bytes, key->name.len);
    hash = ot_hash_mix(hash ^ ot_hash_bytes(key->category.bytes, key->category.len), key->vtid);
    hash = ot_hash_mix(hash ^ (uint64_t)key->vpid, (uint64_t)key->device);
    return ot_hash_mix(hash, (uint64_t)key->session << 8 | (unsigned)key->backend);
}

static void read_rules(const struct ot_population *pop, struct ot_row *row, struct ot_site *site)
{
    struct ot_text name = ot_names_text(&pop->names, row->name);
    bool is_call = ot_backends[row->backend].lane == OT_LANE_CALLS;
    bool is_annotation = row->backend == OT_BACKEND_ANNOTATION;
    struct ot_text phase;
    row->synchronizes = is_call && ot_rules_synchronizes(name);
    row->compiles = (is_call || is_annotation) && ot_rules_compiles(name);
    site->names_phase = is_annotation && ot_rules_phase(name, &phase);
    site->is_graph_launch = is_call && ot_rules_is_graph_launch(name);
}

static int new_site(struct ot_sites *sites, const struct ot_site_key *key, uint64_t hash,
                    struct ot_err *err)
{
    struct ot_population *pop = sites->pop;
    if (sites->n_sites >= MAX_SITES)
        return ot_err_set(err, OT_ERR_NOMEM, "more than %d operators and threads", MAX_SITES);
    struct ot_slice slice = {
        .session = key->session, .backend = key->backend, .vpid = key->vpid, .vtid = key->vtid};
    int code = ot_names_intern(&pop->names, key->name, &slice.name, err);
    if (code == OT_OK)
        code = ot_names_intern(&pop->names, key->category, &slice.category, err);
    if (code == OT_OK)
        code = ot_names_intern(&pop->names, key->host, &slice.host, err);
    size_t row = 0;
    if (code == OT_OK)
        code = ot_population_row(pop, &slice, &row, err);
    struct ot_site site = {.row = (uint32_t)row, .device = key->device};
    enum ot_lane lane = ot_backends[key->backend].lane;
    struct ot_group group = {.session = key->session, .lane = lane, .vpid = key->device};
    if (lane != OT_LANE_FLAT)
        group = (struct ot_group){.session = key->session,
                                  .host = slice.host,
                                  .vpid = key->vpid,
                                  .vtid = key->vtid,
                                  .lane = lane};
    if (code == OT_OK)
        code = ot_sites_group(sites, &group, &site.group, err);
    if (code < 0)
        return code;
    if (!ot_vec_reserve(&sites->of, &sites->sites_cap, sites->n_sites + 1, sizeof(*sites->of)) ||
        !ot_map_put(&sites->site_map, hash, sites->n_sites))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for operators");
    read_rules(pop, &pop->rows[row], &site);
    sites->of[sites->n_sites++] = site;
    return OT_OK;
}

int ot_sites_find(struct ot_sites *sites, const struct ot_site_key *key, uint32_t *ret_site,
                  struct ot_err *err)
{
    uint64_t hash = hash_of(key);
    int64_t found = ot_map_find(&sites->site_map, hash, same_site, sites, key);
    if (found == OT_MAP_NONE) {
        found = (int64_t)sites->n_sites;
        int code = new_site(sites, key, hash, err);
        if (code < 0)
            return code;
    }
    *ret_site = (uint32_t)found;
    return OT_OK;
}

void ot_sites_release(struct ot_sites *sites)
{
    free(sites->of);
    free(sites->groups);
    ot_map_release(&sites->site_map);
    ot_map_release(&sites->group_map);
    *sites = (struct ot_sites){0};
}
