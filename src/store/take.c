#include "store/take.h"

#include <string.h>

int ot_take_text(struct ot_take *take, struct ot_text text, struct ot_text *ret_copy)
{
    char *bytes = ot_arena_copy(&take->analysis->arena, text.len ? text.bytes : "", text.len);
    if (!bytes)
        return ot_err_set(take->err, OT_ERR_NOMEM, "out of memory for the analysis");
    *ret_copy = (struct ot_text){bytes, text.len};
    return OT_OK;
}

/* Arrays in an arena grow by doubling: at every power of two they move. */
int ot_take_room(struct ot_take *take, void *items, size_t n, size_t item_bytes)
{
    if (n & (n - 1))
        return OT_OK;
    void *old;
    memcpy(&old, items, sizeof(old));
    size_t cap = n ? 2 * n : 1;
    void *new = cap <= SIZE_MAX / item_bytes
                    ? ot_arena_alloc(&take->analysis->arena, cap * item_bytes)
                    : NULL;
    if (!new)
        return ot_err_set(take->err, OT_ERR_NOMEM, "out of memory for the analysis");
    if (n)
        memcpy(new, old, n * item_bytes);
    memcpy(items, &new, sizeof(new));
    return OT_OK;
}

int ot_take_sessions(struct ot_take *take)
{
    struct ot_analysis *analysis = take->analysis;
    for (size_t i = 0; i < take->pop->n_sessions; i++) {
        const struct ot_session *session = &take->pop->sessions[i].session;
        int code = ot_take_room(take, &analysis->sessions, i, sizeof(*analysis->sessions));
        if (code < 0)
            return code;
        struct ot_session *copy = &analysis->sessions[i];
        *copy = *session;
        code = ot_take_text(take, session->path, &copy->path);
        if (code == OT_OK)
            code = ot_take_text(take, session->host, &copy->host);
        if (code == OT_OK)
            code = ot_take_text(take, session->torch, &copy->torch);
        if (code == OT_OK)
            code = ot_take_text(take, session->devices, &copy->devices);
        if (code < 0)
            return code;
        analysis->n_sessions++;
    }
    return OT_OK;
}

int ot_take_summary(struct ot_take *take, struct ot_rows *rows)
{
    struct ot_analysis *analysis = take->analysis;
    if (!ot_rows_next(rows))
        return OT_OK;
    analysis->n_operators = (uint64_t)ot_rows_int(rows, 0);
    analysis->counts.overflowed_sums += (uint64_t)ot_rows_int(rows, 1);
    analysis->n_events = (uint64_t)ot_rows_int(rows, 2);
    analysis->has_device = ot_rows_bool(rows, 3);
    analysis->n_tracks = (uint64_t)ot_rows_int(rows, 4);
    analysis->n_processes = (uint64_t)ot_rows_int(rows, 5);
    analysis->n_memory_events = (uint64_t)ot_rows_int(rows, 6);
    analysis->n_graph_launched = (uint64_t)ot_rows_int(rows, 7);
    analysis->graph_launched_ns = ot_rows_int(rows, 8);
    analysis->has_times = ot_rows_bool(rows, 9);
    analysis->start_ns = ot_rows_int(rows, 10);
    analysis->end_ns = ot_rows_int(rows, 11);
    analysis->operators.n_total = analysis->n_operators;
    return OT_OK;
}

int ot_take_coverage(struct ot_take *take, struct ot_rows *rows)
{
    struct ot_analysis *analysis = take->analysis;
    while (ot_rows_next(rows)) {
        int code = ot_take_room(take, &analysis->coverage, analysis->n_coverage,
                                sizeof(*analysis->coverage));
        if (code < 0)
            return code;
        struct ot_coverage *coverage = &analysis->coverage[analysis->n_coverage];
        *coverage = (struct ot_coverage){.is_there = ot_rows_bool(rows, 1)};
        code = ot_take_text(take, ot_rows_text(rows, 0), &coverage->name);
        if (code < 0)
            return code;
        analysis->n_coverage++;
    }
    return OT_OK;
}

int ot_take_threshold(struct ot_take *take, struct ot_rows *rows)
{
    struct ot_analysis *analysis = take->analysis;
    analysis->threshold_is_absolute = take->opts->small_below_ns >= 0;
    analysis->has_threshold = ot_rows_next(rows);
    if (!analysis->has_threshold)
        return OT_OK;
    analysis->threshold_ns = ot_rows_int(rows, 0);
    analysis->threshold_thousandths = (int)ot_rows_int(rows, 1);
    return OT_OK;
}
