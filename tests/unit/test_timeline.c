/* What is drawn of events, read back with the decoder of pftrace.h. */
#include "pftrace.h"

#include <stdio.h>

#include "model/backend.h"
#include "timeline/makers.h"
#include "timeline/timeline.h"

struct drawing {
    struct ot_names names;
    char *bytes;
    size_t len;
    FILE *out;
    struct ot_timeline_makers *makers;
    struct ot_timeline *timeline;
    struct ot_timeline_totals totals;
    struct pf_read *read;
};

static struct ot_err err;

static void begin(struct drawing *drawing, bool is_straight, struct ot_timeline_makers *makers)
{
    *drawing = (struct drawing){0};
    drawing->out = open_memstream(&drawing->bytes, &drawing->len);
    const struct ot_timeline_opts opts = {
        .out = drawing->out,
        .names = &drawing->names,
        .temp_folder = "/nowhere", /* all of it fits the memory */
        .is_straight = is_straight,
        .makers = makers,
    };
    drawing->timeline = ot_timeline_new(&opts);
    assert_non_null(drawing->timeline);
}

static void feed(struct drawing *drawing, const struct ot_event *event)
{
    assert_int_equal(ot_timeline_feed(drawing->timeline, event, &err), OT_OK);
}

static const char *end_with(struct drawing *drawing, const struct ot_session *sessions, size_t n)
{
    assert_int_equal(ot_timeline_end(drawing->timeline, sessions, n, &drawing->totals, &err),
                     OT_OK);
    fclose(drawing->out);
    drawing->read = pf_read((struct ot_text){drawing->bytes, drawing->len});
    return ot_str_borrow(&drawing->read->log);
}

static const char *end(struct drawing *drawing)
{
    const struct ot_session session = {0};
    return end_with(drawing, &session, 1);
}

static void release(struct drawing *drawing)
{
    pf_free(drawing->read);
    ot_timeline_free(drawing->timeline);
    ot_names_release(&drawing->names);
    free(drawing->bytes);
}

/* --- whole slices -------------------------------------------------------------------------------
 */

static const struct ot_event_args no_args = {.category = {"cpu_op", 6}};

static struct ot_event slice(int backend, uint64_t vtid, int64_t ts_ns, int64_t dur_ns,
                             const char *name)
{
    return (struct ot_event){
        .kind = OT_EVENT_SLICE,
        .backend = backend,
        .vpid = backend == OT_BACKEND_DEVICE ? 0 : 100,
        .vtid = vtid,
        .ts_ns = ts_ns,
        .dur_ns = dur_ns,
        .name = ot_text_of(name),
        .args = &no_args,
    };
}

static void feed_call(struct drawing *drawing, int64_t ts_ns, int64_t dur_ns, const char *name)
{
    struct ot_event event = slice(OT_BACKEND_PYTORCH, 101, ts_ns, dur_ns, name);
    feed(drawing, &event);
}

static void calls_nest_by_their_times(void **state)
{
    (void)state;
    struct drawing drawing;
    begin(&drawing, false, NULL);
    feed_call(&drawing, 30, 0, "point");
    feed_call(&drawing, 15, 5, "inner");
    feed_call(&drawing, 10, 10, "outer");
    feed_call(&drawing, 20, 5, "next"); /* begins as the ones before end */
    assert_string_equal(end(&drawing), "clock 10\n"
                                       "track 1 process 100: process\n"
                                       "track 2 of 1 thread 101 of 100: \n"
                                       "begin 2 @10 outer [cpu_op]\n"
                                       "begin 2 @15 inner [cpu_op]\n"
                                       "end 2 @20\n"
                                       "end 2 @20\n"
                                       "begin 2 @20 next [cpu_op]\n"
                                       "end 2 @25\n"
                                       "begin 2 @30 point [cpu_op]\n"
                                       "end 2 @30\n");
    assert_int_equal(drawing.totals.n_slices, 4);
    assert_int_equal(drawing.totals.n_tracks, 1);
    release(&drawing);
}

static void calls_that_tie_nest_as_they_were_written(void **state)
{
    (void)state;
    struct drawing drawing;
    begin(&drawing, false, NULL);
    feed_call(&drawing, 0, 10, "a");
    feed_call(&drawing, 0, 10, "b");
    feed_call(&drawing, 0, 10, "c");
    feed_call(&drawing, 0, 0, "d");
    struct ot_event open = slice(OT_BACKEND_PYTORCH, 101, 0, 10, "e");
    open.was_open = true; /* it came after all that is inside it */
    feed(&drawing, &open);
    assert_non_null(strstr(end(&drawing), "begin 2 @0 e [cpu_op]\n"
                                          "begin 2 @0 a [cpu_op]\n"
                                          "begin 2 @0 b [cpu_op]\n"
                                          "begin 2 @0 c [cpu_op]\n"
                                          "begin 2 @0 d [cpu_op]\n"
                                          "end 2 @0\n"
                                          "end 2 @10\n"));
    release(&drawing);
}

static void a_call_that_crosses_a_border_gets_another_row(void **state)
{
    (void)state;
    struct drawing drawing;
    begin(&drawing, false, NULL);
    feed_call(&drawing, 0, 10, "first");
    feed_call(&drawing, 5, 10, "crossing");
    feed_call(&drawing, 6, 2, "fits the first row");
    feed_call(&drawing, 11, 2, "too");
    assert_string_equal(end(&drawing), "clock 0\n"
                                       "track 1 process 100: process\n"
                                       "track 2 of 1 thread 101 of 100: \n"
                                       "begin 2 @0 first [cpu_op]\n"
                                       "track 3 of 2: calls (row 2)\n"
                                       "begin 3 @5 crossing [cpu_op]\n"
                                       "begin 2 @6 fits the first row [cpu_op]\n"
                                       "end 2 @8\n"
                                       "end 2 @10\n"
                                       "begin 2 @11 too [cpu_op]\n"
                                       "end 2 @13\n"
                                       "end 3 @15\n");
    assert_int_equal(drawing.totals.n_moved, 1);
    assert_int_equal(drawing.totals.n_tracks, 2);
    release(&drawing);
}

static void a_devices_work_that_overlaps_gets_another_row(void **state)
{
    (void)state;
    struct drawing drawing;
    struct ot_event work[] = {
        slice(OT_BACKEND_DEVICE, 7, 0, 10, "a"),
        slice(OT_BACKEND_DEVICE, 7, 2, 3, "inside, and nests in nothing"),
        slice(OT_BACKEND_DEVICE, 7, 5, 5, "in the second row again"),
        slice(OT_BACKEND_DEVICE, 7, 6, 1, "third row"),
        slice(OT_BACKEND_DEVICE, 7, 10, 1, "first row again"),
        slice(OT_BACKEND_SYNC, 7, 0, 100, "a wait"),
    };
    work[5].vpid = 0;
    begin(&drawing, false, NULL);
    for (size_t i = 0; i < sizeof(work) / sizeof(work[0]); i++)
        feed(&drawing, &work[i]);
    assert_string_equal(end(&drawing), "clock 0\n"
                                       "track 1: process 0\n"
                                       "track 2 of 1: stream 7\n"
                                       "begin 2 @0 a [cpu_op]\n"
                                       "track 3 of 2: stream 7 (row 2)\n"
                                       "begin 3 @2 inside, and nests in nothing [cpu_op]\n"
                                       "end 3 @5\n"
                                       "begin 3 @5 in the second row again [cpu_op]\n"
                                       "track 4 of 2: stream 7 (row 3)\n"
                                       "begin 4 @6 third row [cpu_op]\n"
                                       "end 2 @10\n"
                                       "begin 2 @10 first row again [cpu_op]\n"
                                       "end 2 @11\n"
                                       "end 3 @10\n"
                                       "end 4 @7\n"
                                       "track 5 of 2: waits\n"
                                       "begin 5 @0 a wait [cpu_op]\n"
                                       "end 5 @100\n");
    release(&drawing);
}

static void what_no_row_has_a_place_for_is_counted(void **state)
{
    (void)state;
    struct drawing drawing;
    begin(&drawing, false, NULL);
    for (int i = 0; i < OT_TIMELINE_ROWS_MAX + 3; i++) {
        struct ot_event event = slice(OT_BACKEND_DEVICE, 7, i, 100000, "k");
        feed(&drawing, &event);
    }
    end(&drawing);
    assert_int_equal(drawing.totals.n_slices, OT_TIMELINE_ROWS_MAX);
    assert_int_equal(drawing.totals.n_left_out, 3);
    assert_int_equal(drawing.totals.n_tracks, OT_TIMELINE_ROWS_MAX);
    release(&drawing);
}

static void lanes_of_a_thread_are_tracks_of_their_own(void **state)
{
    (void)state;
    struct drawing drawing;
    struct ot_event events[] = {
        slice(OT_BACKEND_PYTHON, 101, 0, 10, "train.py"),
        slice(OT_BACKEND_ANNOTATION, 101, 5, 10, "step"),
        slice(OT_BACKEND_OTHER, 101, 5, 10, "overhead"),
        slice(OT_BACKEND_RUNTIME, 101, 8, 10, "cudaLaunchKernel"),
    };
    begin(&drawing, false, NULL);
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        feed(&drawing, &events[i]);
    const char *log = end(&drawing);
    assert_non_null(strstr(log, "of 2: Python\n"));
    assert_non_null(strstr(log, "of 2: annotations\n"));
    assert_non_null(strstr(log, "of 2: other\n"));
    assert_non_null(strstr(log, "begin 2 @8 cudaLaunchKernel"));
    assert_int_equal(drawing.totals.n_tracks, 4);
    release(&drawing);
}

static void arguments_become_notes(void **state)
{
    (void)state;
    const struct ot_event_args args = {
        .category = ot_text_of("cpu_op"),
        .shapes = ot_text_of("[[2, 3], []]"),
        .types = ot_text_of("[\"float\", \"Scalar\"]"),
        .has_sequence = true,
        .sequence = 12,
        .forward_thread = 3,
        .has_correlation = true,
        .correlation = 99,
        .has_device = true,
        .device = 1,
    };
    struct ot_event event = slice(OT_BACKEND_PYTORCH, 101, 0, 1, "add");
    struct drawing drawing;
    event.args = &args;
    begin(&drawing, false, NULL);
    feed(&drawing, &event);
    assert_non_null(strstr(end(&drawing),
                           "add [cpu_op] shapes=[[2, 3], []] types=[\"float\", \"Scalar\"] "
                           "device=1 forward_thread=3 correlation=99 sequence=12\n"));
    release(&drawing);
}

static void a_launch_and_its_work_are_joined(void **state)
{
    (void)state;
    const struct ot_event_args one = {.has_correlation = true, .correlation = 1};
    const struct ot_event_args two = {.has_correlation = true, .correlation = 2};
    struct ot_event events[] = {
        slice(OT_BACKEND_RUNTIME, 101, 0, 1, "launch1"),
        slice(OT_BACKEND_RUNTIME, 101, 2, 1, "launch2"),
        slice(OT_BACKEND_DEVICE, 7, 5, 1, "work1"),
        slice(OT_BACKEND_DEVICE, 7, 6, 1, "work2"),
        slice(OT_BACKEND_DEVICE, 7, 8, 1, "work1 too"),
        slice(OT_BACKEND_PYTORCH, 101, 9, 1, "op"),
    };
    struct drawing drawing;
    begin(&drawing, false, NULL);
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        events[i].args = i % 2 ? &two : &one;
        feed(&drawing, &events[i]);
    }
    const char *log = end(&drawing);
    assert_non_null(strstr(log, "launch1 correlation=1 arrow 1\n"));
    assert_non_null(strstr(log, "launch2 correlation=2 arrow 2\n"));
    assert_non_null(strstr(log, "work1 correlation=1 arrow 1\n"));
    assert_non_null(strstr(log, "work2 correlation=2 arrow 2\n"));
    assert_non_null(strstr(log, "work1 too correlation=1 arrow 1\n"));
    assert_non_null(strstr(log, "op correlation=2\n")); /* an operator launches nothing itself */
    release(&drawing);
}

static struct ot_event mark(enum ot_event_kind kind, const struct ot_event_args *args,
                            int64_t ts_ns)
{
    struct ot_event event = slice(OT_BACKEND_UNKNOWN, 101, ts_ns, 0, "");
    event.kind = kind;
    event.args = args;
    return event;
}

static void arrows_end_at_the_innermost_call_that_begins_there(void **state)
{
    (void)state;
    const struct ot_event_args start = {
        .category = ot_text_of("fwdbwd"), .flow = 5, .is_flow_start = true};
    const struct ot_event_args finish = {.category = ot_text_of("fwdbwd"), .flow = 5};
    const struct ot_event_args other = {.category = ot_text_of("ac2g"), .flow = 6};
    struct ot_event events[] = {
        mark(OT_EVENT_FLOW, &finish, 50), mark(OT_EVENT_FLOW, &start, 10),
        mark(OT_EVENT_FLOW, &other, 10), mark(OT_EVENT_FLOW, &finish, 11), /* where nothing is */
    };
    struct drawing drawing;
    begin(&drawing, false, NULL);
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        feed(&drawing, &events[i]);
    feed_call(&drawing, 50, 5, "backward");
    feed_call(&drawing, 10, 5, "inner");
    feed_call(&drawing, 10, 9, "outer");
    feed_call(&drawing, 12, 1, "later");
    const char *log = end(&drawing);
    assert_non_null(strstr(log, "outer [cpu_op]\n"));
    assert_non_null(strstr(log, "inner [cpu_op] arrow 1\n"));
    assert_non_null(strstr(log, "later [cpu_op]\n"));
    assert_non_null(strstr(log, "backward [cpu_op] arrow 1\n"));
    assert_int_equal(drawing.totals.n_arrows_without_slice, 1);
    release(&drawing);
}

static void places_have_the_names_that_the_trace_tells(void **state)
{
    (void)state;
    const struct ot_event_args labels[] = {
        {.label_kind = OT_LABEL_PROCESS, .label = ot_text_of("python")},
        {.label_kind = OT_LABEL_THREAD, .label = ot_text_of("thread 101 (main)")},
        {.label_kind = OT_LABEL_PROCESS_NOTE, .label = ot_text_of("GPU 0")},
        {.label_kind = OT_LABEL_THREAD, .label = ot_text_of("stream 7 ")},
    };
    const struct ot_session session = {.has_rank = true,
                                       .rank = 3,
                                       .host = ot_text_of("node1"),
                                       .has_base = true,
                                       .base_ns = 1000};
    struct drawing drawing;
    begin(&drawing, false, NULL);
    for (size_t i = 0; i < 4; i++) {
        struct ot_event event = mark(OT_EVENT_LABEL, &labels[i], 0);
        event.vpid = i < 2 ? 100 : 0;
        event.vtid = i < 2 ? 101 : 7;
        feed(&drawing, &event);
    }
    feed_call(&drawing, 10, 5, "add");
    struct ot_event work = slice(OT_BACKEND_DEVICE, 7, 20, 1, "k");
    feed(&drawing, &work);
    const char *log = end_with(&drawing, &session, 1);
    assert_non_null(strstr(log, "clock 1010 since the epoch\n"));
    assert_non_null(strstr(log, " process 100: python, rank 3, on node1\n"));
    assert_non_null(strstr(log, " thread 101 of 100: main\n"));
    assert_non_null(strstr(log, ": GPU 0, rank 3, on node1\n"));
    assert_non_null(strstr(log, ": stream 7\n"));
    release(&drawing);
}

/* --- several sessions ---------------------------------------------------------------------------
 */

static const char *draw_two(struct drawing *drawing, const struct ot_session *sessions)
{
    begin(drawing, false, NULL);
    for (uint32_t i = 0; i < 2; i++) {
        struct ot_event event = slice(OT_BACKEND_PYTORCH, 101, 100 + 10 * i, 5, i ? "b" : "a");
        event.session = i;
        feed(drawing, &event);
    }
    return end_with(drawing, sessions, 2);
}

static void ranks_are_lined_up_by_what_their_times_count_from(void **state)
{
    (void)state;
    const struct ot_session sessions[] = {
        {.has_rank = true, .rank = 0, .has_base = true, .base_ns = 5000},
        {.has_rank = true, .rank = 1, .has_base = true, .base_ns = 4000},
    };
    struct drawing drawing;
    const char *log = draw_two(&drawing, sessions);
    assert_non_null(strstr(log, "clock 4110 since the epoch\n"));
    assert_non_null(strstr(log, "@5100 a"));
    assert_non_null(strstr(log, "@4110 b"));
    assert_int_equal(drawing.totals.n_unaligned, 0);
    /* A viewer would hold processes with one pid for one. */
    assert_non_null(strstr(log, ": process 100, rank 0\n"));
    assert_non_null(strstr(log, ": process 100, rank 1\n"));
    assert_non_null(strstr(log, ": thread 101\n"));
    assert_null(strstr(log, "thread 101 of 100"));
    release(&drawing);
}

static void ranks_that_do_not_all_say_it_begin_at_0(void **state)
{
    (void)state;
    const struct ot_session sessions[] = {
        {.path = ot_text_of("/x/r0.json"), .has_base = true, .base_ns = 5000},
        {.path = ot_text_of("/x/r1.json")},
    };
    struct drawing drawing;
    const char *log = draw_two(&drawing, sessions);
    assert_non_null(strstr(log, "clock 0\n"));
    assert_non_null(strstr(log, "@0 a"));
    assert_non_null(strstr(log, "@0 b"));
    assert_non_null(strstr(log, ": process 100, r0.json, not lined up\n"));
    assert_int_equal(drawing.totals.n_unaligned, 2);
    release(&drawing);
}

static void ranks_too_far_apart_for_one_clock_begin_at_0(void **state)
{
    (void)state;
    const struct ot_session sessions[] = {
        {.has_base = true, .base_ns = INT64_MIN},
        {.has_base = true, .base_ns = INT64_MAX / 2},
    };
    struct drawing drawing;
    const char *log = draw_two(&drawing, sessions);
    assert_non_null(strstr(log, "@0 a"));
    assert_non_null(strstr(log, "@0 b"));
    assert_int_equal(drawing.totals.n_unaligned, 2);
    release(&drawing);
}

static void times_before_0_are_moved_together(void **state)
{
    (void)state;
    struct drawing drawing;
    const struct ot_session session = {.has_base = true, .base_ns = -1000};
    begin(&drawing, false, NULL);
    feed_call(&drawing, 100, 5, "a");
    feed_call(&drawing, 200, 5, "b");
    const char *log = end_with(&drawing, &session, 1);
    assert_non_null(strstr(log, "clock 0\n"));
    assert_non_null(strstr(log, "@0 a"));
    assert_non_null(strstr(log, "@100 b"));
    assert_true(drawing.totals.is_shifted);
    release(&drawing);
}

static void the_latest_time_of_all_survives(void **state)
{
    (void)state;
    struct drawing drawing;
    const struct ot_session session = {.has_base = true, .base_ns = 5};
    begin(&drawing, false, NULL);
    feed_call(&drawing, INT64_MAX - 7, 7, "late"); /* which no base can be added to */
    feed_call(&drawing, 1, 2, "early");
    const char *log = end_with(&drawing, &session, 1);
    assert_non_null(strstr(log, "begin 2 @1 early"));
    assert_non_null(strstr(log, "begin 2 @9223372036854775800 late"));
    assert_non_null(strstr(log, "end 2 @9223372036854775807"));
    release(&drawing);
}

/* --- counters -----------------------------------------------------------------------------------
 */

static void allocated_bytes_are_totals_where_told_and_else_sums(void **state)
{
    (void)state;
    const struct ot_event_args told = {.has_device_type = true,
                                       .device_type = 1,
                                       .has_device_id = true,
                                       .device_id = 0,
                                       .has_total_allocated = true,
                                       .total_allocated = 4096,
                                       .bytes = 7};
    const struct ot_event_args taken = {.has_device_type = true, .bytes = 7};
    const struct ot_event_args given = {.has_device_type = true, .bytes = -2};
    struct ot_event events[] = {mark(OT_EVENT_MEMORY, &given, 9), mark(OT_EVENT_MEMORY, &told, 5),
                                mark(OT_EVENT_MEMORY, &taken, 4)};
    struct drawing drawing;
    begin(&drawing, false, NULL);
    for (size_t i = 0; i < 3; i++)
        feed(&drawing, &events[i]);
    const char *log = end(&drawing);
    assert_non_null(strstr(log, "counter: allocated bytes, CUDA 0\n"));
    assert_non_null(
        strstr(log, "counter: allocated bytes, CPU (sum of the changes that were seen)\n"));
    assert_non_null(strstr(log, "@5 4096\n"));
    assert_non_null(strstr(log, "@4 7\n"));
    assert_non_null(strstr(log, "@9 5\n"));
    assert_int_equal(drawing.totals.n_counters, 3);
    release(&drawing);
}

/* --- entries and exits --------------------------------------------------------------------------
 */

static struct ot_event point(enum ot_event_kind kind, int64_t ts_ns, const char *name)
{
    return (struct ot_event){
        .kind = kind,
        .backend = OT_BACKEND_PYTORCH,
        .host = ot_text_of("node1"),
        .vpid = 100,
        .vtid = 101,
        .thread_key = 1,
        .ts_ns = ts_ns,
        .name = ot_text_of(name),
        .n_discarded = 1,
        .n_discarded_known = true,
    };
}

static struct ot_event entry(int64_t ts_ns, const char *name)
{
    return point(OT_EVENT_ENTRY, ts_ns, name);
}

static struct ot_event leave(int64_t ts_ns, const char *name)
{
    return point(OT_EVENT_EXIT, ts_ns, name);
}

/* Either way draws the same; lines may come in another order. */
static int compare_lines(const void *a, const void *b)
{
    return ot_text_compare(*(const struct ot_text *)a, *(const struct ot_text *)b);
}

static char *sorted_lines(const char *log)
{
    enum { MAX = 1000 };
    struct ot_text lines[MAX];
    size_t n = 0;
    struct ot_str sorted = {0};
    for (const char *at = log; *at; n++) {
        size_t len = strcspn(at, "\n");
        assert_true(n < MAX);
        lines[n] = (struct ot_text){at, len};
        at += len + 1;
    }
    qsort(lines, n, sizeof(lines[0]), compare_lines);
    for (size_t i = 0; i < n; i++) {
        ot_str_add_text(&sorted, lines[i]);
        ot_str_addf(&sorted, "\n");
    }
    return sorted.bytes;
}

static void assert_drawn(const struct ot_event *events, size_t n, struct ot_timeline_makers *makers,
                         const char *expected)
{
    char *wanted = sorted_lines(expected);
    for (int is_straight = 0; is_straight < 2; is_straight++) {
        struct drawing drawing;
        if (makers)
            ot_timeline_makers_rewind(makers);
        begin(&drawing, is_straight, makers);
        for (size_t i = 0; i < n; i++)
            feed(&drawing, &events[i]);
        char *got = sorted_lines(end(&drawing));
        assert_string_equal(got, wanted);
        free(got);
        release(&drawing);
    }
    free(wanted);
}

#define N_OF(events) (sizeof(events) / sizeof((events)[0]))

static void both_ways_draw_the_same(void **state)
{
    (void)state;
    struct ot_event events[] = {
        entry(10, "a"), entry(10, "b"), entry(10, "c"), leave(10, "c"), leave(10, "b"),
        entry(12, "d"), leave(12, "d"), leave(15, "a"), entry(15, "e"), leave(20, "e"),
    };
    assert_drawn(events, N_OF(events), NULL,
                 "clock 10 since the epoch\n"
                 "track 1 process 100: process, on node1\n"
                 "track 2 of 1 thread 101 of 100: \n"
                 "begin 2 @10 a [pytorch]\n"
                 "begin 2 @10 b [pytorch]\n"
                 "begin 2 @10 c [pytorch]\n"
                 "end 2 @10\nend 2 @10\n"
                 "begin 2 @12 d [pytorch]\n"
                 "end 2 @12\nend 2 @15\n"
                 "begin 2 @15 e [pytorch]\n"
                 "end 2 @20\n");
}

/* The slices of threads, as lines "THREAD begin end depth name", sorted; the end is 0 where there
 * is none. */
static char *slices_of(const char *log)
{
    enum { MAX_TRACKS = 16, MAX_DEPTH = 512 };
    struct {
        long long thread;
        size_t depth;
        struct {
            long long begin_ns;
            char name[8];
        } stack[MAX_DEPTH];
    } *tracks = calloc(MAX_TRACKS, sizeof(*tracks));
    struct ot_str slices = {0};
    for (const char *at = log; *at; at = strchr(at, '\n') + 1) {
        unsigned uuid = 0;
        long long number = 0;
        char name[8];
        if (sscanf(at, "track %u of %*u thread %lld", &uuid, &number) == 2) {
            tracks[uuid].thread = number;
        } else if (sscanf(at, "begin %u @%lld %7s", &uuid, &number, name) == 3) {
            size_t depth = tracks[uuid].depth++;
            tracks[uuid].stack[depth].begin_ns = number;
            memcpy(tracks[uuid].stack[depth].name, name, sizeof(name));
        } else if (sscanf(at, "end %u @%lld", &uuid, &number) == 2) {
            assert_true(tracks[uuid].depth > 0);
            size_t depth = --tracks[uuid].depth;
            ot_str_addf(&slices, "%lld %lld %lld %zu %s\n", tracks[uuid].thread,
                        tracks[uuid].stack[depth].begin_ns, number, depth,
                        tracks[uuid].stack[depth].name);
        }
    }
    for (size_t i = 0; i < MAX_TRACKS; i++) {
        while (tracks[i].depth) {
            size_t depth = --tracks[i].depth;
            ot_str_addf(&slices, "%lld %lld 0 %zu %s\n", tracks[i].thread,
                        tracks[i].stack[depth].begin_ns, depth, tracks[i].stack[depth].name);
        }
    }
    free(tracks);
    char *sorted = sorted_lines(ot_str_borrow(&slices));
    ot_str_release(&slices);
    return sorted;
}

/* Calls of three threads that tie often, with exits that have no entry and entries without exit. */
static void both_ways_draw_the_same_of_any_program(void **state)
{
    (void)state;
    enum { N = 300, N_PROGRAMS = 200 };
    static const char *const names[] = {"a", "b", "c", "d"};
    for (uint32_t program = 0; program < N_PROGRAMS; program++) {
        struct ot_event events[N];
        uint32_t seed = program;
        int64_t now_ns = 100;
        for (int i = 0; i < N; i++) {
            seed = seed * 1664525 + 1013904223;
            now_ns += seed >> 30;
            events[i] = seed >> 20 & 1 ? entry(now_ns, names[seed >> 24 & 3])
                                       : leave(now_ns, names[seed >> 24 & 3]);
            events[i].vtid = events[i].thread_key = 1 + (seed >> 16 & 0xff) % 3;
        }
        struct drawing drawing;
        begin(&drawing, true, NULL);
        for (int i = 0; i < N; i++)
            feed(&drawing, &events[i]);
        char *straight = slices_of(end(&drawing));
        uint64_t n_slices = drawing.totals.n_slices;
        release(&drawing);
        begin(&drawing, false, NULL);
        for (int i = 0; i < N; i++)
            feed(&drawing, &events[i]);
        char *sorted = slices_of(end(&drawing));
        assert_string_equal(straight, sorted);
        assert_int_equal(drawing.totals.n_slices, n_slices);
        assert_int_equal(drawing.totals.n_moved, 0);
        release(&drawing);
        free(straight);
        free(sorted);
    }
}

/* Calls of no time at all nest as they were called, which times alone do not say. */
static void the_sorted_way_keeps_the_order_of_entries_and_exits(void **state)
{
    (void)state;
    struct ot_event events[] = {
        entry(10, "a"), entry(10, "b"), leave(10, "b"), entry(10, "c"),
        leave(10, "c"), leave(10, "a"), entry(10, "d"), leave(10, "d"),
    };
    struct drawing drawing;
    begin(&drawing, false, NULL);
    for (size_t i = 0; i < N_OF(events); i++)
        feed(&drawing, &events[i]);
    assert_non_null(strstr(end(&drawing), "begin 2 @10 a [pytorch]\n"
                                          "begin 2 @10 b [pytorch]\n"
                                          "end 2 @10\n"
                                          "begin 2 @10 c [pytorch]\n"
                                          "end 2 @10\n"
                                          "end 2 @10\n"
                                          "begin 2 @10 d [pytorch]\n"
                                          "end 2 @10\n"));
    release(&drawing);
}

static void calls_that_are_not_whole_say_so(void **state)
{
    (void)state;
    struct ot_event gap = point(OT_EVENT_DISCARDED, 0, "");
    gap.is_gap = true;
    struct ot_event events[] = {
        entry(1, "outer"),
        entry(2, "lost"),
        leave(5, "outer"),
        leave(6, "never entered"),
        entry(7, "cut"),
        leave(8, "other"),
        gap,
        entry(9, "open"),
    };
    const char *note = "note=its exit was not seen; it ended by then";
    struct drawing drawing;
    for (int is_straight = 0; is_straight < 2; is_straight++) {
        begin(&drawing, is_straight, NULL);
        for (size_t i = 0; i < N_OF(events); i++)
            feed(&drawing, &events[i]);
        const char *log = end(&drawing);
        assert_non_null(
            strstr(log, "point 2 @6 never entered [pytorch] note=its entry was not seen"));
        assert_non_null(strstr(log, note));
        assert_non_null(strstr(log, "end 2 @5"));
        assert_non_null(strstr(log, "end 2 @8"));
        assert_non_null(strstr(log, "begin 2 @9 open"));
        assert_null(strstr(log, "end 2 @9"));
        assert_int_equal(drawing.totals.n_slices, 4);
        assert_int_equal(drawing.totals.n_lost, 2);
        assert_int_equal(drawing.totals.n_unfinished, 1);
        assert_int_equal(drawing.totals.n_instants, 2);
        assert_int_equal(drawing.totals.counts.unclosed_entries, 3);
        release(&drawing);
    }
}

static void a_crossing_call_ends_the_straight_way_and_gets_a_row_in_the_sorted_one(void **state)
{
    (void)state;
    struct ot_event across = leave(5, "a");
    across.ends_exactly = true;
    across.began_ns = 1;
    struct ot_event events[] = {entry(1, "a"), entry(3, "b"), across, leave(9, "b")};
    struct drawing drawing;
    begin(&drawing, true, NULL);
    feed(&drawing, &events[0]);
    feed(&drawing, &events[1]);
    assert_int_equal(ot_timeline_feed(drawing.timeline, &events[2], &err), OT_END);
    ot_timeline_free(drawing.timeline);
    fclose(drawing.out);
    free(drawing.bytes);
    ot_names_release(&drawing.names);
    begin(&drawing, false, NULL);
    for (size_t i = 0; i < N_OF(events); i++)
        feed(&drawing, &events[i]);
    assert_non_null(strstr(end(&drawing), "begin 2 @1 a [pytorch]\n"
                                          "track 3 of 2: calls (row 2)\n"
                                          "begin 3 @3 b [pytorch]\n"
                                          "end 2 @5\n"
                                          "end 3 @9\n"));
    release(&drawing);
}

static const struct ot_event_args numbered[] = {
    {.has_sequence = true, .sequence = 5},
    {.has_sequence = true, .sequence = 6},
    {.has_sequence = true, .sequence = 5, .forward_thread = 101},
    {.has_sequence = true, .sequence = 6, .forward_thread = 102},
};

static struct ot_event numbered_entry(int64_t ts_ns, const char *name, size_t which)
{
    struct ot_event event = entry(ts_ns, name);
    event.args = &numbered[which];
    return event;
}

/* Perfetto takes no more levels, and then one call's end for another's. */
static void what_lies_too_deep_goes_on_in_another_row(void **state)
{
    (void)state;
    enum { N = OT_TIMELINE_DEPTH_MAX + 2 };
    struct drawing drawing;
    begin(&drawing, true, NULL);
    for (int i = 0; i < N; i++) {
        struct ot_event event = entry(i, "deep");
        int code = ot_timeline_feed(drawing.timeline, &event, &err);
        assert_int_equal(code, i < OT_TIMELINE_DEPTH_MAX ? OT_OK : OT_END);
        if (code == OT_END)
            break;
    }
    ot_timeline_free(drawing.timeline);
    fclose(drawing.out);
    free(drawing.bytes);
    ot_names_release(&drawing.names);
    begin(&drawing, false, NULL);
    for (int i = 0; i < 2 * N; i++) {
        struct ot_event event = i < N ? entry(i, "deep") : leave(i, "deep");
        feed(&drawing, &event);
    }
    const char *log = end(&drawing);
    assert_non_null(strstr(log, "track 3 of 2: calls (row 2)\n"
                                "begin 3 @512 deep [pytorch]\n"
                                "begin 3 @513 deep [pytorch]\n"));
    assert_non_null(strstr(log, "end 3 @514\nend 3 @515\n"));
    assert_non_null(strstr(log, "end 2 @516\n"));
    assert_int_equal(drawing.totals.n_slices, N);
    assert_int_equal(drawing.totals.n_moved, 2);
    release(&drawing);
}

static void forward_and_backward_operators_are_joined_by_number(void **state)
{
    (void)state;
    struct ot_names names = {0};
    struct ot_event events[] = {
        numbered_entry(1, "linear", 0),
        numbered_entry(2, "addmm", 0),
        leave(3, "addmm"),
        leave(4, "linear"),
        numbered_entry(5, "relu", 1),
        leave(6, "relu"),
        numbered_entry(7, "back", 2),
        leave(8, "back"),
        numbered_entry(9, "none", 3),
        leave(10, "none"),
    };
    struct ot_timeline_makers *makers = ot_timeline_makers_new(&names);
    for (size_t i = 0; i < N_OF(events); i++)
        assert_int_equal(ot_timeline_makers_see(makers, &events[i], &err), OT_OK);
    assert_drawn(events, N_OF(events), makers,
                 "clock 1 since the epoch\n"
                 "track 1 process 100: process, on node1\n"
                 "track 2 of 1 thread 101 of 100: \n"
                 "begin 2 @1 linear [pytorch] sequence=5\n"
                 "begin 2 @2 addmm [pytorch] sequence=5 arrow 1\n"
                 "end 2 @3\nend 2 @4\n"
                 "begin 2 @5 relu [pytorch] sequence=6 arrow 2\n"
                 "end 2 @6\n"
                 "begin 2 @7 back [pytorch] forward_thread=101 sequence=5 arrow 1\n"
                 "end 2 @8\n"
                 "begin 2 @9 none [pytorch] forward_thread=102 sequence=6 arrow 3\n"
                 "end 2 @10\n");
    ot_timeline_makers_free(makers);
    ot_names_release(&names);
}

static void threads_with_the_same_ids_have_tracks_of_their_own(void **state)
{
    (void)state;
    struct ot_event events[] = {entry(1, "a"), entry(5, "b"), leave(6, "b")};
    events[1].thread_key = events[2].thread_key = 2;
    assert_drawn(events, N_OF(events), NULL,
                 "clock 1 since the epoch\n"
                 "track 1 process 100: process, on node1\n"
                 "track 2 of 1 thread 101 of 100: \n"
                 "begin 2 @1 a [pytorch]\n"
                 "track 3 of 1: thread 101 (another one)\n"
                 "begin 3 @5 b [pytorch]\n"
                 "end 3 @6\n");
}

static void slices_that_were_paired_elsewhere_are_drawn(void **state)
{
    (void)state;
    struct drawing drawing;
    struct ot_slice inner = {.backend = OT_BACKEND_PYTORCH, .vpid = 1, .vtid = 2, .ts_ns = 5};
    begin(&drawing, false, NULL);
    assert_int_equal(ot_names_intern(&drawing.names, ot_text_of("inner"), &inner.name, &err),
                     OT_OK);
    assert_int_equal(ot_names_intern(&drawing.names, ot_text_of("node1"), &inner.host, &err),
                     OT_OK);
    inner.dur_ns = 3;
    struct ot_slice failed = inner;
    failed.err = true;
    failed.dur_ns = 0;
    failed.ts_ns = 20;
    struct ot_slice outer = inner;
    assert_int_equal(ot_names_intern(&drawing.names, ot_text_of("outer"), &outer.name, &err),
                     OT_OK);
    assert_int_equal(ot_timeline_add_slice(drawing.timeline, &inner, &err), OT_OK);
    assert_int_equal(ot_timeline_add_slice(drawing.timeline, &outer, &err), OT_OK);
    assert_int_equal(ot_timeline_add_slice(drawing.timeline, &failed, &err), OT_OK);
    assert_string_equal(end_with(&drawing, NULL, 0),
                        "clock 5 since the epoch\n"
                        "track 1 process 1: process, on node1\n"
                        "track 2 of 1 thread 2 of 1: \n"
                        "begin 2 @5 outer [pytorch]\n"
                        "begin 2 @5 inner [pytorch]\n"
                        "end 2 @8\n"
                        "end 2 @8\n"
                        "point 2 @20 inner [pytorch] note=its entry was not seen; it ended here\n");
    release(&drawing);
}

static void nothing_at_all_is_a_trace_too(void **state)
{
    (void)state;
    for (int is_straight = 0; is_straight < 2; is_straight++) {
        struct drawing drawing;
        begin(&drawing, is_straight, NULL);
        assert_string_equal(end(&drawing), "clock 0\n");
        assert_int_equal(drawing.totals.n_slices, 0);
        release(&drawing);
    }
}

static void what_it_lacks_is_said_where_it_begins(void **state)
{
    (void)state;
    struct drawing drawing;
    begin(&drawing, false, NULL);
    feed_call(&drawing, 7, 1, "a");
    assert_int_equal(ot_timeline_end(drawing.timeline, NULL, 0, &drawing.totals, &err), OT_OK);
    assert_int_equal(ot_timeline_say(drawing.timeline, ot_text_of("2 lost"), &err), OT_OK);
    assert_int_equal(ot_timeline_say(drawing.timeline, ot_text_of("1 left out"), &err), OT_OK);
    fclose(drawing.out);
    drawing.read = pf_read((struct ot_text){drawing.bytes, drawing.len});
    assert_non_null(strstr(ot_str_borrow(&drawing.read->log), "track 3: what this timeline lacks\n"
                                                              "point 3 @7 2 lost\n"
                                                              "point 3 @7 1 left out\n"));
    release(&drawing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_nest_by_their_times),
        cmocka_unit_test(calls_that_tie_nest_as_they_were_written),
        cmocka_unit_test(a_call_that_crosses_a_border_gets_another_row),
        cmocka_unit_test(a_devices_work_that_overlaps_gets_another_row),
        cmocka_unit_test(what_no_row_has_a_place_for_is_counted),
        cmocka_unit_test(lanes_of_a_thread_are_tracks_of_their_own),
        cmocka_unit_test(arguments_become_notes),
        cmocka_unit_test(a_launch_and_its_work_are_joined),
        cmocka_unit_test(arrows_end_at_the_innermost_call_that_begins_there),
        cmocka_unit_test(places_have_the_names_that_the_trace_tells),
        cmocka_unit_test(ranks_are_lined_up_by_what_their_times_count_from),
        cmocka_unit_test(ranks_that_do_not_all_say_it_begin_at_0),
        cmocka_unit_test(ranks_too_far_apart_for_one_clock_begin_at_0),
        cmocka_unit_test(times_before_0_are_moved_together),
        cmocka_unit_test(the_latest_time_of_all_survives),
        cmocka_unit_test(allocated_bytes_are_totals_where_told_and_else_sums),
        cmocka_unit_test(both_ways_draw_the_same),
        cmocka_unit_test(both_ways_draw_the_same_of_any_program),
        cmocka_unit_test(the_sorted_way_keeps_the_order_of_entries_and_exits),
        cmocka_unit_test(calls_that_are_not_whole_say_so),
        cmocka_unit_test(a_crossing_call_ends_the_straight_way_and_gets_a_row_in_the_sorted_one),
        cmocka_unit_test(what_lies_too_deep_goes_on_in_another_row),
        cmocka_unit_test(forward_and_backward_operators_are_joined_by_number),
        cmocka_unit_test(threads_with_the_same_ids_have_tracks_of_their_own),
        cmocka_unit_test(slices_that_were_paired_elsewhere_are_drawn),
        cmocka_unit_test(what_it_lacks_is_said_where_it_begins),
        cmocka_unit_test(nothing_at_all_is_a_trace_too),
    };
    return RUN(tests);
}
