#include "ingest/oplog/merge.h"

#include <stdlib.h>

#include "base/vec.h"

/* What a running thread needs. */
struct runner {
    struct ot_oplog_cursor cursor;
    struct ot_event event; /* the next one, in order */
};

/* A thread on the heap. */
struct lane {
    int64_t ts_ns; /* of its next event; before it runs, no later than that */
    struct ot_oplog_log *log;
    const struct ot_oplog_thread *thread;
    uint32_t key;          /* in the order of being added, from 1 */
    struct runner *runner; /* NULL: it does not run yet */
};

struct ot_oplog_merge {
    struct ot_oplog_common *common;
    bool in_order;
    struct lane *lanes; /* in order: a heap; else the next one is `next_lane` */
    size_t n_lanes;
    size_t cap;
    size_t next_lane;
    uint32_t n_added;
    bool is_taken; /* the top's event was yielded */
};

struct ot_oplog_merge *ot_oplog_merge_new(struct ot_oplog_common *common, bool in_order)
{
    struct ot_oplog_merge *merge = calloc(1, sizeof(*merge));
    if (merge)
        *merge = (struct ot_oplog_merge){.common = common, .in_order = in_order};
    return merge;
}

static bool comes_before(const struct lane *a, const struct lane *b)
{
    return a->ts_ns != b->ts_ns ? a->ts_ns < b->ts_ns : a->key < b->key;
}

static void sift_down(struct ot_oplog_merge *merge, size_t at)
{
    struct lane moved = merge->lanes[at];
    while (true) {
        size_t child = 2 * at + 1;
        if (child >= merge->n_lanes)
            break;
        if (child + 1 < merge->n_lanes &&
            comes_before(&merge->lanes[child + 1], &merge->lanes[child]))
            child++;
        if (!comes_before(&merge->lanes[child], &moved))
            break;
        merge->lanes[at] = merge->lanes[child];
        at = child;
    }
    merge->lanes[at] = moved;
}

static void sift_up(struct ot_oplog_merge *merge, size_t at)
{
    struct lane moved = merge->lanes[at];
    while (at && comes_before(&moved, &merge->lanes[(at - 1) / 2])) {
        merge->lanes[at] = merge->lanes[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    merge->lanes[at] = moved;
}

static int add_lane(struct ot_oplog_merge *merge, struct ot_oplog_log *log,
                    const struct ot_oplog_thread *thread, struct ot_err *err)
{
    if (!ot_vec_reserve(&merge->lanes, &merge->cap, merge->n_lanes + 1, sizeof(*merge->lanes)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for threads");
    struct lane *lane = &merge->lanes[merge->n_lanes++];
    *lane = (struct lane){.log = log, .thread = thread, .key = ++merge->n_added};
    if (!merge->in_order)
        return OT_OK;
    struct ot_oplog_cursor cursor;
    ot_oplog_cursor_init(&cursor, log, thread, lane->key, merge->common);
    lane->ts_ns = ot_oplog_cursor_earliest_ns(&cursor);
    sift_up(merge, merge->n_lanes - 1);
    return OT_OK;
}

int ot_oplog_merge_add(struct ot_oplog_merge *merge, struct ot_oplog_log *log, struct ot_err *err)
{
    int code = OT_OK;
    for (size_t i = 0; i < log->n_threads && code == OT_OK; i++)
        code = add_lane(merge, log, &log->threads[i], err);
    return code;
}

static int start(struct ot_oplog_merge *merge, struct lane *lane, struct ot_err *err)
{
    lane->runner = malloc(sizeof(*lane->runner));
    if (!lane->runner)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a thread's events");
    ot_oplog_cursor_init(&lane->runner->cursor, lane->log, lane->thread, lane->key, merge->common);
    return ot_oplog_log_use_names(lane->log, merge->common, err);
}

static void stop(struct lane *lane)
{
    if (!lane->runner)
        return;
    ot_oplog_cursor_release(&lane->runner->cursor);
    ot_oplog_log_leave_names(lane->log);
    free(lane->runner);
    lane->runner = NULL;
}

/* --- one after the other ------------------------------------------------------------------------
 */

static int next_in_turn(struct ot_oplog_merge *merge, struct ot_event *ret_event,
                        const struct ot_oplog_cursor **ret_cursor, struct ot_err *err)
{
    while (merge->next_lane < merge->n_lanes) {
        struct lane *lane = &merge->lanes[merge->next_lane];
        int code = lane->runner ? OT_OK : start(merge, lane, err);
        if (code == OT_OK)
            code = ot_oplog_cursor_next(&lane->runner->cursor, ret_event, err);
        if (code != OT_END) {
            *ret_cursor = &lane->runner->cursor;
            return code;
        }
        stop(lane);
        merge->next_lane++;
    }
    return OT_END;
}

/* --- in the order of time -----------------------------------------------------------------------
 */

/* Gets the top's next event, and puts the lane where it belongs. */
static int advance_top(struct ot_oplog_merge *merge, struct ot_err *err)
{
    struct lane *top = &merge->lanes[0];
    int code = top->runner ? OT_OK : start(merge, top, err);
    if (code == OT_OK)
        code = ot_oplog_cursor_next(&top->runner->cursor, &top->runner->event, err);
    if (code < 0)
        return code;
    if (code == OT_END) {
        struct lane ended = *top;
        *top = merge->lanes[--merge->n_lanes];
        stop(&ended);
    } else if (top->runner->event.ts_ns > top->ts_ns) {
        top->ts_ns = top->runner->event.ts_ns; /* else it goes back in time, and comes at once */
    }
    if (merge->n_lanes)
        sift_down(merge, 0);
    return OT_OK;
}

static int next_in_order(struct ot_oplog_merge *merge, struct ot_event *ret_event,
                         const struct ot_oplog_cursor **ret_cursor, struct ot_err *err)
{
    while (merge->n_lanes) {
        struct lane *top = &merge->lanes[0];
        if (top->runner && !merge->is_taken) {
            *ret_event = top->runner->event;
            *ret_cursor = &top->runner->cursor;
            merge->is_taken = true;
            return OT_OK;
        }
        merge->is_taken = false;
        int code = advance_top(merge, err);
        if (code < 0)
            return code;
    }
    return OT_END;
}

int ot_oplog_merge_next(struct ot_oplog_merge *merge, struct ot_event *ret_event,
                        const struct ot_oplog_cursor **ret_cursor, struct ot_err *err)
{
    return merge->in_order ? next_in_order(merge, ret_event, ret_cursor, err)
                           : next_in_turn(merge, ret_event, ret_cursor, err);
}

void ot_oplog_merge_free(struct ot_oplog_merge *merge)
{
    if (!merge)
        return;
    for (size_t i = 0; i < merge->n_lanes; i++)
        stop(&merge->lanes[i]);
    free(merge->lanes);
    free(merge);
}
