/* A session as tables, and back. $OPTALLY_TEST_TABLES names real traces, with ':' between. */
#include "folder.h"

#include <string.h>
#include <unistd.h>

#include "cli/extract.h"
#include "emit/analysis/report.h"
#include "fold/fold.h"
#include "model/backend.h"
#include "store/analyze.h"
#include "store/db.h"
#include "store/quote.h"
#include "store/tables.h"
#include "store/tables_file.h"

/* --- what the sink saw --------------------------------------------------------------------------
 */

struct seen {
    uint64_t n;
    int64_t dur_ns;
    int64_t self_ns;
    int64_t allocated_bytes;
    int64_t device_ns; /* that it launched */
};

enum { MAX_ROWS = 1 << 14, MAX_KEPT = 64 };

static struct {
    const struct ot_population *pop;
    struct seen rows[MAX_ROWS];
    struct ot_table_slice slices[MAX_KEPT]; /* the first ones */
    size_t n_slices;
    struct ot_table_memory memory[MAX_KEPT];
    size_t n_memory;
} spied;

static int spy_slice(struct ot_tables *tables, const struct ot_table_slice *slice,
                     struct ot_err *err)
{
    assert_in_range(slice->op, 0, MAX_ROWS - 1);
    struct seen *seen = &spied.rows[slice->op];
    seen->n++;
    seen->dur_ns += slice->dur_ns;
    seen->self_ns += slice->self_ns;
    if (slice->has_parent && spied.pop->rows[slice->op].backend == OT_BACKEND_DEVICE)
        spied.rows[slice->parent].device_ns += slice->dur_ns;
    if (spied.n_slices < MAX_KEPT)
        spied.slices[spied.n_slices] = *slice;
    spied.n_slices++;
    return ot_tables_slice(tables, slice, err);
}

static int spy_memory(struct ot_tables *tables, const struct ot_table_memory *memory,
                      struct ot_err *err)
{
    if (memory->has_owner && memory->bytes > 0)
        spied.rows[memory->owner].allocated_bytes += memory->bytes;
    if (spied.n_memory < MAX_KEPT)
        spied.memory[spied.n_memory] = *memory;
    spied.n_memory++;
    return ot_tables_memory(tables, memory, err);
}

static const struct ot_store_api spying = {
    .tables_open = ot_tables_open,
    .tables_slice = spy_slice,
    .tables_memory = spy_memory,
    .tables_end = ot_tables_end,
    .tables_free = ot_tables_free,
};

static void assert_sums(const struct ot_population *pop)
{
    assert_in_range(pop->n_rows, 0, MAX_ROWS);
    uint64_t n_memory = 0;
    for (size_t i = 0; i < pop->n_rows; i++) {
        const struct ot_row *row = &pop->rows[i];
        assert_int_equal(spied.rows[i].n, row->totals.n_calls - row->totals.n_errors);
        assert_int_equal(spied.rows[i].dur_ns, row->totals.inclusive_ns);
        assert_int_equal(spied.rows[i].self_ns, row->totals.self_ns);
        assert_int_equal(spied.rows[i].allocated_bytes, row->allocated_bytes);
        assert_int_equal(spied.rows[i].device_ns, row->device_self_ns);
    }
    for (size_t i = 0; i < pop->n_memory; i++)
        n_memory += pop->memory[i].n_events;
    assert_int_equal(spied.n_memory, n_memory);
}

/* --- extraction and loading ---------------------------------------------------------------------
 */

static int identify(void *context, const struct ot_population *pop,
                    struct ot_provenance *provenance, struct ot_err *err)
{
    (void)context;
    (void)pop;
    (void)err;
    provenance->session = "4242";
    provenance->artifact = "sha256:17";
    return OT_OK;
}

static void extract(struct ot_extract *extract, const char *trace, const char *tables)
{
    struct ot_err err;
    const struct ot_extract_opts opts = {
        .store = &spying, .input = trace, .folder = tables, .identify = identify};
    memset(&spied, 0, sizeof(spied));
    spied.pop = &extract->pop;
    *extract = (struct ot_extract){0};
    if (ot_extract(extract, &opts, &err) != OT_OK)
        fail_msg("%s: %s", trace, err.msg);
}

static void load(struct ot_population *pop, const char *const *folders, size_t n)
{
    struct ot_err err;
    const char *format = NULL;
    *pop = (struct ot_population){0};
    if (ot_tables_load(folders, n, pop, &format, &err) != OT_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(format, "kineto");
}

static char *analysis_of(const struct ot_population *pop)
{
    const struct ot_analysis_opts all = {.limit = -1, .small_limit = -1, .small_below_ns = -1};
    struct ot_analysis analysis = {0};
    struct ot_err err;
    if (ot_analyze(pop, &all, &analysis, &err) != OT_OK)
        fail_msg("%s", err.msg);
    const char *names[] = {"", "", "", "", "", "", "", ""};
    assert_in_range(pop->n_sessions, 0, 8);
    const struct ot_analysis_report report = {.analysis = &analysis,
                                              .format = "kineto",
                                              .inputs = names,
                                              .n_inputs = pop->n_sessions,
                                              .artifacts = names};
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    ot_analysis_write_json(&report, out);
    fclose(out);
    ot_analysis_release(&analysis);
    return text;
}

static void assert_same_analysis(const struct ot_population *a, const struct ot_population *b)
{
    char *text_a = analysis_of(a);
    char *text_b = analysis_of(b);
    assert_string_equal(text_a, text_b);
    free(text_a);
    free(text_b);
}

static const char *new_tables(const char *name, char path[PATH_MAX])
{
    put_folder(name);
    return strcpy(path, in_folder(name));
}

/* Without a comma behind it. */
static const char last_event[] = "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{}}";

static const char *put_trace(const char *events, char path[PATH_MAX])
{
    struct ot_str text = {0};
    ot_str_addf(&text, "{\"schemaVersion\": 1, \"traceEvents\": [%s%s]}", events, last_event);
    put_file("trace.json", text.bytes, text.len);
    ot_str_release(&text);
    return strcpy(path, in_folder("trace.json"));
}

/* --- traces -------------------------------------------------------------------------------------
 */

#define SLICE(cat, name, tid, ts, dur, args)                                                       \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":" tid ",\"ts\":" ts \
    ",\"dur\":" dur ",\"args\":{" args "}},"
#define MEMORY(ts, bytes)                                                                          \
    "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"s\":\"t\",\"pid\":1,"     \
    "\"tid\":1,\"ts\":" ts ",\"args\":{\"Device Type\":0,\"Device Id\":-1,\"Bytes\":" bytes        \
    ",\"Total Allocated\":64}},"

static const char small_trace[] = SLICE("cpu_op", "outer \\\"a\\nb\\\"", "1", "10", "100", "")
    SLICE("cpu_op", "inner", "1", "20", "50", "\"Input Dims\":[[1, 2]]")
        SLICE("cuda_runtime", "cudaLaunchKernel", "1", "30", "10", "\"correlation\":7")
            SLICE("kernel", "gemm", "7", "60", "30", "\"correlation\":7,\"device\":0")
                SLICE("kernel", "alone", "7", "95", "5", "\"device\":0")
                    SLICE("cuda_sync", "Stream Sync", "7", "60", "30", "\"device\":0")
                        SLICE("user_annotation", "step", "1", "0", "200", "")
                            SLICE("cpu_op", "elsewhere", "\"a thread's name\"", "0", "3", "")
                                MEMORY("25", "64") MEMORY("150", "-64")
                                    SLICE("cpu_op", "last", "-5", "300", "0", "");

/* The slice that was seen of an operator of that name. */
static const struct ot_table_slice *slice_of(const struct ot_population *pop, const char *name)
{
    for (size_t i = 0; i < spied.n_slices; i++) {
        const struct ot_row *row = &pop->rows[spied.slices[i].op];
        if (ot_text_same(ot_names_text(&pop->names, row->name), ot_text_of(name)))
            return &spied.slices[i];
    }
    fail_msg("no slice of %s", name);
    return NULL;
}

static void assert_parent(const struct ot_population *pop, const char *name, const char *parent)
{
    const struct ot_table_slice *slice = slice_of(pop, name);
    assert_int_equal(slice->has_parent, parent != NULL);
    if (parent)
        assert_int_equal(slice->parent, slice_of(pop, parent)->op);
}

static void extract_small(struct ot_extract *extracted, const char *events)
{
    char trace[PATH_MAX];
    char tables[PATH_MAX];
    extract(extracted, put_trace(events, trace), new_tables("tables", tables));
}

static void every_slice_has_its_depth_and_its_parent(void **state)
{
    (void)state;
    struct ot_extract extracted;
    extract_small(&extracted, small_trace);
    const struct ot_population *pop = &extracted.pop;
    assert_sums(pop);
    assert_int_equal(spied.n_slices, 9);
    assert_parent(pop, "outer \"a\nb\"", NULL);
    assert_parent(pop, "inner", "outer \"a\nb\"");
    assert_parent(pop, "cudaLaunchKernel", "inner");
    assert_int_equal(slice_of(pop, "cudaLaunchKernel")->depth, 2);
    assert_int_equal(slice_of(pop, "inner")->self_ns, 40000);
    assert_parent(pop, "gemm", "inner");
    assert_int_equal(slice_of(pop, "gemm")->self_ns, 30000);
    assert_parent(pop, "alone", NULL);
    assert_parent(pop, "Stream Sync", NULL);
    assert_parent(pop, "step", NULL);
    ot_extract_release(&extracted);
}

static void releases_of_memory_are_seen_too(void **state)
{
    (void)state;
    struct ot_extract extracted;
    extract_small(&extracted, small_trace);
    assert_int_equal(spied.n_memory, 2);
    assert_true(spied.memory[0].has_owner);
    assert_int_equal(spied.memory[0].owner, slice_of(&extracted.pop, "inner")->op);
    assert_int_equal(spied.memory[0].total_allocated, 64);
    assert_false(spied.memory[1].has_owner);
    assert_int_equal(spied.memory[1].bytes, -64);
    ot_extract_release(&extracted);
}

static void what_is_loaded_is_what_was_counted(void **state)
{
    (void)state;
    struct ot_extract extracted;
    struct ot_population loaded;
    extract_small(&extracted, small_trace);
    const char *tables = in_folder("tables");
    load(&loaded, &tables, 1);
    assert_same_analysis(&extracted.pop, &loaded);
    assert_int_equal(loaded.n_rows, extracted.pop.n_rows);
    for (size_t i = 0; i < loaded.n_rows; i++) {
        const struct ot_row *row = &loaded.rows[i];
        const struct ot_row *wanted = &extracted.pop.rows[i];
        uint32_t id = 0;
        uint32_t wanted_id = 0;
        assert_memory_equal(&row->totals, &wanted->totals, sizeof(row->totals));
        bool is_name = ot_vtid_is_name(&loaded.names, row->vtid, &id);
        assert_int_equal(is_name, ot_vtid_is_name(&extracted.pop.names, wanted->vtid, &wanted_id));
        if (is_name)
            assert_string_equal(ot_names_text(&loaded.names, id).bytes, "a thread's name");
        else
            assert_int_equal(row->vtid, wanted->vtid);
    }
    ot_population_release(&loaded);
    ot_extract_release(&extracted);
}

static int check_rows(const char *file, uint64_t *ret_n_rows, struct ot_err *err)
{
    struct ot_tables_checker *checker = NULL;
    assert_int_equal(ot_tables_checker_open(folder, &checker, err), OT_OK);
    int code = ot_tables_check(checker, file, ret_n_rows, err);
    ot_tables_checker_close(checker);
    return code;
}

static void an_empty_trace_has_all_files(void **state)
{
    (void)state;
    struct ot_extract extracted;
    struct ot_population loaded;
    extract_small(&extracted, "");
    assert_int_equal(extracted.n_files, 9);
    for (size_t i = 0; i < extracted.n_files; i++) {
        struct ot_str path = {0};
        uint64_t n = UINT64_MAX;
        struct ot_err err;
        ot_str_addf(&path, "tables/%s", extracted.files[i].name);
        assert_int_equal(check_rows(in_folder(ot_str_borrow(&path)), &n, &err), OT_OK);
        assert_int_equal(n, extracted.files[i].n_rows);
        assert_int_equal(n, strcmp(extracted.files[i].name, "sessions.parquet") == 0);
        ot_str_release(&path);
    }
    const char *tables = in_folder("tables");
    load(&loaded, &tables, 1);
    assert_same_analysis(&extracted.pop, &loaded);
    ot_population_release(&loaded);
    ot_extract_release(&extracted);
}

/* --- tables without a trace ---------------------------------------------------------------------
 */

static const struct ot_provenance provenance = {
    .session = "4242", .artifact = "sha256:17", .format = "kineto"};

static void put_row(struct ot_population *pop, const char *name)
{
    struct ot_err err;
    struct ot_slice slice = {.backend = OT_BACKEND_PYTORCH, .vpid = -1, .vtid = UINT64_MAX};
    assert_int_equal(ot_names_intern(&pop->names, ot_text_of(""), &slice.host, &err), OT_OK);
    slice.category = slice.host;
    assert_int_equal(ot_names_intern(&pop->names, ot_text_of(name), &slice.name, &err), OT_OK);
    assert_int_equal(ot_population_add(pop, &slice, &err), OT_OK);
}

static void write_tables(struct ot_population *pop, const char *tables, uint64_t n_slices,
                         struct ot_table_file ret_files[16], size_t *ret_n_files)
{
    struct ot_err err;
    struct ot_tables *writer = NULL;
    const struct ot_table_file *files = NULL;
    const struct ot_tables_opts opts = {.folder = tables, .names = &pop->names};
    pop->sessions = calloc(1, sizeof(*pop->sessions));
    pop->n_sessions = 1;
    assert_int_equal(ot_tables_open(&opts, &writer, &err), OT_OK);
    for (uint64_t i = 0; i < n_slices; i++) {
        const struct ot_table_slice slice = {.ts_ns = (int64_t)i, .dur_ns = 1, .self_ns = 1};
        assert_int_equal(ot_tables_slice(writer, &slice, &err), OT_OK);
    }
    assert_int_equal(ot_tables_end(writer, pop, &provenance, &files, ret_n_files, &err), OT_OK);
    assert_in_range(*ret_n_files, 1, 16);
    memcpy(ret_files, files, *ret_n_files * sizeof(*files));
    ot_tables_free(writer);
}

static void names_that_are_no_utf8_come_back_as_they_were(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    struct ot_population loaded;
    struct ot_table_file files[16];
    size_t n_files = 0;
    char tables[PATH_MAX];
    static const char *const names[] = {"\xff",         "\xfe",    "caf\xc3\xa9",
                                        "\xef\xbf\xbd", "a\nb'\"", ""};
    for (size_t i = 0; i < 6; i++)
        put_row(&pop, names[i]);
    write_tables(&pop, new_tables("a'b [x]*?", tables), 0, files, &n_files);
    const char *folders[] = {tables};
    load(&loaded, folders, 1);
    assert_int_equal(loaded.n_rows, 6);
    for (size_t i = 0; i < loaded.n_rows; i++) {
        assert_string_equal(ot_names_text(&loaded.names, loaded.rows[i].name).bytes, names[i]);
        assert_int_equal(loaded.rows[i].vpid, -1);
        assert_true(loaded.rows[i].vtid == UINT64_MAX);
    }
    assert_same_analysis(&pop, &loaded);
    ot_population_release(&loaded);
    ot_population_release(&pop);
}

static void a_million_rows_fill_a_file(void **state)
{
    (void)state;
    struct ot_population pop = {0};
    struct ot_table_file files[16];
    size_t n_files = 0;
    char tables[PATH_MAX];
    enum { PER_FILE = 1 << 20 };
    put_row(&pop, "op");
    write_tables(&pop, new_tables("tables", tables), PER_FILE + 1, files, &n_files);
    assert_string_equal(files[0].name, "slices-0000.parquet");
    assert_int_equal(files[0].n_rows, PER_FILE);
    assert_string_equal(files[1].name, "slices-0001.parquet");
    assert_int_equal(files[1].n_rows, 1);
    uint64_t n = 0;
    struct ot_err err;
    assert_int_equal(check_rows(in_folder("tables/slices-0000.parquet"), &n, &err), OT_OK);
    assert_int_equal(n, PER_FILE);
    ot_population_release(&pop);
}

/* --- damage -------------------------------------------------------------------------------------
 */

static void assert_refused(const char *says)
{
    struct ot_population pop = {0};
    struct ot_err err = {0};
    const char *format = NULL;
    char good[PATH_MAX];
    char bad[PATH_MAX];
    strcpy(good, in_folder("good"));
    strcpy(bad, in_folder("bad"));
    const char *const folders[] = {good, bad};
    assert_int_equal(ot_tables_load(folders, 2, &pop, &format, &err), OT_ERR_INPUT);
    if (!strstr(err.msg, in_folder("bad/")) || !strstr(err.msg, says))
        fail_msg("'%s' does not say %s", err.msg, says);
    ot_population_release(&pop);
}

/* Writes one of the files anew, from what is in the other folder. */
static void replace(const char *file, const char *what)
{
    struct ot_db db = {0};
    struct ot_err err;
    const char *const folders[] = {folder};
    const struct ot_db_opts opts = {.folders = folders, .n_folders = 1, .n_threads = 1};
    struct ot_str sql = {0};
    ot_str_addf(&sql, "COPY (SELECT %s FROM '%s/good/%s') TO '%s/bad/%s' (FORMAT parquet)", what,
                folder, file, folder, file);
    assert_int_equal(ot_db_open_files(&db, &opts, &err), OT_OK);
    if (ot_db_run(&db, ot_str_borrow(&sql), &err) < 0)
        fail_msg("%s", err.msg);
    ot_db_close(&db);
    ot_str_release(&sql);
}

static void what_is_wrong_is_told_with_the_file(void **state)
{
    (void)state;
    struct ot_extract extracted;
    char trace[PATH_MAX];
    char tables[PATH_MAX];
    put_trace(small_trace, trace);
    extract(&extracted, trace, new_tables("good", tables));
    ot_extract_release(&extracted);
    extract(&extracted, trace, new_tables("bad", tables));
    ot_extract_release(&extracted);

    static const struct {
        const char *file;
        const char *what;
        const char *says;
    } wrongs[] = {
        {"shapes.parquet", "* REPLACE (99::INTEGER AS operator)", "shapes of no operator"},
        {"shapes.parquet", "* REPLACE ((-1)::INTEGER AS operator)", "shapes of no operator"},
        {"operators.parquet", "* REPLACE ('abacus' AS backend)", "no known backend"},
        {"operators.parquet", "* REPLACE (7::INTEGER AS operator)", "disorder"},
        {"operators.parquet", "* REPLACE (NULL::BIGINT AS calls)", "NULL"},
        {"operators.parquet", "* EXCLUDE (calls)", "optally fsck"},
        {"sessions.parquet", "* REPLACE ('optally.tables/99' AS extractor)", "version optally.tab"},
        {"sessions.parquet", "'optally.tables/99' AS extractor", "reads optally.tables/"},
    };
    for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
        replace(wrongs[i].file, wrongs[i].what);
        assert_refused(wrongs[i].says);
        replace(wrongs[i].file, "*");
    }
    put_file("bad/tracks.parquet", "PAR1 and no more", 16);
    assert_refused("bad/tracks.parquet");
    unlink(in_folder("bad/tracks.parquet"));
    assert_refused("bad/tracks.parquet: No such file");
    uint64_t n = 0;
    struct ot_err err;
    assert_int_equal(check_rows(in_folder("bad/tracks.parquet"), &n, &err), OT_ERR_INPUT);
}

/* --- real traces --------------------------------------------------------------------------------
 */

enum { MAX_TRACES = 16 };
static const char *traces[MAX_TRACES];
static size_t n_traces;

static void find_traces(void)
{
    static char list[8 * PATH_MAX];
    const char *given = getenv("OPTALLY_TEST_TABLES");
    snprintf(list, sizeof(list), "%s", given ? given : "");
    for (char *path = strtok(list, ":"); path && n_traces < MAX_TRACES; path = strtok(NULL, ":"))
        traces[n_traces++] = path;
}

static void real_traces_come_back_as_they_were(void **state)
{
    (void)state;
    if (n_traces == 0)
        skip();
    for (size_t i = 0; i < n_traces; i++) {
        struct ot_extract extracted;
        struct ot_population loaded;
        char name[32];
        char tables[PATH_MAX];
        snprintf(name, sizeof(name), "%zu", i);
        extract(&extracted, traces[i], new_tables(name, tables));
        const char *folders[] = {tables};
        assert_sums(&extracted.pop);
        load(&loaded, folders, 1);
        assert_same_analysis(&extracted.pop, &loaded);
        ot_population_release(&loaded);
        ot_extract_release(&extracted);
    }
}

/* Extracts each, and folds all: what is loaded is what was folded. */
static void assert_several(const char *const *inputs, size_t n)
{
    struct ot_population folded = {0};
    struct ot_population loaded;
    struct ot_err err;
    const char *format = NULL;
    char tables[3][PATH_MAX];
    const char *folders[] = {tables[0], tables[1], tables[2]};
    const struct ot_fold_opts opts = {.depth = OT_FOLD_ANALYSIS};
    assert_in_range(n, 1, 3);
    for (size_t i = 0; i < n; i++) {
        struct ot_extract extracted;
        char name[32];
        snprintf(name, sizeof(name), "%zu", i);
        extract(&extracted, inputs[i], new_tables(name, tables[i]));
        ot_extract_release(&extracted);
    }
    assert_int_equal(ot_fold(inputs, n, &opts, &folded, &format, &err), OT_OK);
    load(&loaded, folders, n);
    assert_same_analysis(&folded, &loaded);
    ot_population_release(&loaded);
    ot_population_release(&folded);
}

static void several_are_as_if_folded_together(void **state)
{
    (void)state;
    if (n_traces < 3)
        skip();
    assert_several(traces, 3);
}

static void warnings_of_several_name_their_trace(void **state)
{
    (void)state;
    static const char odd_trace[] = SLICE("cpu_op", "outer", "1", "10", "100", "")
        SLICE("cpu_op", "late", "1", "50", "100", "") SLICE("cpu_op", "never", "1", "10", "-5", "")
            SLICE("novelty", "what", "1", "1", "5", "");
    char a[PATH_MAX];
    char b[PATH_MAX];
    put_trace(odd_trace, a);
    strcpy(b, in_folder("b.json"));
    assert_int_equal(rename(a, b), 0);
    put_trace(small_trace, a);
    const char *const inputs[] = {a, b};
    assert_several(inputs, 2);
}

/* It ends where the path does, so no byte of a message is left for what comes behind that. */
static void an_error_that_is_cut_is_told_too(void **state)
{
    struct ot_err err;
    char path[sizeof(err.msg)];
    static const char begin[] = "DuckDB cannot run a query: IO Error: no file \"";
    (void)state;
    memset(path, 'p', sizeof(path));
    path[sizeof(err.msg) - sizeof(begin)] = '\0';
    ot_err_set(&err, OT_ERR_IO, "%s%s\": No space", begin, path);
    assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
    assert_int_equal(ot_tables_file_error(&err, OT_ERR_IO, path), OT_ERR_IO);
    assert_memory_equal(err.msg, path, strlen(path));
    assert_string_equal(err.msg + strlen(path), ": no file");
}

int main(void)
{
    find_traces();
    const struct CMUnitTest tests[] = {
        IN_FOLDER(every_slice_has_its_depth_and_its_parent),
        IN_FOLDER(releases_of_memory_are_seen_too),
        IN_FOLDER(what_is_loaded_is_what_was_counted),
        IN_FOLDER(an_empty_trace_has_all_files),
        IN_FOLDER(names_that_are_no_utf8_come_back_as_they_were),
        IN_FOLDER(a_million_rows_fill_a_file),
        IN_FOLDER(what_is_wrong_is_told_with_the_file),
        IN_FOLDER(an_error_that_is_cut_is_told_too),
        IN_FOLDER(real_traces_come_back_as_they_were),
        IN_FOLDER(several_are_as_if_folded_together),
        IN_FOLDER(warnings_of_several_name_their_trace),
    };
    return RUN(tests);
}
