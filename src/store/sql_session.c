#include "store/sql_session.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/units.h"
#include "store/db.h"
#include "store/quote.h"
#include "store/sql.h"
#include "store/sql_cap.h"
#include "store/sql_guard.h"
#include "store/sql_parts.h"
#include "store/sql_watch.h"
#include "store/sql_write.h"

#define DEFAULT_MEMORY_BYTES (INT64_C(2) << 30)
#define SPARE_BYTES          (INT64_C(256) << 20)

struct ot_sql {
    const struct ot_sql_view *view;
    struct ot_sql_limits limits;
    struct ot_db db;
    struct ot_sql_cap cap;
    atomic_uint n_interrupts;
};

static int out_of_memory(struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a query");
}

/* --- a database that only reads -----------------------------------------------------------------
 */

static int64_t memory_of(const struct ot_sql_limits *limits)
{
    return limits->memory_bytes ? limits->memory_bytes : DEFAULT_MEMORY_BYTES;
}

static void add_limits(struct ot_str *sql, const struct ot_sql_limits *limits)
{
    ot_str_addf(sql, "SET threads = %u; SET memory_limit = '%" PRId64 "B'; SET temp_directory = ",
                limits->n_threads, memory_of(limits));
    ot_quote(sql, limits->spill_folder ? limits->spill_folder : "");
}

static int limit(struct ot_db *db, const struct ot_sql_limits *limits, struct ot_err *err)
{
    struct ot_str sql = {0};
    add_limits(&sql, limits);
    int code = sql.failed ? out_of_memory(err) : ot_db_run(db, ot_str_borrow(&sql), err);
    ot_str_release(&sql);
    return code;
}

/* `writable`: the one file that may be written, or NULL. Close it also after a failure. */
static int open_db(struct ot_db *db, const struct ot_sql_view *view,
                   const struct ot_sql_limits *limits, const char *writable, struct ot_err *err)
{
    int code = ot_db_open_unlocked(db, err);
    if (code == OT_OK)
        code = limit(db, limits, err);
    if (code == OT_OK)
        code = ot_sql_parts_allow(db, view, writable, err);
    if (code == OT_OK)
        code = ot_sql_parts_make(db, view, err);
    if (code == OT_OK)
        code = ot_db_run(db, ot_sql_views, err);
    if (code == OT_OK)
        code = ot_db_run(db, "SET lock_configuration = true", err);
    return code;
}

/* DuckDB keeps what it counts below the limit; what it does not count has to fit, too. */
static int64_t process_bytes(const struct ot_sql_limits *limits)
{
    int64_t memory_bytes = memory_of(limits);
    return memory_bytes > INT64_MAX / 4 ? memory_bytes
                                        : memory_bytes + memory_bytes / 2 + SPARE_BYTES;
}

int ot_sql_open(const struct ot_sql_view *view, const struct ot_sql_limits *limits,
                struct ot_sql **ret_sql, struct ot_err *err)
{
    struct ot_sql *sql = calloc(1, sizeof(*sql));
    if (!sql)
        return out_of_memory(err);
    sql->view = view;
    sql->limits = *limits;
    int code = open_db(&sql->db, view, limits, NULL, err);
    if (code == OT_OK)
        code = ot_sql_cap_begin(&sql->cap, process_bytes(limits), err);
    if (code == OT_OK)
        *ret_sql = sql;
    else
        ot_sql_close(sql);
    return code;
}

void ot_sql_interrupt(struct ot_sql *sql)
{
    sql->n_interrupts++;
}

void ot_sql_close(struct ot_sql *sql)
{
    if (!sql)
        return;
    ot_sql_cap_end(&sql->cap);
    ot_db_close(&sql->db);
    free(sql);
}

/* --- a statement --------------------------------------------------------------------------------
 */

static const struct ot_sql_writer *const writers[] = {
    [OT_SQL_TABLE] = &ot_sql_table_writer,
    [OT_SQL_CSV] = &ot_sql_csv_writer,
    [OT_SQL_JSON] = &ot_sql_json_writer,
};

/* A statement on its way. */
struct run {
    struct ot_sql *sql;
    struct ot_db *db;
    struct ot_db own; /* closed, unless it needs one of its own */
    struct ot_sql_watch watch;
    struct ot_sql_checked checked;
    const struct ot_sql_output *output;
    struct ot_sql_result result;
    struct ot_err *err;
};

static int explain_end(const struct ot_sql *sql, struct ot_err *err)
{
    char limit[OT_UNITS_BYTES];
    if (sql->n_interrupts)
        return ot_err_set(err, OT_ERR_IO, "interrupted");
    ot_units_ns(limit, (uint64_t)sql->limits.timeout_ns);
    return ot_err_set(err, OT_ERR_IO, "not done after %s (--timeout)", limit);
}

static void give_up(void *context)
{
    struct ot_sql *sql = context;
    struct ot_err err;
    explain_end(sql, &err);
    ot_sql_cap_end(&sql->cap); /* that what is left to do has memory */
    sql->limits.give_up(sql->limits.context, &err);
}

static int write_chunk(struct run *run, const struct ot_sql_writer *writer, void *state,
                       duckdb_data_chunk chunk)
{
    uint64_t n = duckdb_data_chunk_get_size(chunk);
    int64_t max_rows = run->output->max_rows;
    for (uint64_t i = 0; i < n; i++) {
        if (max_rows >= 0 && run->result.n_shown >= (uint64_t)max_rows)
            break;
        writer->row(state, chunk, i);
        run->result.n_shown++;
    }
    run->result.n_rows += n;
    return ot_sql_watch_ends(&run->watch) ? OT_ERR_IO : OT_OK;
}

static int write_chunks(struct run *run, const struct ot_sql_writer *writer, void *state,
                        duckdb_result *result)
{
    int code = OT_OK;
    duckdb_data_chunk chunk;
    while (code == OT_OK && (chunk = duckdb_fetch_chunk(*result))) {
        code = write_chunk(run, writer, state, chunk);
        duckdb_destroy_data_chunk(&chunk);
    }
    const char *says = duckdb_result_error(result);
    return code == OT_OK && says ? ot_sql_fail(run->err, says) : code;
}

static int write_answer(struct run *run, duckdb_result *result)
{
    const struct ot_sql_writer *writer = writers[run->output->format];
    struct ot_sql_columns columns = {.is_plan = run->checked.explained.bytes != NULL};
    void *state = NULL;
    int code = ot_sql_columns_read(&columns, result, run->err);
    if (code == OT_OK)
        code = writer->begin(&columns, run->output, run->sql->view->commit, &state, run->err);
    if (code == OT_OK) {
        code = write_chunks(run, writer, state, result);
        struct ot_err ignored;
        int ended = writer->end(state, code == OT_OK ? &run->result : NULL,
                                code == OT_OK ? run->err : &ignored);
        code = code == OT_OK ? ended : code;
    }
    ot_sql_columns_release(&columns);
    return code;
}

static int answer(struct run *run)
{
    duckdb_prepared_statement prepared = NULL;
    duckdb_result result = {0};
    int code = ot_sql_prepare(run->db->connection, &run->checked, &prepared, run->err);
    if (code < 0)
        return code;
    if (duckdb_execute_prepared_streaming(prepared, &result) == DuckDBSuccess)
        code = write_answer(run, &result);
    else
        code = ot_sql_fail(run->err, duckdb_result_error(&result));
    duckdb_destroy_result(&result);
    duckdb_destroy_prepare(&prepared);
    return code;
}

/* --- Parquet ------------------------------------------------------------------------------------
 */

static int query_count(struct run *run, struct ot_str *text, uint64_t *ret_count)
{
    duckdb_result result;
    int code = OT_OK;
    if (text->failed)
        return out_of_memory(run->err);
    if (duckdb_query(run->db->connection, ot_str_borrow(text), &result) == DuckDBSuccess)
        *ret_count = (uint64_t)duckdb_value_int64(&result, 0, 0);
    else
        code = ot_sql_fail(run->err, duckdb_result_error(&result));
    duckdb_destroy_result(&result);
    return code;
}

/* The statement alone was prepared before, so it has no parenthesis that closes ours. A comment may
 * be at its end. */
static int copy_out(struct run *run)
{
    struct ot_str copy = {0};
    struct ot_text statement = run->checked.statement;
    ot_str_addf(&copy, "COPY (FROM (\n");
    ot_str_add_text(&copy, statement);
    ot_str_addf(&copy, "\n)");
    if (run->output->max_rows >= 0)
        ot_str_addf(&copy, " LIMIT %" PRId64, run->output->max_rows);
    ot_str_addf(&copy, ") TO ");
    ot_quote(&copy, run->output->file);
    ot_str_addf(&copy, " (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)");
    int code = query_count(run, &copy, &run->result.n_shown);
    run->result.n_rows = run->result.n_shown;
    ot_str_clear(&copy);
    if (code == OT_OK && run->output->max_rows >= 0) {
        ot_str_addf(&copy, "SELECT count(*) FROM (\n");
        ot_str_add_text(&copy, statement);
        ot_str_addf(&copy, "\n)");
        code = query_count(run, &copy, &run->result.n_rows);
    }
    ot_str_release(&copy);
    return code;
}

static int answer_parquet(struct run *run)
{
    duckdb_prepared_statement prepared = NULL;
    if (run->checked.explained.bytes)
        return ot_err_set(run->err, OT_ERR_USAGE, "an EXPLAIN cannot be written as Parquet");
    int code = ot_sql_prepare(run->db->connection, &run->checked, &prepared, run->err);
    if (code < 0)
        return code;
    duckdb_destroy_prepare(&prepared);
    return copy_out(run);
}

/* --- either -------------------------------------------------------------------------------------
 */

static int watched(struct run *run, int (*answer_with)(struct run *run))
{
    run->watch = (struct ot_sql_watch){
        .connection = run->db->connection,
        .n_interrupts = &run->sql->n_interrupts,
        .timeout_ns = run->sql->limits.timeout_ns,
        .give_up = run->sql->limits.give_up ? give_up : NULL,
        .context = run->sql,
    };
    int code = ot_sql_watch_start(&run->watch, run->err);
    if (code < 0)
        return code;
    code = answer_with(run);
    ot_sql_watch_stop(&run->watch);
    /* What DuckDB says of a statement that was ended is not what has happened. */
    return code < 0 && ot_sql_watch_ends(&run->watch) ? explain_end(run->sql, run->err) : code;
}

/* A database of its own, since the other one can write to nothing. */
static int run_parquet(struct run *run)
{
    run->db = &run->own;
    int code = open_db(run->db, run->sql->view, &run->sql->limits, run->output->file, run->err);
    if (code == OT_OK)
        code = watched(run, answer_parquet);
    ot_db_close(run->db);
    return code;
}

int ot_sql_run(struct ot_sql *sql, const char *statement, const struct ot_sql_output *output,
               struct ot_sql_result *ret_result, struct ot_err *err)
{
    struct run run = {.sql = sql, .db = &sql->db, .output = output, .err = err};
    sql->n_interrupts = 0;
    int code = ot_sql_check(statement, &run.checked, err);
    if (code < 0)
        return code;
    code = output->format == OT_SQL_PARQUET ? run_parquet(&run) : watched(&run, answer);
    if (code == OT_OK)
        *ret_result = run.result;
    return code;
}
