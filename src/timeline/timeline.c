#include "timeline/timeline.h"

#include <stdlib.h>

#include "base/vec.h"
#include "model/backend.h"
#include "timeline/flows.h"
#include "timeline/parts.h"

enum { MAX_SESSIONS = 1 << 16, CHECK_EVERY = 1 << 16 };

struct ot_timeline *ot_timeline_new(const struct ot_timeline_opts *opts)
{
    struct ot_timeline *timeline = calloc(1, sizeof(*timeline));
    if (!timeline)
        return NULL;
    timeline->opts = *opts;
    timeline->places.names = opts->names;
    timeline->details.names = opts->names;
    timeline->trace = ot_pftrace_new(opts->out, opts->names);
    timeline->pair = ot_pair_new(opts->names);
    if (!opts->is_straight)
        timeline->spill = ot_spill_new(opts->temp_folder, OT_SPILL_RUN_RECORDS);
    timeline->describe =
        (struct ot_describe){.places = &timeline->places, .trace = timeline->trace};
    if (timeline->trace && timeline->pair && (timeline->spill || opts->is_straight) &&
        ot_details_init(&timeline->details, NULL) == OT_OK) {
        ot_pair_want_begins(timeline->pair);
        return timeline;
    }
    ot_timeline_free(timeline);
    return NULL;
}

void ot_timeline_set_clock(struct ot_timeline *timeline, int64_t base_ns, bool is_epoch)
{
    if (timeline->has_clock)
        return;
    ot_pftrace_put_clock(timeline->trace, base_ns, is_epoch);
    timeline->has_clock = true;
    timeline->base_ns = base_ns;
}

/* --- the sorted way -----------------------------------------------------------------------------
 */

static int note_times(struct ot_timeline *timeline, uint32_t session, int64_t first_ns,
                      int64_t last_ns, struct ot_err *err)
{
    if (session >= timeline->n_spans) {
        if (session >= MAX_SESSIONS ||
            !ot_vec_reserve(&timeline->spans, &timeline->spans_cap, (size_t)session + 1,
                            sizeof(*timeline->spans)))
            return ot_err_set(err, OT_ERR_NOMEM, "out of memory for sessions");
        while (timeline->n_spans <= session)
            timeline->spans[timeline->n_spans++] = (struct ot_timeline_span){0};
    }
    struct ot_timeline_span *span = &timeline->spans[session];
    if (!span->has_times || first_ns < span->first_ns)
        span->first_ns = first_ns;
    if (!span->has_times || last_ns > span->last_ns)
        span->last_ns = last_ns;
    span->has_times = true;
    return OT_OK;
}

int ot_timeline_keep(struct ot_timeline *timeline, uint32_t session,
                     const struct ot_timeline_record *record, struct ot_err *err)
{
    int64_t last_ns = record->ts_ns;
    if (!(record->flags & OT_RECORD_ARROW) &&
        __builtin_add_overflow(record->ts_ns, record->dur_ns, &last_ns))
        last_ns = INT64_MAX;
    int code = note_times(timeline, session, record->ts_ns, last_ns, err);
    return code == OT_OK ? ot_spill_add(timeline->spill, record, err) : code;
}

static uint64_t order_of(const struct ot_timeline *timeline, bool was_open)
{
    return was_open ? OT_RECORD_FIRST_ORDER - timeline->n_events
                    : OT_RECORD_FIRST_ORDER + timeline->n_events;
}

static int find_lane(struct ot_timeline *timeline, const struct ot_event *event,
                     enum ot_lane_kind kind, uint32_t *ret_lane, struct ot_err *err)
{
    struct ot_place_key key = {0};
    uint32_t thread = 0;
    int code = ot_places_key_of(&timeline->places, event, &key, err);
    if (code == OT_OK)
        code = ot_places_thread(&timeline->places, &key, &thread, err);
    return code == OT_OK ? ot_places_lane(&timeline->places, thread, kind, ret_lane, err) : code;
}

static int take_slice(struct ot_timeline *timeline, const struct ot_event *event,
                      struct ot_err *err)
{
    const struct ot_event_args *args = event->args;
    struct ot_timeline_record record = {
        .ts_ns = event->ts_ns,
        .dur_ns = event->dur_ns,
        .order = order_of(timeline, event->was_open),
        .correlation = args->correlation,
        .sequence = args->sequence,
        .flags = (args->has_correlation ? OT_RECORD_HAS_CORRELATION : 0) |
                 (args->has_sequence ? OT_RECORD_HAS_SEQUENCE : 0),
    };
    struct ot_detail detail = {0};
    int code = find_lane(timeline, event, ot_places_kind_of(event->backend), &record.lane, err);
    if (code == OT_OK)
        code = ot_names_intern(timeline->opts.names, event->name, &record.name, err);
    if (code == OT_OK)
        code = ot_details_of(&timeline->details, event, &detail, err);
    if (code == OT_OK)
        code = ot_details_intern(&timeline->details, &detail, &record.detail, err);
    return code == OT_OK ? ot_timeline_keep(timeline, event->session, &record, err) : code;
}

int ot_timeline_add_slice(struct ot_timeline *timeline, const struct ot_slice *slice,
                          struct ot_err *err)
{
    timeline->n_events++;
    timeline->is_recording = true;
    struct ot_timeline_record record = {
        .ts_ns = slice->ts_ns,
        .dur_ns = slice->dur_ns,
        .order = order_of(timeline, true),
        .name = slice->name,
        .flags = slice->err ? OT_RECORD_INSTANT : 0,
    };
    const struct ot_detail detail = {
        .category = timeline->details.backends[slice->backend] + 1,
        .shapes = slice->shapes,
        .backend = (uint32_t)slice->backend,
    };
    const struct ot_place_key key = {
        .session = slice->session,
        .host = slice->host,
        .vpid = slice->vpid,
        .vtid = slice->vtid,
    };
    uint32_t thread = 0;
    int code = ot_places_thread(&timeline->places, &key, &thread, err);
    if (code == OT_OK)
        code = ot_places_lane(&timeline->places, thread, ot_places_kind_of(slice->backend),
                              &record.lane, err);
    if (code == OT_OK)
        code = ot_details_intern(&timeline->details, &detail, &record.detail, err);
    return code == OT_OK ? ot_timeline_keep(timeline, slice->session, &record, err) : code;
}

static int keep_value(struct ot_timeline *timeline, const struct ot_event *event, uint32_t lane,
                      int64_t value, struct ot_err *err)
{
    const struct ot_timeline_record record = {
        .ts_ns = event->ts_ns,
        .order = order_of(timeline, false),
        .value = value,
        .lane = lane,
    };
    return ot_timeline_keep(timeline, event->session, &record, err);
}

static void write_value(struct ot_timeline *timeline, const struct ot_event *event, uint32_t number,
                        int64_t value)
{
    struct ot_place_lane *lane = &timeline->places.lanes[number];
    if (lane->kind == OT_LANE_KIND_SUM && !__builtin_add_overflow(lane->sum, value, &value))
        lane->sum = value;
    ot_timeline_set_clock(timeline, event->ts_ns, true);
    uint64_t uuid = ot_describe_row(&timeline->describe, number, 0);
    ot_pftrace_put_counter(timeline->trace, uuid, event->ts_ns, value);
    timeline->totals.n_counters++;
}

static int take_memory(struct ot_timeline *timeline, const struct ot_event *event,
                       struct ot_err *err)
{
    const struct ot_event_args *args = event->args;
    struct ot_place_key key = {0};
    uint32_t process = 0;
    uint32_t lane = 0;
    int code = ot_places_key_of(&timeline->places, event, &key, err);
    if (code == OT_OK)
        code = ot_places_process(&timeline->places, &key, &process, err);
    if (code == OT_OK)
        code = ot_places_counter(&timeline->places, process, args, &lane, err);
    if (code < 0)
        return code;
    timeline->places.processes[process].is_host = true;
    int64_t value = args->has_total_allocated ? args->total_allocated : args->bytes;
    if (!timeline->opts.is_straight)
        return keep_value(timeline, event, lane, value, err);
    write_value(timeline, event, lane, value);
    return OT_OK;
}

/* From launches to their work arrows are drawn by correlation, which is sure. */
static int take_arrow(struct ot_timeline *timeline, const struct ot_event *event,
                      struct ot_err *err)
{
    if (timeline->opts.is_straight || !ot_text_same(event->args->category, ot_text_of("fwdbwd")))
        return OT_OK;
    struct ot_timeline_record record = {
        .ts_ns = event->ts_ns,
        .dur_ns = INT64_MAX,
        .order = order_of(timeline, false),
        .flow = ot_flow_of(OT_FLOW_ARROW, event->session, event->args->flow),
        .flags = OT_RECORD_ARROW,
    };
    int code = find_lane(timeline, event, OT_LANE_KIND_CALLS, &record.lane, err);
    return code == OT_OK ? ot_timeline_keep(timeline, event->session, &record, err) : code;
}

/* --- both ways ----------------------------------------------------------------------------------
 */

static int take_label(struct ot_timeline *timeline, const struct ot_event *event,
                      struct ot_err *err)
{
    return ot_places_name(&timeline->places, event, err);
}

static int take_nothing(struct ot_timeline *timeline, const struct ot_event *event,
                        struct ot_err *err)
{
    (void)timeline;
    (void)event;
    (void)err;
    return OT_OK;
}

static int (*const takers[])(struct ot_timeline *, const struct ot_event *, struct ot_err *) = {
    [OT_EVENT_ENTRY] = ot_timeline_take_call,
    [OT_EVENT_EXIT] = ot_timeline_take_call,
    [OT_EVENT_OTHER] = take_nothing,
    [OT_EVENT_DISCARDED] = ot_timeline_take_call,
    [OT_EVENT_SLICE] = take_slice,
    [OT_EVENT_MEMORY] = take_memory,
    [OT_EVENT_LABEL] = take_label,
    [OT_EVENT_FLOW] = take_arrow,
};

int ot_timeline_feed(struct ot_timeline *timeline, const struct ot_event *event, struct ot_err *err)
{
    if ((size_t)event->kind >= sizeof(takers) / sizeof(takers[0]))
        return OT_OK;
    timeline->n_events++;
    int code = takers[event->kind](timeline, event, err);
    if (code == OT_OK && timeline->n_events % CHECK_EVERY == 0)
        code = ot_pftrace_check(timeline->trace, err);
    return code;
}

int ot_timeline_end(struct ot_timeline *timeline, const struct ot_session *sessions,
                    size_t n_sessions, struct ot_timeline_totals *ret_totals, struct ot_err *err)
{
    timeline->n_events++;
    int code = ot_timeline_end_calls(timeline, err);
    if (code != OT_OK)
        return code;
    if (!timeline->opts.is_straight) {
        timeline->describe.sessions = sessions;
        timeline->describe.n_sessions = n_sessions;
        code = ot_timeline_align(timeline, err);
        if (code == OT_OK)
            code = ot_timeline_draw(timeline, err);
    }
    if (code == OT_OK) {
        ot_timeline_set_clock(timeline, 0, false); /* of a trace without events */
        code = ot_pftrace_finish(timeline->trace, err);
    }
    if (code < 0)
        return code;
    timeline->totals.n_tracks = timeline->describe.n_tracks;
    *ret_totals = timeline->totals;
    return OT_OK;
}

int ot_timeline_say(struct ot_timeline *timeline, struct ot_text sentence, struct ot_err *err)
{
    uint32_t id = 0;
    int code = ot_names_intern(timeline->opts.names, sentence, &id, err);
    if (code < 0)
        return code;
    if (timeline->remarks_uuid == 0) {
        timeline->remarks_uuid = ot_places_new_uuid(&timeline->places);
        const struct ot_pftrace_track track = {.uuid = timeline->remarks_uuid,
                                               .name = ot_text_of("what this timeline lacks")};
        ot_pftrace_put_track(timeline->trace, &track);
    }
    const struct ot_pftrace_event remark = {
        .kind = OT_PFTRACE_INSTANT,
        .track = timeline->remarks_uuid,
        .ts_ns = timeline->base_ns,
        .name = id,
        .category = OT_PFTRACE_NO_NAME,
    };
    ot_pftrace_put_event(timeline->trace, &remark);
    return ot_pftrace_finish(timeline->trace, err);
}

void ot_timeline_free(struct ot_timeline *timeline)
{
    if (!timeline)
        return;
    ot_pftrace_free(timeline->trace);
    ot_pair_free(timeline->pair);
    ot_spill_free(timeline->spill);
    ot_places_release(&timeline->places);
    ot_details_release(&timeline->details);
    ot_describe_release(&timeline->describe);
    free(timeline->spans);
    free(timeline->is_unaligned);
    free(timeline->lanes);
    free(timeline->entries);
    free(timeline);
}
