/* cmd_gc.c: optally gc: what no commit needs. */
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
#include "corpus/gc.h"
#include "emit/grid/grid.h"
#include "emit/json/json.h"

static const char verb[] = "gc";

static const char usage[] =
    "usage: optally gc [OPTION...]\n"
    "\n"
    "Lists what no commit of the store names: what imports left that did not end, and, with\n"
    "--keep, what only older commits know. Nothing is removed without --prune.\n"
    "\n"
    "  --keep N             forget all but the newest N commits, and what only the others know\n"
    "  --prune              remove it\n"
    "  --json               for programs instead of people\n" OT_WAIT_USAGE OT_STORE_USAGE
    "  -h, --help           print this\n";

enum { OPT_KEEP = 256, OPT_PRUNE, OPT_JSON, OPT_WAIT, OPT_STORE };

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"keep", required_argument, NULL, OPT_KEEP},
    {"prune", no_argument, NULL, OPT_PRUNE},
    {"json", no_argument, NULL, OPT_JSON},
    {"wait", required_argument, NULL, OPT_WAIT},
    {"store", required_argument, NULL, OPT_STORE},
    {0},
};

struct gc_args {
    int64_t keep; /* 0: all */
    const char *store;
    int64_t wait_ns;
    bool prune;
    bool json;
    bool help;
};

static int take_option(int c, void *context, struct ot_err *err)
{
    struct gc_args *args = context;
    switch (c) {
    case OPT_KEEP:
        if (!ot_parse_number(optarg, &args->keep) || args->keep < 1)
            return ot_err_set(err, OT_ERR_USAGE,
                              "--keep: '%s' is not a number of commits, 1 or more", optarg);
        return OT_OK;
    case OPT_PRUNE:
        args->prune = true;
        return OT_OK;
    case OPT_WAIT:
        return ot_parse_wait(optarg, &args->wait_ns, err);
    case OPT_STORE:
        args->store = optarg;
        return OT_OK;
    default:
        return OT_OK; /* --json was looked for before */
    }
}

static int parse(int argc, char **argv, struct gc_args *args, struct ot_err *err)
{
    static const struct ot_options walk = {.verb = verb, .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    if (optind < argc)
        return ot_err_set(err, OT_ERR_USAGE, "'%s' is not expected (see optally gc --help)",
                          argv[optind]);
    return OT_OK;
}

static void write_json(const struct gc_args *args, const struct ot_gc *gc)
{
    struct ot_json json = {.out = stdout};
    ot_json_begin_object(&json);
    ot_json_put_text(&json, "schema", ot_text_of("optally.gc/1"));
    ot_json_put_bool(&json, "pruned", args->prune);
    ot_json_put_unsigned(&json, "commits_left", gc->n_kept_commits);
    ot_json_put_unsigned(&json, "bytes", gc->n_bytes);
    ot_json_key(&json, ot_text_of("items"));
    ot_json_begin_array(&json);
    for (size_t i = 0; i < gc->n_items; i++) {
        ot_json_begin_object(&json);
        ot_json_put_text(&json, "path", ot_text_of(gc->items[i].path));
        ot_json_put_unsigned(&json, "bytes", gc->items[i].n_bytes);
        ot_json_end_object(&json);
    }
    ot_json_end_array(&json);
    ot_json_end_object(&json);
    putchar('\n');
}

static const struct ot_grid_column columns[] = {
    {.title = "Size"},
    {.title = "No commit names", .is_left = true},
};

static int write_text(const struct gc_args *args, const struct ot_gc *gc, struct ot_err *err)
{
    struct ot_grid grid = {.columns = columns, .n_columns = 2};
    struct ot_look look;
    char bytes[OT_UNITS_BYTES];
    ot_tty_look(STDOUT_FILENO, OT_COLOR_AUTO, &look);
    for (size_t i = 0; i < gc->n_items; i++) {
        ot_units_bytes(bytes, gc->items[i].n_bytes);
        ot_grid_add(&grid, ot_text_of(bytes));
        ot_grid_add(&grid, ot_text_of(gc->items[i].path));
    }
    int code = grid.failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for a table") : OT_OK;
    if (code == OT_OK && gc->n_items)
        ot_grid_write(&grid, &look, stdout);
    ot_grid_release(&grid);
    ot_units_bytes(bytes, gc->n_bytes);
    if (gc->n_items == 0)
        printf("nothing to remove: commits name all that is there\n");
    else if (args->prune)
        printf("removed %s; commits left: %zu\n", bytes, gc->n_kept_commits);
    else
        printf("%s; optally gc --prune%s removes it; commits left then: %zu\n", bytes,
               args->keep ? " with the same --keep" : "", gc->n_kept_commits);
    return code;
}

static int prune(const struct gc_args *args, const struct ot_corpus *corpus, struct ot_gc *gc,
                 struct ot_err *err)
{
    struct ot_writer writer;
    const struct ot_writer_opts opts = {
        .command = "optally gc", .wait_ns = args->wait_ns, .leave_tmp = true};
    int code = ot_writer_begin(&writer, corpus, &opts, err);
    if (code < 0)
        return code;
    code = ot_gc_find(gc, corpus, args->keep, &writer, err);
    if (code == OT_OK)
        code = ot_gc_remove(gc, &writer, err);
    ot_writer_end(&writer);
    return code;
}

static int collect(const struct gc_args *args, struct ot_err *err)
{
    struct ot_corpus corpus;
    struct ot_gc gc = {0};
    int code = ot_corpus_find(args->store, &corpus, err);
    if (code == OT_OK)
        code = args->prune ? prune(args, &corpus, &gc, err)
                           : ot_gc_find(&gc, &corpus, args->keep, NULL, err);
    if (code == OT_OK && args->json)
        write_json(args, &gc);
    else if (code == OT_OK)
        code = write_text(args, &gc, err);
    ot_gc_release(&gc);
    return code;
}

int ot_cmd_gc(int argc, char **argv)
{
    ot_quit_on_closed_pipe();
    struct gc_args args = {.json = ot_asks_for_json(argc, argv)};
    struct ot_err err;
    int code = parse(argc, argv, &args, &err);
    if (code == OT_OK && args.help)
        return ot_print_usage(verb, usage);
    if (code == OT_OK)
        code = collect(&args, &err);
    if (code < 0)
        return ot_store_fail(verb, code, &err, args.json);
    return ot_finish_output(verb, OT_EXIT_OK);
}
