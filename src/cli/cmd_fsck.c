/* cmd_fsck.c: optally fsck: every file of the store against what its commits say. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/units.h"
#include "base/utf8.h"
#include "cli/artifact_check.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/store_args.h"
#include "cli/store_module.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "corpus/fsck.h"
#include "emit/grid/grid.h"
#include "emit/json/json.h"

static const char verb[] = "fsck";

static const char usage[] =
    "usage: optally fsck [OPTION...]\n"
    "\n"
    "Checks every file of the store against what its commits say: hashes, tables, kept traces.\n"
    "Says what is damaged, and which runs and commits still answer.\n"
    "\n"
    "  --quick              do not read the kept traces, nor count the rows of tables\n"
    "  --json               for programs instead of people\n" OT_STORE_USAGE
    "  -h, --help           print this\n";

enum { OPT_QUICK = 256, OPT_JSON, OPT_STORE };

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"quick", no_argument, NULL, OPT_QUICK},
    {"json", no_argument, NULL, OPT_JSON},
    {"store", required_argument, NULL, OPT_STORE},
    {0},
};

struct fsck_args {
    const char *store;
    bool quick;
    bool json;
    bool help;
};

static int take_option(int c, void *context, struct ot_err *err)
{
    struct fsck_args *args = context;
    (void)err;
    args->quick |= c == OPT_QUICK;
    if (c == OPT_STORE)
        args->store = optarg;
    return OT_OK;
}

static int parse(int argc, char **argv, struct fsck_args *args, struct ot_err *err)
{
    static const struct ot_options walk = {.verb = verb, .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    if (optind < argc)
        return ot_err_set(err, OT_ERR_USAGE, "'%s' is not expected (see optally fsck --help)",
                          argv[optind]);
    return OT_OK;
}

static void write_findings(struct ot_json *json, const struct ot_fsck *fsck)
{
    ot_json_key(json, ot_text_of("findings"));
    ot_json_begin_array(json);
    for (size_t i = 0; i < fsck->n_findings; i++) {
        ot_json_begin_object(json);
        ot_json_put_text(json, "path", ot_text_of(fsck->findings[i].path));
        ot_json_put_text(json, "what", ot_text_of(fsck->findings[i].what));
        ot_json_end_object(json);
    }
    ot_json_end_array(json);
}

/* What can be done about what was found, at most a line for each kind. */
struct remedies {
    char *items[OT_FSCK_N_KINDS];
    size_t n;
};

static char *remedy_of(enum ot_fsck_kind kind, const struct ot_fsck *fsck, const char *root)
{
    char *text = NULL;
    int len = -1;
    switch (kind) {
    case OT_FSCK_CONTENT:
        len = asprintf(&text, "import a damaged trace again: that mends its tables and its copy");
        break;
    case OT_FSCK_MANIFEST:
        len =
            asprintf(&text, "optally rm MANIFEST takes a run out whose manifest is damaged; import "
                            "its traces again");
        break;
    case OT_FSCK_COMMIT:
        len = asprintf(&text,
                       "optally gc --keep %zu --prune forgets the damaged commits; newer ones can "
                       "all be read",
                       fsck->n_sound);
        break;
    case OT_FSCK_OLDEST:
        len = asprintf(&text, "remove %s/oldest: then optally fsck says where the history ends",
                       root);
        break;
    default:
        len = fsck->newest
                  ? asprintf(&text,
                             "no verb reads the newest commit: echo %s >'%s/head' goes back to the "
                             "newest one that can be read; import again what it does not know",
                             fsck->newest, root)
                  : asprintf(&text, "no commit can be read: make a new store and import again");
        break;
    }
    return len < 0 ? NULL : text;
}

/* The most urgent first. Without a newest commit nothing else helps. */
static int find_remedies(const struct ot_fsck *fsck, const char *root, struct remedies *ret,
                         struct ot_err *err)
{
    *ret = (struct remedies){0};
    for (int kind = OT_FSCK_N_KINDS - 1; kind >= 0; kind--) {
        bool is_found = false;
        for (size_t i = 0; i < fsck->n_findings; i++)
            is_found |= (int)fsck->findings[i].kind == kind;
        if (!is_found || (kind == OT_FSCK_COMMIT && fsck->n_sound == 0))
            continue;
        ret->items[ret->n] = remedy_of((enum ot_fsck_kind)kind, fsck, root);
        if (!ret->items[ret->n++])
            return ot_err_set(err, OT_ERR_NOMEM, "out of memory for what can be done");
    }
    return OT_OK;
}

static void release_remedies(struct remedies *remedies)
{
    for (size_t i = 0; i < remedies->n; i++)
        free(remedies->items[i]);
}

static void write_json(const struct fsck_args *args, const struct ot_fsck *fsck,
                       const struct remedies *remedies)
{
    struct ot_json json = {.out = stdout};
    ot_json_begin_object(&json);
    ot_json_put_text(&json, "schema", ot_text_of("optally.fsck/1"));
    ot_json_put_bool(&json, "whole", fsck->n_findings == 0);
    ot_json_put_bool(&json, "quick", args->quick);
    ot_json_put_unsigned(&json, "files", fsck->n_files);
    ot_json_put_unsigned(&json, "bytes", fsck->n_bytes);
    write_findings(&json, fsck);
    ot_json_key(&json, ot_text_of("runs"));
    ot_json_begin_array(&json);
    for (size_t i = 0; i < fsck->n_runs; i++) {
        ot_json_begin_object(&json);
        ot_json_put_text(&json, "run", ot_text_of(fsck->runs[i].id));
        ot_json_put_text(&json, "name", ot_text_of(fsck->runs[i].name));
        ot_json_put_text(&json, "manifest", ot_text_of(fsck->runs[i].manifest));
        ot_json_put_bool(&json, "whole", fsck->runs[i].is_whole);
        ot_json_put_bool(&json, "lost", fsck->runs[i].is_lost);
        ot_json_end_object(&json);
    }
    ot_json_end_array(&json);
    ot_json_key(&json, ot_text_of("commits"));
    ot_json_begin_array(&json);
    for (size_t i = 0; i < fsck->n_commits; i++) {
        ot_json_begin_object(&json);
        ot_json_put_text(&json, "commit", ot_text_of(fsck->commits[i].id));
        ot_json_put_bool(&json, "readable", fsck->commits[i].is_readable);
        ot_json_put_bool(&json, "whole", fsck->commits[i].is_whole);
        ot_json_end_object(&json);
    }
    ot_json_end_array(&json);
    ot_json_key(&json, ot_text_of("remedies"));
    ot_json_begin_array(&json);
    for (size_t i = 0; i < remedies->n; i++)
        ot_json_text(&json, ot_text_of(remedies->items[i]));
    ot_json_end_array(&json);
    ot_json_end_object(&json);
    putchar('\n');
}

static const struct ot_grid_column columns[] = {
    {.title = "", .is_left = true},
    {.title = "", .is_left = true},
    {.title = "", .is_left = true},
};

/* What a damaged store still answers: runs, then commits. */
static int write_answers(const struct ot_fsck *fsck, const struct ot_look *look, struct ot_err *err)
{
    struct ot_grid grid = {.columns = columns, .n_columns = 3, .has_no_titles = true};
    for (size_t i = 0; i < fsck->n_runs; i++) {
        const struct ot_fsck_run *run = &fsck->runs[i];
        bool is_known = run->id[0] != '\0';
        ot_grid_add(&grid, ot_text_of(is_known ? "run" : "manifest"));
        ot_grid_add(&grid,
                    (struct ot_text){is_known ? run->id : run->manifest, OT_CORPUS_SHORT_ID});
        struct ot_str text = {0};
        ot_str_addf(&text, "%s%s%s%s",
                    !run->is_whole ? "damaged"
                    : run->is_lost ? "whole"
                                   : "answers",
                    run->is_lost ? ", in no commit that can be read" : "", is_known ? "  " : "",
                    run->name);
        ot_grid_add(&grid, (struct ot_text){ot_str_borrow(&text), text.len});
        ot_str_release(&text);
    }
    for (size_t i = 0; i < fsck->n_commits; i++) {
        const struct ot_fsck_commit *commit = &fsck->commits[i];
        ot_grid_add(&grid, ot_text_of("commit"));
        ot_grid_add(&grid, (struct ot_text){commit->id, OT_CORPUS_SHORT_ID});
        ot_grid_add(&grid, ot_text_of(!commit->is_readable ? "damaged"
                                      : commit->is_whole   ? "answers"
                                                           : "answers in part"));
    }
    int code = grid.failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for a table") : OT_OK;
    if (code == OT_OK)
        ot_grid_write(&grid, look, stdout);
    ot_grid_release(&grid);
    return code;
}

static int write_text(const struct fsck_args *args, const struct ot_fsck *fsck,
                      const struct remedies *remedies, struct ot_err *err)
{
    struct ot_look look;
    char files[OT_UNITS_BYTES];
    char bytes[OT_UNITS_BYTES];
    int code = OT_OK;
    ot_tty_look(STDOUT_FILENO, OT_COLOR_AUTO, &look);
    for (size_t i = 0; i < fsck->n_findings; i++) {
        struct ot_str line = {0};
        ot_str_addf(&line, "%s: %s", fsck->findings[i].path, fsck->findings[i].what);
        ot_look_write_words(&look, OT_STYLE_ERROR,
                            "damage: ", (struct ot_text){ot_str_borrow(&line), line.len}, stdout);
        ot_str_release(&line);
    }
    if (fsck->n_findings) {
        putchar('\n');
        code = write_answers(fsck, &look, err);
        putchar('\n');
    }
    ot_units_count(files, fsck->n_files);
    ot_units_bytes(bytes, fsck->n_bytes);
    printf("%s %s, %s, of %zu %s and %zu %s%s: %s\n", files, fsck->n_files == 1 ? "file" : "files",
           bytes, fsck->n_runs, fsck->n_runs == 1 ? "run" : "runs", fsck->n_commits,
           fsck->n_commits == 1 ? "commit" : "commits",
           args->quick ? ", but not what is in kept traces" : "",
           fsck->n_findings ? "damaged" : "all as they should be");
    for (size_t i = 0; i < remedies->n; i++) {
        /* In one line, to be copied. */
        struct ot_str line = {0};
        ot_utf8_add_printable(&line, ot_text_of(remedies->items[i]));
        printf("what helps: %s\n", ot_str_borrow(&line));
        ot_str_release(&line);
    }
    return code;
}

static int check(const struct fsck_args *args, bool *ret_is_whole, struct ot_err *err)
{
    struct ot_corpus corpus;
    struct ot_fsck fsck = {0};
    struct remedies remedies = {0};
    struct ot_fsck_opts opts = {.count_rows = !args->quick,
                                .check_artifact = args->quick ? NULL : ot_artifact_check};
    int code = ot_corpus_find(args->store, &corpus, err);
    if (code == OT_OK)
        code = ot_store_module_load(&opts.store, err);
    if (code == OT_OK)
        code = ot_fsck(&fsck, &corpus, &opts, err);
    if (code == OT_OK)
        code = find_remedies(&fsck, corpus.root, &remedies, err);
    if (code == OT_OK && args->json)
        write_json(args, &fsck, &remedies);
    else if (code == OT_OK)
        code = write_text(args, &fsck, &remedies, err);
    release_remedies(&remedies);
    *ret_is_whole = fsck.n_findings == 0;
    ot_fsck_release(&fsck);
    return code;
}

int ot_cmd_fsck(int argc, char **argv)
{
    ot_quit_on_closed_pipe();
    struct fsck_args args = {.json = ot_asks_for_json(argc, argv)};
    struct ot_err err;
    bool is_whole = true;
    int code = parse(argc, argv, &args, &err);
    if (code == OT_OK && args.help)
        return ot_print_usage(verb, usage);
    if (code == OT_OK)
        code = check(&args, &is_whole, &err);
    if (code < 0)
        return ot_store_fail(verb, code, &err, args.json);
    return ot_finish_output(verb, is_whole ? OT_EXIT_OK : OT_EXIT_FAILED);
}
