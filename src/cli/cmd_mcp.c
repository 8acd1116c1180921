/* cmd_mcp.c: optally mcp: a door for agents. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/numbers.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "corpus/corpus.h"
#include "mcp/mcp.h"

static const char verb[] = "mcp";

static const char usage[] =
    "usage: optally mcp [OPTION...]\n"
    "\n"
    "Serves the Model Context Protocol on standard input and output, for an agent that starts it:\n"
    "the runs of the store, their analysis, comparison and SQL, with answers of bounded size.\n"
    "\n"
    "  --allow DIR          let traces under DIR be named, too; may be repeated (default: none)\n"
    "  --read-only          import nothing\n"
    "  --commit ID          answer from that commit of the store alone, and import nothing\n"
    "                       (default: the newest)\n"
    "  --store DIR          the store (default: $OPTALLY_STORE, or the nearest .optally)\n"
    "  --timeout S          end a call after S seconds (default: 120)\n"
    "  -h, --help           print this\n";

enum { OPT_ALLOW = 256, OPT_READ_ONLY, OPT_COMMIT, OPT_STORE, OPT_TIMEOUT };
enum { DEFAULT_TIMEOUT_S = 120, MAX_TIMEOUT_S = 24 * 3600, MAX_FOLDERS = 64 };

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"allow", required_argument, NULL, OPT_ALLOW},
    {"read-only", no_argument, NULL, OPT_READ_ONLY},
    {"commit", required_argument, NULL, OPT_COMMIT},
    {"store", required_argument, NULL, OPT_STORE},
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {0},
};

struct mcp_args {
    struct ot_mcp_opts opts;
    char commit[OT_MCP_ID_BYTES];
    const char *folders[MAX_FOLDERS];
    bool help;
};

static int take_timeout(struct mcp_args *args, struct ot_err *err)
{
    int64_t seconds;
    if (!ot_parse_number(optarg, &seconds) || seconds < 1 || seconds > MAX_TIMEOUT_S)
        return ot_err_set(err, OT_ERR_USAGE, "--timeout: '%s' is not a number of seconds, 1 to %d",
                          optarg, MAX_TIMEOUT_S);
    args->opts.timeout_ns = seconds * 1000000000;
    return OT_OK;
}

static int take_option(int c, void *context, struct ot_err *err)
{
    struct mcp_args *args = context;
    switch (c) {
    case OPT_ALLOW:
        if (args->opts.n_folders == MAX_FOLDERS)
            return ot_err_set(err, OT_ERR_USAGE, "--allow: more than %d folders", MAX_FOLDERS);
        args->folders[args->opts.n_folders++] = optarg;
        return OT_OK;
    case OPT_READ_ONLY:
        args->opts.read_only = true;
        return OT_OK;
    case OPT_COMMIT: /* what would be imported would not be seen */
        args->opts.commit = optarg;
        args->opts.read_only = true;
        return OT_OK;
    case OPT_STORE:
        args->opts.store = optarg;
        return OT_OK;
    default:
        return take_timeout(args, err);
    }
}

static int parse(int argc, char **argv, struct mcp_args *args, struct ot_err *err)
{
    static const struct ot_options walk = {.verb = verb, .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    if (optind < argc)
        return ot_err_set(err, OT_ERR_USAGE,
                          "'%s' is one argument too many (see optally mcp --help)", argv[optind]);
    return OT_OK;
}

/* --- what the server asks ----------------------------------------------------------------------
 */

static int take_sessions(const struct ot_corpus_pick *picked, struct ot_mcp_pick *ret_pick,
                         struct ot_err *err)
{
    ret_pick->sessions = calloc(picked->n_sessions + 1, sizeof(*ret_pick->sessions));
    if (!ret_pick->sessions)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for sessions");
    for (size_t i = 0; i < picked->n_sessions; i++)
        strncpy(ret_pick->sessions[i], picked->sessions[i].id, OT_MCP_ID_BYTES - 1);
    ret_pick->n_sessions = picked->n_sessions;
    return OT_OK;
}

static int pick(void *data, const char *commit, const char *run, struct ot_mcp_pick *ret_pick,
                struct ot_err *err)
{
    const struct mcp_args *args = data;
    struct ot_corpus corpus;
    struct ot_corpus_state state = {0};
    struct ot_corpus_pick picked = {0};
    int code = ot_corpus_find(args->opts.store, &corpus, err);
    if (code == OT_OK)
        code = ot_corpus_read(&corpus, commit, &state, err);
    if (code == OT_OK && run)
        code = ot_corpus_pick(&state, run, &picked, err);
    if (code == OT_OK)
        code = take_sessions(&picked, ret_pick, err);
    if (code == OT_OK)
        strncpy(ret_pick->commit, state.commit, OT_MCP_ID_BYTES - 1);
    ot_corpus_state_release(&state);
    return code;
}

/* --commit may be the beginning of an id. */
static int pin(struct mcp_args *args, struct ot_err *err)
{
    struct ot_corpus corpus;
    struct ot_corpus_state state = {0};
    if (!args->opts.commit)
        return OT_OK;
    int code = ot_corpus_find(args->opts.store, &corpus, err);
    if (code == OT_OK)
        code = ot_corpus_read(&corpus, args->opts.commit, &state, err);
    if (code == OT_OK)
        strncpy(args->commit, state.commit, sizeof(args->commit) - 1);
    args->opts.commit = args->commit;
    ot_corpus_state_release(&state);
    return code;
}

static void tell(void *data, const char *line)
{
    (void)data;
    ot_complain(verb, "%s", line);
}

int ot_cmd_mcp(int argc, char **argv)
{
    struct mcp_args args = {.opts = {.version = OPTALLY_VERSION,
                                     .timeout_ns = (int64_t)DEFAULT_TIMEOUT_S * 1000000000}};
    struct ot_mcp_host host = {.data = &args, .pick = pick, .log = tell};
    struct ot_err err;
    args.opts.folders = args.folders;
    args.opts.host = &host;
    int code = parse(argc, argv, &args, &err);
    if (code == OT_OK && args.help)
        return ot_print_usage(verb, usage);
    if (code == OT_OK)
        code = pin(&args, &err);
    if (code == OT_OK && isatty(STDIN_FILENO))
        ot_complain(verb, "this is for a program: it waits for requests in JSON, one a line");
    if (code == OT_OK)
        code = ot_mcp_serve(&args.opts, STDIN_FILENO, STDOUT_FILENO, &err);
    return code < 0 ? ot_fail(verb, code, &err) : OT_EXIT_OK;
}
