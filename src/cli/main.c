/* main.c: finds the verb and runs it. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/verb.h"

static int run_help(int argc, char **argv);

static const struct ot_verb verbs[] = {
    {"record", ot_cmd_record, "run a program and capture its operators, then print the tally"},
    {"tally", ot_cmd_tally, "print the time per operator"},
    {"analyze", ot_cmd_analyze, "say where time and memory went, counted over everything that ran"},
    {"top", ot_cmd_top, "watch a recording that runs: which operators, how long, right now"},
    {"trace", ot_cmd_trace, "print every event, one line each"},
    {"timeline", ot_cmd_timeline, "draw everything that ran, for Perfetto's viewer and others"},
    {"flamegraph", ot_cmd_flamegraph, "draw which operator ran inside which, and what it took"},
    {"report", ot_cmd_report, "write all of it as one HTML page to look at, or to send"},
    {"export", ot_cmd_export, "write a trace in a format that other programs read"},
    {"init", ot_cmd_init, "make a store for traces and what was counted of them"},
    {"import", ot_cmd_import, "keep traces in the store, with everything that was counted"},
    {"runs", ot_cmd_runs, "list what the store has"},
    {"log", ot_cmd_log, "list the commits of the store"},
    {"show", ot_cmd_show, "say what a run or a commit of the store holds"},
    {"rm", ot_cmd_rm, "take a run out of the store; older commits still have it"},
    {"gc", ot_cmd_gc, "say what no commit needs any more, and remove it"},
    {"fsck", ot_cmd_fsck, "check every file of the store against what its commits say"},
    {"sql", ot_cmd_sql, "ask the store in SQL"},
    {"diff", ot_cmd_diff, "say what changed between runs, operator by operator"},
    {"mcp", ot_cmd_mcp,
     "answer an agent: the Model Context Protocol over standard input and output"},
    {"doctor", ot_cmd_doctor, "say what can be captured and read here, and what to install"},
    {"help", run_help, "explain a verb: optally help VERB"},
};
enum { N_VERBS = sizeof(verbs) / sizeof(verbs[0]), MAX_DISTANCE = 2, MAX_WORD = 32 };

static const struct ot_verb *find_verb(const char *name)
{
    for (size_t i = 0; i < N_VERBS; i++) {
        if (strcmp(name, verbs[i].name) == 0)
            return &verbs[i];
    }
    return NULL;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* How many letters have to be inserted, removed or replaced; `a` is shorter than MAX_WORD. */
static int distance(const char *a, const char *b)
{
    int costs[MAX_WORD + 1];
    int len_a = (int)strlen(a);
    for (int i = 0; i <= len_a; i++)
        costs[i] = i;
    for (int k = 1; b[k - 1] != '\0'; k++) {
        int diagonal = costs[0];
        costs[0] = k;
        for (int i = 1; i <= len_a; i++) {
            int replaced = diagonal + (a[i - 1] != b[k - 1]);
            diagonal = costs[i];
            costs[i] = smaller(replaced, smaller(costs[i], costs[i - 1]) + 1);
        }
    }
    return costs[len_a];
}

static const struct ot_verb *closest_verb(const char *name)
{
    const struct ot_verb *closest = NULL;
    int closest_distance = MAX_DISTANCE + 1;
    for (size_t i = 0; i < N_VERBS && strlen(name) < MAX_WORD; i++) {
        int candidate = distance(name, verbs[i].name);
        if (candidate < closest_distance) {
            closest_distance = candidate;
            closest = &verbs[i];
        }
    }
    return closest;
}

static int complain_of_verb(const char *name)
{
    const struct ot_verb *closest = closest_verb(name);
    if (closest)
        ot_complain(NULL, "'%s' is not a verb; did you mean '%s'?", name, closest->name);
    else
        ot_complain(NULL, "'%s' is not a verb; see optally --help", name);
    return OT_EXIT_MISUSED;
}

static int print_verbs(void)
{
    puts("usage: optally VERB [ARGUMENT...]\n"
         "       optally --help | --version | help VERB\n"
         "\n"
         "Shows where a PyTorch program's time goes, operator by operator.\n");
    for (size_t i = 0; i < N_VERBS; i++)
        printf("  %-10s %s\n", verbs[i].name, verbs[i].summary);
    return ot_finish_output(NULL, OT_EXIT_OK);
}

static int print_version(void)
{
    puts("optally " OPTALLY_VERSION);
    return ot_finish_output(NULL, OT_EXIT_OK);
}

/* True if a manual reader knows the page; without one, or without the page, usage has to do. */
static bool has_manual(const char *page)
{
    char command[MAX_WORD + 64];
    snprintf(command, sizeof(command), "man -w optally-%s >/dev/null 2>&1", page);
    return system(command) == 0;
}

static int run_help(int argc, char **argv)
{
    if (argc < 2)
        return print_verbs();
    const struct ot_verb *verb = find_verb(argv[1]);
    if (!verb)
        return complain_of_verb(argv[1]);
    if (verb->run == run_help)
        return print_verbs();
    /* The name is one of the table's, so it is safe in a command line. */
    if (has_manual(verb->name)) {
        char page[MAX_WORD + 8];
        snprintf(page, sizeof(page), "optally-%s", verb->name);
        execlp("man", "man", page, (char *)NULL);
    }
    char help[] = "--help";
    char *args[] = {argv[1], help, NULL};
    return verb->run(2, args);
}

static const struct {
    const char *name;
    int (*run)(void);
} flags[] = {
    {"--help", print_verbs},
    {"-h", print_verbs},
    {"--version", print_version},
};

/* A file of ours that took the number of a closed stream would be written to, or handed on, as one.
 * What we run finds the stream closed as it was; and writing to it still fails. */
static void occupy_closed_streams(void)
{
    int fd;
    do {
        fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    } while (fd >= 0 && fd <= 2);
    if (fd > 2)
        close(fd);
}

int main(int argc, char **argv)
{
    occupy_closed_streams();
    if (argc < 2) {
        ot_complain(NULL, "no verb given; see optally --help");
        return OT_EXIT_MISUSED;
    }
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (strcmp(argv[1], flags[i].name) == 0)
            return flags[i].run();
    }
    const struct ot_verb *verb = find_verb(argv[1]);
    return verb ? verb->run(argc - 1, argv + 1) : complain_of_verb(argv[1]);
}
