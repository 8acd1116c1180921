#include "folder.h"
#include "packed.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/str.h"
#include "ingest/detect.h"
#include "ingest/kineto/reader.h"

static void put_text(const char *name, const char *text)
{
    put_file(name, text, strlen(text));
}

#define OP "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"ts\":1,\"dur\":2}"

/* Opens files of the folder as one input. */
static struct ot_reader *open_files(const char *const *names, size_t n,
                                    const struct ot_reader_opts *opts)
{
    const char *paths[4];
    for (size_t i = 0; i < n; i++)
        paths[i] = strdup(strcmp(names[i], "-") ? in_folder(names[i]) : "-");
    const struct ot_reader_class *class = NULL;
    struct ot_reader *reader = NULL;
    struct ot_err err;
    assert_int_equal(ot_detect(paths, n, &class, &err), OT_OK);
    assert_ptr_equal(class, &ot_kineto_reader);
    assert_int_equal(class->open(paths, n, opts, &reader, &err), OT_OK);
    for (size_t i = 0; i < n; i++)
        free((char *)paths[i]);
    return reader;
}

static void each_file_is_a_session_in_the_order_given(void **state)
{
    (void)state;
    put_text("b.json", "{\"distributedInfo\":{\"rank\":1},\"deviceProperties\":[{\"id\":0,\"name\":"
                       "\"d\"}],\"traceEvents\":[" OP "," OP "]}");
    put_text("a.json", "{\"host_name\":\"h\",\"traceEvents\":[" OP ",{\"ph\":\"X\",\"ts\":1}]}");
    const char *names[] = {"b.json", "a.json"};
    struct ot_reader_opts opts = {0};
    struct ot_reader *reader = open_files(names, 2, &opts);
    struct ot_event event;
    struct ot_err err;
    static const uint32_t sessions[] = {0, 0, 1, 1};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(ot_kineto_reader.next(reader, &event, &err), OT_OK);
        assert_int_equal(event.session, sessions[i]);
    }
    assert_int_equal(ot_kineto_reader.next(reader, &event, &err), OT_END);
    struct ot_reader_report report;
    ot_kineto_reader.report(reader, &report);
    assert_int_equal(report.n_sessions, 2);
    assert_true(report.sessions[0].has_rank);
    assert_string_equal(report.sessions[0].path.bytes, in_folder("b.json"));
    assert_string_equal(report.sessions[0].devices.bytes, "d");
    assert_string_equal(report.sessions[1].host.bytes, "h");
    assert_int_equal(report.counts.excluded_events, 1);
    assert_int_equal(report.warnings.of[OT_WARN_MISSING_DURATION].n, 1);
    assert_non_null(strstr(report.warnings.of[OT_WARN_MISSING_DURATION].first, "a.json: event 2"));
    ot_kineto_reader.close(reader);
    ot_kineto_reader.close(NULL);
}

static void text_counts_from_a_base_that_stands_behind_the_events(void **state)
{
    (void)state;
    put_text("a.json", "{\"traceEvents\":[" OP "],\"baseTimeNanoseconds\":1700000000000000000}");
    const char *names[] = {"a.json"};
    struct ot_reader_opts opts = {.want_text = true};
    struct ot_reader *reader = open_files(names, 1, &opts);
    struct ot_event event;
    struct ot_err err;
    assert_int_equal(ot_kineto_reader.next(reader, &event, &err), OT_OK);
    assert_int_equal(event.ts_ns, 1700000000000001000);
    ot_kineto_reader.close(reader);
}

static void standard_input_is_read_as_a_trace(void **state)
{
    (void)state;
    put_text("a.json", "[" OP ",");
    int kept = dup(STDIN_FILENO);
    assert_non_null(freopen(in_folder("a.json"), "r", stdin));
    const char *names[] = {"-"};
    struct ot_reader_opts opts = {0};
    struct ot_reader *reader = open_files(names, 1, &opts);
    struct ot_event event;
    struct ot_err err;
    assert_int_equal(ot_kineto_reader.next(reader, &event, &err), OT_OK);
    assert_int_equal(ot_kineto_reader.next(reader, &event, &err), OT_ERR_DAMAGED);
    assert_string_equal(err.msg,
                        "standard input: ends early, behind event 1 (byte 53): 1 event was "
                        "read; --recover keeps it");
    ot_kineto_reader.close(reader);
    dup2(kept, STDIN_FILENO);
    close(kept);
}

static void an_error_names_the_file_and_the_place(void **state)
{
    (void)state;
    put_text("a.json", "[" OP ",{\"ts\":NaN}]");
    const char *names[] = {"a.json"};
    struct ot_reader_opts opts = {0};
    struct ot_reader *reader = open_files(names, 1, &opts);
    struct ot_event event;
    struct ot_err err;
    assert_int_equal(ot_kineto_reader.next(reader, &event, &err), OT_OK);
    assert_int_equal(ot_kineto_reader.next(reader, &event, &err), OT_ERR_DAMAGED);
    size_t path_len = strlen(in_folder("a.json"));
    assert_int_equal(strncmp(err.msg, in_folder("a.json"), path_len), 0);
    assert_string_equal(err.msg + path_len, ": event 2 (byte 59): not a JSON value");
    ot_kineto_reader.close(reader);
}

/* --- what is no trace ----------------------------------------------------------------------- */

static void assert_refused(const char *name, const char *part)
{
    const char *paths[] = {in_folder(name)};
    const struct ot_reader_class *class = NULL;
    struct ot_err err;
    assert_int_equal(ot_detect(paths, 1, &class, &err), OT_ERR_INPUT);
    if (!strstr(err.msg, part) || strncmp(err.msg, paths[0], strlen(paths[0])) != 0)
        fail_msg("%s: '%s' is not in: %s", name, part, err.msg);
}

static void a_stranger_is_told_what_it_seems_to_be(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
        const char *part;
    } rows[] = {
#define ROW(bytes, part) {bytes, sizeof(bytes) - 1, part}
        ROW("", "the file is empty"),
        ROW("\xfd"
            "7zXZ\0\0\4",
            "`xz -d`), or pack it with gzip or zstd"),
        ROW("BZh91AY&SY\1", "`bunzip2`), or pack it with gzip or zstd"),
        ROW("BZh9\x17rE8P\x90\0\0\0\0", "bzip2 data"),
        ROW("\x0a\x04\x50\x01\x18\x02\x0a\x02\x50\x01", "a Perfetto trace"),
        ROW("PK\3\4\x14\0\0\0\x0d\0model/data.pkl", "torch.save()"),
        ROW("PK\3\4\x14\0\0\0\x0a\0trace.json", "a zip archive"),
        ROW("\x80\x04\x95\x11\x22", "a Python pickle"),
        ROW("SQLite format 3\0\x10", "an SQLite database"),
        ROW("\xff\xfe{\0\"\0", "text in UTF-16"),
        ROW("{\0\"\0", "text in UTF-16"),
        ROW("\0{\0\"", "text in UTF-16"),
        ROW("\n <!DOCTYPE html><title>Log in</title>", "an HTML page"),
        ROW("epoch 1: loss 0.5\n", "a text file"),
        ROW("\x7f"
            "ELF\x02\x01\x01\0\xff",
            "not a trace that can be read here"),
        ROW("\n\n\n", "a text file"),
#undef ROW
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        put_file("stranger", rows[i].bytes, rows[i].len);
        assert_refused("stranger", rows[i].part);
    }
    put_text("report.nsys-rep", "\x01\x02\x03");
    assert_refused("report.nsys-rep", "Nsight Systems");
    char tar[512] = "trace.json";
    memcpy(tar + 257, "ustar", 5);
    put_file("traces.tar", tar, sizeof(tar));
    assert_refused("traces.tar", "a tar archive");
}

static void a_folder_of_json_files_is_told_to_give_the_files(void **state)
{
    (void)state;
    put_folder("log");
    assert_refused("log", "the folder is empty");
    put_text("log/a.pt.trace.json", "[]");
    assert_refused("log", "a folder of JSON files: give the files themselves");
    assert_refused(".", "a folder of folders of JSON files: give the files themselves");
    put_folder("other");
    put_folder("other/deep");
    put_folder("other/deep/deeper");
    put_text("other/deep/deeper/a.json", "[]");
    assert_refused("other", "no trace in this folder or below");
}

static void what_is_packed_and_broken_at_its_start_is_not_called_empty(void **state)
{
    (void)state;
    struct blob text = make_text(1000);
    struct blob gzip = {0};
    struct blob zstd = {0};
    add_gzip(&gzip, text.bytes, text.len, false);
    add_zstd(&zstd, text.bytes, text.len);
    put_file("cut.gz", gzip.bytes, 2);
    assert_refused("cut.gz", "gzip data ends early, after 0 unpacked bytes (byte 2 of the file)");
    put_file("cut.gz", gzip.bytes, 12);
    assert_refused("cut.gz", "gzip data ends early, after 0 unpacked bytes (byte 12 of the file)");
    put_file("cut.zst", zstd.bytes, 8);
    assert_refused("cut.zst", "zstd data ends early, after 0 unpacked bytes (byte 8 of the file)");
    memset(gzip.bytes + 10, 0xff, 20);
    put_file("damaged.gz", gzip.bytes, gzip.len);
    assert_refused("damaged.gz", "gzip data is damaged at byte ");
    memset(zstd.bytes + 4, 0xff, 20);
    put_file("damaged.zst", zstd.bytes, zstd.len);
    assert_refused("damaged.zst", "zstd data ");
    blob_clear(&text);
    blob_clear(&gzip);
    blob_clear(&zstd);
}

static void what_is_packed_and_holds_nothing_says_so(void **state)
{
    (void)state;
    struct blob packed = {0};
    add_gzip(&packed, "", 0, false);
    put_file("empty.gz", packed.bytes, packed.len);
    assert_refused("empty.gz", "nothing is packed in it");
    blob_clear(&packed);
    add_zstd(&packed, "", 0);
    put_file("empty.zst", packed.bytes, packed.len);
    assert_refused("empty.zst", "nothing is packed in it");
    blob_clear(&packed);
}

static void json_of_something_else_is_refused_by_the_reader(void **state)
{
    (void)state;
    put_text("a.json", "{\"nodes\": [{\"id\": 1}]}");
    const char *names[] = {"a.json"};
    struct ot_reader_opts opts = {0};
    struct ot_reader *reader = open_files(names, 1, &opts);
    struct ot_event event;
    struct ot_err err;
    assert_int_equal(ot_kineto_reader.next(reader, &event, &err), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "no trace of torch.profiler"));
    ot_kineto_reader.close(reader);
}

static void standard_input_can_be_given_once(void **state)
{
    (void)state;
    const char *paths[] = {"-", "-"};
    const struct ot_reader_class *class = NULL;
    struct ot_err err;
    assert_int_equal(ot_detect(paths, 2, &class, &err), OT_ERR_USAGE);
    assert_string_equal(err.msg, "'-' is given twice; it can be read only once");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(each_file_is_a_session_in_the_order_given),
        IN_FOLDER(text_counts_from_a_base_that_stands_behind_the_events),
        IN_FOLDER(standard_input_is_read_as_a_trace),
        IN_FOLDER(an_error_names_the_file_and_the_place),
        IN_FOLDER(a_stranger_is_told_what_it_seems_to_be),
        IN_FOLDER(a_folder_of_json_files_is_told_to_give_the_files),
        IN_FOLDER(what_is_packed_and_broken_at_its_start_is_not_called_empty),
        IN_FOLDER(what_is_packed_and_holds_nothing_says_so),
        IN_FOLDER(json_of_something_else_is_refused_by_the_reader),
        cmocka_unit_test(standard_input_can_be_given_once),
    };
    return RUN(tests);
}
