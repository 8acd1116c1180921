#include "folder.h"
#include "oplog.h"
#include "oplog_read.h"

/* When the logs were opened, in ticks. */
static const uint64_t T = 1000000000;

static const struct ot_reader_opts in_turn = {0};
static const struct ot_reader_opts in_order = {.in_order = true};

static void put_log(struct oplog *log, const char *name)
{
    oplog_write(log, in_folder(name));
}

static void check_with(const struct ot_reader_opts *opts, const char *expected)
{
    struct ot_str told = {0};
    struct ot_err err = {""};
    assert_int_equal(tell(folder, opts, &told, NULL, &err), OT_OK);
    assert_string_equal(ot_str_borrow(&told), expected);
    ot_str_release(&told);
}

static void check(const char *expected)
{
    check_with(&in_turn, expected);
}

/* --- events ------------------------------------------------------------------------------------
 */

static void entries_and_exits_have_names_and_times(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 1, T + 10);
    oplog_entry(&log, 4, T + 11);
    oplog_exit(&log, 4, T + 20);
    oplog_exit(&log, 1, T + 30);
    oplog_entry(&log, 3, T + 31);
    oplog_exit(&log, 3, T + 32);
    oplog_usual_names(&log);
    put_log(&log, "7.oplog");
    check("101 +aten::add.Tensor 10; 101 +aten::mul 11; 101 -aten::mul 20; "
          "101 -aten::add.Tensor 30; 101 +step 31; 101 -step 32");
}

static void put_two_threads(void)
{
    struct oplog log;
    oplog_begin(&log);
    oplog_usual_names(&log);
    oplog_begin_events(&log, 2, 0, T, 0);
    oplog_entry(&log, 2, T + 1);
    oplog_exit(&log, 2, T + 5);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 1, T + 1);
    oplog_exit(&log, 1, T + 4);
    put_log(&log, "7.oplog");
}

static void threads_come_one_after_the_other(void **state)
{
    (void)state;
    put_two_threads();
    check("101 +aten::add.Tensor 1; 101 -aten::add.Tensor 4; 102 +aten::abs 1; 102 -aten::abs 5");
}

static void or_in_the_order_of_time_and_of_their_numbers(void **state)
{
    (void)state;
    put_two_threads();
    check_with(&in_order, "101 +aten::add.Tensor 1; 102 +aten::abs 1; 101 -aten::add.Tensor 4; "
                          "102 -aten::abs 5");
}

static void segments_of_a_thread_lie_in_any_order(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_begin_events(&log, 1, 1, T + 100, 2);
    oplog_entry(&log, 2, T + 110);
    oplog_exit(&log, 2, T + 120);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 1, T + 10);
    oplog_exit(&log, 1, T + 20);
    oplog_usual_names(&log);
    put_log(&log, "7.oplog");
    check("101 +aten::add.Tensor 10; 101 -aten::add.Tensor 20; 101 +aten::abs 110; "
          "101 -aten::abs 120");
}

static void a_chunk_can_be_shared_by_threads(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_usual_names(&log);
    oplog_begin_chunk(&log, OT_OPLOG_CHUNK_EVENTS);
    for (uint32_t t = 1; t <= 3; t++) {
        oplog_segment(&log, &(struct ot_oplog_segment){
                                .thread = t, .tid = 100 + t, .base_ticks = T + 100 * t});
        oplog_entry(&log, 2, T + 100 * t + 1);
        oplog_exit(&log, 2, T + 100 * t + 2);
    }
    put_log(&log, "7.oplog");
    check("101 +aten::abs 101; 101 -aten::abs 102; 102 +aten::abs 201; 102 -aten::abs 202; "
          "103 +aten::abs 301; 103 -aten::abs 302");
}

static void a_new_base_sets_times_beyond_40_bits(void **state)
{
    (void)state;
    struct oplog log;
    uint64_t later = T + (UINT64_C(1) << 41);
    oplog_begin(&log);
    oplog_usual_names(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 2, T + 1);
    oplog_record(&log, OT_OPLOG_REBASE, 0, 0);
    oplog_word(&log, later);
    log.base = later;
    oplog_exit(&log, 2, later + 7);
    put_log(&log, "7.oplog");
    check("101 +aten::abs 1; 101 -aten::abs 2199023255559");
}

static void an_entry_has_its_number_and_shapes(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_usual_names(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 2, T + 1);
    oplog_sequence(&log, 12, 0);
    oplog_record(&log, OT_OPLOG_SHAPES_OF, 1, 0);
    oplog_exit(&log, 2, T + 2);
    oplog_entry(&log, 4, T + 3);
    oplog_sequence(&log, 12, 2); /* PyTorch's number of the second thread */
    oplog_exit(&log, 4, T + 4);
    oplog_entry(&log, 4, T + 5);
    oplog_sequence(&log, -1, 77);
    oplog_begin_events(&log, 2, 0, T, 0);
    put_log(&log, "7.oplog");
    check("101 +aten::abs 1 seq 12 of 0 [[64, 3], []] [\"float\", \"Scalar\"]; "
          "101 -aten::abs 2; 101 +aten::mul 3 seq 12 of 102; 101 -aten::mul 4; "
          "101 +aten::mul 5 seq -1 of -1");
}

static void what_belongs_to_an_entry_may_be_in_the_next_segment(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_header(&log)->options = OT_OPLOG_SEQUENCE;
    oplog_usual_names(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 2, T + 1);
    oplog_begin_events(&log, 1, 1, T + 1, 1);
    oplog_sequence(&log, 5, 0);
    oplog_exit(&log, 2, T + 2);
    put_log(&log, "7.oplog");
    check("101 +aten::abs 1 seq 5 of 0; 101 -aten::abs 2");
}

static void memory_events_are_yielded_where_they_are(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_usual_names(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 2, T + 1);
    oplog_memory(&log, T + 2, 512, 4096);
    oplog_exit(&log, 2, T + 3);
    oplog_memory(&log, T + 4, -512, 3584);
    put_log(&log, "7.oplog");
    check("101 +aten::abs 1; 101 512 of 4096 bytes 2; 101 -aten::abs 3; "
          "101 -512 of 3584 bytes 4");
}

static void an_event_whose_name_was_not_kept_says_so(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, OT_OPLOG_NO_NAME, T + 1);
    oplog_exit(&log, OT_OPLOG_NO_NAME, T + 2);
    put_log(&log, "7.oplog");
    check("101 +(name not kept) 1; 101 -(name not kept) 2");
}

static void also_an_annotation_and_is_one_still(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, OT_OPLOG_NO_ANNOTATION, T + 1);
    oplog_entry(&log, OT_OPLOG_NO_NAME, T + 2);
    put_log(&log, "7.oplog");
    check("101 +(name not kept) 1; 101 +(name not kept) 2");

    const char *path = folder;
    struct ot_reader *reader = NULL;
    struct ot_err err;
    struct ot_event event;
    static const int backends[] = {OT_BACKEND_ANNOTATION, OT_BACKEND_PYTORCH};
    assert_int_equal(ot_oplog_reader.open(&path, 1, &in_turn, &reader, &err), OT_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ot_oplog_reader.next(reader, &event, &err), OT_OK);
        assert_int_equal(event.backend, backends[i]);
    }
    ot_oplog_reader.close(reader);
}

static void a_name_that_was_cut_says_so_at_its_end(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_begin_chunk(&log, OT_OPLOG_CHUNK_NAMES);
    oplog_flagged_name(&log, 1, OT_OPLOG_NAME_ANNOTATION, OT_OPLOG_NAME_IS_CUT, "epoch", "");
    oplog_flagged_name(&log, 2, OT_OPLOG_NAME_OPERATOR, OT_OPLOG_NAME_IS_CUT, "a::b", "overload");
    oplog_name(&log, 3, OT_OPLOG_NAME_ANNOTATION, "epoch", "");
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 1, T + 1);
    oplog_entry(&log, 2, T + 2);
    oplog_entry(&log, 3, T + 3);
    put_log(&log, "7.oplog");
    check("101 +epoch[...] 1; 101 +a::b.overload[...] 2; 101 +epoch 3");
}

/* --- calls that do not nest --------------------------------------------------------------------
 */

static void a_call_that_ends_on_another_thread_belongs_to_its_own(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_usual_names(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 1, T + 1);
    oplog_entry(&log, 2, T + 2);
    oplog_exit_of(&log, 1, T + 5, 1, T + 1);
    oplog_entry(&log, 4, T + 6);
    oplog_exit(&log, 4, T + 9);
    oplog_begin_events(&log, 2, 0, T, 0);
    oplog_entry(&log, 4, T + 3);
    oplog_exit_of(&log, 2, T + 7, 1, T + 2);
    oplog_exit(&log, 4, T + 8);
    put_log(&log, "7.oplog");
    const char *home = "101 +aten::add.Tensor 1; 101 +aten::abs 2; "
                       "101 -aten::add.Tensor 5 since 1; 101 +aten::mul 6; "
                       "101 -aten::abs 7 since 2; 101 -aten::mul 9; "
                       "102 +aten::mul 3; 102 -aten::mul 8";
    check(home);
    check_with(&in_order, "101 +aten::add.Tensor 1; 101 +aten::abs 2; 102 +aten::mul 3; "
                          "101 -aten::add.Tensor 5 since 1; 101 +aten::mul 6; "
                          "101 -aten::abs 7 since 2; 102 -aten::mul 8; 101 -aten::mul 9");
}

static void an_end_that_comes_after_its_thread_is_yielded_all_the_same(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_usual_names(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 2, T + 2);
    oplog_begin_events(&log, 2, 0, T, 0);
    oplog_exit_of(&log, 2, T + 900, 1, T + 2);
    put_log(&log, "7.oplog");
    check("101 +aten::abs 2; 101 -aten::abs 900 since 2");
}

static void an_end_at_the_time_of_the_entry_comes_after_it(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_usual_names(&log);
    oplog_begin_events(&log, 2, 0, T, 0);
    oplog_exit_of(&log, 2, T + 2, 1, T + 2);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 2, T + 2);
    oplog_entry(&log, 4, T + 3);
    put_log(&log, "7.oplog");
    check("101 +aten::abs 2; 101 -aten::abs 2 since 2; 101 +aten::mul 3");
}

static void an_exit_comes_after_the_end_of_the_call_inside_whatever_the_clocks_say(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_usual_names(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 1, T + 1);
    oplog_entry(&log, 2, T + 2);
    oplog_entry(&log, 4, T + 3);
    oplog_exit(&log, 1, T + 10);
    oplog_entry(&log, 1, T + 20);
    oplog_exit(&log, 1, T + 21);
    oplog_begin_events(&log, 2, 0, T, 0);
    oplog_exit_of(&log, 2, T + 12, 1, T + 2);
    oplog_exit_of(&log, 4, T + 13, 1, T + 3);
    put_log(&log, "7.oplog");
    check("101 +aten::add.Tensor 1; 101 +aten::abs 2; 101 +aten::mul 3; "
          "101 -aten::mul 10 since 3; 101 -aten::abs 10 since 2; 101 -aten::add.Tensor 10; "
          "101 +aten::add.Tensor 20; 101 -aten::add.Tensor 21");
}

/* --- what is lost ------------------------------------------------------------------------------
 */

static struct ot_oplog_segment segment_of(uint32_t number, uint64_t base, uint64_t events_before,
                                          uint32_t open_calls)
{
    return (struct ot_oplog_segment){.thread = 1,
                                     .number = number,
                                     .tid = 101,
                                     .base_ticks = base,
                                     .events_before = events_before,
                                     .open_calls = open_calls};
}

static void what_a_ring_has_overwritten_is_counted_exactly(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_header(&log)->options = OT_OPLOG_RING;
    oplog_usual_names(&log);
    oplog_begin_chunk(&log, OT_OPLOG_CHUNK_EVENTS);
    struct ot_oplog_segment segment = segment_of(4, T, 1000, 0);
    oplog_segment(&log, &segment);
    oplog_entry(&log, 2, T + 1);
    oplog_exit(&log, 2, T + 2);
    put_log(&log, "7.oplog");
    check("lost 1000; 101 +aten::abs 1; 101 -aten::abs 2");
}

static void exits_of_overwritten_entries_are_lost_too_and_no_errors(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_header(&log)->options = OT_OPLOG_RING;
    oplog_usual_names(&log);
    oplog_begin_chunk(&log, OT_OPLOG_CHUNK_EVENTS);
    struct ot_oplog_segment segment = segment_of(4, T + 10, 1000, 3);
    oplog_segment(&log, &segment);
    oplog_entry(&log, 2, T + 11);
    oplog_exit(&log, 2, T + 12);
    oplog_exit(&log, 1, T + 13);              /* lost */
    oplog_exit_of(&log, 4, T + 14, 1, T + 3); /* lost */
    oplog_entry(&log, 2, T + 15);
    oplog_exit(&log, 2, T + 16);
    oplog_exit(&log, 1, T + 17); /* lost */
    oplog_exit(&log, 1, T + 18); /* was never begun */
    oplog_begin_events(&log, 2, 0, T, 0);
    oplog_exit_of(&log, 4, T + 20, 1, T + 4);
    put_log(&log, "7.oplog");
    check("lost 1000; 101 +aten::abs 11; 101 -aten::abs 12; lost 1; lost 1; 101 +aten::abs 15; "
          "101 -aten::abs 16; lost 1; 101 -aten::add.Tensor 18; 101 -aten::mul 20 since 4");
}

static void a_gap_in_the_middle_of_a_thread_is_told_as_one(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_header(&log)->options = OT_OPLOG_RING;
    oplog_usual_names(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 2, T + 1);
    oplog_begin_chunk(&log, OT_OPLOG_CHUNK_EVENTS);
    struct ot_oplog_segment segment = segment_of(2, T + 50, 6, 2);
    oplog_segment(&log, &segment);
    oplog_exit(&log, 4, T + 51); /* of the gap */
    oplog_exit(&log, 2, T + 52); /* of before it: nobody knows */
    oplog_entry(&log, 1, T + 53);
    put_log(&log, "7.oplog");
    check("101 +aten::abs 1; lost 5 in 101; lost 1; lost 1; 101 +aten::add.Tensor 53");
}

static void what_a_ring_has_overwritten_of_threads_that_are_gone_is_known(void **state)
{
    (void)state;
    for (int is_ring = 0; is_ring < 2; is_ring++) {
        struct oplog log;
        oplog_begin(&log);
        oplog_header(&log)->overwritten_events = is_ring ? 30 : 0;
        oplog_usual_names(&log);
        oplog_begin_events(&log, 4, 0, T, 0);
        oplog_entry(&log, 2, T + 1);
        oplog_exit_of(&log, 2, T + 2, 3, T + 1); /* of a thread that is not there */
        put_log(&log, "7.oplog");
        check(is_ring ? "lost 31; 104 +aten::abs 1" : "lost 1; 104 +aten::abs 1");
    }
}

static void what_found_no_room_is_lost(void **state)
{
    (void)state;
    struct oplog log;
    static const char marker[] = "optally recording 1\nwriter builtin\ncommand x\n"
                                 "cut No space left on device\noverwritten 30\noverwritten 12\n";
    oplog_begin(&log);
    oplog_header(&log)->lost_events = 5;
    put_log(&log, "7.oplog");
    put_file("optally.recording", marker, sizeof(marker) - 1);
    check("lost 47; lost 1 or more");
}

static void names_and_shapes_that_found_no_room_are_counted_over_all_logs(void **state)
{
    (void)state;
    struct ot_reader_report report = {0};
    struct ot_str told = {0};
    struct ot_err err;
    for (unsigned i = 1; i < 3; i++) {
        struct oplog log;
        oplog_begin(&log);
        oplog_header(&log)->lost_names = i;
        oplog_header(&log)->lost_shapes = 10 * i;
        put_log(&log, i == 1 ? "7.oplog" : "8.oplog");
    }
    assert_int_equal(tell(folder, &in_turn, &told, &report, &err), OT_OK);
    assert_string_equal(ot_str_borrow(&told), "");
    assert_int_equal(report.counts.lost_names, 3);
    assert_int_equal(report.warnings.of[OT_WARN_LOST_SHAPES].n, 30);
    assert_string_equal(report.warnings.of[OT_WARN_LOST_SHAPES].first, "7.oplog");
    ot_str_release(&told);
}

/* --- files -------------------------------------------------------------------------------------
 */

static void put_one_call(const char *name, int64_t pid, uint64_t at)
{
    struct oplog log;
    oplog_begin(&log);
    oplog_header(&log)->pid = pid;
    oplog_usual_names(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 2, at);
    oplog_exit(&log, 2, at + 1);
    put_log(&log, name);
}

static void all_logs_of_a_folder_are_read_and_nothing_else(void **state)
{
    (void)state;
    put_one_call("9.oplog", 9, T + 10);
    put_one_call("7.oplog", 7, T + 20);
    put_one_call("7.oplog.new", 7, T + 30);
    put_file("8.oplog", "", 0); /* its process ended while it made it */
    static const char zeros[100];
    put_file("6.oplog", zeros, sizeof(zeros));
    put_folder("5.oplog.d");
    check("101 +aten::abs 20; 101 -aten::abs 21; 101 +aten::abs 10; 101 -aten::abs 11");
    check_with(&in_order,
               "101 +aten::abs 10; 101 -aten::abs 11; 101 +aten::abs 20; 101 -aten::abs 21");
}

static void put_version(const char *name, int64_t pid, const char *version)
{
    struct oplog log;
    oplog_begin(&log);
    oplog_header(&log)->pid = pid;
    memset(oplog_header(&log)->torch_version, 0, sizeof(oplog_header(&log)->torch_version));
    memcpy(oplog_header(&log)->torch_version, version, strlen(version));
    put_log(&log, name);
}

static void versions_of_pytorch_are_told_once_each(void **state)
{
    (void)state;
    put_version("1.oplog", 1, "2.1.0");
    put_version("2.oplog", 2, "2.1.0+cpu");
    put_version("3.oplog", 3, "2.1.0");
    put_version("4.oplog", 4, "");
    put_version("5.oplog", 5, "0+cpu");
    struct ot_err err;
    struct ot_reader *reader = NULL;
    const char *path = folder;
    assert_int_equal(ot_oplog_reader.open(&path, 1, &in_turn, &reader, &err), OT_OK);
    struct ot_reader_report report;
    ot_oplog_reader.report(reader, &report);
    assert_string_equal(report.sessions[0].torch.bytes, "2.1.0, 2.1.0+cpu, 0+cpu");
    ot_oplog_reader.close(reader);
}

static void a_log_alone_is_an_input(void **state)
{
    (void)state;
    put_one_call("any name", 7, T + 10);
    struct ot_str told = {0};
    struct ot_err err;
    assert_int_equal(tell(in_folder("any name"), &in_turn, &told, NULL, &err), OT_OK);
    assert_string_equal(ot_str_borrow(&told), "101 +aten::abs 10; 101 -aten::abs 11");
    ot_str_release(&told);
}

static void a_marked_folder_is_a_recording_also_when_it_is_empty(void **state)
{
    (void)state;
    static const char ours[] = "optally recording 1\nwriter builtin\n";
    static const char other[] = "optally recording 1\nwriter lttng\n";
    struct ot_err err;
    assert_int_equal(ot_oplog_reader.recognise(folder, &err), OT_END);
    put_file("optally.recording", other, sizeof(other) - 1);
    assert_int_equal(ot_oplog_reader.recognise(folder, &err), OT_END);
    put_file("optally.recording", ours, sizeof(ours) - 1);
    check("");
    put_file("metadata", "", 0); /* a CTF trace */
    assert_int_equal(ot_oplog_reader.recognise(folder, &err), OT_END);
}

static void what_is_no_log_is_refused(void **state)
{
    (void)state;
    static const struct {
        size_t offset;
        uint32_t value;
        const char *sentence;
    } faults[] = {
        {offsetof(struct ot_oplog_header, version), 2, "version 2"},
        {offsetof(struct ot_oplog_header, header_bytes), 4096, "another version"},
        {offsetof(struct ot_oplog_header, chunk_bytes), 1 << 20, "another version"},
        {offsetof(struct ot_oplog_header, clock), 0, "clock 0"},
        {offsetof(struct ot_oplog_header, clock), 4, "clock 4"},
    };
    static const struct ot_reader_opts recover = {.recover = true};
    struct ot_str told = {0};
    struct ot_err err;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct oplog log;
        oplog_begin(&log);
        memcpy(log.bytes + faults[i].offset, &faults[i].value, 4);
        put_log(&log, "7.oplog");
        assert_int_equal(tell(folder, &recover, &told, NULL, &err), OT_ERR_INPUT);
        assert_non_null(strstr(err.msg, "7.oplog: "));
        assert_non_null(strstr(err.msg, faults[i].sentence));
    }
    put_file("7.oplog", OT_OPLOG_MAGIC "short", 13);
    assert_int_equal(tell(folder, &recover, &told, NULL, &err), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "ends inside its header"));
    ot_str_release(&told);
}

static void a_log_that_is_removed_after_the_scan_is_lost_exactly(void **state)
{
    (void)state;
    put_one_call("7.oplog", 7, T + 10);
    put_one_call("8.oplog", 8, T + 20);
    const char *path = folder;
    struct ot_reader *reader = NULL;
    struct ot_err err;
    struct ot_str told = {0};
    assert_int_equal(ot_oplog_reader.open(&path, 1, &in_turn, &reader, &err), OT_OK);
    assert_int_equal(remove(in_folder("7.oplog")), 0);
    assert_int_equal(tell_rest(reader, &told, &err), OT_OK);
    assert_string_equal(ot_str_borrow(&told), "lost 2; 101 +aten::abs 20; 101 -aten::abs 21");
    ot_oplog_reader.close(reader);
    ot_str_release(&told);
}

static void put_ring(uint32_t generation)
{
    struct oplog log;
    oplog_begin(&log);
    oplog_header(&log)->options = OT_OPLOG_RING;
    oplog_usual_names(&log);
    for (uint32_t i = 0; i < 2; i++) {
        oplog_begin_events(&log, 1, i, T + 100 * i, 2 * i);
        oplog_entry(&log, 2, T + 100 * i + 1);
        oplog_exit(&log, 2, T + 100 * i + 2);
    }
    oplog_chunk(&log, 1)->generation = generation;
    /* In place, as a writer does it. */
    FILE *file = fopen(in_folder("7.oplog"), generation ? "r+" : "w");
    assert_non_null(file);
    assert_int_equal(fwrite(log.bytes, oplog_bytes(&log), 1, file), 1);
    assert_int_equal(fclose(file), 0);
    free(log.bytes);
}

static void a_chunk_that_is_used_again_after_the_scan_is_lost_exactly(void **state)
{
    (void)state;
    put_ring(0);
    const char *path = folder;
    struct ot_reader *reader = NULL;
    struct ot_err err;
    struct ot_str told = {0};
    assert_int_equal(ot_oplog_reader.open(&path, 1, &in_turn, &reader, &err), OT_OK);
    put_ring(1);
    assert_int_equal(tell_rest(reader, &told, &err), OT_OK);
    assert_string_equal(ot_str_borrow(&told), "lost 2; 101 +aten::abs 101; 101 -aten::abs 102");
    ot_oplog_reader.close(reader);
    ot_str_release(&told);
}

static void names_that_come_after_the_scan_are_found(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 2, T + 1);
    oplog_exit(&log, 2, T + 2);
    struct oplog before = {.n_chunks = 1};
    before.bytes = malloc(oplog_bytes(&before));
    assert_non_null(before.bytes);
    memcpy(before.bytes, log.bytes, oplog_bytes(&before));
    put_log(&before, "7.oplog");
    const char *path = folder;
    struct ot_reader *reader = NULL;
    struct ot_err err;
    struct ot_str told = {0};
    assert_int_equal(ot_oplog_reader.open(&path, 1, &in_turn, &reader, &err), OT_OK);
    oplog_usual_names(&log);
    FILE *file = fopen(in_folder("7.oplog"), "r+");
    assert_non_null(file);
    assert_int_equal(fwrite(log.bytes, oplog_bytes(&log), 1, file), 1);
    assert_int_equal(fclose(file), 0);
    free(log.bytes);
    assert_int_equal(tell_rest(reader, &told, &err), OT_OK);
    assert_string_equal(ot_str_borrow(&told), "101 +aten::abs 1; 101 -aten::abs 2");
    ot_oplog_reader.close(reader);
    ot_str_release(&told);
}

static void two_threads_that_had_one_id_have_keys_of_their_own(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_usual_names(&log);
    for (uint32_t t = 1; t <= 2; t++) {
        oplog_begin_chunk(&log, OT_OPLOG_CHUNK_EVENTS);
        oplog_segment(&log, &(struct ot_oplog_segment){.thread = t, .tid = 101, .base_ticks = T});
        oplog_entry(&log, 2, T + 1);
    }
    put_log(&log, "7.oplog");
    const char *path = folder;
    struct ot_reader *reader = NULL;
    struct ot_err err;
    struct ot_event first;
    struct ot_event second;
    assert_int_equal(ot_oplog_reader.open(&path, 1, &in_turn, &reader, &err), OT_OK);
    assert_int_equal(ot_oplog_reader.next(reader, &first, &err), OT_OK);
    assert_int_equal(ot_oplog_reader.next(reader, &second, &err), OT_OK);
    assert_int_equal(first.vtid, second.vtid);
    assert_int_not_equal(first.thread_key, 0);
    assert_int_not_equal(first.thread_key, second.thread_key);
    assert_int_not_equal(first.name_key, 0);
    assert_int_equal(first.name_key, second.name_key);
    ot_oplog_reader.close(reader);
}

/* --- text --------------------------------------------------------------------------------------
 */

static void payloads_are_those_of_the_other_writer(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "lttng_ust_pytorch:op_entry name: \"aten::add\", overload_name: \"Tensor\", sequence: 3, "
        "forward_vtid: 0, shapes: [[64, 3], []], types: [\"float\", \"Scalar\"]",
        "optally:memory bytes: 8, total_allocated: 9, device_type: 0, device_index: -1",
        "lttng_ust_pytorch:op_exit name: \"aten::add\", overload_name: \"Tensor\", "
        "ended_on_vtid: 102",
        "lttng_ust_pytorch:annotation_entry name: \"step\"",
        "lttng_ust_pytorch:op_entry name: \"aten::mul\", overload_name: \"default\"",
        "lttng_ust_pytorch:op_entry name: \"(no name)\", overload_name: \"default\"",
        "lttng_ust_pytorch:op_entry name: \"say \\\"a\\\\b\\n\\x01\", overload_name: \"\\xff\"",
    };
    struct oplog log;
    oplog_begin(&log);
    oplog_usual_names(&log);
    oplog_name(&log, 5, OT_OPLOG_NAME_OPERATOR, "", "");
    oplog_name(&log, 6, OT_OPLOG_NAME_OPERATOR, "say \"a\\b\n\x01", "\xff");
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 1, T + 1);
    oplog_sequence(&log, 3, 0);
    oplog_record(&log, OT_OPLOG_SHAPES_OF, 1, 0);
    oplog_memory(&log, T + 2, 8, 9);
    oplog_entry(&log, 3, T + 4);
    oplog_entry(&log, 4, T + 5);
    oplog_entry(&log, 5, T + 6);
    oplog_entry(&log, 6, T + 7);
    oplog_begin_events(&log, 2, 0, T, 0);
    oplog_exit_of(&log, 1, T + 3, 1, T + 1);
    put_log(&log, "7.oplog");

    const char *path = folder;
    static const struct ot_reader_opts with_text = {.want_text = true};
    struct ot_reader *reader = NULL;
    struct ot_err err;
    struct ot_event event;
    assert_int_equal(ot_oplog_reader.open(&path, 1, &with_text, &reader, &err), OT_OK);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        struct ot_str line = {0};
        assert_int_equal(ot_oplog_reader.next(reader, &event, &err), OT_OK);
        ot_str_add_text(&line, event.event_name);
        ot_str_add(&line, " ", 1);
        ot_str_add_text(&line, event.payload);
        assert_string_equal(ot_str_borrow(&line), expected[i]);
        ot_str_release(&line);
    }
    ot_oplog_reader.close(reader);
}

/* docs/formats/oplog.md has the same bytes. */
static void the_example_of_the_formats_page_reads_as_it_says(void **state)
{
    (void)state;
    static const struct {
        size_t offset;
        const char *bytes;
        size_t len;
    } parts[] = {
        {0x0, "\x6f\x70\x6c\x6f\x67\x0d\x0a\x1a", 8},
        {0x8, "\x01\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00", 12},
        {0x14, "\x01\x00\x00\x00", 4},
        {0x20, "\x92\x10\x00\x00\x00\x00\x00\x00", 8},
        {0x30, "\x6e\x6f\x64\x65\x31", 5},
        {0xe0, "\x00\xc0\x25\xcb\x2e\x02\x00\x00", 8},
        {0xe8, "\x00\x10\xa5\xd4\xe8\x00\x00\x00", 8},
        {0xf0, "\x00\x00\x2a\x36\xfe\x9c\x97\x17", 8},
        {0xf8, "\x00\xd8\x32\x5a\x2f\x02\x00\x00", 8},
        {0x100, "\x00\xda\x3f\x10\xe9\x00\x00\x00", 8},
        {0x108, "\x00\xca\xc4\x71\xfe\x9c\x97\x17", 8},
        {0x110, "\x02\x00\x00\x00\x00\x00\x00\x00", 8},
        {0x10000, "\x02\x00\x00\x00", 4},
        {0x10040, "\x01\x00\x00\x00\x01\x00\x00\x00", 8},
        {0x10048, "\x09\x00\x00\x00\x06\x00\x00\x00", 8},
        {0x10050, "\x61\x74\x65\x6e\x3a\x3a\x61\x64\x64\x54\x65\x6e\x73\x6f\x72\x00", 16},
        {0x20000, "\x01\x00\x00\x00", 4},
        {0x20040, "\x00\x00\x00\x00\x00\x00\x00\x80", 8},
        {0x20048, "\x01\x00\x00\x00\x00\x00\x00\x00", 8},
        {0x20050, "\x92\x10\x00\x00\x00\x00\x00\x00", 8},
        {0x20058, "\x60\xe1\x32\x5a\x2f\x02\x00\x00", 8},
        {0x20068, "\x00\x00\x00\x00\x01\x00\x00\x00", 8},
        {0x20070, "\x70\x79\x74\x68\x6f\x6e\x33\x00", 8},
        {0x20080, "\xe8\xdd\x3f\x10\xe9\x00\x00\x00", 8},
        {0x20088, "\x60\x09\x00\x00\x00\x01\x00\x10", 8},
        {0x20090, "\xe0\x2e\x00\x00\x00\x01\x00\x20", 8},
    };
    static const char boot[] = "6f1c2d7e-0b3a-4c55-9d18-2a7be4c0f911";
    struct oplog log = {0};
    oplog_resize(&log, 2);
    memset(log.bytes, 0, oplog_bytes(&log));
    memcpy(log.bytes + 0x78, boot, sizeof(boot));
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        memcpy(log.bytes + parts[i].offset, parts[i].bytes, parts[i].len);
    put_log(&log, "4242.oplog");

    const char *path = folder;
    struct ot_reader *reader = NULL;
    struct ot_err err;
    struct ot_event entry;
    struct ot_event exit;
    assert_int_equal(ot_oplog_reader.open(&path, 1, &in_turn, &reader, &err), OT_OK);
    assert_int_equal(ot_oplog_reader.next(reader, &entry, &err), OT_OK);
    assert_int_equal(entry.ts_ns, 1700000001000002000);
    assert_true(ot_text_same(entry.name, ot_text_of("aten::add.Tensor")));
    assert_int_equal(ot_oplog_reader.next(reader, &exit, &err), OT_OK);
    assert_int_equal(exit.ts_ns - entry.ts_ns, 4000);
    ot_oplog_reader.close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(entries_and_exits_have_names_and_times),
        IN_FOLDER(threads_come_one_after_the_other),
        IN_FOLDER(or_in_the_order_of_time_and_of_their_numbers),
        IN_FOLDER(segments_of_a_thread_lie_in_any_order),
        IN_FOLDER(a_chunk_can_be_shared_by_threads),
        IN_FOLDER(a_new_base_sets_times_beyond_40_bits),
        IN_FOLDER(an_entry_has_its_number_and_shapes),
        IN_FOLDER(what_belongs_to_an_entry_may_be_in_the_next_segment),
        IN_FOLDER(memory_events_are_yielded_where_they_are),
        IN_FOLDER(an_event_whose_name_was_not_kept_says_so),
        IN_FOLDER(also_an_annotation_and_is_one_still),
        IN_FOLDER(a_name_that_was_cut_says_so_at_its_end),
        IN_FOLDER(a_call_that_ends_on_another_thread_belongs_to_its_own),
        IN_FOLDER(an_end_that_comes_after_its_thread_is_yielded_all_the_same),
        IN_FOLDER(an_end_at_the_time_of_the_entry_comes_after_it),
        IN_FOLDER(an_exit_comes_after_the_end_of_the_call_inside_whatever_the_clocks_say),
        IN_FOLDER(what_a_ring_has_overwritten_is_counted_exactly),
        IN_FOLDER(exits_of_overwritten_entries_are_lost_too_and_no_errors),
        IN_FOLDER(a_gap_in_the_middle_of_a_thread_is_told_as_one),
        IN_FOLDER(what_a_ring_has_overwritten_of_threads_that_are_gone_is_known),
        IN_FOLDER(what_found_no_room_is_lost),
        IN_FOLDER(names_and_shapes_that_found_no_room_are_counted_over_all_logs),
        IN_FOLDER(all_logs_of_a_folder_are_read_and_nothing_else),
        IN_FOLDER(versions_of_pytorch_are_told_once_each),
        IN_FOLDER(a_log_alone_is_an_input),
        IN_FOLDER(a_marked_folder_is_a_recording_also_when_it_is_empty),
        IN_FOLDER(what_is_no_log_is_refused),
        IN_FOLDER(a_log_that_is_removed_after_the_scan_is_lost_exactly),
        IN_FOLDER(a_chunk_that_is_used_again_after_the_scan_is_lost_exactly),
        IN_FOLDER(names_that_come_after_the_scan_are_found),
        IN_FOLDER(two_threads_that_had_one_id_have_keys_of_their_own),
        IN_FOLDER(payloads_are_those_of_the_other_writer),
        IN_FOLDER(the_example_of_the_formats_page_reads_as_it_says),
    };
    return RUN(tests);
}
