#include "base/vec.h"
#include "model/backend.h"
#include "slice/ns.h"
#include "timeline/flows.h"
#include "timeline/parts.h"

/* Where an event is drawn is looked up once for each of the pairing's tracks. */
static int find_lane(struct ot_timeline *timeline, const struct ot_event *event, size_t track,
                     struct ot_err *err)
{
    struct ot_place_key key = {0};
    uint32_t thread = 0;
    uint32_t lane = 0;
    if (!ot_vec_reserve(&timeline->lanes, &timeline->lanes_cap, track + 1,
                        sizeof(*timeline->lanes)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for tracks");
    while (timeline->n_lanes <= track)
        timeline->lanes[timeline->n_lanes++] = 0;
    int code = ot_places_key_of(&timeline->places, event, &key, err);
    if (code == OT_OK)
        code = ot_places_thread(&timeline->places, &key, &thread, err);
    if (code == OT_OK)
        code = ot_places_lane(&timeline->places, thread, ot_places_kind_of(event->backend), &lane,
                              err);
    if (code == OT_OK)
        timeline->lanes[track] = lane + 1;
    return code;
}

static inline int lane_of(struct ot_timeline *timeline, const struct ot_event *event, size_t track,
                          uint32_t *ret_lane, struct ot_err *err)
{
    if (track >= timeline->n_lanes || timeline->lanes[track] == 0) {
        int code = find_lane(timeline, event, track, err);
        if (code < 0)
            return code;
    }
    *ret_lane = timeline->lanes[track] - 1;
    return OT_OK;
}

/* The category of what has none of its own is its backend. */
static int detail_of(struct ot_timeline *timeline, const struct ot_event *event,
                     struct ot_detail *ret_detail, struct ot_err *err)
{
    struct ot_detail detail = {0};
    int code = ot_details_of(&timeline->details, event, &detail, err);
    if (code == OT_OK && detail.category == 0)
        detail.category = timeline->details.backends[event->backend] + 1;
    if (code == OT_OK)
        *ret_detail = detail;
    return code;
}

static bool has_sequence(const struct ot_event *event)
{
    return event->args && event->args->has_sequence;
}

static bool is_maker(const struct ot_timeline *timeline, const struct ot_event *event)
{
    return timeline->opts.makers && ot_timeline_makers_ask(timeline->opts.makers, event);
}

uint64_t ot_timeline_sequence_flow(const struct ot_timeline *timeline, uint32_t lane, bool is_maker,
                                   const struct ot_detail *detail, int64_t sequence)
{
    const struct ot_place_lane *place = &timeline->places.lanes[lane];
    if (!timeline->opts.makers || place->kind != OT_LANE_KIND_CALLS || sequence < 0 ||
        (!is_maker && detail->forward_thread == 0))
        return 0;
    const struct ot_place_thread *thread = &timeline->places.threads[place->owner];
    uint64_t forward_tid = is_maker ? thread->vtid : (uint64_t)detail->forward_thread;
    uint64_t where = ot_hash_mix(ot_hash_mix(0, thread->process), forward_tid);
    return ot_flow_of(OT_FLOW_SEQUENCE, where, (uint64_t)sequence);
}

/* --- straight -----------------------------------------------------------------------------------
 */

static int write_begin(struct ot_timeline *timeline, const struct ot_event *event,
                       const struct ot_paired *paired, uint32_t lane, struct ot_err *err)
{
    struct ot_detail detail = {0};
    struct ot_pftrace_note notes[OT_DETAILS_NOTES_MAX];
    size_t n_notes = 0;
    uint64_t flow = 0;
    uint32_t category = timeline->details.backends[event->backend];
    if (paired->slice.depth >= OT_TIMELINE_DEPTH_MAX)
        return OT_END;
    if (event->args) {
        int code = detail_of(timeline, event, &detail, err);
        if (code < 0)
            return code;
        category = detail.category - 1;
        n_notes = ot_details_notes(&timeline->details, &detail, notes);
    }
    if (has_sequence(event)) {
        int64_t sequence = event->args->sequence;
        notes[n_notes++] = ot_details_number(&timeline->details, OT_NOTE_SEQUENCE, sequence);
        flow =
            ot_timeline_sequence_flow(timeline, lane, is_maker(timeline, event), &detail, sequence);
    }
    ot_timeline_set_clock(timeline, paired->slice.ts_ns, true);
    const struct ot_pftrace_event begin = {
        .kind = OT_PFTRACE_BEGIN,
        .track = ot_describe_row(&timeline->describe, lane, 0),
        .ts_ns = paired->slice.ts_ns,
        .name = paired->slice.name,
        .category = category,
        .notes = notes,
        .n_notes = n_notes,
        .flows = &flow,
        .n_flows = flow != 0,
    };
    ot_pftrace_put_event(timeline->trace, &begin);
    timeline->totals.n_slices++;
    return OT_OK;
}

/* Of one whose exit was not seen. */
static void write_lost_end(struct ot_timeline *timeline, uint32_t lane, int64_t ts_ns)
{
    const struct ot_pftrace_note note =
        ot_details_text(&timeline->details, OT_NOTE_END, timeline->details.not_seen);
    const struct ot_pftrace_event end = {
        .kind = OT_PFTRACE_END,
        .track = ot_describe_row(&timeline->describe, lane, 0),
        .ts_ns = ts_ns,
        .name = OT_PFTRACE_NO_NAME,
        .category = OT_PFTRACE_NO_NAME,
        .notes = &note,
        .n_notes = 1,
    };
    ot_pftrace_put_event(timeline->trace, &end);
    timeline->totals.n_lost++;
}

static void write_instant(struct ot_timeline *timeline, const struct ot_slice *slice, uint32_t lane)
{
    const struct ot_pftrace_note note =
        ot_details_text(&timeline->details, OT_NOTE_END, timeline->details.no_entry);
    ot_timeline_set_clock(timeline, slice->ts_ns, true);
    const struct ot_pftrace_event instant = {
        .kind = OT_PFTRACE_INSTANT,
        .track = ot_describe_row(&timeline->describe, lane, 0),
        .ts_ns = slice->ts_ns,
        .name = slice->name,
        .category = timeline->details.backends[slice->backend],
        .notes = &note,
        .n_notes = 1,
    };
    ot_pftrace_put_event(timeline->trace, &instant);
    timeline->totals.n_instants++;
}

static int write_paired(struct ot_timeline *timeline, const struct ot_event *event,
                        const struct ot_paired *paired, uint32_t lane, struct ot_err *err)
{
    const struct ot_slice *slice = &paired->slice;
    if (paired->kind == OT_PAIRED_BEGIN)
        return write_begin(timeline, event, paired, lane, err);
    if (paired->kind == OT_PAIRED_UNCLOSED) {
        write_lost_end(timeline, lane, paired->closed_ns);
    } else if (slice->err) {
        write_instant(timeline, slice, lane);
    } else if (paired->crosses) {
        return OT_END;
    } else {
        /* Its begin has seen to it that the track was written. */
        ot_pftrace_put_end(timeline->trace, timeline->places.lanes[lane].uuid,
                           ot_ns_add(slice->ts_ns, slice->dur_ns));
    }
    return OT_OK;
}

/* --- sorted -------------------------------------------------------------------------------------
 */

static int keep_entry(struct ot_timeline *timeline, const struct ot_event *event,
                      struct ot_err *err)
{
    struct ot_detail detail = {0};
    uint32_t at = timeline->free_entry;
    if (at == 0) {
        if (!ot_vec_reserve(&timeline->entries, &timeline->entries_cap, timeline->n_entries + 1,
                            sizeof(*timeline->entries)))
            return ot_err_set(err, OT_ERR_NOMEM, "out of memory for open calls");
        at = (uint32_t)++timeline->n_entries;
    } else {
        timeline->free_entry = timeline->entries[at - 1].next_free;
    }
    struct ot_timeline_entry *entry = &timeline->entries[at - 1];
    *entry = (struct ot_timeline_entry){.order = timeline->n_events, .flags = OT_RECORD_PAIRED};
    if (has_sequence(event)) {
        entry->flags |= OT_RECORD_HAS_SEQUENCE;
        entry->sequence = event->args->sequence;
    }
    if (is_maker(timeline, event))
        entry->flags |= OT_RECORD_IS_MAKER;
    ot_pair_tag(timeline->pair, at);
    int code = detail_of(timeline, event, &detail, err);
    return code == OT_OK ? ot_details_intern(&timeline->details, &detail, &entry->detail, err)
                         : code;
}

static void free_entry(struct ot_timeline *timeline, uint64_t tag)
{
    timeline->entries[tag - 1].next_free = timeline->free_entry;
    timeline->free_entry = (uint32_t)tag;
}

static int keep_instant(struct ot_timeline *timeline, const struct ot_slice *slice, uint32_t lane,
                        struct ot_err *err)
{
    struct ot_timeline_record record = {
        .ts_ns = slice->ts_ns,
        .order = timeline->n_events,
        .exit = timeline->n_events,
        .lane = lane,
        .name = slice->name,
        .flags = OT_RECORD_PAIRED | OT_RECORD_INSTANT,
    };
    const struct ot_detail detail = {
        .category = timeline->details.backends[slice->backend] + 1,
        .backend = (uint32_t)slice->backend,
    };
    int code = ot_details_intern(&timeline->details, &detail, &record.detail, err);
    return code == OT_OK ? ot_timeline_keep(timeline, 0, &record, err) : code;
}

static int keep_paired(struct ot_timeline *timeline, const struct ot_event *event,
                       const struct ot_paired *paired, uint32_t lane, struct ot_err *err)
{
    const struct ot_slice *slice = &paired->slice;
    if (paired->kind == OT_PAIRED_BEGIN)
        return keep_entry(timeline, event, err);
    if (paired->kind == OT_PAIRED_SLICE && slice->err)
        return keep_instant(timeline, slice, lane, err);
    const struct ot_timeline_entry *entry = &timeline->entries[paired->tag - 1];
    struct ot_timeline_record record = {
        .ts_ns = slice->ts_ns,
        .dur_ns = slice->dur_ns,
        .order = entry->order,
        .exit = timeline->n_events,
        .sequence = entry->sequence,
        .lane = lane,
        .name = slice->name,
        .detail = entry->detail,
        .flags = entry->flags,
    };
    if (paired->kind == OT_PAIRED_UNCLOSED && paired->cause == OT_PAIRED_BY_END) {
        record.flags |= OT_RECORD_UNFINISHED;
        record.exit = UINT64_MAX;
    } else if (paired->kind == OT_PAIRED_UNCLOSED) {
        record.flags |= OT_RECORD_LOST;
        record.dur_ns = ot_ns_between(slice->ts_ns, paired->closed_ns);
    }
    free_entry(timeline, paired->tag);
    return ot_timeline_keep(timeline, 0, &record, err);
}

/* --- both ---------------------------------------------------------------------------------------
 */

static int take_paired(struct ot_timeline *timeline, const struct ot_event *event,
                       struct ot_err *err)
{
    struct ot_paired paired;
    int code = OT_OK;
    while (code == OT_OK && ot_pair_next(timeline->pair, &paired) == OT_OK) {
        uint32_t lane = 0;
        bool is_unclosed = paired.kind == OT_PAIRED_UNCLOSED;
        if (is_unclosed && paired.cause == OT_PAIRED_NO_ROOM) {
            timeline->totals.n_left_out++;
            continue;
        }
        if (is_unclosed && paired.cause == OT_PAIRED_BY_END && timeline->opts.is_straight) {
            timeline->totals.n_unfinished++;
            continue;
        }
        code = lane_of(timeline, event, paired.track, &lane, err);
        if (code == OT_OK && timeline->opts.is_straight)
            code = write_paired(timeline, event, &paired, lane, err);
        else if (code == OT_OK)
            code = keep_paired(timeline, event, &paired, lane, err);
    }
    return code;
}

int ot_timeline_take_call(struct ot_timeline *timeline, const struct ot_event *event,
                          struct ot_err *err)
{
    timeline->is_recording = true;
    int code = ot_pair_feed(timeline->pair, event, err);
    return code == OT_OK ? take_paired(timeline, event, err) : code;
}

int ot_timeline_end_calls(struct ot_timeline *timeline, struct ot_err *err)
{
    const struct ot_event nothing = {.kind = OT_EVENT_OTHER};
    ot_pair_end(timeline->pair);
    int code = take_paired(timeline, &nothing, err);
    timeline->totals.counts = *ot_pair_counts(timeline->pair);
    return code;
}
