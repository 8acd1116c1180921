#include "folder.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "corpus/corpus.h"
#include "corpus/digest.h"
#include "corpus/disk.h"
#include "corpus/gc.h"
#include "corpus/history.h"
#include "corpus/keep.h"
#include "corpus/manifest.h"
#include "corpus/writer.h"

#define A16   "0123456789abcdef"
#define HEX_A A16 A16 A16 A16
#define HEX_B "fedcba9876543210" A16 A16 A16
#define HEX_C                                                                                      \
    "01237777"                                                                                     \
    "89abcdef" A16 A16 A16

static struct ot_err err;
static struct ot_corpus corpus;

static const struct ot_corpus_file file = {
    .name = "slices-0000.parquet", .sha256 = HEX_B, .n_bytes = 12, .n_rows = 3};

static struct ot_corpus_session session_of(const char *id, bool has_rank, int64_t rank)
{
    return (struct ot_corpus_session){
        .id = id,
        .artifact = HEX_A,
        .input = "",
        .path = "trace.json",
        .format = "kineto",
        .extractor = OT_STORE_EXTRACTOR,
        .imported_ns = 5,
        .has_rank = has_rank,
        .rank = rank,
        .artifact_bytes = 100,
        .kept_bytes = 10,
        .kept_name = "trace.json.zst",
        .is_packed = true,
        .torch = "2.13.0",
        .devices = "one\ntwo",
        .figures = {.n_operators = 1, .n_events = 2, .host_busy_ns = 3, .is_exact = true},
        .files = &file,
        .n_files = 1,
    };
}

/* --- digest ------------------------------------------------------------------------------------
 */

static void hashes_are_sha256(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *hex;
    } cases[] = {
        /* FIPS 180-2, appendix B. */
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char hex[OT_DIGEST_HEX + 1];
        ot_digest(cases[i].text, strlen(cases[i].text), hex);
        assert_string_equal(hex, cases[i].hex);
    }
}

/* --- manifests ---------------------------------------------------------------------------------
 */

static void a_run_survives_its_manifest(void **state)
{
    (void)state;
    const struct ot_corpus_label labels[] = {{"a", "1"}, {"k\"\n", "v=\xc3\xa4"}};
    struct ot_corpus_session sessions[] = {session_of(HEX_A, true, -3),
                                           session_of(HEX_B, false, 0)};
    sessions[1].is_linked = true;
    sessions[1].kept_name = NULL;
    sessions[1].input = "/far/away.json";
    sessions[1].linked_mtime_ns = -7;
    sessions[1].torch = sessions[1].devices = "";
    sessions[1].figures.has_device = true;
    sessions[1].figures.device_busy_ns = INT64_MAX;
    const struct ot_corpus_run run = {.id = HEX_C,
                                      .name = "n\xff",
                                      .imported_ns = -1,
                                      .labels = labels,
                                      .n_labels = 2,
                                      .sessions = sessions,
                                      .n_sessions = 2};
    struct ot_arena arena = {0};
    struct ot_str first = {0};
    struct ot_str second = {0};
    struct ot_corpus_run back;
    assert_int_equal(ot_manifest_write_run(&first, &run, &err), OT_OK);
    assert_int_equal(
        ot_manifest_read_run(&arena, "/s", "x", ot_str_borrow(&first), first.len, &back, &err),
        OT_OK);
    assert_string_equal(back.name, "n\xef\xbf\xbd");
    assert_int_equal(back.imported_ns, -1);
    assert_int_equal(back.n_labels, 2);
    assert_string_equal(back.labels[1].key, "k\"\n");
    assert_string_equal(back.labels[1].value, "v=\xc3\xa4");
    assert_int_equal(back.sessions[0].rank, -3);
    assert_string_equal(back.sessions[0].input, "/s/artifacts/" HEX_A "/trace.json.zst");
    assert_string_equal(back.sessions[0].folder, "/s/sessions/session=" HEX_A);
    assert_string_equal(back.sessions[0].devices, "one\ntwo");
    assert_int_equal(back.sessions[0].files[0].n_rows, 3);
    assert_false(back.sessions[1].has_rank);
    assert_true(back.sessions[1].is_linked);
    assert_string_equal(back.sessions[1].input, "/far/away.json");
    assert_int_equal(back.sessions[1].linked_mtime_ns, -7);
    assert_int_equal(back.sessions[1].figures.device_busy_ns, INT64_MAX);
    /* What was read is written as the same bytes. */
    assert_int_equal(ot_manifest_write_run(&second, &back, &err), OT_OK);
    assert_string_equal(ot_str_borrow(&first), ot_str_borrow(&second));
    ot_str_release(&first);
    ot_str_release(&second);
    ot_arena_release(&arena);
}

static void what_a_manifest_lacks_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {
        {"", "no manifest"},
        {"[]", "no manifest"},
        {"{\"schema\":\"optally.run/1\",\"schema\":\"optally.run/1\"}", "no manifest"},
        {"{\"schema\":\"optally.run/7\"}", "optally.run/7"},
        {"{\"schema\":\"optally.run/1\"}", "\"id\""},
        {"{\"schema\":\"optally.run/1\",\"id\":\"../../../../etc\",\"name\":\"\",\"imported_ns\":0,"
         "\"labels\":{},\"sessions\":[]}",
         "\"id\""},
        {"{\"schema\":\"optally.run/1\",\"id\":\"" HEX_A "\",\"name\":\"n\",\"imported_ns\":0,"
         "\"labels\":{},\"sessions\":[]}",
         "\"sessions\""},
        {"{\"schema\":\"optally.run/1\",\"id\":\"" HEX_A
         "\",\"name\":\"n\\u0000\",\"imported_ns\":0,"
         "\"labels\":{},\"sessions\":[{}]}",
         "no manifest"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ot_arena arena = {0};
        struct ot_corpus_run run;
        assert_int_equal(ot_manifest_read_run(&arena, "/s", "F", cases[i].text,
                                              strlen(cases[i].text), &run, &err),
                         OT_ERR_INPUT);
        assert_non_null(strstr(err.msg, cases[i].says));
        assert_int_equal(strncmp(err.msg, "F", 1), 0);
        ot_arena_release(&arena);
    }
}

/* --- picking -----------------------------------------------------------------------------------
 */

static void runs_are_picked_by_name_id_and_session(void **state)
{
    (void)state;
    const struct ot_corpus_session sessions[] = {session_of(HEX_A, true, 0),
                                                 session_of(HEX_B, true, 3)};
    struct ot_corpus_run runs[] = {
        {.id = HEX_A, .name = "job", .sessions = sessions, .n_sessions = 2},
        {.id = HEX_B, .name = "a:rank3", .sessions = sessions, .n_sessions = 1},
        {.id = HEX_C, .name = "fedc", .sessions = sessions + 1, .n_sessions = 1},
    };
    const struct ot_corpus_state known = {.root = "/s", .commit = HEX_A, .runs = runs, .n_runs = 3};
    static const struct {
        const char *text;
        int run;           /* -1: refused */
        size_t n_sessions; /* picked */
        const char *first; /* of these; or what is said */
    } cases[] = {
        {"job", 0, 2, HEX_A},
        {"job:rank3", 0, 1, HEX_B},
        {"job:#1", 0, 1, HEX_B},
        {"job:fedcba", 0, 1, HEX_B},
        {"0123456", 0, 2, HEX_A},
        {"01234:rank0", 0, 1, HEX_A},
        {"a:rank3", 1, 1, HEX_A},
        {"fedc", 2, 1, HEX_B}, /* a name comes before an id */
        {"fedcb", 1, 1, HEX_A},
        {"0123", -1, 0, "2 runs"},
        {"012", -1, 0, "give 4 digits or more"},
        {"0123ABC", -1, 0, "no run"},
        {"job:rank1", -1, 0, "no session is ':rank1'"},
        {"job:#2", -1, 0, "no session"},
        {"job:#", -1, 0, "no session"},
        {"job:rank", -1, 0, "no session"},
        {"job:", -1, 0, "no session"},
        {"none:rank0", -1, 0, "no run 'none'"},
        {"", -1, 0, "no run ''"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ot_corpus_pick pick = {0};
        int code = ot_corpus_pick(&known, cases[i].text, &pick, &err);
        assert_int_equal(code, cases[i].run < 0 ? OT_ERR_INPUT : OT_OK);
        if (code < 0) {
            assert_non_null(strstr(err.msg, cases[i].first));
            continue;
        }
        assert_ptr_equal(pick.run, &runs[cases[i].run]);
        assert_int_equal(pick.n_sessions, cases[i].n_sessions);
        assert_string_equal(pick.sessions[0].id, cases[i].first);
    }
    struct ot_corpus_pick pick;
    assert_int_equal(ot_corpus_pick(&known, "job", &pick, &err), OT_OK);
    assert_int_equal(ot_corpus_refuse_several(&pick, &err), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "job:rank0, job:rank3"));
    assert_int_equal(ot_corpus_pick(&known, "job:#0", &pick, &err), OT_OK);
    assert_int_equal(ot_corpus_refuse_several(&pick, &err), OT_OK);
}

/* --- writing -----------------------------------------------------------------------------------
 */

static int make_store(void **state)
{
    int failed = folder_begin(state);
    return failed ? failed : ot_corpus_init(folder, &corpus, &err);
}

static const struct ot_writer_opts opts = {.command = "optally test"};

/* A commit that adds a run of one session. */
static void add_run(const char *id, const char *name, char ret_commit[OT_CORPUS_ID_BYTES])
{
    struct ot_writer writer;
    const struct ot_corpus_session session = session_of(id, false, 0);
    assert_int_equal(ot_writer_begin(&writer, &corpus, &opts, &err), OT_OK);
    struct ot_corpus_run runs[8];
    size_t n = writer.state.n_runs;
    assert_true(n < 7);
    for (size_t i = 0; i < n; i++)
        runs[i] = writer.state.runs[i];
    runs[n] = (struct ot_corpus_run){
        .id = id, .name = name, .imported_ns = 1, .sessions = &session, .n_sessions = 1};
    assert_int_equal(ot_writer_commit(&writer, runs, n + 1, name, ret_commit, &err), OT_OK);
    ot_writer_end(&writer);
}

static void commits_are_read_back_and_pinned(void **state)
{
    (void)state;
    char first[OT_CORPUS_ID_BYTES];
    char second[OT_CORPUS_ID_BYTES];
    struct ot_corpus_state read;
    assert_int_equal(ot_corpus_read(&corpus, NULL, &read, &err), OT_OK);
    assert_string_equal(read.commit, "");
    assert_int_equal(read.n_runs, 0);
    ot_corpus_state_release(&read);
    add_run(HEX_A, "one", first);
    add_run(HEX_B, "two", second);
    assert_int_equal(ot_corpus_read(&corpus, "head", &read, &err), OT_OK);
    assert_string_equal(read.commit, second);
    assert_string_equal(read.parent, first);
    assert_int_equal(read.n_runs, 2);
    struct ot_sql_view view;
    assert_int_equal(ot_corpus_view(&read, &view, &err), OT_OK);
    assert_int_equal(view.n_sessions, 2);
    assert_string_equal(view.runs[1].name, "two");
    assert_int_equal(view.runs[1].sessions[0], 1);
    assert_string_equal(view.sessions[0].artifact, "sha256:" HEX_A);
    ot_corpus_state_release(&read);
    char prefix[OT_CORPUS_ID_BYTES];
    memcpy(prefix, first, sizeof(prefix));
    prefix[20] = '\0';
    assert_int_equal(ot_corpus_read(&corpus, prefix, &read, &err), OT_OK);
    assert_int_equal(read.n_runs, 1);
    ot_corpus_state_release(&read);
    prefix[3] = '\0';
    assert_int_equal(ot_corpus_read(&corpus, prefix, &read, &err), OT_ERR_INPUT);
    ot_corpus_state_release(&read);
}

/* The others answer, and a commit that somebody makes meanwhile has it, too. */
static void a_damaged_manifest_takes_no_other_run_with_it(void **state)
{
    (void)state;
    char commit[OT_CORPUS_ID_BYTES];
    char path[PATH_MAX];
    struct ot_corpus_state read;
    const struct ot_corpus_run *run = NULL;
    add_run(HEX_A, "one", commit);
    assert_int_equal(ot_corpus_read(&corpus, NULL, &read, &err), OT_OK);
    ot_disk_path(path, &err, "%s/runs/%s.json", corpus.root, read.runs[0].manifest);
    ot_corpus_state_release(&read);
    assert_int_equal(ot_disk_write(path, folder, "{}", 2, &err), OT_OK);
    add_run(HEX_B, "two", commit);
    assert_int_equal(ot_corpus_read(&corpus, NULL, &read, &err), OT_OK);
    assert_int_equal(read.n_runs, 1);
    assert_int_equal(read.n_damaged, 1);
    assert_non_null(strstr(read.damaged[0].what, path));
    assert_int_equal(ot_corpus_find_run(&read, "two", &run, &err), OT_OK);
    assert_int_equal(ot_corpus_find_run(&read, "one", &run, &err), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, path));
    ot_corpus_state_release(&read);
}

/* Whatever was made before the head is not part of the store, and gc finds it. */
static void without_a_new_head_nothing_has_changed(void **state)
{
    (void)state;
    char first[OT_CORPUS_ID_BYTES];
    char second[OT_CORPUS_ID_BYTES];
    struct ot_writer writer;
    struct ot_corpus_state read;
    struct ot_gc gc;
    add_run(HEX_A, "one", first);
    add_run(HEX_B, "two", second);
    assert_int_equal(ot_writer_begin(&writer, &corpus, &opts, &err), OT_OK);
    assert_int_equal(ot_writer_set_ref(&writer, "head", first, &err), OT_OK);
    ot_writer_end(&writer);
    assert_int_equal(ot_corpus_read(&corpus, NULL, &read, &err), OT_OK);
    assert_int_equal(read.n_runs, 1);
    ot_corpus_state_release(&read);
    assert_int_equal(ot_gc_find(&gc, &corpus, 0, NULL, &err), OT_OK);
    assert_int_equal(gc.n_items, 2); /* a commit and a manifest */
    assert_int_equal(strncmp(gc.items[0].path, "commits/", 8), 0);
    assert_non_null(strstr(gc.items[0].path, second));
    assert_int_equal(ot_writer_begin(&writer, &corpus, &opts, &err), OT_OK);
    assert_int_equal(ot_gc_remove(&gc, &writer, &err), OT_OK);
    ot_writer_end(&writer);
    ot_gc_release(&gc);
    assert_int_equal(ot_corpus_read(&corpus, second, &read, &err), OT_ERR_INPUT);
    ot_corpus_state_release(&read);
}

static void a_cut_history_ends_and_is_no_damage(void **state)
{
    (void)state;
    char commits[3][OT_CORPUS_ID_BYTES];
    struct ot_writer writer;
    struct ot_gc gc;
    struct ot_history history;
    struct ot_history_commit commit;
    add_run(HEX_A, "one", commits[0]);
    add_run(HEX_B, "two", commits[1]);
    add_run(HEX_C, "three", commits[2]);
    assert_int_equal(ot_writer_begin(&writer, &corpus, &opts, &err), OT_OK);
    assert_int_equal(ot_gc_find(&gc, &corpus, 2, &writer, &err), OT_OK);
    assert_string_equal(gc.oldest, commits[1]);
    assert_int_equal(gc.n_items, 1); /* all manifests are named by newer ones, too */
    assert_int_equal(ot_gc_remove(&gc, &writer, &err), OT_OK);
    ot_writer_end(&writer);
    ot_gc_release(&gc);
    assert_int_equal(ot_history_begin(&history, &corpus, NULL, &err), OT_OK);
    assert_int_equal(ot_history_next(&history, &commit, &err), OT_OK);
    assert_false(commit.is_cut);
    assert_int_equal(ot_history_next(&history, &commit, &err), OT_OK);
    assert_string_equal(commit.id, commits[1]);
    assert_true(commit.is_cut);
    assert_int_equal(ot_history_next(&history, &commit, &err), OT_END);
    ot_history_release(&history);
}

static void one_writer_holds_the_lock(void **state)
{
    (void)state;
    struct ot_lock lock = {-1};
    struct ot_lock other = {-1};
    char pid[32];
    assert_int_equal(ot_lock_take(&corpus, "optally one", 0, &lock, &err), OT_OK);
    snprintf(pid, sizeof(pid), "process %ld", (long)getpid());
    assert_int_equal(ot_lock_take(&corpus, "optally two", 60000000, &other, &err), OT_ERR_IO);
    assert_non_null(strstr(err.msg, "optally one"));
    assert_non_null(strstr(err.msg, pid));
    ot_lock_release(&lock);
    assert_int_equal(ot_lock_take(&corpus, "optally two", 0, &other, &err), OT_OK);
    ot_lock_release(&other);
    ot_lock_release(&other);
}

static void a_dead_writer_holds_none(void **state)
{
    (void)state;
    struct ot_lock lock = {-1};
    pid_t child = fork();
    if (child == 0) {
        struct ot_writer writer;
        _exit(ot_writer_begin(&writer, &corpus, &opts, &err) == OT_OK ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(ot_lock_take(&corpus, "optally two", 0, &lock, &err), OT_OK);
    ot_lock_release(&lock);
    /* What it left goes with the next writer. */
    char tmp[PATH_MAX];
    char left[PATH_MAX];
    struct ot_writer writer;
    assert_int_equal(ot_disk_path(tmp, &err, "%s/tmp", corpus.root), OT_OK);
    assert_int_equal(ot_disk_path(left, &err, "%s/%ld", tmp, (long)child), OT_OK);
    assert_true(ot_disk_is_there(left));
    assert_int_equal(ot_writer_begin(&writer, &corpus, &opts, &err), OT_OK);
    assert_false(ot_disk_is_there(left));
    ot_writer_end(&writer);
}

/* --- artifacts ---------------------------------------------------------------------------------
 */

static void bytes_are_kept_in_pieces_of_any_size(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        const char *name; /* that it is kept under */
        bool is_packed;
    } cases[] = {
        {"", "t.zst", true},
        {"{", "t.zst", true},
        {"{\"traceEvents\":[]}", "t.zst", true},
        {"\x1f\x8b\x08 and so on", "t", false},
        {"\x28\xb5\x2f\xfd and so on", "t", false},
        {"\x28\xb5\x2f", "t.zst", true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ot_keep *keep = NULL;
        struct ot_kept kept;
        char path[PATH_MAX];
        size_t len = strlen(cases[i].bytes);
        assert_int_equal(ot_keep_new(folder, "t", &keep, &err), OT_OK);
        for (size_t k = 0; k < len; k++)
            ot_keep_add(keep, cases[i].bytes + k, 1);
        assert_int_equal(ot_keep_end(keep, &kept, &err), OT_OK);
        ot_keep_free(keep);
        assert_string_equal(kept.name, cases[i].name);
        assert_int_equal(kept.is_packed, cases[i].is_packed);
        assert_int_equal(kept.n_read, len);
        assert_int_equal(ot_disk_path(path, &err, "%s/%s", folder, kept.name), OT_OK);
        assert_int_equal(ot_disk_tree_bytes(path), kept.n_kept);
        assert_int_equal(unlink(path), 0);
    }
}

static void names_of_artifacts_are_names(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const char *name;
    } cases[] = {
        {"a/b.json", "b.json"}, {"/", "trace"},
        {"..", "trace"},        {".", "trace"},
        {"-", "stdin.json"},    {"x/\xff\n.json", "\xef\xbf\xbd\xef\xbf\xbd.json"},
        {"dir/", "dir"},
    };
    char name[NAME_MAX + 1];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ot_keep_name(cases[i].path, name);
        assert_string_equal(name, cases[i].name);
    }
    /* As long as a name can be, of bytes that take three each. */
    char longest[NAME_MAX + 1];
    memset(longest, 0xff, NAME_MAX);
    memcpy(longest + NAME_MAX - 5, ".json", 6);
    ot_keep_name(longest, name);
    assert_true(strlen(name) <= 200);
    assert_string_equal(name + strlen(name) - 5, ".json");
    assert_int_equal((unsigned char)name[0], 0xef);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_sha256),
        cmocka_unit_test(a_run_survives_its_manifest),
        cmocka_unit_test(what_a_manifest_lacks_is_named),
        cmocka_unit_test(runs_are_picked_by_name_id_and_session),
        cmocka_unit_test_setup_teardown(commits_are_read_back_and_pinned, make_store, folder_end),
        cmocka_unit_test_setup_teardown(a_damaged_manifest_takes_no_other_run_with_it, make_store,
                                        folder_end),
        cmocka_unit_test_setup_teardown(without_a_new_head_nothing_has_changed, make_store,
                                        folder_end),
        cmocka_unit_test_setup_teardown(a_cut_history_ends_and_is_no_damage, make_store,
                                        folder_end),
        cmocka_unit_test_setup_teardown(one_writer_holds_the_lock, make_store, folder_end),
        cmocka_unit_test_setup_teardown(a_dead_writer_holds_none, make_store, folder_end),
        IN_FOLDER(bytes_are_kept_in_pieces_of_any_size),
        cmocka_unit_test(names_of_artifacts_are_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
