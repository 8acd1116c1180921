/* cmd_import.c: optally import: traces into the store. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tick_clock.h"
#include "base/units.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "cli/apart.h"
#include "cli/failure.h"
#include "cli/import_runs.h"
#include "cli/import_trace.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/run_json.h"
#include "cli/store_args.h"
#include "cli/store_module.h"
#include "cli/verb.h"
#include "corpus/writer.h"

static const char verb[] = "import";

static const char usage[] =
    "usage: optally import [OPTION...] TRACE...\n"
    "\n"
    "Keeps traces in the store, with everything that was counted of them. TRACE is a trace of\n"
    "torch.profiler (.json, .json.gz, .json.zst; - for standard input), a recording of optally or\n"
    "another LTTng/CTF trace folder. Several are the ranks of one job, and one run.\n"
    "\n"
    "  --name NAME          what the run is called (default: after the trace)\n"
    "  --label KEY=VALUE    a label of the run, any number of times; KEY= takes it away\n"
    "  --each               each trace is a run of its own\n"
    "  --link               leave the trace where it is; what was counted is kept\n"
    "  --recover            skip what is damaged or cut off, and count what is whole\n"
    "  --keep-going         import the rest when a trace cannot be read\n"
    "  --json               for programs instead of people\n" OT_WAIT_USAGE OT_STORE_USAGE
    "  -h, --help           print this\n";

enum {
    OPT_NAME = 256,
    OPT_LABEL,
    OPT_EACH,
    OPT_LINK,
    OPT_RECOVER,
    OPT_KEEP_GOING,
    OPT_JSON,
    OPT_WAIT,
    OPT_STORE
};

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"name", required_argument, NULL, OPT_NAME},
    {"label", required_argument, NULL, OPT_LABEL},
    {"each", no_argument, NULL, OPT_EACH},
    {"link", no_argument, NULL, OPT_LINK},
    {"recover", no_argument, NULL, OPT_RECOVER},
    {"keep-going", no_argument, NULL, OPT_KEEP_GOING},
    {"json", no_argument, NULL, OPT_JSON},
    {"wait", required_argument, NULL, OPT_WAIT},
    {"store", required_argument, NULL, OPT_STORE},
    {0},
};

struct import_args {
    struct ot_import_naming naming;
    struct ot_corpus_label *labels;
    size_t cap;
    const char *store;
    int64_t wait_ns;
    bool each;
    bool link;
    bool recover;
    bool keep_going;
    bool json;
    bool help;
    const char *const *inputs;
    size_t n_inputs;
};

static int add_label(struct import_args *args, char *text, struct ot_err *err)
{
    char *equals = strchr(text, '=');
    struct ot_import_naming *naming = &args->naming;
    if (!equals || equals == text)
        return ot_err_set(err, OT_ERR_USAGE, "--label: '%s' is not of the form KEY=VALUE", text);
    if (!ot_vec_reserve(&args->labels, &args->cap, naming->n_labels + 1, sizeof(*args->labels)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for labels");
    *equals = '\0';
    args->labels[naming->n_labels++] = (struct ot_corpus_label){text, equals + 1};
    naming->labels = args->labels;
    return OT_OK;
}

static int take_option(int c, void *context, struct ot_err *err)
{
    struct import_args *args = context;
    switch (c) {
    case OPT_NAME:
        args->naming.name = optarg;
        return optarg[0] != '\0' ? OT_OK
                                 : ot_err_set(err, OT_ERR_USAGE, "--name: a name is not empty");
    case OPT_LABEL:
        return add_label(args, optarg, err);
    case OPT_WAIT:
        return ot_parse_wait(optarg, &args->wait_ns, err);
    case OPT_STORE:
        args->store = optarg;
        return OT_OK;
    case OPT_EACH:
        args->each = true;
        return OT_OK;
    case OPT_LINK:
        args->link = true;
        return OT_OK;
    case OPT_RECOVER:
        args->recover = true;
        return OT_OK;
    case OPT_KEEP_GOING:
        args->keep_going = true;
        return OT_OK;
    default:
        return OT_OK; /* --json was looked for before */
    }
}

static int check(const struct import_args *args, struct ot_err *err)
{
    size_t n_streams = 0;
    for (size_t i = 0; i < args->n_inputs; i++)
        n_streams += strcmp(args->inputs[i], "-") == 0;
    if (args->n_inputs == 0)
        return ot_err_set(err, OT_ERR_USAGE, "no TRACE given (see optally import --help)");
    if (n_streams > 1)
        return ot_err_set(err, OT_ERR_USAGE, "standard input can be read only once");
    if (n_streams && args->link)
        return ot_err_set(err, OT_ERR_USAGE, "--link: standard input is nowhere to link to");
    if (args->each && args->naming.name && args->n_inputs > 1)
        return ot_err_set(err, OT_ERR_USAGE, "--name is for one run, and --each makes several");
    return OT_OK;
}

static int parse(int argc, char **argv, struct import_args *args, struct ot_err *err)
{
    static const struct ot_options walk = {.verb = verb, .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    args->inputs = (const char *const *)argv + optind;
    args->n_inputs = (size_t)(argc - optind);
    return check(args, err);
}

/* --- the import ------------------------------------------------------------------------------- */

struct work {
    const struct import_args *args;
    struct ot_import import;
    struct ot_import_trace *traces; /* those that could be read, each session once */
    size_t n_traces;
    size_t n_failed;
    struct ot_import_runs runs;
    char commit[OT_CORPUS_ID_BYTES]; /* the newest, in the end */
};

static bool is_twin(const struct work *work, const struct ot_import_trace *trace)
{
    for (size_t i = 0; i < work->n_traces; i++) {
        if (strcmp(work->traces[i].session.id, trace->session.id) != 0)
            continue;
        ot_complain(verb, "warning: %s is the same trace as %s; it counts once", trace->arg,
                    work->traces[i].arg);
        return true;
    }
    return false;
}

static int read_all(struct work *work, struct ot_err *err)
{
    const struct import_args *args = work->args;
    for (size_t i = 0; i < args->n_inputs; i++) {
        struct ot_import_trace *trace = &work->traces[work->n_traces];
        int code = ot_import_read(&work->import, args->inputs[i], i, trace, err);
        if (code == OT_OK) {
            work->n_traces += !is_twin(work, trace);
            continue;
        }
        /* A disk that is full is full for the next one, too. */
        bool is_its_own = code == OT_ERR_INPUT || code == OT_ERR_DAMAGED;
        if (!args->keep_going || !is_its_own)
            return code;
        ot_complain_of_error(verb, "%s", err->msg);
        work->n_failed++;
    }
    return work->n_traces ? OT_OK
                          : ot_err_set(err, OT_ERR_INPUT,
                                       "no trace could be read: nothing is "
                                       "imported");
}

static int place_all(struct work *work, struct ot_err *err)
{
    int code = OT_OK;
    for (size_t i = 0; i < work->n_traces && code == OT_OK; i++)
        code = ot_import_place(&work->import, &work->traces[i], err);
    return code;
}

static int make_runs(struct work *work, struct ot_err *err)
{
    const struct import_args *args = work->args;
    size_t n_each = args->each ? 1 : work->n_traces;
    int code = ot_import_runs_init(&work->runs, &work->import, work->n_traces, err);
    for (size_t i = 0; i < work->n_traces && code == OT_OK; i += n_each)
        code = ot_import_runs_add(&work->runs, &work->import, &work->traces[i], n_each,
                                  &args->naming, err);
    return code;
}

static int commit(struct work *work, struct ot_err *err)
{
    struct ot_str message = {0};
    struct ot_writer *writer = work->import.writer;
    if (!ot_import_runs_changed(&work->runs)) {
        snprintf(work->commit, sizeof(work->commit), "%s", writer->state.commit);
        return OT_OK;
    }
    ot_import_runs_message(&message, &work->runs);
    int code = ot_writer_commit(writer, work->runs.runs, work->runs.n_runs, ot_str_borrow(&message),
                                work->commit, err);
    ot_str_release(&message);
    return code;
}

/* --- what is said ----------------------------------------------------------------------------- */

static void add_counted(struct ot_str *str, uint64_t n, const char *one, const char *many)
{
    char number[OT_UNITS_BYTES];
    ot_units_count(number, n);
    ot_str_addf(str, "%s %s", number, n == 1 ? one : many);
}

static void say_run(const struct ot_imported *imported)
{
    static const char *const changes[] = {"imported", "changed", "was there already"};
    const struct ot_corpus_run *run = &imported->run;
    struct ot_run_sums sums;
    struct ot_str line = {0};
    char bytes[OT_UNITS_BYTES];
    ot_run_sums(run, &sums);
    ot_str_addf(&line, "%.*s  ", OT_CORPUS_SHORT_ID, run->id);
    ot_utf8_add_printable(&line, ot_text_of(run->name));
    ot_str_addf(&line, "  %s: ", changes[imported->change]);
    add_counted(&line, run->n_sessions, "session", "sessions");
    ot_str_addf(&line, ", ");
    add_counted(&line, sums.n_operators, "operator", "operators");
    ot_str_addf(&line, ", ");
    add_counted(&line, sums.n_events, "event", "events");
    ot_units_bytes(bytes, sums.n_bytes);
    ot_str_addf(&line, ", %s read", bytes);
    ot_units_bytes(bytes, sums.n_stored_bytes);
    ot_str_addf(&line, ", %s kept", bytes);
    puts(ot_str_borrow(&line));
    ot_str_release(&line);
}

static void say_json(const struct work *work)
{
    static const char *const changes[] = {"new", "changed", "same"};
    struct ot_json json = {.out = stdout};
    ot_json_begin_object(&json);
    ot_json_put_text(&json, "schema", ot_text_of("optally.import/1"));
    ot_json_put_text(&json, "commit", ot_text_of(work->commit));
    ot_json_key(&json, ot_text_of("runs"));
    ot_json_begin_array(&json);
    for (size_t i = 0; i < work->runs.n_imported; i++) {
        ot_json_begin_object(&json);
        ot_json_put_text(&json, "change", ot_text_of(changes[work->runs.imported[i].change]));
        ot_run_json_members(&json, &work->runs.imported[i].run);
        ot_json_end_object(&json);
    }
    ot_json_end_array(&json);
    ot_json_put_unsigned(&json, "failed", work->n_failed);
    ot_json_end_object(&json);
    putchar('\n');
}

static void say(const struct work *work)
{
    if (work->args->json) {
        say_json(work);
        return;
    }
    for (size_t i = 0; i < work->runs.n_imported; i++)
        say_run(&work->runs.imported[i]);
    printf("commit %.*s%s\n", OT_CORPUS_SHORT_ID, work->commit,
           ot_import_runs_changed(&work->runs) ? "" : ", as before");
}

static int import_locked(struct work *work, struct ot_err *err)
{
    work->traces = calloc(work->args->n_inputs + 1, sizeof(*work->traces));
    if (!work->traces)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for traces");
    int code = read_all(work, err);
    /* First to see whether they can be made, then with the names that artifacts have in the end. */
    if (code == OT_OK)
        code = make_runs(work, err);
    if (code == OT_OK && !work->args->each)
        ot_import_warn_of_strangers(verb, work->traces, work->n_traces);
    if (code == OT_OK)
        code = place_all(work, err);
    if (code == OT_OK)
        code = make_runs(work, err);
    if (code == OT_OK)
        code = commit(work, err);
    return code;
}

static int import(const struct import_args *args, size_t *ret_n_failed, struct ot_err *err)
{
    struct ot_corpus corpus;
    struct ot_writer writer;
    struct ot_arena arena = {0};
    struct work work = {.args = args,
                        .import = {.verb = verb,
                                   .writer = &writer,
                                   .arena = &arena,
                                   .now_ns = ot_tick_clock_ns(CLOCK_REALTIME),
                                   .link = args->link,
                                   .recover = args->recover}};
    const struct ot_writer_opts opts = {.command = "optally import", .wait_ns = args->wait_ns};
    int code = ot_corpus_find(args->store, &corpus, err);
    if (code == OT_OK)
        code = ot_store_module_load(&work.import.store, err);
    if (code == OT_OK)
        code = ot_writer_begin(&writer, &corpus, &opts, err);
    if (code < 0)
        return code;
    code = import_locked(&work, err);
    ot_writer_unlock(&writer);
    if (code == OT_OK)
        say(&work);
    ot_writer_end(&writer);
    *ret_n_failed = work.n_failed;
    free(work.traces);
    ot_arena_release(&arena);
    return code;
}

static int fail(const struct import_args *args, int code, const struct ot_err *err)
{
    return ot_fail_as_asked(&(struct ot_cli_failure){
        .verb = verb,
        .code = code,
        .err = err,
        .json = args->json,
        .inputs = args->inputs,
        .n_inputs = args->n_inputs,
    });
}

/* All of it, in a process of its own. */
static int import_as_asked(void *context)
{
    const struct import_args *args = context;
    struct ot_err err;
    size_t n_failed = 0;
    int code = import(args, &n_failed, &err);
    return code < 0 ? fail(args, code, &err)
                    : ot_finish_output(verb, n_failed ? OT_EXIT_FAILED : OT_EXIT_OK);
}

/* What a writer that has died left goes with the next one, which is this; or with whoever was
 * faster. */
static void clear_up(const struct import_args *args)
{
    static const struct ot_writer_opts opts = {.command = "optally import"};
    struct ot_corpus corpus;
    struct ot_writer writer;
    struct ot_err ignored;
    if (ot_corpus_find(args->store, &corpus, &ignored) == OT_OK &&
        ot_writer_begin(&writer, &corpus, &opts, &ignored) == OT_OK)
        ot_writer_end(&writer);
}

static int import_apart(struct import_args *args)
{
    struct ot_apart apart;
    struct ot_err err;
    int status = OT_EXIT_FAILED;
    ot_apart_begin(&apart);
    int code = ot_apart_run(&apart, import_as_asked, args, &status, &err);
    if (code < 0) {
        clear_up(args);
        if (status != 128 + SIGPIPE) /* nobody listens any more to what was done */
            fail(args, code, &err);
    }
    return status;
}

int ot_cmd_import(int argc, char **argv)
{
    struct import_args args = {.json = ot_asks_for_json(argc, argv)};
    struct ot_err err;
    int code = parse(argc, argv, &args, &err);
    int status = code < 0    ? fail(&args, code, &err)
                 : args.help ? ot_print_usage(verb, usage)
                             : import_apart(&args);
    free(args.labels);
    return status;
}
