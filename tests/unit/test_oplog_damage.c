#include "folder.h"
#include "oplog.h"
#include "oplog_read.h"

static const uint64_t T = 1000000000;

/* Chunk 0: names. Chunk 1: a call of thread 1, and what a test adds. */
static void begin(struct oplog *log)
{
    oplog_begin(log);
    oplog_usual_names(log);
    oplog_begin_events(log, 1, 0, T, 0);
    oplog_entry(log, 2, T + 1);
    oplog_exit(log, 2, T + 2);
}

/* After the damage, in a chunk of its own: one more call. */
static void end(struct oplog *log)
{
    oplog_begin_events(log, 2, 0, T + 10, 0);
    oplog_entry(log, 2, T + 11);
    oplog_exit(log, 2, T + 12);
    oplog_write(log, in_folder("7.oplog"));
}

static const char whole[] =
    "101 +aten::abs 1; 101 -aten::abs 2; 102 +aten::abs 11; 102 -aten::abs 12";

/* Says this, and with --recover keeps the two calls and counts one damage. */
static void check(const char *sentence, const char *kept)
{
    struct ot_reader_opts opts = {0};
    struct ot_reader_report report = {0};
    struct ot_str told = {0};
    struct ot_err err = {""};
    assert_int_equal(tell(folder, &opts, &told, NULL, &err), OT_ERR_DAMAGED);
    assert_non_null(strstr(err.msg, "/7.oplog: chunk "));
    assert_non_null(strstr(err.msg, "; --recover keeps what is whole"));
    if (!strstr(err.msg, sentence))
        assert_string_equal(err.msg, sentence);
    ot_str_clear(&told);
    opts.recover = true;
    assert_int_equal(tell(folder, &opts, &told, &report, &err), OT_OK);
    assert_string_equal(ot_str_borrow(&told), kept);
    assert_int_equal(report.counts.damaged_events, 1);
    assert_int_equal(report.warnings.of[OT_WARN_DAMAGED_EVENT].n, 1);
    assert_ptr_equal(strstr(report.warnings.of[OT_WARN_DAMAGED_EVENT].first, "7.oplog: chunk "),
                     report.warnings.of[OT_WARN_DAMAGED_EVENT].first);
    ot_str_release(&told);
}

static void a_damaged_record_ends_its_chunk(void **state)
{
    (void)state;
    static const struct {
        uint64_t words[10];
        const char *sentence;
    } faults[] = {
        {{OT_OPLOG_WORD(9, 0, 0)}, "chunk 1, word 11: a record of a kind that there is not"},
        {{UINT64_MAX}, "a record of a kind that there is not"},
        {{1}, "a record of a kind that there is not"},
        {{OT_OPLOG_WORD(OT_OPLOG_ENTRY, 0, 5)}, "an entry or exit without a name"},
        {{OT_OPLOG_WORD(OT_OPLOG_EXIT, 0, 5)}, "an entry or exit without a name"},
        {{OT_OPLOG_WORD(OT_OPLOG_EXIT_OF, 0, 5), 1, 1}, "an entry or exit without a name"},
        {{OT_OPLOG_WORD(OT_OPLOG_EXIT_OF, 2, 5), 0, 1}, "an exit of a call of no thread"},
        {{OT_OPLOG_WORD(OT_OPLOG_EXIT_OF, 2, 5), UINT64_MAX, 1}, "an exit of a call of no thread"},
        {{OT_OPLOG_WORD(OT_OPLOG_SHAPES_OF, 1, 0)}, "what belongs to an entry stands behind none"},
        {{OT_OPLOG_WORD(OT_OPLOG_SEQUENCE_OF, 0, 0), 1, 1},
         "what belongs to an entry stands behind none"},
        {{OT_OPLOG_WORD(OT_OPLOG_REBASE, 0, 0), UINT64_MAX}, "times that no 64 bits can count"},
        {{OT_OPLOG_WORD(OT_OPLOG_SEGMENT, 0, 0)}, "a segment of no thread"},
        {{OT_OPLOG_WORD(OT_OPLOG_SEGMENT, 0, 0), 3, 103, UINT64_MAX},
         "times that no 64 bits can count"},
        {{OT_OPLOG_WORD(OT_OPLOG_SEGMENT, 0, 0), 1, 101, 1000000000},
         "a second segment of this number and thread"},
    };
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct oplog log;
        begin(&log);
        for (size_t w = 0; w < 10; w++)
            oplog_word(&log, faults[i].words[w]);
        end(&log);
        check(faults[i].sentence, whole);
    }
}

static void a_record_cannot_go_beyond_its_chunk(void **state)
{
    (void)state;
    struct oplog log;
    begin(&log);
    struct ot_str expected = {0};
    ot_str_addf(&expected, "101 +aten::abs 1; 101 -aten::abs 2");
    while (oplog_room(&log) > 1) {
        oplog_entry(&log, 4, T + 3);
        ot_str_addf(&expected, "; 101 +aten::mul 3");
    }
    oplog_word(&log, OT_OPLOG_WORD(OT_OPLOG_REBASE, 0, 0));
    end(&log);
    ot_str_addf(&expected, "; 102 +aten::abs 11; 102 -aten::abs 12");
    check("chunk 1, word 8183: a record goes beyond its chunk", ot_str_borrow(&expected));
    ot_str_release(&expected);
}

static void a_chunk_begins_with_a_segment(void **state)
{
    (void)state;
    struct oplog log;
    begin(&log);
    oplog_begin_chunk(&log, OT_OPLOG_CHUNK_EVENTS);
    oplog_entry(&log, 2, T + 3);
    end(&log);
    check("chunk 2, word 0: a chunk of events that does not begin with a segment", whole);
}

static void a_chunk_is_of_a_known_kind(void **state)
{
    (void)state;
    struct oplog log;
    begin(&log);
    oplog_begin_chunk(&log, 3);
    end(&log);
    check("chunk 2, word 0: a chunk of a kind that there is not", whole);
}

static void an_id_has_a_name(void **state)
{
    (void)state;
    struct oplog log;
    begin(&log);
    oplog_entry(&log, 77, T + 3);
    end(&log);
    check("chunk 1, word 11: no name has the id 77",
          "101 +aten::abs 1; 101 -aten::abs 2; 101 +(name not kept) 3; 102 +aten::abs 11; "
          "102 -aten::abs 12");
}

static void shapes_have_an_id(void **state)
{
    (void)state;
    struct oplog log;
    begin(&log);
    oplog_entry(&log, 2, T + 3);
    oplog_record(&log, OT_OPLOG_SHAPES_OF, 9, 0);
    end(&log);
    check("chunk 1, word 12: no shapes have the id 9",
          "101 +aten::abs 1; 101 -aten::abs 2; 101 +aten::abs 3; 102 +aten::abs 11; "
          "102 -aten::abs 12");
}

static void a_damaged_name_ends_its_chunk(void **state)
{
    (void)state;
    static const struct {
        struct ot_oplog_name name;
        const char *sentence;
    } faults[] = {
        {{.id = 0, .kind = 1}, "a name with the id 0"},
        {{.id = OT_OPLOG_NO_NAME, .kind = 1}, "a name with the id 1048575"},
        {{.id = OT_OPLOG_NO_ANNOTATION, .kind = 2}, "a name with the id 1048574"},
        {{.id = 5000, .kind = 1}, "a name with the id 5000"}, /* more than a chunk can hold */
        {{.id = 6, .kind = 0}, "a name of kind 0"},
        {{.id = 6, .kind = 4}, "a name of kind 4"},
        {{.id = 2, .kind = 1}, "a second name with the id 2"},
        {{.id = 1, .kind = 3}, "second shapes with the id 1"},
        {{.id = 6, .kind = 1, .first_len = 1 << 15}, "a name of 32768 and 0 bytes"},
        {{.id = 6, .kind = 1, .second_len = UINT32_MAX}, "a name of 0 and 4294967295 bytes"},
    };
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct oplog log;
        oplog_begin(&log);
        oplog_usual_names(&log);
        uint64_t words[2];
        memcpy(words, &faults[i].name, sizeof(words));
        oplog_word(&log, words[0]);
        oplog_word(&log, words[1]);
        oplog_begin_events(&log, 1, 0, T, 0);
        oplog_entry(&log, 2, T + 1);
        oplog_exit(&log, 2, T + 2);
        end(&log);
        check(faults[i].sentence, whole);
    }
}

static void a_name_cannot_go_beyond_its_chunk(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_usual_names(&log);
    uint32_t id = 5;
    while (oplog_room(&log) > 2)
        oplog_name(&log, id++, OT_OPLOG_NAME_OPERATOR, oplog_room(&log) == 4 ? "x" : "", "");
    struct ot_oplog_name name = {.id = id, .kind = 1, .first_len = 9};
    uint64_t words[2];
    memcpy(words, &name, sizeof(words));
    while (oplog_room(&log))
        oplog_word(&log, words[2 - oplog_room(&log)]);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 2, T + 1);
    oplog_exit(&log, 2, T + 2);
    end(&log);
    check("a name goes beyond its chunk", whole);
}

static void what_a_damaged_chunk_has_lost_is_counted_by_the_next_segment(void **state)
{
    (void)state;
    struct oplog log;
    begin(&log);
    oplog_word(&log, UINT64_MAX);
    oplog_begin_events(&log, 1, 1, T + 5, 8);
    oplog_entry(&log, 2, T + 6);
    oplog_exit(&log, 2, T + 7);
    end(&log);
    check("a record of a kind that there is not",
          "101 +aten::abs 1; 101 -aten::abs 2; lost 6 in 101; 101 +aten::abs 6; "
          "101 -aten::abs 7; 102 +aten::abs 11; 102 -aten::abs 12");
}

/* --- files that are cut short ------------------------------------------------------------------
 */

static void check_cut(const char *expected, bool is_cut)
{
    static const struct ot_reader_opts opts = {0};
    struct ot_reader_report report = {0};
    struct ot_str told = {0};
    struct ot_err err = {""};
    assert_int_equal(tell(folder, &opts, &told, &report, &err), OT_OK);
    assert_string_equal(ot_str_borrow(&told), expected);
    assert_int_equal(report.counts.truncated_inputs, is_cut);
    assert_int_equal(report.warnings.of[OT_WARN_TRUNCATED].n, is_cut);
    ot_str_release(&told);
}

static void a_file_that_ends_inside_a_chunk_is_read_to_its_end(void **state)
{
    (void)state;
    struct oplog log;
    begin(&log);
    size_t words = 11 + 3; /* segment, two events, and an EXIT_OF that ends before its last word */
    oplog_exit_of(&log, 2, T + 3, 1, T + 1);
    oplog_write_part(&log, in_folder("7.oplog"),
                     OT_OPLOG_HEADER_BYTES + OT_OPLOG_CHUNK_BYTES + 64 + words * 8 - 1);
    check_cut("101 +aten::abs 1; 101 -aten::abs 2", true);
}

static void names_behind_the_cut_are_not_missed_as_damage(void **state)
{
    (void)state;
    struct oplog log;
    oplog_begin(&log);
    oplog_begin_events(&log, 1, 0, T, 0);
    oplog_entry(&log, 2, T + 1);
    oplog_usual_names(&log);
    oplog_write_part(&log, in_folder("7.oplog"),
                     OT_OPLOG_HEADER_BYTES + OT_OPLOG_CHUNK_BYTES + 64 + 30);
    check_cut("101 +(name not kept) 1", true);
}

static void a_log_that_was_closed_has_all_its_chunks(void **state)
{
    (void)state;
    for (int is_closed = 0; is_closed < 2; is_closed++) {
        struct oplog log;
        begin(&log);
        oplog_header(&log)->n_chunks = 9;
        if (is_closed)
            oplog_header(&log)->closed = (struct ot_oplog_moment){T + 9, 1000000009, 1001000000009};
        oplog_write(&log, in_folder("7.oplog"));
        check_cut("101 +aten::abs 1; 101 -aten::abs 2", is_closed);
    }
}

static void a_chunk_that_is_still_being_made_is_no_cut(void **state)
{
    (void)state;
    struct oplog log;
    begin(&log);
    oplog_begin_chunk(&log, OT_OPLOG_CHUNK_UNUSED);
    oplog_write_part(&log, in_folder("7.oplog"),
                     OT_OPLOG_HEADER_BYTES + 2 * OT_OPLOG_CHUNK_BYTES + 4096);
    check_cut("101 +aten::abs 1; 101 -aten::abs 2", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_damaged_record_ends_its_chunk),
        IN_FOLDER(a_record_cannot_go_beyond_its_chunk),
        IN_FOLDER(a_chunk_begins_with_a_segment),
        IN_FOLDER(a_chunk_is_of_a_known_kind),
        IN_FOLDER(an_id_has_a_name),
        IN_FOLDER(shapes_have_an_id),
        IN_FOLDER(a_damaged_name_ends_its_chunk),
        IN_FOLDER(a_name_cannot_go_beyond_its_chunk),
        IN_FOLDER(what_a_damaged_chunk_has_lost_is_counted_by_the_next_segment),
        IN_FOLDER(a_file_that_ends_inside_a_chunk_is_read_to_its_end),
        IN_FOLDER(names_behind_the_cut_are_not_missed_as_damage),
        IN_FOLDER(a_log_that_was_closed_has_all_its_chunks),
        IN_FOLDER(a_chunk_that_is_still_being_made_is_no_cut),
    };
    return RUN(tests);
}
