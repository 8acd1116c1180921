#include "store/sql_guard.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "store/sql_lex.h"

#define READS                                                                                      \
    "a query is one statement that reads: SELECT (WITH, FROM, VALUES, TABLE, PIVOT), DESCRIBE, "   \
    "SHOW, SUMMARIZE or EXPLAIN of one"

static const char *const reading[] = {"select",  "with",     "from", "values", "table",    "pivot",
                                      "unpivot", "describe", "desc", "show",   "summarize"};

/* What DuckDB's other statements begin with. A word in neither list is DuckDB's to explain. */
static const char *const others[] = {
    "abort",    "alter",  "analyze", "attach",  "begin",      "call",     "checkpoint", "comment",
    "commit",   "copy",   "create",  "cluster", "deallocate", "delete",   "detach",     "drop",
    "end",      "export", "execute", "force",   "import",     "insert",   "install",    "load",
    "merge",    "pragma", "prepare", "reindex", "reset",      "rollback", "set",        "start",
    "truncate", "update", "upsert",  "use",     "uninstall",  "vacuum"};

/* Table functions that reach beyond the views or change the session, and what runs text that nobody
 * has looked at. A name that ends in an underscore stands for all that begin with it. */
static const char *const refused_functions[] = {"arrow_scan",
                                                "arrow_scan_dumb",
                                                "check_peg_parser",
                                                "checkpoint",
                                                "copy_",
                                                "disable_",
                                                "duckdb_secrets",
                                                "enable_",
                                                "force_checkpoint",
                                                "getenv",
                                                "glob",
                                                "json_execute_serialized_sql",
                                                "load_",
                                                "parquet_",
                                                "pragma_metadata_info",
                                                "pragma_storage_info",
                                                "query",
                                                "query_table",
                                                "read_",
                                                "seq_scan",
                                                "sniff_csv",
                                                "sql_auto_complete",
                                                "test_all_types",
                                                "test_vector_types",
                                                "truncate_",
                                                "which_secret",
                                                "write_log"};

static bool is_in(struct ot_text word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strlen(words[i]) == word.len && strncasecmp(words[i], word.bytes, word.len) == 0)
            return true;
    }
    return false;
}

bool ot_sql_is_refused_function(struct ot_text name)
{
    size_t n = sizeof(refused_functions) / sizeof(refused_functions[0]);
    for (size_t i = 0; i < n; i++) {
        const char *refused = refused_functions[i];
        size_t len = strlen(refused);
        if (refused[len - 1] == '_' && name.len > len && strncasecmp(refused, name.bytes, len) == 0)
            return true;
    }
    return is_in(name, refused_functions, n);
}

static int refuse_function(struct ot_text name, struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_USAGE,
                      "%.*s() is not allowed: a query reads the views alone (SHOW TABLES lists "
                      "them), no files and no settings",
                      (int)name.len, name.bytes);
}

static int refuse_word(struct ot_text word, struct ot_err *err)
{
    char upper[32] = "";
    for (size_t i = 0; i < word.len && i + 1 < sizeof(upper); i++)
        upper[i] = (char)toupper((unsigned char)word.bytes[i]);
    return ot_err_set(err, OT_ERR_USAGE, "%s is not allowed: " READS, upper);
}

/* A call is a name and an opening parenthesis. */
static int check_calls(struct ot_text statement, struct ot_err *err)
{
    struct ot_text rest = statement;
    struct ot_sql_token before = {0};
    for (;;) {
        struct ot_sql_token token = ot_sql_lex(&rest);
        if (token.kind == OT_SQL_END)
            return OT_OK;
        bool is_name = before.kind == OT_SQL_WORD || before.kind == OT_SQL_QUOTED;
        if (is_name && ot_sql_is_sign(&token, '(') && ot_sql_is_refused_function(before.text))
            return refuse_function(before.text, err);
        before = token;
    }
}

/* EXPLAIN [ANALYZE] [(FORMAT json, ...)] STATEMENT: what is left is the statement. */
static struct ot_text explained_by(struct ot_text rest)
{
    struct ot_text before = rest;
    struct ot_sql_token token = ot_sql_lex(&rest);
    while (ot_sql_is_word(&token, "analyze") || ot_sql_is_word(&token, "verbose")) {
        before = rest;
        token = ot_sql_lex(&rest);
    }
    struct ot_text inside = rest;
    struct ot_sql_token first = ot_sql_lex(&inside);
    bool has_options = ot_sql_is_sign(&token, '(') && first.kind == OT_SQL_WORD &&
                       !is_in(first.text, reading, sizeof(reading) / sizeof(reading[0]));
    if (!has_options)
        return before;
    while (token.kind != OT_SQL_END && !ot_sql_is_sign(&token, ')'))
        token = ot_sql_lex(&rest);
    return rest;
}

static int check_first(const struct ot_sql_token *first, struct ot_err *err)
{
    if (first->kind == OT_SQL_END)
        return ot_err_set(err, OT_ERR_USAGE, "the query is empty");
    if (first->kind == OT_SQL_WORD &&
        is_in(first->text, others, sizeof(others) / sizeof(others[0])))
        return refuse_word(first->text, err);
    return OT_OK;
}

static int check_begin(struct ot_sql_checked *checked, struct ot_err *err)
{
    struct ot_text rest = checked->statement;
    struct ot_sql_token first = ot_sql_lex(&rest);
    int code = check_first(&first, err);
    if (code < 0 || !ot_sql_is_word(&first, "explain"))
        return code;
    checked->explained = explained_by(rest);
    rest = checked->explained;
    first = ot_sql_lex(&rest);
    return check_first(&first, err);
}

int ot_sql_check(const char *text, struct ot_sql_checked *ret_checked, struct ot_err *err)
{
    struct ot_text all = ot_text_of(text);
    size_t end = ot_sql_statement_end(text);
    struct ot_sql_checked checked = {.statement = {text, end ? end - 1 : all.len}};
    if (end) {
        struct ot_text behind = {text + end, all.len - end};
        struct ot_sql_token token = {0};
        do
            token = ot_sql_lex(&behind);
        while (ot_sql_is_sign(&token, ';'));
        if (token.kind != OT_SQL_END)
            return ot_err_set(err, OT_ERR_USAGE, "several statements: run them one by one");
    }
    int code = check_begin(&checked, err);
    if (code == OT_OK)
        code = check_calls(checked.statement, err);
    if (code == OT_OK)
        *ret_checked = checked;
    return code;
}

/* What DuckDB's messages begin with where the query is not at fault. */
static const struct {
    const char *says;
    int code;
} faults[] = {
    {"Out of Memory Error", OT_ERR_NOMEM},
    {"IO Error", OT_ERR_IO},
    {"FATAL Error", OT_ERR_IO},
    {"INTERNAL Error", OT_ERR_IO},
};

int ot_sql_fail(struct ot_err *err, const char *says)
{
    if (!says)
        return ot_err_set(err, OT_ERR_IO, "DuckDB does not say what is wrong");
    if (strstr(says, "/session=") && strstr(says, ".parquet"))
        return ot_err_set(err, OT_ERR_INPUT, "%.*s (optally fsck says what is damaged)",
                          (int)strcspn(says, "\n"), says);
    int code = OT_ERR_USAGE;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        if (strncmp(says, faults[i].says, strlen(faults[i].says)) == 0)
            code = faults[i].code;
    }
    /* Below its first line it has advice on settings that nobody here can change. */
    if (code == OT_ERR_NOMEM)
        return ot_err_set(err, code, "%.*s (--memory-limit is what a query may take)",
                          (int)strcspn(says, "\n"), says);
    /* ot_err_set() would make one line of it. */
    if (err)
        snprintf(err->msg, sizeof(err->msg), "%s", says);
    return code;
}

/* DuckDB makes several statements of a PIVOT whose columns only the data tell. */
static int prepare_one(duckdb_connection connection, duckdb_extracted_statements statements,
                       idx_t n, duckdb_prepared_statement *ret_prepared, struct ot_err *err)
{
    if (n == 0) {
        const char *says = duckdb_extract_statements_error(statements);
        return says ? ot_sql_fail(err, says) : ot_err_set(err, OT_ERR_USAGE, "the query is empty");
    }
    if (n > 1)
        return ot_err_set(err, OT_ERR_USAGE,
                          "PIVOT needs the values that become columns: ON column IN (...)");
    duckdb_prepared_statement prepared = NULL;
    if (duckdb_prepare_extracted_statement(connection, statements, 0, &prepared) != DuckDBSuccess) {
        int code = ot_sql_fail(err, duckdb_prepare_error(prepared));
        duckdb_destroy_prepare(&prepared);
        return code;
    }
    *ret_prepared = prepared;
    return OT_OK;
}

static int prepare(duckdb_connection connection, struct ot_text statement,
                   duckdb_statement_type wanted, duckdb_prepared_statement *ret_prepared,
                   struct ot_err *err)
{
    struct ot_str text = {0};
    ot_str_add_text(&text, statement);
    if (text.failed) {
        ot_str_release(&text);
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a query");
    }
    *ret_prepared = NULL;
    duckdb_extracted_statements statements = NULL;
    idx_t n = duckdb_extract_statements(connection, ot_str_borrow(&text), &statements);
    int code = prepare_one(connection, statements, n, ret_prepared, err);
    duckdb_destroy_extracted(&statements);
    ot_str_release(&text);
    if (code == OT_OK && duckdb_prepared_statement_type(*ret_prepared) != wanted) {
        duckdb_destroy_prepare(ret_prepared);
        code = ot_err_set(err, OT_ERR_USAGE, "this is not allowed: " READS);
    }
    return code;
}

int ot_sql_prepare(duckdb_connection connection, const struct ot_sql_checked *checked,
                   duckdb_prepared_statement *ret_prepared, struct ot_err *err)
{
    bool is_explain = checked->explained.bytes != NULL;
    if (is_explain) {
        duckdb_prepared_statement inner;
        int code =
            prepare(connection, checked->explained, DUCKDB_STATEMENT_TYPE_SELECT, &inner, err);
        if (code < 0)
            return code;
        duckdb_destroy_prepare(&inner);
    }
    return prepare(connection, checked->statement,
                   is_explain ? DUCKDB_STATEMENT_TYPE_EXPLAIN : DUCKDB_STATEMENT_TYPE_SELECT,
                   ret_prepared, err);
}
