/* Walks along what was kept, lane by lane, with a stack for each of its rows. */
#include <stdlib.h>

#include "base/sum.h"
#include "base/vec.h"
#include "model/backend.h"
#include "slice/ns.h"
#include "timeline/flows.h"
#include "timeline/parts.h"

/* A slice that is open where the walk has got. */
struct level {
    int64_t end_ns;
    uint64_t exit; /* paired */
    bool is_unfinished;
};

struct row {
    uint64_t uuid;
    struct level *stack;
    size_t depth;
    size_t cap;
};

struct walk {
    struct ot_timeline *timeline;
    bool has_lane;
    uint32_t lane;
    bool nests;
    uint32_t session;
    int64_t offset_ns;
    struct row *rows; /* of the lane, and spare ones behind them */
    size_t n_rows;
    size_t n_all_rows;
    size_t rows_cap;

    /* The last slice, which may yet be the innermost at an arrow's end. */
    bool has_held;
    struct ot_timeline_record held;
    uint64_t *arrows; /* that end where the last arrow did */
    size_t n_arrows;
    size_t arrows_cap;
    uint32_t arrows_lane;
    int64_t arrows_ns;
    uint64_t *flows; /* of the slice that is drawn */
    size_t flows_cap;
};

/* --- rows ---------------------------------------------------------------------------------------
 */

static void write_end(struct walk *walk, const struct row *row, const struct level *level)
{
    if (level->is_unfinished)
        return;
    const struct ot_pftrace_event end = {
        .kind = OT_PFTRACE_END,
        .track = row->uuid,
        .ts_ns = level->end_ns + walk->offset_ns,
        .name = OT_PFTRACE_NO_NAME,
        .category = OT_PFTRACE_NO_NAME,
    };
    ot_pftrace_put_event(walk->timeline->trace, &end);
}

static bool has_ended(const struct level *level, const struct ot_timeline_record *record)
{
    if (record->flags & OT_RECORD_PAIRED)
        return level->exit < record->order;
    return level->end_ns <= record->ts_ns;
}

static void close_until(struct walk *walk, struct row *row, const struct ot_timeline_record *record)
{
    while (row->depth && has_ended(&row->stack[row->depth - 1], record))
        write_end(walk, row, &row->stack[--row->depth]);
}

static void close_lane(struct walk *walk)
{
    for (size_t i = 0; i < walk->n_rows; i++) {
        struct row *row = &walk->rows[i];
        while (row->depth)
            write_end(walk, row, &row->stack[--row->depth]);
    }
    walk->n_rows = 0;
}

static bool fits(const struct walk *walk, const struct row *row,
                 const struct ot_timeline_record *record)
{
    if (row->depth == 0)
        return true;
    const struct level *top = &row->stack[row->depth - 1];
    if (!walk->nests)
        return false;
    if (record->flags & OT_RECORD_PAIRED)
        return record->exit <= top->exit;
    return ot_ns_add(record->ts_ns, record->dur_ns) <= top->end_ns;
}

static int add_row(struct walk *walk, struct ot_err *err)
{
    if (walk->n_rows == walk->n_all_rows) {
        if (!ot_vec_reserve(&walk->rows, &walk->rows_cap, walk->n_all_rows + 1,
                            sizeof(*walk->rows)))
            return ot_err_set(err, OT_ERR_NOMEM, "out of memory for tracks");
        walk->rows[walk->n_all_rows++] = (struct row){0};
    }
    struct row *row = &walk->rows[walk->n_rows];
    row->uuid = ot_describe_row(&walk->timeline->describe, walk->lane, walk->n_rows);
    row->depth = 0;
    walk->n_rows++;
    return OT_OK;
}

/* The first row that has a place for it; OT_END: there are too many. */
static int find_row(struct walk *walk, const struct ot_timeline_record *record,
                    struct row **ret_row, struct ot_err *err)
{
    for (size_t i = 0; i < OT_TIMELINE_ROWS_MAX; i++) {
        if (i == walk->n_rows) {
            int code = add_row(walk, err);
            if (code < 0)
                return code;
        }
        struct row *row = &walk->rows[i];
        close_until(walk, row, record);
        if (fits(walk, row, record)) {
            walk->timeline->totals.n_moved += i > 0;
            *ret_row = row;
            return OT_OK;
        }
    }
    return OT_END;
}

/* --- slices -------------------------------------------------------------------------------------
 */

static size_t add_notes(const struct walk *walk, const struct ot_timeline_record *record,
                        const struct ot_detail *detail, struct ot_pftrace_note *notes)
{
    const struct ot_details *details = &walk->timeline->details;
    size_t n = ot_details_notes(details, detail, notes);
    if (record->flags & OT_RECORD_HAS_CORRELATION)
        notes[n++] = ot_details_number(details, OT_NOTE_CORRELATION, (int64_t)record->correlation);
    if (record->flags & OT_RECORD_HAS_SEQUENCE)
        notes[n++] = ot_details_number(details, OT_NOTE_SEQUENCE, record->sequence);
    if (record->flags & OT_RECORD_LOST)
        notes[n++] = ot_details_text(details, OT_NOTE_END, details->not_seen);
    if (record->flags & OT_RECORD_INSTANT)
        notes[n++] = ot_details_text(details, OT_NOTE_END, details->no_entry);
    return n;
}

/* From the call that launched it to what ran on the device. */
static uint64_t launch_flow(const struct walk *walk, const struct ot_timeline_record *record,
                            const struct ot_detail *detail)
{
    bool is_launch =
        ot_backends[detail->backend].lane == OT_LANE_CALLS && detail->backend != OT_BACKEND_PYTORCH;
    if (!(record->flags & OT_RECORD_HAS_CORRELATION) ||
        !(is_launch || detail->backend == OT_BACKEND_DEVICE))
        return 0;
    return ot_flow_of(OT_FLOW_LAUNCH, walk->session, record->correlation);
}

static int list_flows(struct walk *walk, const struct ot_timeline_record *record,
                      const struct ot_detail *detail, size_t n_arrows, size_t *ret_n,
                      struct ot_err *err)
{
    const uint64_t own[] = {
        launch_flow(walk, record, detail),
        record->flags & OT_RECORD_HAS_SEQUENCE
            ? ot_timeline_sequence_flow(walk->timeline, walk->lane,
                                        record->flags & OT_RECORD_IS_MAKER, detail,
                                        record->sequence)
            : 0,
    };
    enum { N_OWN = sizeof(own) / sizeof(own[0]) };
    if (!ot_vec_reserve(&walk->flows, &walk->flows_cap, n_arrows + N_OWN, sizeof(*walk->flows)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for arrows");
    size_t n = 0;
    while (n < n_arrows) {
        walk->flows[n] = walk->arrows[n];
        n++;
    }
    for (size_t i = 0; i < N_OWN; i++) {
        if (own[i])
            walk->flows[n++] = own[i];
    }
    *ret_n = n;
    return OT_OK;
}

static int push(struct row *row, const struct ot_timeline_record *record, struct ot_err *err)
{
    if (!ot_vec_reserve(&row->stack, &row->cap, row->depth + 1, sizeof(*row->stack)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for open calls");
    bool is_unfinished = record->flags & OT_RECORD_UNFINISHED;
    row->stack[row->depth++] = (struct level){
        .end_ns = is_unfinished ? INT64_MAX : ot_ns_add(record->ts_ns, record->dur_ns),
        .exit = record->exit,
        .is_unfinished = is_unfinished,
    };
    return OT_OK;
}

static void count(struct ot_timeline_totals *totals, const struct ot_timeline_record *record)
{
    if (record->flags & OT_RECORD_INSTANT) {
        totals->n_instants++;
        return;
    }
    totals->n_slices++;
    totals->n_unfinished += !!(record->flags & OT_RECORD_UNFINISHED);
    totals->n_lost += !!(record->flags & OT_RECORD_LOST);
}

/* An instant takes no place: it lies on what is open in the first row. */
static int draw_slice(struct walk *walk, const struct ot_timeline_record *record, size_t n_arrows,
                      struct ot_err *err)
{
    struct ot_timeline *timeline = walk->timeline;
    const struct ot_detail *detail = &timeline->details.items[record->detail];
    bool is_instant = record->flags & OT_RECORD_INSTANT;
    struct ot_pftrace_note notes[OT_DETAILS_NOTES_MAX];
    struct row *row = NULL;
    size_t n_flows = 0;
    int code = OT_OK;
    if (!is_instant)
        code = find_row(walk, record, &row, err);
    if (code == OT_END) {
        timeline->totals.n_left_out++;
        return OT_OK;
    }
    if (code == OT_OK)
        code = list_flows(walk, record, detail, n_arrows, &n_flows, err);
    if (code < 0)
        return code;
    if (is_instant) {
        row = &walk->rows[0];
        close_until(walk, row, record);
    }
    const struct ot_pftrace_event event = {
        .kind = is_instant ? OT_PFTRACE_INSTANT : OT_PFTRACE_BEGIN,
        .track = row->uuid,
        .ts_ns = record->ts_ns + walk->offset_ns,
        .name = record->name,
        .category = detail->category ? detail->category - 1 : OT_PFTRACE_NO_NAME,
        .notes = notes,
        .n_notes = add_notes(walk, record, detail, notes),
        .flows = walk->flows,
        .n_flows = n_flows,
    };
    ot_pftrace_put_event(timeline->trace, &event);
    count(&timeline->totals, record);
    return is_instant ? OT_OK : push(row, record, err);
}

static void draw_value(struct walk *walk, const struct ot_timeline_record *record)
{
    struct ot_timeline *timeline = walk->timeline;
    struct ot_place_lane *lane = &timeline->places.lanes[record->lane];
    int64_t value = record->value;
    if (lane->kind == OT_LANE_KIND_SUM && !__builtin_add_overflow(lane->sum, value, &value))
        lane->sum = value;
    ot_pftrace_put_counter(timeline->trace, walk->rows[0].uuid, record->ts_ns + walk->offset_ns,
                           value);
    timeline->totals.n_counters++;
}

/* --- the walk -----------------------------------------------------------------------------------
 */

static uint32_t session_of(const struct ot_places *places, const struct ot_place_lane *lane)
{
    uint32_t process =
        lane->kind >= OT_LANE_KIND_COUNTER ? lane->owner : places->threads[lane->owner].process;
    return places->processes[process].session;
}

static int begin_lane(struct walk *walk, uint32_t number, struct ot_err *err)
{
    const struct ot_places *places = &walk->timeline->places;
    const struct ot_place_lane *lane = &places->lanes[number];
    close_lane(walk);
    walk->has_lane = true;
    walk->lane = number;
    walk->nests = lane->kind < OT_LANE_KINDS && ot_lane_classes[lane->kind].nests;
    walk->session = session_of(places, lane);
    walk->offset_ns = walk->timeline->spans[walk->session].offset_ns;
    return add_row(walk, err);
}

static int draw(struct walk *walk, const struct ot_timeline_record *record, size_t n_arrows,
                struct ot_err *err)
{
    if (!walk->has_lane || record->lane != walk->lane) {
        int code = begin_lane(walk, record->lane, err);
        if (code < 0)
            return code;
    }
    if (walk->timeline->places.lanes[record->lane].kind >= OT_LANE_KIND_COUNTER) {
        draw_value(walk, record);
        return OT_OK;
    }
    return draw_slice(walk, record, n_arrows, err);
}

static bool begin_together(const struct ot_timeline_record *a, const struct ot_timeline_record *b)
{
    return a->lane == b->lane && a->ts_ns == b->ts_ns;
}

/* Arrows end at the innermost slice that begins then, which is the last such one. */
static int draw_held(struct walk *walk, bool is_last, struct ot_err *err)
{
    bool has_arrows = is_last && walk->n_arrows && walk->arrows_lane == walk->held.lane &&
                      walk->arrows_ns == walk->held.ts_ns;
    int code = draw(walk, &walk->held, has_arrows ? walk->n_arrows : 0, err);
    if (has_arrows)
        walk->n_arrows = 0;
    walk->has_held = false;
    return code;
}

static int add_arrow(struct walk *walk, const struct ot_timeline_record *record, struct ot_err *err)
{
    if (walk->arrows_lane != record->lane || walk->arrows_ns != record->ts_ns) {
        walk->timeline->totals.n_arrows_without_slice += walk->n_arrows;
        walk->n_arrows = 0;
    }
    walk->arrows_lane = record->lane;
    walk->arrows_ns = record->ts_ns;
    if (!ot_vec_reserve(&walk->arrows, &walk->arrows_cap, walk->n_arrows + 1,
                        sizeof(*walk->arrows)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for arrows");
    walk->arrows[walk->n_arrows++] = record->flow;
    return OT_OK;
}

static int step(struct walk *walk, const struct ot_timeline_record *record, struct ot_err *err)
{
    bool is_arrow = record->flags & OT_RECORD_ARROW;
    if (walk->has_held) {
        int code = draw_held(walk, is_arrow || !begin_together(&walk->held, record), err);
        if (code < 0)
            return code;
    }
    if (is_arrow)
        return add_arrow(walk, record, err);
    walk->held = *record;
    walk->has_held = true;
    return OT_OK;
}

static int walk_along(struct walk *walk, struct ot_err *err)
{
    enum { CHECK_EVERY = 1 << 16 };
    const struct ot_timeline_record *record = NULL;
    int code = OT_OK;
    for (uint64_t n = 1; (code = ot_spill_next(walk->timeline->spill, &record, err)) == OT_OK;
         n++) {
        code = step(walk, record, err);
        if (code == OT_OK && n % CHECK_EVERY == 0)
            code = ot_pftrace_check(walk->timeline->trace, err);
        if (code < 0)
            return code;
    }
    if (code < 0)
        return code;
    if (walk->has_held)
        code = draw_held(walk, true, err);
    if (code < 0)
        return code;
    walk->timeline->totals.n_arrows_without_slice += walk->n_arrows;
    close_lane(walk);
    return OT_OK;
}

int ot_timeline_draw(struct ot_timeline *timeline, struct ot_err *err)
{
    struct walk walk = {.timeline = timeline};
    int code = ot_spill_sort(timeline->spill, err);
    if (code == OT_OK)
        code = walk_along(&walk, err);
    for (size_t i = 0; i < walk.n_all_rows; i++)
        free(walk.rows[i].stack);
    free(walk.rows);
    free(walk.arrows);
    free(walk.flows);
    return code;
}
