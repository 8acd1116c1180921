#include "cli/sql_shell.h"

#include <errno.h>
#include <histedit.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "base/str.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/sql_query.h"
#include "cli/verb.h"

enum { HISTORY_LINES = 1000 };

static const char help[] =
    "A statement ends with a semicolon, and may have several lines. Ctrl-C ends the one that "
    "runs,\n"
    "or throws away the one that is being typed.\n"
    "\n"
    "  .tables         the views that there are\n"
    "  .schema NAME    the columns of one\n"
    "  .limit N        show N rows from now on, or all\n"
    "  .help           this\n"
    "  exit, Ctrl-D    leave (also quit, .exit, .quit and \\q)\n"
    "\n"
    "optally help sql describes the columns, and has queries to begin with.\n";

struct shell {
    const struct ot_sql_shell *base;
    struct ot_sql_output output;
    EditLine *editor;
    History *history;
    char history_file[PATH_MAX]; /* empty: none */
    struct ot_str statement;     /* what is typed and not run yet */
    struct ot_str names;         /* of views and columns, a line each */
    bool is_leaving;
};

/* --- the terminal -------------------------------------------------------------------------------
 */

static volatile sig_atomic_t was_interrupted;

static void note_interrupt(int signal)
{
    (void)signal;
    was_interrupted = 1;
}

static char *prompt(EditLine *editor)
{
    static char first[] = "optally> ";
    static char more[] = "    ...> ";
    struct shell *shell = NULL;
    el_get(editor, EL_CLIENTDATA, &shell);
    return shell->statement.len ? more : first;
}

static int read_byte(void)
{
    unsigned char byte;
    ssize_t n = read(STDIN_FILENO, &byte, 1);
    return n == 1 ? byte : n == 0 ? EOF : -2;
}

/* The editor's own would read on after a signal. */
static int read_character(EditLine *editor, wchar_t *ret_character)
{
    mbstate_t state = {0};
    (void)editor;
    for (;;) {
        /* What was typed after Ctrl-C can be there before it was noticed. */
        int byte = was_interrupted ? -1 : read_byte();
        if (byte == EOF)
            return 0;
        if (byte < 0)
            return -1;
        char c = (char)byte;
        size_t n = mbrtowc(ret_character, &c, 1, &state);
        if (n == (size_t)-1)
            state = (mbstate_t){0};
        else if (n != (size_t)-2)
            return 1;
    }
}

/* --- completion ---------------------------------------------------------------------------------
 */

static int read_names(struct shell *shell)
{
    static const char query[] = "SELECT table_name FROM duckdb_columns() "
                                "WHERE schema_name = 'main' AND NOT internal "
                                "UNION SELECT column_name FROM duckdb_columns() "
                                "WHERE schema_name = 'main' AND NOT internal ORDER BY 1";
    char *text = NULL;
    size_t len = 0;
    struct ot_sql_output output = {.format = OT_SQL_CSV, .max_rows = -1};
    struct ot_sql_result result;
    struct ot_err err;
    output.out = open_memstream(&text, &len);
    if (!output.out)
        return OT_ERR_NOMEM;
    int code = shell->base->store->sql_run(shell->base->sql, query, &output, &result, &err);
    fclose(output.out);
    if (code == OT_OK && text)
        ot_str_add(&shell->names, text, len);
    free(text);
    return code;
}

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* What all names that begin with `word` have in common. */
struct matches {
    const char *common;
    size_t common_len;
    size_t n;
};

static struct matches match(const struct shell *shell, const char *word, size_t len, FILE *list)
{
    struct matches matches = {0};
    const char *at = ot_str_borrow(&shell->names);
    for (size_t line; *at; at += line + (at[line] != '\0')) {
        line = strcspn(at, "\n");
        size_t name_len = line && at[line - 1] == '\r' ? line - 1 : line;
        if (name_len < len || strncasecmp(at, word, len) != 0)
            continue;
        if (list)
            fprintf(list, "%s%.*s", matches.n ? "  " : "\n", (int)name_len, at);
        if (matches.n++ == 0) {
            matches.common = at;
            matches.common_len = name_len;
        }
        while (matches.common_len > name_len ||
               strncmp(matches.common, at, matches.common_len) != 0)
            matches.common_len--;
    }
    return matches;
}

static unsigned char complete(EditLine *editor, int key)
{
    struct shell *shell = NULL;
    (void)key;
    el_get(editor, EL_CLIENTDATA, &shell);
    const LineInfo *line = el_line(editor);
    const char *from = line->cursor;
    while (from > line->buffer && is_of_name(from[-1]))
        from--;
    size_t len = (size_t)(line->cursor - from);
    struct matches matches = match(shell, from, len, NULL);
    if (len == 0 || matches.n == 0)
        return CC_ERROR;
    if (matches.common_len > len) {
        char rest[128];
        snprintf(rest, sizeof(rest), "%.*s", (int)(matches.common_len - len), matches.common + len);
        return el_insertstr(editor, rest) == 0 ? CC_REFRESH : CC_ERROR;
    }
    if (matches.n == 1)
        return CC_ERROR;
    match(shell, from, len, stdout);
    putchar('\n');
    fflush(stdout);
    return CC_REDISPLAY;
}

/* --- history ------------------------------------------------------------------------------------
 */

/* Makes the folders of a path; that they cannot be made is found when the file is written. */
static void make_folders(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof(folder), "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0700);
        *slash = '/';
    }
}

static void open_history(struct shell *shell)
{
    HistEvent event;
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    int len = 0;
    if (state && state[0] == '/')
        len = snprintf(shell->history_file, PATH_MAX, "%s/optally/sql_history", state);
    else if (home && home[0] == '/')
        len = snprintf(shell->history_file, PATH_MAX, "%s/.local/state/optally/sql_history", home);
    if (len >= PATH_MAX)
        shell->history_file[0] = '\0';
    history(shell->history, &event, H_SETSIZE, HISTORY_LINES);
    history(shell->history, &event, H_SETUNIQUE, 1);
    if (shell->history_file[0] != '\0')
        history(shell->history, &event, H_LOAD, shell->history_file);
}

/* A history that cannot be kept is no reason to complain after every line. */
static void keep_line(struct shell *shell, const char *line)
{
    HistEvent event;
    if (line[strspn(line, " \t\n")] == '\0')
        return;
    history(shell->history, &event, H_ENTER, line);
    if (shell->history_file[0] == '\0')
        return;
    make_folders(shell->history_file);
    mode_t before = umask(077);
    history(shell->history, &event, H_SAVE, shell->history_file);
    umask(before);
}

/* --- statements ---------------------------------------------------------------------------------
 */

static void run(const struct shell *shell, const char *statement)
{
    const struct ot_sql_shell *base = shell->base;
    struct ot_sql_result result;
    struct ot_err err;
    int code = ot_sql_query(base->store, base->sql, statement, &shell->output, &result,
                            base->signal, &err);
    fflush(stdout);
    if (code < 0)
        ot_sql_complain(&err);
}

/* Runs what is complete of what was typed, and keeps the rest. */
static void run_complete(struct shell *shell)
{
    size_t end;
    while ((end = shell->base->store->sql_statement_end(ot_str_borrow(&shell->statement)))) {
        struct ot_str statement = {0};
        struct ot_str rest = {0};
        const char *typed = ot_str_borrow(&shell->statement);
        ot_str_add(&statement, typed, end);
        typed += end;
        ot_str_addf(&rest, "%s", typed + strspn(typed, " \t\n"));
        ot_str_release(&shell->statement);
        shell->statement = rest;
        run(shell, ot_str_borrow(&statement));
        ot_str_release(&statement);
    }
}

static void show_columns(const struct shell *shell, const char *name)
{
    struct ot_str query = {0};
    ot_str_addf(&query, "SELECT column_name, column_type FROM (DESCRIBE \"");
    for (; *name; name++)
        ot_str_addf(&query, *name == '"' ? "\"\"" : "%c", *name);
    ot_str_addf(&query, "\")");
    run(shell, ot_str_borrow(&query));
    ot_str_release(&query);
}

static void set_limit(struct shell *shell, const char *value)
{
    struct ot_err err;
    if (ot_parse_limit(".limit", value, &shell->output.max_rows, &err) < 0)
        ot_sql_complain(&err);
}

/* The two words alone begin no statement. */
static bool is_leave(const char *word, const char *argument)
{
    static const char *const words[] = {"exit", "quit", ".exit", ".quit", "\\q"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasecmp(word, words[i]) == 0 && argument[0] == '\0')
            return true;
    }
    return false;
}

/* A line for the shell itself; false: it is a part of a statement. */
static bool obey(struct shell *shell, char *line)
{
    char *word = line + strspn(line, " \t");
    bool is_marked = word[0] == '.' || word[0] == '\\';
    size_t len = strcspn(word, " \t\n;");
    char *argument = word + len + strspn(word + len, " \t\n;");
    argument[strcspn(argument, " \t\n;")] = '\0';
    word[len] = '\0';
    if (is_leave(word, argument))
        shell->is_leaving = true;
    else if (!is_marked)
        return false;
    else if (strcmp(word, ".tables") == 0)
        run(shell, "SHOW TABLES");
    else if (strcmp(word, ".schema") == 0 && argument[0] != '\0')
        show_columns(shell, argument);
    else if (strcmp(word, ".limit") == 0)
        set_limit(shell, argument);
    else if (strcmp(word, ".help") == 0)
        fputs(help, stdout);
    else
        ot_complain_of_error("sql", "'%s' is nothing that the shell knows (.help)", word);
    return true;
}

static void take_line(struct shell *shell, const char *line)
{
    char copy[1024];
    keep_line(shell, line);
    snprintf(copy, sizeof(copy), "%s", line);
    if (shell->statement.len == 0 && (line[strspn(line, " \t\n")] == '\0' || obey(shell, copy)))
        return;
    ot_str_addf(&shell->statement, "%s", line);
    run_complete(shell);
}

static void read_lines(struct shell *shell)
{
    while (!shell->is_leaving) {
        int len = 0;
        was_interrupted = 0;
        el_resize(shell->editor);
        const char *line = el_gets(shell->editor, &len);
        if (was_interrupted) {
            ot_str_clear(&shell->statement);
            putchar('\n');
        } else if (!line) {
            putchar('\n');
            break;
        } else {
            take_line(shell, line);
        }
    }
}

static bool open_editor(struct shell *shell)
{
    shell->editor = el_init("optally", stdin, stdout, stderr);
    shell->history = history_init();
    if (!shell->editor || !shell->history)
        return false;
    el_set(shell->editor, EL_CLIENTDATA, shell);
    el_set(shell->editor, EL_PROMPT, prompt);
    el_set(shell->editor, EL_EDITOR, "emacs");
    el_set(shell->editor, EL_SIGNAL, 0);
    el_set(shell->editor, EL_HIST, history, shell->history);
    el_set(shell->editor, EL_ADDFN, "ot-complete", "complete a name", complete);
    el_set(shell->editor, EL_BIND, "^I", "ot-complete", NULL);
    el_wset(shell->editor, EL_GETCFN, read_character);
    el_source(shell->editor, NULL);
    return true;
}

static void greet(const struct ot_sql_view *view)
{
    printf(
        "Commit %.12s: %zu run%s, %zu session%s. Statements end with a semicolon; .help helps.\n",
        view->commit, view->n_runs, view->n_runs == 1 ? "" : "s", view->n_sessions,
        view->n_sessions == 1 ? "" : "s");
}

int ot_sql_shell(const struct ot_sql_shell *base, struct ot_err *err)
{
    struct shell shell = {.base = base, .output = base->output};
    struct sigaction action = {.sa_handler = note_interrupt};
    struct sigaction before;
    int code = OT_OK;
    sigaction(SIGINT, &action, &before);
    if (open_editor(&shell) && read_names(&shell) == OT_OK) {
        open_history(&shell);
        greet(base->view);
        read_lines(&shell);
    } else {
        code = ot_err_set(err, OT_ERR_NOMEM, "out of memory for the shell");
    }
    sigaction(SIGINT, &before, NULL);
    if (shell.history)
        history_end(shell.history);
    if (shell.editor)
        el_end(shell.editor);
    ot_str_release(&shell.statement);
    ot_str_release(&shell.names);
    return code;
}
