#include "cli/record_options.h"

#include <getopt.h>
#include <string.h>

#include "base/oplog.h"
#include "base/tracer_env.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/verb.h"

static const char usage[] =
    "usage: optally record [OPTION...] [--] COMMAND [ARGUMENT...]\n"
    "\n"
    "Runs COMMAND, records its PyTorch operators, and prints their tally.\n"
    "\n"
    "  -o, --output DIR    where the recording goes (default: optally-data/DATE-TIME-NAME)\n"
    "      --force         replace the recording that is there\n"
    "      --scopes LIST   what to record: function,backward,torchscript,user,static_runtime\n"
    "                      (default: all of them)\n"
    "      --seq           record sequence numbers, which tie backward operators to forward ones\n"
    "      --shapes        record the shapes and types of inputs\n"
    "      --memory        record what is allocated and freed\n"
    "      --max-size SIZE stop recording at SIZE bytes; K, M and G may follow the number\n"
    "      --ring          at that size let the newest events take the place of the oldest\n"
    "      --no-tally      do not print the tally at the end\n"
    "      --require-trace do not run the program if it cannot be recorded\n"
    "      --writer NAME   how events are written: builtin (the default) or lttng\n"
    "      --lossy         lttng: drop events rather than let the program wait for the writer\n"
    "  -h, --help          print this\n"
    "\n"
    "The exit status is the program's.\n";

static const struct scope_name {
    const char *name;
    unsigned mask;
} scope_names[] = {
    {"function", 1u << OT_SCOPE_FUNCTION},
    {"backward", 1u << OT_SCOPE_BACKWARD_FUNCTION},
    {"torchscript", 1u << OT_SCOPE_TORCHSCRIPT_FUNCTION},
    {"user", 1u << OT_SCOPE_USER},
    {"static_runtime", 1u << OT_SCOPE_STATIC_RUNTIME_OP | 1u << OT_SCOPE_STATIC_RUNTIME_MODEL},
};

static bool parse_scopes(const char *list, unsigned *ret_mask)
{
    unsigned mask = 0;
    for (const char *at = list;; at++) {
        size_t len = strcspn(at, ",");
        unsigned found = 0;
        for (size_t i = 0; i < sizeof(scope_names) / sizeof(scope_names[0]); i++) {
            if (strlen(scope_names[i].name) == len && strncmp(scope_names[i].name, at, len) == 0)
                found = scope_names[i].mask;
        }
        if (!found) {
            ot_complain("record",
                        "--scopes: '%.*s' is none of function, backward, torchscript, user, "
                        "static_runtime",
                        (int)len, at);
            return false;
        }
        mask |= found;
        at += len;
        if (*at == '\0')
            break;
    }
    *ret_mask = mask;
    return true;
}

/* What a log may hold at least: its header, and some chunks of events and names. */
enum { MIN_SIZE = 1 << 20 };

static bool parse_size(const char *value, uint64_t *ret_bytes)
{
    if (ot_parse_size(value, ret_bytes) && *ret_bytes >= MIN_SIZE)
        return true;
    ot_complain("record", "--max-size: '%s' is no size from 1M on, such as 500M or 2G", value);
    return false;
}

enum option_id {
    OPT_FORCE = 256,
    OPT_WRITER,
    OPT_LOSSY,
    OPT_SCOPES,
    OPT_NO_TALLY,
    OPT_REQUIRE,
    OPT_SEQ,
    OPT_SHAPES,
    OPT_MEMORY,
    OPT_MAX_SIZE,
    OPT_RING,
};

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},
    {"force", no_argument, NULL, OPT_FORCE},
    {"writer", required_argument, NULL, OPT_WRITER},
    {"lossy", no_argument, NULL, OPT_LOSSY},
    {"scopes", required_argument, NULL, OPT_SCOPES},
    {"no-tally", no_argument, NULL, OPT_NO_TALLY},
    {"require-trace", no_argument, NULL, OPT_REQUIRE},
    {"seq", no_argument, NULL, OPT_SEQ},
    {"shapes", no_argument, NULL, OPT_SHAPES},
    {"memory", no_argument, NULL, OPT_MEMORY},
    {"max-size", required_argument, NULL, OPT_MAX_SIZE},
    {"ring", no_argument, NULL, OPT_RING},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static int parse(int argc, char **argv, struct ot_record_options *options)
{
    /* '+': what follows the command belongs to the command. */
    for (int c; (c = getopt_long(argc, argv, "+:o:h", long_options, NULL)) != -1;) {
        switch (c) {
        case 'o':
            options->output = optarg;
            break;
        case OPT_FORCE:
            options->force = true;
            break;
        case OPT_WRITER:
            options->writer = optarg;
            break;
        case OPT_LOSSY:
            options->lossy = true;
            break;
        case OPT_SCOPES:
            if (!parse_scopes(optarg, &options->scopes))
                return OT_EXIT_MISUSED;
            break;
        case OPT_NO_TALLY:
            options->no_tally = true;
            break;
        case OPT_REQUIRE:
            options->require_trace = true;
            break;
        case OPT_SEQ:
            options->log_options |= OT_OPLOG_SEQUENCE;
            break;
        case OPT_SHAPES:
            options->log_options |= OT_OPLOG_SHAPES;
            break;
        case OPT_MEMORY:
            options->log_options |= OT_OPLOG_MEMORY;
            break;
        case OPT_MAX_SIZE:
            if (!parse_size(optarg, &options->max_bytes))
                return OT_EXIT_MISUSED;
            break;
        case OPT_RING:
            options->ring = true;
            options->log_options |= OT_OPLOG_RING;
            break;
        case 'h':
            return ot_print_usage("record", usage);
        case ':':
            ot_complain("record", "%s needs a value", argv[optind - 1]);
            return OT_EXIT_MISUSED;
        default:
            if (optopt > 0 && optopt < OPT_FORCE)
                ot_complain("record", "-%c is no option of record (see optally record --help)",
                            optopt);
            else
                ot_complain("record", "%s is no option of record (see optally record --help)",
                            argv[optind - 1]);
            return OT_EXIT_MISUSED;
        }
    }
    if (optind >= argc) {
        ot_complain("record", "no command to record (optally record -- COMMAND ...)");
        return OT_EXIT_MISUSED;
    }
    return -1;
}

/* Options that only one writer has. */
static bool check_options(const struct ot_record_options *options)
{
    const struct {
        bool is_given;
        const char *option;
        const char *writer;
    } owned[] = {
        {options->max_bytes != 0, "--max-size", "builtin"},
        {options->ring, "--ring", "builtin"},
        {options->log_options & OT_OPLOG_SEQUENCE, "--seq", "builtin"},
        {options->log_options & OT_OPLOG_SHAPES, "--shapes", "builtin"},
        {options->log_options & OT_OPLOG_MEMORY, "--memory", "builtin"},
        {options->lossy, "--lossy", "lttng"},
    };
    for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++) {
        if (!owned[i].is_given || strcmp(owned[i].writer, options->writer) == 0)
            continue;
        ot_complain("record", "%s is an option of the %s writer (--writer %s)", owned[i].option,
                    owned[i].writer, owned[i].writer);
        return false;
    }
    if (options->ring && options->max_bytes == 0) {
        ot_complain("record", "--ring needs --max-size, the size to keep to");
        return false;
    }
    return true;
}

int ot_record_options_parse(struct ot_record_options *options, int argc, char **argv)
{
    *options = (struct ot_record_options){.writer = "builtin", .scopes = OT_SCOPES_DEFAULT};
    int status = parse(argc, argv, options);
    if (status < 0 && !check_options(options))
        status = OT_EXIT_MISUSED;
    return status;
}
