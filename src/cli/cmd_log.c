/* cmd_log.c: optally log: the commits of the store. */
#include <stdio.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/failure.h"
#include "cli/numbers.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/store_args.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "corpus/history.h"
#include "emit/grid/grid.h"
#include "emit/json/json.h"

static const char verb[] = "log";

static const char usage[] =
    "usage: optally log [OPTION...]\n"
    "\n"
    "Lists the commits of the store, the newest first. Each knows all runs that there were; other\n"
    "verbs read the store as one of them knows it with --commit ID.\n"
    "\n"
    "  --limit N            show N commits, or all (default: all)\n"
    "  --json               for programs instead of people\n"
    "  --commit ID          begin with that commit (default: the newest)\n"
    "  --color WHEN         auto (on a terminal, unless NO_COLOR is set), always or "
    "never\n" OT_STORE_USAGE "  -h, --help           print this\n";

enum { OPT_LIMIT = 256, OPT_JSON, OPT_COMMIT, OPT_COLOR, OPT_STORE };

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"limit", required_argument, NULL, OPT_LIMIT},
    {"json", no_argument, NULL, OPT_JSON},
    {"commit", required_argument, NULL, OPT_COMMIT},
    {"color", required_argument, NULL, OPT_COLOR},
    {"store", required_argument, NULL, OPT_STORE},
    {0},
};

struct log_args {
    int64_t limit;
    const char *commit;
    const char *store;
    enum ot_color color;
    bool json;
    bool help;
};

static int take_option(int c, void *context, struct ot_err *err)
{
    struct log_args *args = context;
    switch (c) {
    case OPT_LIMIT:
        return ot_parse_limit("--limit", optarg, &args->limit, err);
    case OPT_COMMIT:
        args->commit = optarg;
        return OT_OK;
    case OPT_COLOR:
        return ot_color_parse(optarg, &args->color, err);
    case OPT_STORE:
        args->store = optarg;
        return OT_OK;
    default:
        return OT_OK; /* --json was looked for before */
    }
}

static int parse(int argc, char **argv, struct log_args *args, struct ot_err *err)
{
    static const struct ot_options walk = {.verb = verb, .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    if (optind < argc)
        return ot_err_set(err, OT_ERR_USAGE,
                          "'%s' is not expected: optally show says what a commit holds",
                          argv[optind]);
    return OT_OK;
}

/* Where the commits go: a table, or JSON as they come. */
struct sink {
    struct ot_grid grid;
    struct ot_json *json; /* NULL: a table */
};

static const struct ot_grid_column columns[] = {
    {.title = "Commit", .is_left = true},
    {.title = "Time", .is_left = true, .rank = 2},
    {.title = "Runs", .rank = 1},
    {.title = "What was done", .is_left = true},
};

static void add_commit(struct sink *sink, const struct ot_history_commit *commit)
{
    char text[OT_MOMENT_BYTES];
    ot_grid_add(&sink->grid, (struct ot_text){commit->id, OT_CORPUS_SHORT_ID});
    ot_moment(text, commit->text.time_ns);
    ot_grid_add(&sink->grid, ot_text_of(text));
    ot_units_count(text, commit->text.n_manifests);
    ot_grid_add(&sink->grid, ot_text_of(text));
    ot_grid_add(&sink->grid, ot_text_of(commit->text.message));
}

static void put_commit(struct ot_json *json, const struct ot_history_commit *commit)
{
    ot_json_begin_object(json);
    ot_json_put_text(json, "commit", ot_text_of(commit->id));
    ot_json_key(json, ot_text_of("parent"));
    if (commit->text.parent[0] != '\0')
        ot_json_text(json, ot_text_of(commit->text.parent));
    else
        ot_json_null(json);
    ot_json_put_signed(json, "time_ns", commit->text.time_ns);
    ot_json_put_unsigned(json, "n_runs", commit->text.n_manifests);
    ot_json_put_text(json, "message", ot_text_of(commit->text.message));
    ot_json_end_object(json);
}

static int walk(const struct log_args *args, struct ot_history *history, struct sink *sink,
                size_t *ret_n, bool *ret_is_cut, struct ot_err *err)
{
    struct ot_history_commit commit = {0};
    int code = OT_OK;
    for (*ret_n = 0; args->limit < 0 || *ret_n < (size_t)args->limit; ++*ret_n) {
        code = ot_history_next(history, &commit, err);
        if (code != OT_OK)
            break;
        if (sink->json)
            put_commit(sink->json, &commit);
        else
            add_commit(sink, &commit);
        *ret_is_cut |= commit.is_cut;
    }
    return code == OT_END ? OT_OK : code;
}

/* The commits before one that is damaged are shown all the same. */
static int write_text(const struct log_args *args, struct ot_history *history, struct ot_err *err)
{
    struct sink sink = {
        .grid = {.columns = columns, .n_columns = sizeof(columns) / sizeof(columns[0])}};
    struct ot_look look;
    size_t n = 0;
    bool is_cut = false;
    int code = walk(args, history, &sink, &n, &is_cut, err);
    ot_tty_look(STDOUT_FILENO, args->color, &look);
    if (sink.grid.failed)
        code = ot_err_set(err, OT_ERR_NOMEM, "out of memory for a table");
    else if (n)
        ot_grid_write(&sink.grid, &look, stdout);
    else if (code == OT_OK && args->limit != 0)
        puts("no commits yet (optally import TRACE makes one)");
    if (is_cut)
        puts("Older commits were forgotten (optally gc --keep).");
    else if (code == OT_OK && n && history->next[0] != '\0')
        puts("There are older ones.");
    ot_grid_release(&sink.grid);
    return code;
}

static int write_json(const struct log_args *args, struct ot_history *history, struct ot_err *err)
{
    struct ot_json json = {.out = stdout};
    struct sink sink = {.json = &json};
    size_t n = 0;
    bool is_cut = false;
    ot_json_begin_object(&json);
    ot_json_put_text(&json, "schema", ot_text_of("optally.log/1"));
    ot_json_key(&json, ot_text_of("commits"));
    ot_json_begin_array(&json);
    int code = walk(args, history, &sink, &n, &is_cut, err);
    ot_json_end_array(&json);
    ot_json_put_bool(&json, "older_forgotten", is_cut);
    ot_json_put_bool(&json, "complete", code == OT_OK && history->next[0] == '\0');
    ot_json_end_object(&json);
    putchar('\n');
    return code;
}

static int print_log(const struct log_args *args, struct ot_err *err)
{
    struct ot_corpus corpus;
    struct ot_history history = {0};
    int code = ot_corpus_find(args->store, &corpus, err);
    if (code == OT_OK)
        code = ot_history_begin(&history, &corpus, args->commit, err);
    if (code == OT_OK)
        code = args->json ? write_json(args, &history, err) : write_text(args, &history, err);
    ot_history_release(&history);
    return code;
}

int ot_cmd_log(int argc, char **argv)
{
    ot_quit_on_closed_pipe();
    struct log_args args = {.limit = -1, .json = ot_asks_for_json(argc, argv)};
    struct ot_err err;
    int code = parse(argc, argv, &args, &err);
    ot_tty_set_stderr_color(args.color);
    if (code == OT_OK && args.help)
        return ot_print_usage(verb, usage);
    if (code == OT_OK)
        code = print_log(&args, &err);
    if (code < 0)
        return ot_store_fail(verb, code, &err, args.json);
    return ot_finish_output(verb, OT_EXIT_OK);
}
