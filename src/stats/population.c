#include "stats/population.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/sum.h"
#include "base/vec.h"

void ot_totals_init(struct ot_totals *totals)
{
    *totals = (struct ot_totals){.min_ns = INT64_MAX};
}

unsigned ot_totals_add(struct ot_totals *totals, const struct ot_totals *more)
{
    totals->n_calls += more->n_calls;
    totals->n_errors += more->n_errors;
    if (more->min_ns < totals->min_ns)
        totals->min_ns = more->min_ns;
    if (more->max_ns > totals->max_ns)
        totals->max_ns = more->max_ns;
    return ot_sum_add(&totals->inclusive_ns, more->inclusive_ns) +
           ot_sum_add(&totals->self_ns, more->self_ns);
}

static bool same_row(const void *owner, size_t index, const void *key)
{
    const struct ot_population *pop = owner;
    const struct ot_row *row = &pop->rows[index];
    const struct ot_slice *slice = key;
    return row->name == slice->name && row->vtid == slice->vtid && row->vpid == slice->vpid &&
           row->host == slice->host && row->backend == slice->backend &&
           row->session == slice->session && row->category == slice->category;
}

static uint64_t hash_of(const struct ot_slice *slice)
{
    uint64_t hash = ot_hash_mix(0, slice->name);
    hash = ot_hash_mix(hash, slice->vtid);
    hash = ot_hash_mix(hash, (uint64_t)slice->vpid);
    hash = ot_hash_mix(hash, (uint64_t)slice->host << 8 | (unsigned)slice->backend);
    return ot_hash_mix(hash, (uint64_t)slice->session << 32 | slice->category);
}

static int new_row(struct ot_population *pop, const struct ot_slice *slice, uint64_t hash,
                   struct ot_err *err)
{
    if (pop->n_rows >= OT_POPULATION_MAX_ROWS)
        return ot_err_set(err, OT_ERR_NOMEM, "more than %d operators and threads",
                          OT_POPULATION_MAX_ROWS);
    if (!ot_vec_reserve(&pop->rows, &pop->cap, pop->n_rows + 1, sizeof(*pop->rows)) ||
        !ot_map_put(&pop->map, hash, pop->n_rows))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for operators");
    struct ot_row *row = &pop->rows[pop->n_rows++];
    *row = (struct ot_row){
        .backend = slice->backend,
        .session = slice->session,
        .category = slice->category,
        .host = slice->host,
        .name = slice->name,
        .vpid = slice->vpid,
        .vtid = slice->vtid,
    };
    ot_totals_init(&row->totals);
    return OT_OK;
}

static int find_row(struct ot_population *pop, const struct ot_slice *slice, size_t *ret_row,
                    struct ot_err *err)
{
    uint64_t hash = hash_of(slice);
    int64_t found = ot_map_find(&pop->map, hash, same_row, pop, slice);
    if (found == OT_MAP_NONE) {
        found = (int64_t)pop->n_rows;
        int code = new_row(pop, slice, hash, err);
        if (code < 0)
            return code;
    }
    *ret_row = (size_t)found;
    return OT_OK;
}

/* Threads of a process have numbers near each other, as names have ids. */
static size_t place_of(const struct ot_slice *slice)
{
    return (slice->name ^ slice->vtid << 5) % OT_POPULATION_RECENT;
}

int ot_population_row(struct ot_population *pop, const struct ot_slice *slice, size_t *ret_row,
                      struct ot_err *err)
{
    uint32_t *recent = &pop->recent_rows[place_of(slice)];
    if (*recent && same_row(pop, *recent - 1, slice)) {
        *ret_row = *recent - 1;
        return OT_OK;
    }
    int code = find_row(pop, slice, ret_row, err);
    if (code == OT_OK)
        *recent = (uint32_t)*ret_row + 1;
    return code;
}

int ot_population_add(struct ot_population *pop, const struct ot_slice *slice, struct ot_err *err)
{
    size_t row = 0;
    int code = ot_population_row(pop, slice, &row, err);
    if (code < 0)
        return code;
    struct ot_totals call = {.n_calls = 1, .n_errors = 1, .min_ns = INT64_MAX};
    if (!slice->err)
        call = (struct ot_totals){
            .n_calls = 1,
            .inclusive_ns = slice->dur_ns,
            .self_ns = slice->self_ns,
            .min_ns = slice->dur_ns,
            .max_ns = slice->dur_ns,
        };
    pop->counts.overflowed_sums += ot_totals_add(&pop->rows[row].totals, &call);
    return OT_OK;
}

int ot_population_add_unclosed(struct ot_population *pop, const struct ot_slice *entry,
                               struct ot_err *err)
{
    size_t row = 0;
    int code = ot_population_row(pop, entry, &row, err);
    if (code < 0)
        return code;
    pop->rows[row].n_unclosed++;
    return OT_OK;
}

void ot_population_release(struct ot_population *pop)
{
    if (!pop)
        return;
    ot_names_release(&pop->names);
    ot_map_release(&pop->map);
    free(pop->rows);
    free(pop->sessions);
    free(pop->tracks);
    free(pop->devices);
    free(pop->memory);
    free(pop->shapes);
    *pop = (struct ot_population){0};
}
