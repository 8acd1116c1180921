#include "stats/figures.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "model/backend.h"
#include "stats/completeness.h"

/* An operator: rows of several threads, or of backends of one kind, are the same one. */
struct operator_key {
    const char *kind;
    uint32_t session;
    uint32_t category;
    uint32_t name;
};

struct operators {
    struct operator_key *items;
    size_t n;
    struct ot_map map;
};

static bool same(const void *owner, size_t i, const void *key)
{
    const struct operator_key *a = &((const struct operators *)owner)->items[i];
    const struct operator_key *b = key;
    return a->session == b->session && a->category == b->category && a->name == b->name &&
           strcmp(a->kind, b->kind) == 0;
}

static bool add_operator(struct operators *operators, const struct operator_key *key)
{
    uint64_t hash = ot_hash_mix(ot_hash_mix(key->session, key->category), key->name);
    if (ot_map_find(&operators->map, hash, same, operators, key) != OT_MAP_NONE)
        return true;
    operators->items[operators->n] = *key;
    return ot_map_put(&operators->map, hash, operators->n++);
}

static void add(int64_t *sum, int64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum))
        *sum = INT64_MAX;
}

static bool add_rows(const struct ot_population *pop, struct operators *operators,
                     struct ot_figures *figures)
{
    for (size_t i = 0; i < pop->n_rows; i++) {
        const struct ot_row *row = &pop->rows[i];
        const struct ot_backend *backend = &ot_backends[row->backend];
        const struct operator_key key = {backend->kind, row->session, row->category, row->name};
        if (!backend->in_population || row->totals.n_calls <= row->totals.n_errors)
            continue;
        if (!add_operator(operators, &key))
            return false;
        if (strcmp(backend->kind, "device") == 0)
            figures->has_device = true;
        else
            add(&figures->host_busy_ns, row->totals.self_ns);
    }
    return true;
}

int ot_figures_of(const struct ot_population *pop, struct ot_figures *ret_figures,
                  struct ot_err *err)
{
    struct ot_figures figures = {
        .n_events = pop->counts.events_read,
        .is_exact = ot_completeness_exact(&pop->counts),
    };
    struct operators operators = {.items = calloc(pop->n_rows + 1, sizeof(*operators.items))};
    bool fits = operators.items && add_rows(pop, &operators, &figures);
    figures.n_operators = operators.n;
    ot_map_release(&operators.map);
    free(operators.items);
    if (!fits)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for operators");
    for (size_t i = 0; i < pop->n_devices; i++)
        add(&figures.device_busy_ns, pop->devices[i].union_ns);
    *ret_figures = figures;
    return OT_OK;
}
