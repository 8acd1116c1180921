/* cmd_runs.c: optally runs: what the store has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/run_json.h"
#include "cli/store_args.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "emit/csv/csv.h"
#include "emit/grid/grid.h"

static const char verb[] = "runs";

static const char usage[] =
    "usage: optally runs [OPTION...]\n"
    "\n"
    "Lists the runs of the store, in the order of their import.\n"
    "\n"
    "  --label KEY[=VALUE]  those with that label, any number of times: all have to be there\n"
    "  --json, --csv        for programs instead of people\n"
    "  --commit ID          as that commit knows them (default: the newest)\n"
    "  --color WHEN         auto (on a terminal, unless NO_COLOR is set), always or "
    "never\n" OT_STORE_USAGE "  -h, --help           print this\n";

enum { OPT_LABEL = 256, OPT_JSON, OPT_CSV, OPT_COMMIT, OPT_COLOR, OPT_STORE };

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"label", required_argument, NULL, OPT_LABEL},
    {"json", no_argument, NULL, OPT_JSON},
    {"csv", no_argument, NULL, OPT_CSV},
    {"commit", required_argument, NULL, OPT_COMMIT},
    {"color", required_argument, NULL, OPT_COLOR},
    {"store", required_argument, NULL, OPT_STORE},
    {0},
};

struct runs_args {
    const char **labels; /* "key" or "key=value" */
    size_t n_labels;
    size_t cap;
    const char *commit;
    const char *store;
    enum ot_color color;
    bool json;
    bool csv;
    bool help;
};

static int take_option(int c, void *context, struct ot_err *err)
{
    struct runs_args *args = context;
    switch (c) {
    case OPT_LABEL:
        if (!ot_vec_reserve(&args->labels, &args->cap, args->n_labels + 1, sizeof(*args->labels)))
            return ot_err_set(err, OT_ERR_NOMEM, "out of memory for labels");
        args->labels[args->n_labels++] = optarg;
        return OT_OK;
    case OPT_CSV:
        args->csv = true;
        return OT_OK;
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

static int parse(int argc, char **argv, struct runs_args *args, struct ot_err *err)
{
    static const struct ot_options walk = {.verb = verb, .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    if (optind < argc)
        return ot_err_set(err, OT_ERR_USAGE,
                          "'%s' is not expected: optally show says what a run holds", argv[optind]);
    if (args->json && args->csv)
        return ot_err_set(err, OT_ERR_USAGE, "--json and --csv exclude each other");
    return OT_OK;
}

static bool has_label(const struct ot_corpus_run *run, const char *asked)
{
    for (size_t i = 0; i < run->n_labels; i++) {
        size_t len = strlen(run->labels[i].key);
        if (strncmp(run->labels[i].key, asked, len) != 0)
            continue;
        if (asked[len] == '\0' ||
            (asked[len] == '=' && strcmp(run->labels[i].value, asked + len + 1) == 0))
            return true;
    }
    return false;
}

static bool is_asked_for(const struct runs_args *args, const struct ot_corpus_run *run)
{
    for (size_t i = 0; i < args->n_labels; i++) {
        if (!has_label(run, args->labels[i]))
            return false;
    }
    return true;
}

/* --- for people ------------------------------------------------------------------------------- */

static const struct ot_grid_column columns[] = {
    {.title = "Run", .is_left = true},
    {.title = "Imported", .is_left = true, .rank = 6},
    {.title = "Sessions", .rank = 5},
    {.title = "Operators", .rank = 7},
    {.title = "Events", .rank = 4},
    {.title = "Host busy", .rank = 2},
    {.title = "Device busy", .rank = 3},
    {.title = "Stored", .rank = 8},
    {.title = "Name and labels", .is_left = true},
};

static void add(struct ot_grid *grid, const char *text)
{
    ot_grid_add(grid, ot_text_of(text));
}

static void add_count(struct ot_grid *grid, uint64_t n)
{
    char text[OT_UNITS_BYTES];
    ot_units_count(text, n);
    add(grid, text);
}

static void add_time(struct ot_grid *grid, bool is_there, int64_t ns, bool is_exact)
{
    char time[OT_UNITS_BYTES];
    char text[OT_UNITS_BYTES + 2];
    ot_units_ns(time, ns < 0 ? 0 : (uint64_t)ns);
    snprintf(text, sizeof(text), "%s%s", is_exact ? "" : ">=", time);
    add(grid, is_there ? text : "");
}

static void add_run(struct ot_grid *grid, const struct ot_corpus_run *run)
{
    struct ot_run_sums sums;
    struct ot_str name = {0};
    char text[OT_MOMENT_BYTES];
    ot_run_sums(run, &sums);
    ot_grid_add(grid, (struct ot_text){run->id, OT_CORPUS_SHORT_ID});
    ot_moment(text, run->imported_ns);
    add(grid, text);
    add_count(grid, run->n_sessions);
    add_count(grid, sums.n_operators);
    add_count(grid, sums.n_events);
    add_time(grid, true, sums.host_busy_ns, sums.is_exact);
    add_time(grid, sums.has_device, sums.device_busy_ns, sums.is_exact);
    ot_units_bytes(text, sums.n_stored_bytes);
    add(grid, text);
    ot_str_addf(&name, "%s", run->name);
    for (size_t i = 0; i < run->n_labels; i++)
        ot_str_addf(&name, "  %s=%s", run->labels[i].key, run->labels[i].value);
    ot_grid_add(grid, (struct ot_text){ot_str_borrow(&name), name.len});
    ot_str_release(&name);
}

static void say_none(const struct runs_args *args, const struct ot_corpus_state *state)
{
    struct ot_str line = {0};
    ot_utf8_add_printable(&line, ot_text_of(state->root));
    if (state->n_damaged && state->n_runs == 0)
        printf("no runs in %s can be read\n", ot_str_borrow(&line));
    else if (args->n_labels && state->n_runs)
        printf("none of %zu runs has %s\n", state->n_runs,
               args->n_labels > 1 ? "these labels" : "this label");
    else
        printf("no runs are in %s (optally import TRACE puts one there)\n", ot_str_borrow(&line));
    ot_str_release(&line);
}

static int write_text(const struct runs_args *args, const struct ot_corpus_state *state,
                      struct ot_err *err)
{
    struct ot_grid grid = {.columns = columns, .n_columns = sizeof(columns) / sizeof(columns[0])};
    struct ot_look look;
    size_t n_asked = 0;
    for (size_t i = 0; i < state->n_runs; i++) {
        if (!is_asked_for(args, &state->runs[i]))
            continue;
        add_run(&grid, &state->runs[i]);
        n_asked++;
    }
    ot_tty_look(STDOUT_FILENO, args->color, &look);
    if (n_asked == 0)
        say_none(args, state);
    else if (!grid.failed)
        ot_grid_write(&grid, &look, stdout);
    int code = grid.failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for a table") : OT_OK;
    ot_grid_release(&grid);
    return code;
}

/* --- for programs ----------------------------------------------------------------------------- */

static void write_json(const struct runs_args *args, const struct ot_corpus_state *state)
{
    struct ot_json json = {.out = stdout};
    ot_json_begin_object(&json);
    ot_json_put_text(&json, "schema", ot_text_of("optally.runs/1"));
    ot_json_put_text(&json, "store", ot_text_of(state->root));
    ot_json_put_text(&json, "commit", ot_text_of(state->commit));
    ot_json_put_unsigned(&json, "total", state->n_runs);
    ot_json_key(&json, ot_text_of("runs"));
    ot_json_begin_array(&json);
    for (size_t i = 0; i < state->n_runs; i++) {
        if (!is_asked_for(args, &state->runs[i]))
            continue;
        ot_json_begin_object(&json);
        ot_run_json_members(&json, &state->runs[i]);
        ot_json_end_object(&json);
    }
    ot_json_end_array(&json);
    ot_run_json_damaged(&json, state);
    ot_json_end_object(&json);
    putchar('\n');
}

static void write_row(const struct ot_corpus_run *run)
{
    struct ot_run_sums sums;
    struct ot_str labels = {0};
    ot_run_sums(run, &sums);
    for (size_t i = 0; i < run->n_labels; i++)
        ot_str_addf(&labels, "%s%s=%s", i ? ";" : "", run->labels[i].key, run->labels[i].value);
    printf("%s,", run->id);
    ot_csv_text(stdout, ot_text_of(run->name));
    printf(",%lld,%zu,%llu,%llu,%lld,", (long long)run->imported_ns, run->n_sessions,
           (unsigned long long)sums.n_operators, (unsigned long long)sums.n_events,
           (long long)sums.host_busy_ns);
    if (sums.has_device)
        printf("%lld", (long long)sums.device_busy_ns);
    printf(",%s,%llu,%llu,", sums.is_exact ? "true" : "false", (unsigned long long)sums.n_bytes,
           (unsigned long long)sums.n_stored_bytes);
    ot_csv_text(stdout, (struct ot_text){ot_str_borrow(&labels), labels.len});
    fputs("\r\n", stdout);
    ot_str_release(&labels);
}

static void write_csv(const struct runs_args *args, const struct ot_corpus_state *state)
{
    fputs("run,name,imported_ns,sessions,operators,events,host_busy_ns,device_busy_ns,exact,"
          "artifact_bytes,stored_bytes,labels\r\n",
          stdout);
    for (size_t i = 0; i < state->n_runs; i++) {
        if (is_asked_for(args, &state->runs[i]))
            write_row(&state->runs[i]);
    }
}

/* `ret_is_whole`: all runs that there are could be read. */
static int list(const struct runs_args *args, bool *ret_is_whole, struct ot_err *err)
{
    struct ot_corpus corpus;
    struct ot_corpus_state state = {0};
    int code = ot_corpus_find(args->store, &corpus, err);
    if (code == OT_OK)
        code = ot_corpus_read(&corpus, args->commit, &state, err);
    if (code == OT_OK && args->json)
        write_json(args, &state);
    else if (code == OT_OK && args->csv)
        write_csv(args, &state);
    else if (code == OT_OK)
        code = write_text(args, &state, err);
    for (size_t i = 0; i < state.n_damaged && code == OT_OK; i++)
        ot_complain_of_error(verb, "%s", state.damaged[i].what);
    *ret_is_whole = state.n_damaged == 0;
    ot_corpus_state_release(&state);
    return code;
}

int ot_cmd_runs(int argc, char **argv)
{
    ot_quit_on_closed_pipe();
    struct runs_args args = {.json = ot_asks_for_json(argc, argv)};
    struct ot_err err;
    bool is_whole = true;
    int code = parse(argc, argv, &args, &err);
    ot_tty_set_stderr_color(args.color);
    if (code == OT_OK && args.help)
        return ot_print_usage(verb, usage);
    if (code == OT_OK)
        code = list(&args, &is_whole, &err);
    free(args.labels);
    if (code < 0)
        return ot_store_fail(verb, code, &err, args.json);
    return ot_finish_output(verb, is_whole ? OT_EXIT_OK : OT_EXIT_FAILED);
}
