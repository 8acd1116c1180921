#include "cli/sql_options.h"

#include <string.h>
#include <unistd.h>

#include "cli/failure.h"
#include "cli/numbers.h"
#include "cli/options.h"

static const char verb[] = "sql";

const char ot_sql_usage[] =
    "usage: optally sql [OPTION...] [QUERY]\n"
    "\n"
    "Answers a query over the runs of a store, in DuckDB's SQL: one statement that reads. Without\n"
    "QUERY it is read from standard input; on a terminal there is a prompt. SHOW TABLES lists the\n"
    "views that there are, DESCRIBE VIEW the columns of one.\n"
    "\n"
    "  -f, --file FILE      read the query from FILE (- for standard input)\n"
    "      --commit ID      what that commit of the store knows (default: the newest)\n"
    "      --format FORMAT  table (the default), csv, json or parquet, which needs -o\n"
    "      --json, --csv    the same as --format json and csv\n"
    "  -o, --output FILE    write to FILE, which is replaced when the answer is whole\n"
    "      --limit N        show N rows, or all (default: 100 of a table, else all)\n"
    "      --timeout SECONDS\n"
    "                       give up after so long; 0: never (default: 60)\n"
    "      --memory-limit SIZE\n"
    "                       what the query may take; K, M and G may follow (default: 2G)\n"
    "      --threads N      run on N threads; rows without ORDER BY may then come in any\n"
    "                       order (default: 1)\n"
    "      --spill DIR      what does not fit into that may be written to DIR meanwhile\n"
    "      --store DIR      the store (default: $OPTALLY_STORE, or the nearest .optally)\n"
    "      --color WHEN     auto (on a terminal, unless NO_COLOR is set), always or never\n"
    "  -h, --help           print this\n";

enum {
    OPT_FORMAT = 256,
    OPT_JSON,
    OPT_CSV,
    OPT_LIMIT,
    OPT_TIMEOUT,
    OPT_MEMORY_LIMIT,
    OPT_THREADS,
    OPT_SPILL,
    OPT_COLOR
};
enum {
    TABLE_ROWS = 100,
    TIMEOUT_S = 60,
    MAX_THREADS = 1024,
    MIN_MEMORY_BYTES = 16 << 20,
    NO_LIMIT_GIVEN = -2
};
#define NS_PER_S INT64_C(1000000000)

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"file", required_argument, NULL, 'f'},
    {"output", required_argument, NULL, 'o'},
    {"commit", required_argument, NULL, OT_OPT_COMMIT},
    {"store", required_argument, NULL, OT_OPT_STORE},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"json", no_argument, NULL, OPT_JSON},
    {"csv", no_argument, NULL, OPT_CSV},
    {"limit", required_argument, NULL, OPT_LIMIT},
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {"memory-limit", required_argument, NULL, OPT_MEMORY_LIMIT},
    {"threads", required_argument, NULL, OPT_THREADS},
    {"spill", required_argument, NULL, OPT_SPILL},
    {"color", required_argument, NULL, OPT_COLOR},
    {0},
};

static const char *const format_names[] = {
    [OT_SQL_TABLE] = "table",
    [OT_SQL_CSV] = "csv",
    [OT_SQL_JSON] = "json",
    [OT_SQL_PARQUET] = "parquet",
};

static int choose_format(struct ot_sql_args *args, const char *name, struct ot_err *err)
{
    for (size_t i = 0; i < sizeof(format_names) / sizeof(format_names[0]); i++) {
        if (strcmp(name, format_names[i]) != 0)
            continue;
        if (args->has_format && args->format != i)
            return ot_err_set(err, OT_ERR_USAGE, "%s and %s: there is one format",
                              format_names[args->format], name);
        args->format = (enum ot_sql_format)i;
        args->has_format = true;
        args->json |= i == OT_SQL_JSON;
        return OT_OK;
    }
    return ot_err_set(err, OT_ERR_USAGE, "--format: '%s' is none of: table, csv, json, parquet",
                      name);
}

static int parse_timeout(struct ot_sql_args *args, struct ot_err *err)
{
    int64_t seconds;
    if (!ot_parse_number(optarg, &seconds) || seconds > INT32_MAX)
        return ot_err_set(err, OT_ERR_USAGE, "--timeout: '%s' is not a number of seconds", optarg);
    args->limits.timeout_ns = seconds * NS_PER_S;
    return OT_OK;
}

static int parse_memory(struct ot_sql_args *args, struct ot_err *err)
{
    uint64_t bytes;
    if (!ot_parse_size(optarg, &bytes) || bytes < MIN_MEMORY_BYTES || bytes > INT64_MAX)
        return ot_err_set(err, OT_ERR_USAGE,
                          "--memory-limit: '%s' is no size from 16M on, such as 500M or 4G",
                          optarg);
    args->limits.memory_bytes = (int64_t)bytes;
    return OT_OK;
}

static int parse_threads(struct ot_sql_args *args, struct ot_err *err)
{
    int64_t n;
    if (!ot_parse_number(optarg, &n) || n < 1 || n > MAX_THREADS)
        return ot_err_set(err, OT_ERR_USAGE, "--threads: '%s' is not a number from 1 to %d", optarg,
                          MAX_THREADS);
    args->limits.n_threads = (unsigned)n;
    return OT_OK;
}

static int take_option(int c, void *context, struct ot_err *err)
{
    struct ot_sql_args *args = context;
    if (ot_input_option(c, &args->store))
        return OT_OK;
    switch (c) {
    case 'f':
        args->file = optarg;
        return OT_OK;
    case 'o':
        args->output = optarg;
        return OT_OK;
    case OPT_FORMAT:
        return choose_format(args, optarg, err);
    case OPT_JSON:
        return choose_format(args, "json", err);
    case OPT_CSV:
        return choose_format(args, "csv", err);
    case OPT_LIMIT:
        return ot_parse_limit("--limit", optarg, &args->limit, err);
    case OPT_TIMEOUT:
        return parse_timeout(args, err);
    case OPT_MEMORY_LIMIT:
        return parse_memory(args, err);
    case OPT_THREADS:
        return parse_threads(args, err);
    case OPT_SPILL:
        args->limits.spill_folder = optarg;
        return OT_OK;
    case OPT_COLOR:
        return ot_color_parse(optarg, &args->color, err);
    default:
        return OT_OK;
    }
}

static int check(struct ot_sql_args *args, int argc, char **argv, struct ot_err *err)
{
    if (argc - optind > 1)
        return ot_err_set(err, OT_ERR_USAGE, "'%s': there is one QUERY: put it in quotes",
                          argv[optind + 1]);
    args->query = argv[optind];
    if (args->query && args->file)
        return ot_err_set(err, OT_ERR_USAGE, "--file and QUERY exclude each other");
    if (args->format == OT_SQL_PARQUET && !args->output)
        return ot_err_set(err, OT_ERR_USAGE, "parquet needs --output FILE");
    if (args->limits.spill_folder && access(args->limits.spill_folder, W_OK | X_OK) < 0)
        return ot_err_sys(err, OT_ERR_USAGE, "--spill: %s", args->limits.spill_folder);
    if (args->limit == NO_LIMIT_GIVEN)
        args->limit = args->format == OT_SQL_TABLE ? TABLE_ROWS : -1;
    return OT_OK;
}

int ot_sql_parse(int argc, char **argv, struct ot_sql_args *args, struct ot_err *err)
{
    *args = (struct ot_sql_args){
        .limit = NO_LIMIT_GIVEN,
        .limits = {.timeout_ns = TIMEOUT_S * NS_PER_S, .n_threads = 1},
        .json = ot_asks_for_json(argc, argv),
    };
    static const struct ot_options walk = {
        .verb = verb, .shorts = ":hf:o:", .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    return check(args, argc, argv, err);
}
