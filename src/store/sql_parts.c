#include "store/sql_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "store/quote.h"
#include "store/sql_files.h"
#include "store/sql_guard.h"
#include "store/tables_columns.h"

static int out_of_memory(struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a query");
}

static int run(struct ot_db *db, struct ot_str *sql, struct ot_err *err)
{
    duckdb_result result;
    int code = OT_OK;
    if (sql->failed)
        return out_of_memory(err);
    if (duckdb_query(db->connection, ot_str_borrow(sql), &result) != DuckDBSuccess)
        code = ot_sql_fail(err, duckdb_result_error(&result));
    duckdb_destroy_result(&result);
    return code;
}

int ot_sql_parts_allow(struct ot_db *db, const struct ot_sql_view *view, const char *writable,
                       struct ot_err *err)
{
    struct ot_str sql = {0};
    int code = ot_sql_files_allow(&sql, view, writable, err);
    if (code == OT_OK)
        code = run(db, &sql, err);
    ot_str_release(&sql);
    return code;
}

/* --- tables in memory ---------------------------------------------------------------------------
 */

struct id_row {
    const char *session;
    const char *artifact;
    const char *path;
    int64_t bytes;
    int64_t base_ns;
};

struct run_row {
    const char *run;
    const char *name;
    int64_t imported_ns;
    int64_t n_sessions;
};

struct label_row {
    int64_t run;
    const char *key;
    const char *value;
};

struct member_row {
    int64_t run;
    int64_t position;
    int64_t session;
};

#define FIELD(name, type, owner, field)                                                            \
    {                                                                                              \
        name, OT_COLUMN_##type, offsetof(struct owner, field), NULL, 0                             \
    }
#define NUMBER                                                                                     \
    {                                                                                              \
        "no", OT_COLUMN_INDEX, 0, NULL, 0                                                          \
    }
#define TABLE(name, columns, owner)                                                                \
    {                                                                                              \
        name, columns, sizeof(columns) / sizeof((columns)[0]), sizeof(struct owner)                \
    }

static const struct ot_column id_columns[] = {
    NUMBER,
    FIELD("session", STRING, id_row, session),
    FIELD("artifact", STRING, id_row, artifact),
    FIELD("path", STRING, id_row, path),
    FIELD("bytes", INT64, id_row, bytes),
    FIELD("base_ns", INT64, id_row, base_ns),
};
static const struct ot_column run_columns[] = {
    NUMBER,
    FIELD("run", STRING, run_row, run),
    FIELD("name", STRING, run_row, name),
    FIELD("imported_ns", INT64, run_row, imported_ns),
    FIELD("sessions", INT64, run_row, n_sessions),
};
static const struct ot_column label_columns[] = {
    FIELD("run", INT64, label_row, run),
    FIELD("key", STRING, label_row, key),
    FIELD("value", STRING, label_row, value),
};
static const struct ot_column member_columns[] = {
    FIELD("run", INT64, member_row, run),
    FIELD("position", INT64, member_row, position),
    FIELD("session", INT64, member_row, session),
};
static const struct ot_table id_table = TABLE("ids", id_columns, id_row);
static const struct ot_table run_table = TABLE("runs", run_columns, run_row);
static const struct ot_table label_table = TABLE("labels", label_columns, label_row);
static const struct ot_table member_table = TABLE("members", member_columns, member_row);

/* DuckDB takes rows in only where it looks for names first. */
static int load(struct ot_db *db, const struct ot_table *table, const void *structs, size_t n,
                struct ot_err *err)
{
    struct ot_str move = {0};
    int code = ot_table_load(db, table, structs, n, err);
    ot_str_addf(&move, "CREATE TABLE parts.%s AS FROM main.%s; DROP TABLE main.%s", table->name,
                table->name, table->name);
    if (code == OT_OK)
        code = run(db, &move, err);
    ot_str_release(&move);
    return code;
}

/* Rows of one of them, being made. */
struct rows {
    char *items;
    size_t n;
    size_t cap;
};

static int add_row(struct rows *rows, const void *row, size_t size_bytes, struct ot_err *err)
{
    if (!ot_vec_reserve(&rows->items, &rows->cap, rows->n + 1, size_bytes))
        return out_of_memory(err);
    memcpy(rows->items + size_bytes * rows->n++, row, size_bytes);
    return OT_OK;
}

#define ADD_ROW(rows, err, ...) add_row(rows, &(__VA_ARGS__), sizeof(__VA_ARGS__), err)

static int add_run(const struct ot_sql_view_run *run, struct rows *runs, struct rows *labels,
                   struct rows *members, struct ot_err *err)
{
    int64_t number = (int64_t)runs->n;
    int code =
        ADD_ROW(runs, err,
                (struct run_row){run->run, run->name, run->imported_ns, (int64_t)run->n_sessions});
    for (size_t i = 0; code == OT_OK && i < run->n_labels; i++)
        code = ADD_ROW(labels, err,
                       (struct label_row){number, run->labels[2 * i], run->labels[2 * i + 1]});
    for (size_t i = 0; code == OT_OK && i < run->n_sessions; i++)
        code = ADD_ROW(members, err,
                       (struct member_row){number, (int64_t)i, (int64_t)run->sessions[i]});
    return code;
}

static int make_runs(struct ot_db *db, const struct ot_sql_view *view, struct ot_err *err)
{
    struct rows runs = {0};
    struct rows labels = {0};
    struct rows members = {0};
    int code = OT_OK;
    for (size_t i = 0; code == OT_OK && i < view->n_runs; i++)
        code = add_run(&view->runs[i], &runs, &labels, &members, err);
    if (code == OT_OK)
        code = load(db, &run_table, runs.items, runs.n, err);
    if (code == OT_OK)
        code = load(db, &label_table, labels.items, labels.n, err);
    if (code == OT_OK)
        code = load(db, &member_table, members.items, members.n, err);
    free(runs.items);
    free(labels.items);
    free(members.items);
    return code;
}

/* --- tables in files ----------------------------------------------------------------------------
 */

/* A table without a file has the columns of one with. */
static void add_empty(struct ot_str *sql, enum ot_tables_kind kind)
{
    const struct ot_table *table = &ot_tables_of[kind];
    ot_str_addf(sql, "CREATE TABLE parts.%s (no UBIGINT", table->name);
    if (ot_sql_files_are_many(kind))
        ot_str_addf(sql, ", session VARCHAR, at_ns BIGINT");
    for (size_t i = 0; i < table->n_columns; i++)
        ot_str_addf(sql, ", %s %s", table->columns[i].name, ot_column_sql(table->columns[i].type));
    ot_str_addf(sql, ");\n");
}

/* File i is of session i. */
static void add_small(struct ot_str *sql, const struct ot_sql_view *view, enum ot_tables_kind kind)
{
    char file[64];
    const char *name = ot_tables_of[kind].name;
    snprintf(file, sizeof(file), "%s.parquet", name);
    ot_str_addf(sql, "CREATE VIEW parts.%s AS SELECT file_index AS no, * FROM read_parquet([",
                name);
    for (size_t i = 0; i < view->n_sessions; i++) {
        ot_sql_files_add_path(sql, view->sessions[i].folder, file, ot_quote_path);
        ot_str_addf(sql, i + 1 < view->n_sessions ? ", " : "");
    }
    ot_str_addf(sql, "], hive_partitioning = false);\n");
}

static int add_files(struct ot_str *sql, const struct ot_sql_view *view, const char *table,
                     struct ot_err *err)
{
    const char *separator = "";
    int code = OT_OK;
    for (size_t i = 0; code == OT_OK && i < view->n_sessions; i++) {
        struct ot_sql_files files = {0};
        code = ot_sql_files_list(view->sessions[i].folder, table, &files, err);
        for (size_t k = 0; k < files.n; k++) {
            ot_str_addf(sql, "%s", separator);
            ot_sql_files_add_path(sql, view->sessions[i].folder, files.names[k], ot_quote_path);
            separator = ", ";
        }
        ot_sql_files_release(&files);
    }
    return code;
}

/* Which session a row is of, its folder's name says, and that alone: then a condition on it leaves
 * out files before any is opened. (The numbers of files change when some are left out, and the
 * branches of a UNION are run in no order that is the same twice.) */
static int add_many(struct ot_str *sql, const struct ot_sql_view *view, const struct id_row *ids,
                    enum ot_tables_kind kind, struct ot_err *err)
{
    const char *name = ot_tables_of[kind].name;
    ot_str_addf(sql,
                "CREATE VIEW parts.%s AS SELECT (place - 1)::UBIGINT AS no, ts_ns + list_extract([",
                name);
    for (size_t i = 0; i < view->n_sessions; i++)
        ot_str_addf(sql, "%s%" PRId64, i ? ", " : "", ids[i].base_ns);
    ot_str_addf(sql, "]::BIGINT[], place) AS at_ns, * EXCLUDE (place) FROM (SELECT session, "
                     "list_position([");
    for (size_t i = 0; i < view->n_sessions; i++) {
        ot_str_addf(sql, i ? ", " : "");
        ot_quote(sql, view->sessions[i].session);
    }
    ot_str_addf(sql, "], session) AS place, * EXCLUDE (session, filename) FROM (SELECT "
                     "regexp_extract(filename, '/session=([^/]*)/[^/]*$', 1) AS session, * FROM "
                     "read_parquet([");
    int code = add_files(sql, view, name, err);
    ot_str_addf(sql, "], filename = true, hive_partitioning = false)));\n");
    return code;
}

/* Tables of another extractor have other columns, or mean something else. */
static int check_versions(struct ot_db *db, const struct id_row *ids, struct ot_err *err)
{
    struct ot_rows rows;
    int code = ot_db_query(db,
                           "SELECT no::BIGINT, extractor::VARCHAR FROM parts.sessions WHERE "
                           "extractor IS DISTINCT FROM '" OT_STORE_EXTRACTOR "' LIMIT 1",
                           &rows, err);
    if (code < 0)
        return code;
    if (ot_rows_next(&rows)) {
        const struct id_row *id = &ids[ot_rows_int(&rows, 0)];
        struct ot_text version = ot_rows_text(&rows, 1);
        code = ot_err_set(err, OT_ERR_INPUT,
                          "%s (session %.12s): its tables are of version '%.*s', but this optally "
                          "reads " OT_STORE_EXTRACTOR ": import it again",
                          id->path, id->session, version.len < 40 ? (int)version.len : 40,
                          version.bytes);
    }
    ot_rows_release(&rows);
    return code;
}

/* The bases, which the files know. A session without one counts from 0. */
static int take_bases(struct ot_db *db, struct id_row *ids, struct ot_err *err)
{
    struct ot_rows rows;
    int code = ot_db_query(
        db, "SELECT no::BIGINT, coalesce(base_ns, 0)::BIGINT FROM parts.sessions", &rows, err);
    if (code < 0)
        return code;
    while (ot_rows_next(&rows))
        ids[ot_rows_int(&rows, 0)].base_ns = ot_rows_int(&rows, 1);
    ot_rows_release(&rows);
    return OT_OK;
}

static int make_ids(struct ot_db *db, const struct ot_sql_view *view, struct id_row *ids,
                    struct ot_err *err)
{
    int code = OT_OK;
    for (size_t i = 0; i < view->n_sessions; i++) {
        const struct ot_sql_view_session *session = &view->sessions[i];
        ids[i] = (struct id_row){.session = session->session,
                                 .artifact = session->artifact,
                                 .path = session->path,
                                 .bytes = session->artifact_bytes};
    }
    if (view->n_sessions)
        code = check_versions(db, ids, err);
    if (code == OT_OK && view->n_sessions)
        code = take_bases(db, ids, err);
    return code == OT_OK ? load(db, &id_table, ids, view->n_sessions, err) : code;
}

static int make_small(struct ot_db *db, const struct ot_sql_view *view, struct ot_err *err)
{
    struct ot_str sql = {0};
    for (size_t kind = 0; kind < OT_TABLES_COUNT; kind++) {
        if (view->n_sessions == 0)
            add_empty(&sql, kind);
        else if (!ot_sql_files_are_many(kind))
            add_small(&sql, view, kind);
    }
    int code = run(db, &sql, err);
    ot_str_release(&sql);
    return code;
}

static int make_many(struct ot_db *db, const struct ot_sql_view *view, const struct id_row *ids,
                     struct ot_err *err)
{
    struct ot_str sql = {0};
    int code = add_many(&sql, view, ids, OT_TABLES_SLICES, err);
    if (code == OT_OK)
        code = add_many(&sql, view, ids, OT_TABLES_MEMORY, err);
    if (code == OT_OK)
        code = run(db, &sql, err);
    ot_str_release(&sql);
    return code;
}

int ot_sql_parts_make(struct ot_db *db, const struct ot_sql_view *view, struct ot_err *err)
{
    struct id_row *ids = calloc(view->n_sessions + 1, sizeof(*ids));
    if (!ids)
        return out_of_memory(err);
    int code = ot_db_run(db, "CREATE SCHEMA parts", err);
    if (code == OT_OK)
        code = make_small(db, view, err);
    if (code == OT_OK)
        code = make_ids(db, view, ids, err);
    if (code == OT_OK && view->n_sessions)
        code = make_many(db, view, ids, err);
    if (code == OT_OK)
        code = make_runs(db, view, err);
    free(ids);
    return code;
}
