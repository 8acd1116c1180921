/* verb.h: what the main program knows of a verb.
 *
 * To add a verb: write cmd_<verb>.c with one function of this shape, add a row to the table in
 * main.c and a manual page docs/man/optally-<verb>.1. Nothing else learns its name.
 */
#ifndef OT_CLI_VERB_H
#define OT_CLI_VERB_H

enum ot_exit { OT_EXIT_OK = 0, OT_EXIT_FAILED = 1, OT_EXIT_MISUSED = 2 };

struct ot_verb {
    const char *name;
    /* argv[0] is the verb; returns the exit status of the process. */
    int (*run)(int argc, char **argv);
    const char *summary; /* one line for --help */
};

int ot_cmd_record(int argc, char **argv);
int ot_cmd_tally(int argc, char **argv);
int ot_cmd_analyze(int argc, char **argv);
int ot_cmd_top(int argc, char **argv);
int ot_cmd_trace(int argc, char **argv);
int ot_cmd_flamegraph(int argc, char **argv);
int ot_cmd_report(int argc, char **argv);
int ot_cmd_timeline(int argc, char **argv);
int ot_cmd_export(int argc, char **argv);
int ot_cmd_init(int argc, char **argv);
int ot_cmd_import(int argc, char **argv);
int ot_cmd_runs(int argc, char **argv);
int ot_cmd_log(int argc, char **argv);
int ot_cmd_show(int argc, char **argv);
int ot_cmd_rm(int argc, char **argv);
int ot_cmd_gc(int argc, char **argv);
int ot_cmd_fsck(int argc, char **argv);
int ot_cmd_sql(int argc, char **argv);
int ot_cmd_diff(int argc, char **argv);
int ot_cmd_mcp(int argc, char **argv);
int ot_cmd_doctor(int argc, char **argv);

/* Prints "optally VERB: <message>" as one line to stderr, whatever is in the names it holds. */
void ot_complain(const char *verb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same, of what has failed: on a terminal its beginning is red. */
void ot_complain_of_error(const char *verb, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
