/* fuzz_pair.c: any run of events through slice/pair.h, and its slices through slice/nest.h.
 *
 * An event is four bytes: kind (low two bits), backend and the kind of time step; name and track;
 * and a step in time of 16 bits. A long step is followed by eight bytes that are the new time.
 */
#include "fuzz.h"

#include <stdbool.h>
#include <string.h>

#include "model/backend.h"
#include "slice/nest.h"
#include "slice/pair.h"

enum { N_TRACKS = 16 };

struct run {
    struct ot_names names;
    struct ot_pair *pair;
    struct ot_nest *nest;
    int64_t ts_ns;
    bool wild; /* a long step was taken: differences of times may not fit */

    /* What went in and what came out. */
    uint64_t n_entries, n_exits, n_others, n_discarded, n_discarded_unknown;
    uint64_t n_slices, n_failed, n_unclosed;
    int64_t last_end_ns[N_TRACKS];
    bool has_end[N_TRACKS];
};

static const char *const names[] = {"aten::add",   "aten::add_.Tensor", "aten::mm", "",
                                    "autograd::x", "train step",        "\xff\x80", "aten::abs"};

static bool decode(struct run *run, const uint8_t **data, size_t *len, struct ot_event *ret)
{
    if (*len < 4)
        return false;
    const uint8_t *b = *data;
    *data += 4;
    *len -= 4;
    int64_t step_ns = (int16_t)(b[2] | b[3] << 8);
    run->ts_ns = (int64_t)((uint64_t)run->ts_ns + (uint64_t)step_ns);
    if ((b[0] & 0xf0) == 0xf0 && *len >= 8) {
        memcpy(&run->ts_ns, *data, 8);
        *data += 8;
        *len -= 8;
        run->wild = true;
    }
    unsigned track = b[1] >> 4;
    *ret = (struct ot_event){
        .kind = (enum ot_event_kind)(b[0] & 3),
        .backend = b[0] & 4 ? OT_BACKEND_PYTORCH : OT_BACKEND_UNKNOWN,
        .ts_ns = run->ts_ns,
        .vpid = (track & 3) - 1,
        .vtid = track >> 2 & 1,
        .host = ot_text_of(track >> 3 ? "node1" : ""),
        .name = ot_text_of(names[b[1] & 7]),
        .n_discarded = 1 + (b[1] & 7),
        .n_discarded_known = b[1] & 8,
    };
    return true;
}

/* The inverse of decode()'s vpid, vtid and host. */
static unsigned track_of(const struct run *run, const struct ot_slice *slice)
{
    bool named = ot_names_text(&run->names, slice->host).len > 0;
    return (unsigned)(slice->vpid + 1) | (unsigned)slice->vtid << 2 | (unsigned)named << 3;
}

static void check_slice(struct run *run, const struct ot_slice *slice)
{
    OT_FUZZ_CHECK(slice->dur_ns >= 0);
    OT_FUZZ_CHECK(slice->self_ns >= 0 && slice->self_ns <= slice->dur_ns);
    OT_FUZZ_CHECK(!slice->err || slice->dur_ns == 0);

    struct ot_slice again = *slice;
    again.self_ns = -1;
    OT_FUZZ_CHECK(ot_nest_add(run->nest, &again, NULL) == OT_OK);
    if (run->wild)
        return;
    OT_FUZZ_CHECK(again.self_ns == slice->self_ns);
    unsigned track = track_of(run, slice);
    int64_t end_ns = slice->ts_ns + slice->dur_ns;
    OT_FUZZ_CHECK(!run->has_end[track] || end_ns >= run->last_end_ns[track]);
    run->last_end_ns[track] = end_ns;
    run->has_end[track] = true;
}

/* Takes what is complete; returns how many slices came, the last of them in `ret_last`. */
static size_t drain(struct run *run, struct ot_slice *ret_last)
{
    size_t n = 0;
    struct ot_paired paired;
    while (ot_pair_next(run->pair, &paired) == OT_OK) {
        if (paired.kind == OT_PAIRED_UNCLOSED) {
            run->n_unclosed++;
            OT_FUZZ_CHECK(n == 0 && paired.slice.dur_ns == 0);
            continue;
        }
        check_slice(run, &paired.slice);
        run->n_failed += paired.slice.err;
        run->n_slices += !paired.slice.err;
        *ret_last = paired.slice;
        n++;
    }
    return n;
}

static void feed(struct run *run, const struct ot_event *event)
{
    OT_FUZZ_CHECK(ot_pair_feed(run->pair, event, NULL) == OT_OK);
    struct ot_slice slice;
    size_t n = drain(run, &slice);
    OT_FUZZ_CHECK(n == (event->kind == OT_EVENT_EXIT));
    switch (event->kind) {
    case OT_EVENT_ENTRY:
        run->n_entries++;
        break;
    case OT_EVENT_EXIT:
        run->n_exits++;
        OT_FUZZ_CHECK(ot_text_same(ot_names_text(&run->names, slice.name), event->name));
        OT_FUZZ_CHECK(ot_text_same(ot_names_text(&run->names, slice.host), event->host));
        OT_FUZZ_CHECK(slice.vpid == event->vpid && slice.vtid == event->vtid);
        OT_FUZZ_CHECK(slice.backend == event->backend);
        break;
    case OT_EVENT_OTHER:
        run->n_others++;
        break;
    case OT_EVENT_DISCARDED:
        run->n_discarded += event->n_discarded;
        run->n_discarded_unknown += !event->n_discarded_known;
        break;
    case OT_EVENT_SLICE:
    case OT_EVENT_MEMORY:
    case OT_EVENT_LABEL:
    case OT_EVENT_FLOW:
    case OT_EVENT_MEMBER:
        OT_FUZZ_CHECK(false); /* are not made here */
    }
}

static void finish(struct run *run)
{
    ot_pair_end(run->pair);
    struct ot_slice slice;
    OT_FUZZ_CHECK(drain(run, &slice) == 0);

    const struct ot_counts *counts = ot_pair_counts(run->pair);
    OT_FUZZ_CHECK(counts->events_read == run->n_entries + run->n_exits + run->n_others);
    OT_FUZZ_CHECK(run->n_slices + run->n_unclosed == run->n_entries);
    OT_FUZZ_CHECK(run->n_slices + run->n_failed == run->n_exits);
    OT_FUZZ_CHECK(counts->unmatched_exits == run->n_failed);
    OT_FUZZ_CHECK(counts->unclosed_entries == run->n_unclosed);
    OT_FUZZ_CHECK(counts->lost_entries <= counts->unclosed_entries);
    OT_FUZZ_CHECK(counts->discarded_events == run->n_discarded);
    OT_FUZZ_CHECK(counts->discarded_unknown == run->n_discarded_unknown);
    OT_FUZZ_CHECK(ot_nest_uncertain(run->nest) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct run run = {0};
    run.pair = ot_pair_new(&run.names);
    run.nest = ot_nest_new();
    OT_FUZZ_CHECK(run.pair && run.nest);

    struct ot_event event;
    while (decode(&run, &data, &len, &event))
        feed(&run, &event);
    finish(&run);

    ot_pair_free(run.pair);
    ot_nest_free(run.nest);
    ot_names_release(&run.names);
    return 0;
}
