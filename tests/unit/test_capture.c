/* The recorder's dealings with files: output folders, the tracer's answers, traces cut short. */
#include <endian.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/ctf_trim.h"
#include "capture/outdir.h"
#include "capture/paths.h"
#include "capture/tracer_status.h"

static char *const command[] = {(char *)"/usr/bin/python3", (char *)"-u", (char *)"my train.py",
                                NULL};
static struct ot_err err;

static int enter_temp_dir(void **state)
{
    char *dir = strdup("/tmp/optally-test-XXXXXX");
    *state = dir;
    return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int leave_temp_dir(void **state)
{
    if (chdir("/") < 0)
        return -1;
    ot_paths_remove_tree(*state);
    free(*state);
    return 0;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void write_file(const char *path, const void *bytes, size_t len)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static void a_new_folder_is_made_with_its_parents_and_a_marker(void **state)
{
    (void)state;
    struct ot_outdir out;
    assert_int_equal(ot_outdir_claim(&out, "a/b/c/", false, "lttng", command, &err), OT_OK);
    char text[256] = "";
    FILE *file = fopen("a/b/c/optally.recording", "r");
    assert_non_null(file);
    size_t len = fread(text, 1, sizeof(text) - 1, file);
    text[len] = '\0';
    fclose(file);
    assert_string_equal(text, "optally recording 1\nwriter lttng\n"
                              "command /usr/bin/python3 -u 'my train.py'\n");
    assert_int_equal(ot_outdir_keep(&out, &err), OT_OK);
    assert_true(exists("a/b/c/optally.recording"));
}

static void an_abandoned_folder_takes_along_the_parents_it_made(void **state)
{
    (void)state;
    struct ot_outdir out;
    assert_int_equal(mkdir("a", 0777), 0);
    assert_int_equal(ot_outdir_claim(&out, "a/b/c", false, "lttng", command, &err), OT_OK);
    ot_outdir_abandon(&out);
    assert_false(exists("a/b"));
    assert_true(exists("a"));
}

static void what_exists_is_refused_and_stays(void **state)
{
    (void)state;
    struct ot_outdir out;
    assert_int_equal(mkdir("a", 0777), 0);
    write_file("a/thesis.txt", "x", 1);
    assert_int_equal(ot_outdir_claim(&out, "a", false, "lttng", command, &err), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "--force"));
    assert_int_equal(ot_outdir_claim(&out, "a", true, "lttng", command, &err), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "not a recording"));
    assert_true(exists("a/thesis.txt"));
}

static void an_empty_folder_is_used(void **state)
{
    (void)state;
    struct ot_outdir out;
    assert_int_equal(mkdir("a", 0777), 0);
    assert_int_equal(ot_outdir_claim(&out, "a", false, "lttng", command, &err), OT_OK);
    assert_true(exists("a/optally.recording"));
}

static void whoever_comes_second_leaves_the_first_alone(void **state)
{
    (void)state;
    struct ot_outdir first;
    struct ot_outdir second;
    assert_int_equal(ot_outdir_claim(&first, "a", false, "lttng", command, &err), OT_OK);
    assert_int_equal(ot_outdir_claim(&second, "a", false, "lttng", command, &err), OT_ERR_INPUT);
    ot_outdir_abandon(&second);
    assert_true(exists("a/optally.recording"));
}

static void the_users_own_folder_survives_an_abandoned_recording(void **state)
{
    (void)state;
    struct ot_outdir out;
    assert_int_equal(mkdir("a", 0777), 0);
    assert_int_equal(ot_outdir_claim(&out, "a", false, "lttng", command, &err), OT_OK);
    ot_outdir_abandon(&out);
    assert_true(exists("a"));
    assert_false(exists("a/optally.recording"));
}

static void the_current_folder_can_be_replaced(void **state)
{
    (void)state;
    struct ot_outdir out;
    assert_int_equal(ot_outdir_claim(&out, "a", false, "lttng", command, &err), OT_OK);
    write_file("a/old", "x", 1);
    assert_int_equal(chdir("a"), 0);
    assert_int_equal(ot_outdir_claim(&out, ".", true, "lttng", command, &err), OT_OK);
    assert_int_equal(ot_outdir_keep(&out, &err), OT_OK);
    assert_int_equal(chdir(*state), 0);
    assert_false(exists("a/old"));
    assert_true(exists("a/optally.recording"));
}

static void the_old_recording_stays_until_the_new_one_is_kept(void **state)
{
    (void)state;
    struct ot_outdir out;
    assert_int_equal(ot_outdir_claim(&out, "a", false, "lttng", command, &err), OT_OK);
    write_file("a/old", "x", 1);
    assert_int_equal(ot_outdir_claim(&out, "a", true, "lttng", command, &err), OT_OK);
    assert_true(exists("a/old"));
    ot_outdir_abandon(&out);
    assert_true(exists("a/old"));
    assert_int_equal(ot_outdir_claim(&out, "a", true, "lttng", command, &err), OT_OK);
    assert_int_equal(ot_outdir_keep(&out, &err), OT_OK);
    assert_false(exists("a/old"));
    assert_true(exists("a/optally.recording"));
}

static void a_default_name_tells_script_and_time(void **state)
{
    (void)state;
    static char *const script[] = {(char *)"python3", (char *)"-u", (char *)"my/train.py", NULL};
    static char *const inline_script[] = {(char *)"/bin/sh", (char *)"-c", (char *)"run a.py",
                                          NULL};
    char path[PATH_MAX];
    ot_outdir_default(path, script, 1);
    assert_memory_equal(path, "optally-data/20", strlen("optally-data/20"));
    assert_string_equal(path + strlen("optally-data/yyyymmdd-hhmmss-"), "train");
    ot_outdir_default(path, inline_script, 12);
    assert_string_equal(path + strlen("optally-data/yyyymmdd-hhmmss-"), "sh-12");
}

static void the_tracers_lines_are_counted_and_the_first_is_kept(void **state)
{
    (void)state;
    struct ot_tracer_status status;
    assert_int_equal(ot_tracer_status_create("status", &err), OT_OK);
    assert_int_equal(ot_tracer_status_create("status", &err), OT_ERR_IO);
    static const char lines[] =
        "nonsense\n"
        "warning 10 PyTorch 9.9 is new\n"
        "attached 11 version=2.13.0+cpu overloads=exported sequence=200 path=/a b/lib.so\n"
        "attached 12 version=1.13.1 overloads=operator_name sequence=-1 path=/other.so\n"
        "refused 13 the self-test failed\n";
    write_file("status", lines, strlen(lines));
    assert_int_equal(ot_tracer_status_read("status", &status, &err), OT_OK);
    assert_int_equal(status.attached, 2);
    assert_string_equal(status.version, "2.13.0+cpu");
    assert_string_equal(status.overloads, "exported");
    assert_int_equal(status.sequence_offset, 200);
    assert_string_equal(status.library, "/a b/lib.so");
    assert_int_equal(status.refused, 1);
    assert_string_equal(status.refusal, "the self-test failed");
    assert_string_equal(status.warning, "PyTorch 9.9 is new");
}

static void write_index(const char *path, size_t n_packets, uint64_t packet_bytes)
{
    uint8_t bytes[16 + 4 * 72] = {0};
    uint32_t header[4] = {htobe32(0xC1F1DCC1u), htobe32(1), htobe32(1), htobe32(72)};
    memcpy(bytes, header, sizeof(header));
    for (size_t i = 0; i < n_packets; i++) {
        uint64_t entry[2] = {htobe64(i * packet_bytes), htobe64(packet_bytes * 8)};
        memcpy(bytes + 16 + i * 72, entry, sizeof(entry));
    }
    write_file(path, bytes, 16 + n_packets * 72);
}

static void a_stream_is_cut_after_its_last_whole_packet(void **state)
{
    (void)state;
    static const char stream[2500];
    uint64_t cut = 0;
    assert_int_equal(mkdir("t", 0777), 0);
    assert_int_equal(mkdir("t/index", 0777), 0);
    write_file("t/metadata", "x", 1);
    write_file("t/part", stream, 2500);
    write_index("t/index/part.idx", 2, 1000);
    write_file("t/whole", stream, 2000);
    write_index("t/index/whole.idx", 2, 1000);
    write_file("t/indexed_before_written", stream, 2500);
    write_index("t/index/indexed_before_written.idx", 3, 1000);
    write_file("t/no_packet", stream, 700);
    write_index("t/index/no_packet.idx", 0, 1000);
    assert_int_equal(ot_ctf_trim("t", &cut, &err), OT_OK);
    assert_int_equal(cut, 500 + 0 + 500 + 700);
    static const struct {
        const char *path;
        off_t size;
    } expected[] = {{"t/part", 2000},
                    {"t/whole", 2000},
                    {"t/indexed_before_written", 2000},
                    {"t/no_packet", 0}};
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        struct stat st;
        assert_int_equal(stat(expected[i].path, &st), 0);
        assert_int_equal(st.st_size, expected[i].size);
    }
}

static void without_metadata_nothing_can_be_read(void **state)
{
    (void)state;
    uint64_t cut;
    assert_int_equal(mkdir("t", 0777), 0);
    write_file("t/metadata", "", 0);
    assert_int_equal(ot_ctf_trim("t", &cut, &err), OT_ERR_INPUT);
}

static void commands_are_found_as_the_shell_finds_them(void **state)
{
    (void)state;
    char path[PATH_MAX];
    char *saved = strdup(getenv("PATH"));
    assert_int_equal(mkdir("bin", 0777), 0);
    write_file("bin/tool", "#!/bin/sh\n", 10);
    setenv("PATH", "/nonexistent:bin", 1);
    assert_int_equal(ot_paths_find_command("tool", path), OT_COMMAND_NOT_EXECUTABLE);
    assert_int_equal(chmod("bin/tool", 0755), 0);
    assert_int_equal(ot_paths_find_command("tool", path), OT_COMMAND_FOUND);
    assert_string_equal(path, "bin/tool");
    assert_int_equal(ot_paths_find_command("./bin/tool", path), OT_COMMAND_FOUND);
    assert_int_equal(ot_paths_find_command("./bin", path), OT_COMMAND_NOT_EXECUTABLE);
    assert_int_equal(ot_paths_find_command("nosuch", path), OT_COMMAND_NOT_FOUND);
    assert_int_equal(ot_paths_find_command("", path), OT_COMMAND_NOT_FOUND);
    setenv("PATH", saved, 1);
    free(saved);
}

#define IN_TEMP_DIR(test) cmocka_unit_test_setup_teardown(test, enter_temp_dir, leave_temp_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TEMP_DIR(a_new_folder_is_made_with_its_parents_and_a_marker),
        IN_TEMP_DIR(an_abandoned_folder_takes_along_the_parents_it_made),
        IN_TEMP_DIR(what_exists_is_refused_and_stays),
        IN_TEMP_DIR(an_empty_folder_is_used),
        IN_TEMP_DIR(whoever_comes_second_leaves_the_first_alone),
        IN_TEMP_DIR(the_users_own_folder_survives_an_abandoned_recording),
        IN_TEMP_DIR(the_current_folder_can_be_replaced),
        IN_TEMP_DIR(the_old_recording_stays_until_the_new_one_is_kept),
        IN_TEMP_DIR(a_default_name_tells_script_and_time),
        IN_TEMP_DIR(the_tracers_lines_are_counted_and_the_first_is_kept),
        IN_TEMP_DIR(a_stream_is_cut_after_its_last_whole_packet),
        IN_TEMP_DIR(without_metadata_nothing_can_be_read),
        IN_TEMP_DIR(commands_are_found_as_the_shell_finds_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
