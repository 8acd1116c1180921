/* cmd_sql.c: optally sql: queries over a store. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/str.h"
#include "capture/paths.h"
#include "cli/failure.h"
#include "cli/held.h"
#include "cli/output.h"
#include "cli/sql_options.h"
#include "cli/sql_query.h"
#include "cli/sql_shell.h"
#include "cli/sql_text.h"
#include "cli/store_module.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "corpus/corpus.h"
#include "store/store.h"

static const char verb[] = "sql";

/* --- one query ----------------------------------------------------------------------------------
 */

/* A run of the verb. */
struct session {
    const struct ot_sql_args *args;
    char spill[PATH_MAX]; /* a folder of its own in that of the option; empty: none */
    const struct ot_store_api *store;
    struct ot_corpus corpus;
    struct ot_corpus_state state;
    struct ot_sql_view view;
    struct ot_sql *sql;
    struct ot_look look;
    bool is_out;                   /* some of the answer has left */
    volatile sig_atomic_t signal;  /* that has ended the query */
    const struct ot_held *held;    /* while a query writes to it */
    const struct ot_outfile *file; /* likewise */
    char *const *argv;             /* of the verb */
    bool is_shell;
};

static void tell_left_out(const struct session *session, const struct ot_sql_result *result)
{
    enum ot_sql_format format = session->args->format;
    if (result->n_shown < result->n_rows && (format == OT_SQL_CSV || format == OT_SQL_PARQUET))
        ot_complain(verb, "%llu of %llu rows (--limit all writes all)",
                    (unsigned long long)result->n_shown, (unsigned long long)result->n_rows);
}

static int query(struct session *session, const char *text, FILE *out, const char *file,
                 struct ot_err *err)
{
    struct ot_sql_output output = {
        .format = session->args->format,
        .out = out,
        .file = file,
        .look = &session->look,
        .max_rows = session->args->limit,
    };
    struct ot_sql_result result;
    int code =
        ot_sql_query(session->store, session->sql, text, &output, &result, &session->signal, err);
    if (code == OT_OK)
        tell_left_out(session, &result);
    return code;
}

static int query_to_stdout(struct session *session, const char *text, struct ot_err *err)
{
    struct ot_held held;
    if (!ot_held_begin(&held))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for the output");
    session->held = &held;
    int code = query(session, text, held.out, NULL, err);
    session->held = NULL;
    if (code < 0) {
        session->is_out = !ot_held_drop(&held);
        return code;
    }
    return ot_held_end(&held) ? OT_OK : ot_err_sys(err, OT_ERR_IO, "cannot write the output");
}

/* DuckDB opens the file itself, by a name that it has even where it has none. */
static int query_to_file(struct session *session, const char *text, struct ot_err *err)
{
    struct ot_outfile file;
    char path[64];
    const char *root = session->corpus.root;
    int code = ot_outfile_open(&file, session->args->output, &root, 1, err);
    if (code < 0)
        return code;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file.out));
    session->file = &file;
    code = query(session, text, file.out, path, err);
    session->file = NULL;
    if (code == OT_OK)
        return ot_outfile_keep(&file, NULL, err);
    ot_outfile_abandon(&file);
    return code;
}

static int run_query(struct session *session, const char *text, struct ot_err *err)
{
    return session->args->output ? query_to_file(session, text, err)
                                 : query_to_stdout(session, text, err);
}

/* --- all ----------------------------------------------------------------------------------------
 */

static bool wants_shell(const struct ot_sql_args *args)
{
    return !args->query && !args->file && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static int run_shell(struct session *session, struct ot_err *err)
{
    if (session->args->output)
        return ot_err_set(err, OT_ERR_USAGE, "--output needs a QUERY");
    session->is_shell = true;
    struct ot_sql_shell shell = {
        .store = session->store,
        .sql = session->sql,
        .view = &session->view,
        .signal = &session->signal,
        .output =
            {
                .format = session->args->format,
                .out = stdout,
                .look = &session->look,
                .max_rows = session->args->limit,
            },
    };
    return ot_sql_shell(&shell, err);
}

/* Of its own, since what lies in it can be read. */
static int make_spill_folder(struct session *session, struct ot_sql_limits *limits,
                             struct ot_err *err)
{
    const char *folder = limits->spill_folder;
    if (!folder)
        return OT_OK;
    char path[PATH_MAX];
    if (!realpath(folder, path) ||
        snprintf(session->spill, PATH_MAX, "%s/optally-XXXXXX", path) >= PATH_MAX ||
        !mkdtemp(session->spill)) {
        session->spill[0] = '\0';
        return ot_err_sys(err, OT_ERR_IO, "--spill: %s", folder);
    }
    limits->spill_folder = session->spill;
    return OT_OK;
}

static void remove_spill(struct session *session)
{
    if (session->spill[0] != '\0')
        ot_paths_remove_tree(session->spill);
    session->spill[0] = '\0';
}

/* A query's own mistakes need other words than those of the command line. */
static const struct {
    int code;
    bool is_open; /* the store */
    const char *remedy;
} remedies[] = {
    {OT_ERR_USAGE, true, "SHOW TABLES lists the views, DESCRIBE VIEW the columns of one"},
    {OT_ERR_NOMEM, true, "raise --memory-limit, or let --spill DIR take the rest"},
    {OT_ERR_INPUT, true, "optally fsck says what is damaged"},
    {OT_ERR_INPUT, false, "optally init makes a store, optally import puts runs into it"},
};

static const char *remedy_of(const struct session *session, int code)
{
    for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++) {
        if (remedies[i].code == code && remedies[i].is_open == (session->sql != NULL))
            return remedies[i].remedy;
    }
    return NULL;
}

static void complain(const struct session *session, const struct ot_err *err)
{
    ot_sql_complain(err);
    if (session->is_out)
        ot_complain(verb, "what was written before is not the whole answer");
}

static int fail_as_asked(const struct session *session, int code, const struct ot_err *err)
{
    return ot_fail_as_asked(&(struct ot_cli_failure){
        .verb = verb,
        .code = code,
        .err = err,
        .json = session->args->json && !session->is_out,
        .is_told = true,
        .remedy = remedy_of(session, code),
    });
}

/* The statement never ends, and so the thread that it is in leaves nothing that can be closed. */
static void remove_files(struct session *session)
{
    remove_spill(session);
    if (session->file && session->file->work[0] != '\0')
        unlink(session->file->work);
}

static void unblock_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
}

static void end_by_signal(int number)
{
    signal(number, SIG_DFL);
    unblock_signals();
    raise(number);
}

/* With a process that is as new, in the place of this one. */
static void begin_again(const struct session *session)
{
    size_t n = 0;
    while (session->argv[n])
        n++;
    char **again = calloc(n + 2, sizeof(*again));
    if (!again)
        return;
    again[0] = (char *)"optally";
    memcpy(again + 1, session->argv, n * sizeof(*again));
    ot_complain(verb, "the statement cannot be ended: the shell begins anew");
    unblock_signals();
    execv("/proc/self/exe", again);
    free(again);
}

/* In the thread of the watch, whose signals are blocked. */
static void give_up(void *context, const struct ot_err *err)
{
    struct session *session = context;
    session->is_out = session->held && session->held->is_gone;
    complain(session, err);
    remove_files(session);
    if (session->is_shell && session->signal != SIGTERM)
        begin_again(session);
    if (session->signal)
        end_by_signal(session->signal);
    _exit(session->is_shell ? OT_EXIT_FAILED : fail_as_asked(session, OT_ERR_IO, err));
}

static int open_session(struct session *session, struct ot_err *err)
{
    const struct ot_sql_args *args = session->args;
    struct ot_sql_limits limits = args->limits;
    limits.give_up = give_up;
    limits.context = session;
    ot_tty_look(args->output ? -1 : STDOUT_FILENO, args->color, &session->look);
    int code = ot_corpus_find(args->store.store, &session->corpus, err);
    if (code == OT_OK)
        code = ot_corpus_read(&session->corpus, args->store.commit, &session->state, err);
    if (code == OT_OK)
        code = ot_corpus_view(&session->state, &session->view, err);
    if (code == OT_OK)
        code = ot_store_module_load(&session->store, err);
    if (code == OT_OK)
        code = make_spill_folder(session, &limits, err);
    if (code == OT_OK)
        code = session->store->sql_open(&session->view, &limits, &session->sql, err);
    return code;
}

static int run(struct session *session, struct ot_err *err)
{
    const struct ot_sql_args *args = session->args;
    struct ot_str text = {0};
    bool is_shell = wants_shell(args);
    int code = OT_OK;
    if (args->query)
        ot_str_addf(&text, "%s", args->query);
    else if (!is_shell)
        code = ot_sql_text_read(args->file ? args->file : "-", &text, err);
    if (code == OT_OK)
        code = open_session(session, err);
    if (code == OT_OK)
        code = is_shell ? run_shell(session, err) : run_query(session, ot_str_borrow(&text), err);
    ot_str_release(&text);
    return code;
}

static void close_session(struct session *session)
{
    if (session->sql)
        session->store->sql_close(session->sql);
    session->sql = NULL;
    remove_spill(session);
    ot_corpus_state_release(&session->state);
}

static int fail(struct session *session, int code, const struct ot_err *err)
{
    complain(session, err);
    if (session->signal) {
        close_session(session);
        raise(session->signal);
    }
    return fail_as_asked(session, code, err);
}

int ot_cmd_sql(int argc, char **argv)
{
    ot_quit_on_closed_pipe();
    struct ot_sql_args args;
    struct session session = {.args = &args, .argv = argv};
    struct ot_err err;
    int code = ot_sql_parse(argc, argv, &args, &err);
    ot_tty_set_stderr_color(args.color);
    if (code == OT_OK && args.help)
        return ot_print_usage(verb, ot_sql_usage);
    if (code == OT_OK)
        code = run(&session, &err);
    int status = code < 0 ? fail(&session, code, &err) : ot_finish_output(verb, OT_EXIT_OK);
    close_session(&session);
    return status;
}
