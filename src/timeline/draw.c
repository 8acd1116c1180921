/* Walks along what was kept, lane by lane. */
#include <stdlib.h>

#include "base/vec.h"
#include "model/backend.h"
#include "timeline/flows.h"
#include "timeline/parts.h"
#include "timeline/rows.h"

struct walk {
    struct ot_timeline *timeline;
    struct ot_rows rows;
    bool has_lane;
    uint32_t lane;
    uint32_t session;

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
static int find_track(struct walk *walk, const struct ot_timeline_record *record,
                      uint64_t *ret_uuid, struct ot_err *err)
{
    if (record->flags & OT_RECORD_INSTANT) {
        *ret_uuid = ot_rows_first(&walk->rows, record);
        return OT_OK;
    }
    size_t row = 0;
    int code = ot_rows_put(&walk->rows, record, &row, ret_uuid, err);
    walk->timeline->totals.n_moved += row > 0;
    walk->timeline->totals.n_left_out += code == OT_END;
    return code;
}

static int draw_slice(struct walk *walk, const struct ot_timeline_record *record, size_t n_arrows,
                      struct ot_err *err)
{
    struct ot_timeline *timeline = walk->timeline;
    const struct ot_detail *detail = &timeline->details.items[record->detail];
    struct ot_pftrace_note notes[OT_DETAILS_NOTES_MAX];
    uint64_t uuid = 0;
    size_t n_flows = 0;
    int code = find_track(walk, record, &uuid, err);
    if (code == OT_OK)
        code = list_flows(walk, record, detail, n_arrows, &n_flows, err);
    if (code != OT_OK)
        return code == OT_END ? OT_OK : code;
    const struct ot_pftrace_event event = {
        .kind = record->flags & OT_RECORD_INSTANT ? OT_PFTRACE_INSTANT : OT_PFTRACE_BEGIN,
        .track = uuid,
        .ts_ns = record->ts_ns + walk->rows.offset_ns,
        .name = record->name,
        .category = detail->category ? detail->category - 1 : OT_PFTRACE_NO_NAME,
        .notes = notes,
        .n_notes = add_notes(walk, record, detail, notes),
        .flows = walk->flows,
        .n_flows = n_flows,
    };
    ot_pftrace_put_event(timeline->trace, &event);
    count(&timeline->totals, record);
    return OT_OK;
}

static void draw_value(struct walk *walk, const struct ot_timeline_record *record)
{
    struct ot_timeline *timeline = walk->timeline;
    struct ot_place_lane *lane = &timeline->places.lanes[record->lane];
    int64_t value = record->value;
    if (lane->kind == OT_LANE_KIND_SUM && !__builtin_add_overflow(lane->sum, value, &value))
        lane->sum = value;
    ot_pftrace_put_counter(timeline->trace, ot_rows_first(&walk->rows, record),
                           record->ts_ns + walk->rows.offset_ns, value);
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
    bool nests = lane->kind < OT_LANE_KINDS && ot_lane_classes[lane->kind].nests;
    walk->has_lane = true;
    walk->lane = number;
    walk->session = session_of(places, lane);
    return ot_rows_begin(&walk->rows, number, nests, walk->timeline->spans[walk->session].offset_ns,
                         err);
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
    ot_rows_end(&walk->rows);
    return OT_OK;
}

int ot_timeline_draw(struct ot_timeline *timeline, struct ot_err *err)
{
    struct walk walk = {.timeline = timeline, .rows = {.describe = &timeline->describe}};
    int code = ot_spill_sort(timeline->spill, err);
    if (code == OT_OK)
        code = walk_along(&walk, err);
    ot_rows_release(&walk.rows);
    free(walk.arrows);
    free(walk.flows);
    return code;
}
