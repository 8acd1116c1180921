/* Queries over a store without a run: what they may do, and how their values are written. */
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#include "store/db.h"
#include "store/sql_guard.h"
#include "store/sql_lex.h"
#include "store/sql_session.h"

static const struct ot_sql_view nothing = {.commit = "c0ffee"};

static struct ot_sql *open_sql(int64_t timeout_ns, int64_t memory_bytes)
{
    struct ot_sql *sql = NULL;
    struct ot_err err;
    struct ot_sql_limits limits = {
        .timeout_ns = timeout_ns, .memory_bytes = memory_bytes, .n_threads = 1};
    if (ot_sql_open(&nothing, &limits, &sql, &err) < 0)
        fail_msg("%s", err.msg);
    return sql;
}

/* Returns the code; the caller frees what was written. */
static int query(struct ot_sql *sql, const char *statement, enum ot_sql_format format,
                 char **ret_written, struct ot_sql_result *ret_result, struct ot_err *err)
{
    size_t len;
    struct ot_look look = {0};
    struct ot_sql_output output = {.format = format, .look = &look, .max_rows = 3};
    output.out = open_memstream(ret_written, &len);
    int code = ot_sql_run(sql, statement, &output, ret_result, err);
    fclose(output.out);
    return code;
}

static void assert_answer(struct ot_sql *sql, const char *statement, enum ot_sql_format format,
                          const char *expected)
{
    char *written = NULL;
    struct ot_sql_result result;
    struct ot_err err;
    if (query(sql, statement, format, &written, &result, &err) < 0)
        fail_msg("%s: %s", statement, err.msg);
    assert_string_equal(written, expected);
    free(written);
}

static void assert_refused(struct ot_sql *sql, const char *statement, int expected_code,
                           const char *says)
{
    char *written = NULL;
    struct ot_sql_result result;
    struct ot_err err;
    int code = query(sql, statement, OT_SQL_CSV, &written, &result, &err);
    free(written);
    if (code != expected_code)
        fail_msg("%s: code %d", statement, code);
    if (!strstr(err.msg, says))
        fail_msg("%s: says: %s", statement, err.msg);
}

/* --- what a statement may be --------------------------------------------------------------------
 */

static void what_reads_is_answered(void **state)
{
    static const char *const statements[] = {
        "SELECT 1;",
        "  -- a comment\n /* and /* another */ one */ FROM runs",
        "(SELECT 1)",
        "WITH x AS (SELECT 1) SELECT * FROM x ; ; -- end",
        "VALUES (1), (2)",
        "TABLE runs",
        "SHOW TABLES",
        "DESCRIBE slices",
        "SUMMARIZE operators",
        "EXPLAIN SELECT 1",
        "EXPLAIN ANALYZE SELECT 1",
        "EXPLAIN (FORMAT json) SELECT 1",
        "SELECT ';' AS a, E'\\';' AS b, $$ ; COPY $$ AS c, $x$;$x$ AS d, \";\" FROM (SELECT 1 AS "
        "\";\")",
        "SELECT 'read_csv(' AS text, 1 AS query, 2 AS glob",
        "FROM range(3)",
        "SELECT unnest([1, 2])",
        "PIVOT (SELECT 1 AS a, 2 AS b) ON a IN (1, 2) USING sum(b)",
    };
    struct ot_sql *sql = open_sql(0, 0);
    (void)state;
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        char *written = NULL;
        struct ot_sql_result result;
        struct ot_err err;
        if (query(sql, statements[i], OT_SQL_CSV, &written, &result, &err) < 0)
            fail_msg("%s: %s", statements[i], err.msg);
        free(written);
    }
    ot_sql_close(sql);
}

/* What somebody who wants more would try. */
static void all_else_is_refused(void **state)
{
    static const struct {
        const char *statement;
        const char *says;
    } rows[] = {
        {"", "the query is empty"},
        {" ; ", "the query is empty"},
        {"-- nothing", "the query is empty"},
        {"SELECT 1; SELECT 2", "several statements"},
        {"SELECT 1; COPY runs TO '/tmp/x'", "several statements"},
        {"COPY runs TO '/tmp/x.csv'", "COPY is not allowed: a query is one statement that reads"},
        {"/**/copy(select 1)to'/tmp/x.csv'", "COPY is not allowed"},
        {"EXPLAIN ANALYZE COPY runs TO '/tmp/x.csv'", "COPY is not allowed"},
        {"EXPLAIN (ANALYZE) COPY runs TO '/tmp/x.csv'", "COPY is not allowed"},
        {"EXPLAIN /* ( */ ANALYZE -- x\n COPY runs TO '/tmp/x.csv'", "COPY is not allowed"},
        {"INSTALL httpfs", "INSTALL is not allowed"},
        {"LOAD httpfs", "LOAD is not allowed"},
        {"ATTACH '/tmp/x.db'", "ATTACH is not allowed"},
        {"SET threads = 1", "SET is not allowed"},
        {"SET VARIABLE x = 1", "SET is not allowed"},
        {"RESET lock_configuration", "RESET is not allowed"},
        {"PRAGMA enable_profiling", "PRAGMA is not allowed"},
        {"CALL pragma_version()", "CALL is not allowed"},
        {"CREATE TABLE x (i INTEGER)", "CREATE is not allowed"},
        {"CREATE OR REPLACE VIEW runs AS SELECT 1", "CREATE is not allowed"},
        {"INSERT INTO parts.runs SELECT 1", "INSERT is not allowed"},
        {"WITH x AS (SELECT 1) DELETE FROM parts.runs", "not allowed"},
        {"EXPLAIN ANALYZE WITH x AS (SELECT 1) DELETE FROM parts.runs", "not allowed"},
        {"DROP VIEW runs", "DROP is not allowed"},
        {"BEGIN", "BEGIN is not allowed"},
        {"PREPARE p AS SELECT 1", "PREPARE is not allowed"},
        {"EXPORT DATABASE '/tmp/x'", "EXPORT is not allowed"},
        {"IMPORT DATABASE '/tmp/x'", "IMPORT is not allowed"},
        {"USE parts", "USE is not allowed"},
        {"VACUUM", "VACUUM is not allowed"},
        {"FROM read_csv('/etc/passwd')", "read_csv() is not allowed"},
        {"FROM READ_TEXT('/etc/passwd')", "READ_TEXT() is not allowed"},
        {"FROM read_blob ('/etc/passwd')", "read_blob() is not allowed"},
        {"FROM \"read_csv\"/**/('/etc/passwd')", "read_csv() is not allowed"},
        {"FROM system.main.read_csv('/etc/passwd')", "read_csv() is not allowed"},
        {"SELECT (SELECT content FROM read_text('/etc/passwd'))", "read_text() is not allowed"},
        {"FROM glob('/etc/*')", "glob() is not allowed"},
        {"FROM sniff_csv('/etc/passwd')", "sniff_csv() is not allowed"},
        {"FROM parquet_metadata('/etc/passwd')", "parquet_metadata() is not allowed"},
        {"FROM '/etc/passwd'", "does not exist"},
        {"SUMMARIZE '/etc/passwd'", "does not exist"},
        {"DESCRIBE '/etc/passwd'", "does not exist"},
        {"SELECT getenv('HOME')", "getenv() is not allowed"},
        {"FROM duckdb_secrets()", "duckdb_secrets() is not allowed"},
        {"FROM enable_logging('QueryLog')", "enable_logging() is not allowed"},
        {"FROM query('FROM enable' || '_logging()')", "query() is not allowed"},
        {"FROM query_table('runs')", "query_table() is not allowed"},
        {"SELECT write_log('x')", "write_log() is not allowed"},
        {"FROM json_execute_serialized_sql('{}')", "json_execute_serialized_sql() is not"},
        {"FROM force_checkpoint()", "force_checkpoint() is not allowed"},
        {"PIVOT (SELECT 1 AS a) ON a USING count(*)", "PIVOT needs the values"},
        {"SELECT $1", "parameters"},
        {"SELEC 1", "LINE 1: SELEC 1\n        ^"},
        {"SELECT nosuch", "LINE 1: SELECT nosuch"},
        {"SELECT 'abc'::INTEGER", "Could not convert string"},
        {"SELECT '\xff'", ""},
    };
    struct ot_sql *sql = open_sql(0, 0);
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_refused(sql, rows[i].statement, OT_ERR_USAGE, rows[i].says);
    assert_answer(sql, "SELECT 1 AS one", OT_SQL_CSV, "one\r\n1\r\n");
    ot_sql_close(sql);
}

/* A newer DuckDB with a function that nobody has looked at fails here. */
static void every_table_function_is_known(void **state)
{
    static const char *const harmless[] = {"duckdb_approx_database_count",
                                           "duckdb_columns",
                                           "duckdb_connection_count",
                                           "duckdb_constraints",
                                           "duckdb_databases",
                                           "duckdb_dependencies",
                                           "duckdb_extensions",
                                           "duckdb_external_file_cache",
                                           "duckdb_functions",
                                           "duckdb_indexes",
                                           "duckdb_keywords",
                                           "duckdb_log_contexts",
                                           "duckdb_logs",
                                           "duckdb_memory",
                                           "duckdb_optimizers",
                                           "duckdb_prepared_statements",
                                           "duckdb_schemas",
                                           "duckdb_secret_types",
                                           "duckdb_sequences",
                                           "duckdb_settings",
                                           "duckdb_table_sample",
                                           "duckdb_tables",
                                           "duckdb_temporary_files",
                                           "duckdb_types",
                                           "duckdb_variables",
                                           "duckdb_views",
                                           "generate_series",
                                           "icu_calendar_names",
                                           "json_each",
                                           "json_tree",
                                           "pg_timezone_names",
                                           "pragma_collations",
                                           "pragma_database_size",
                                           "pragma_platform",
                                           "pragma_show",
                                           "pragma_table_info",
                                           "pragma_user_agent",
                                           "pragma_version",
                                           "range",
                                           "repeat",
                                           "repeat_row",
                                           "summary",
                                           "unnest"};
    struct ot_db db = {0};
    struct ot_rows rows;
    struct ot_err err;
    (void)state;
    assert_int_equal(ot_db_open(&db, &err), OT_OK);
    assert_int_equal(ot_db_query(&db,
                                 "SELECT DISTINCT function_name FROM duckdb_functions() "
                                 "WHERE function_type = 'table'",
                                 &rows, &err),
                     OT_OK);
    while (ot_rows_next(&rows)) {
        struct ot_text name = ot_rows_text(&rows, 0);
        bool is_known = ot_sql_is_refused_function(name);
        for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
            is_known |= ot_text_same(name, ot_text_of(harmless[i]));
        if (!is_known)
            fail_msg("%.*s(): refuse it in sql_guard.c, or know it here", (int)name.len,
                     name.bytes);
    }
    ot_rows_release(&rows);
    ot_db_close(&db);
}

static void a_statement_ends_with_a_semicolon_of_its_own(void **state)
{
    static const struct {
        const char *text;
        size_t end;
    } rows[] = {
        {"SELECT 1", 0},   {"SELECT 1;", 9},
        {"SELECT ';'", 0}, {"SELECT ''';' ;", 14},
        {"-- ;\n;", 6},    {"/* ; /* ; */ ; */;", 18},
        {"SELECT $$;", 0}, {"SELECT $a$;$a$;", 15},
        {"\";\" ;", 5},    {"E'\\';';", 7},
        {"", 0},           {"'", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(ot_sql_statement_end(rows[i].text), rows[i].end);
}

/* --- limits -------------------------------------------------------------------------------------
 */

static void time_is_limited(void **state)
{
    struct ot_sql *sql = open_sql(50000000, 0);
    (void)state;
    assert_refused(sql, "SELECT count(*) FROM range(1000000000000)", OT_ERR_IO,
                   "not done after 50");
    assert_refused(sql, "FROM range(1000000000000)", OT_ERR_IO, "not done after 50");
    assert_answer(sql, "SELECT 1 AS one", OT_SQL_CSV, "one\r\n1\r\n");
    ot_sql_close(sql);
}

static void memory_is_limited_and_nothing_is_spilled(void **state)
{
    struct ot_sql *sql = open_sql(0, 32 << 20);
    (void)state;
    assert_refused(sql, "SELECT i, count(*) FROM range(100000000) t(i) GROUP BY i", OT_ERR_NOMEM,
                   "--memory-limit");
    /* Of these it counts nothing. */
    assert_refused(sql, "SELECT len(range(100000000))", OT_ERR_NOMEM, "--memory-limit");
    assert_refused(sql, "SELECT length(repeat('x', 800000000))", OT_ERR_NOMEM, "--memory-limit");
    assert_answer(sql, "SELECT 1 AS one", OT_SQL_CSV, "one\r\n1\r\n");
    ot_sql_close(sql);
}

static void a_limit_bounds_rows_and_not_their_count(void **state)
{
    struct ot_sql *sql = open_sql(0, 0);
    char *written = NULL;
    struct ot_sql_result result;
    struct ot_err err;
    (void)state;
    assert_int_equal(query(sql, "FROM range(100000)", OT_SQL_CSV, &written, &result, &err), OT_OK);
    assert_string_equal(written, "range\r\n0\r\n1\r\n2\r\n");
    assert_int_equal(result.n_rows, 100000);
    assert_int_equal(result.n_shown, 3);
    free(written);
    ot_sql_close(sql);
}

/* --- formats ------------------------------------------------------------------------------------
 */

/* SQL, its text in CSV, and as JSON. */
static const struct {
    const char *sql;
    const char *csv;
    const char *json;
} values[] = {
    {"9007199254740993", "9007199254740993", "9007199254740993"},
    {"18446744073709551615::UBIGINT", "18446744073709551615", "18446744073709551615"},
    {"(-128)::TINYINT", "-128", "-128"},
    {"(-9223372036854775808)::BIGINT", "-9223372036854775808", "-9223372036854775808"},
    {"170141183460469231731687303715884105727::HUGEINT", "170141183460469231731687303715884105727",
     "170141183460469231731687303715884105727"},
    {"1.10::DECIMAL(5,2)", "1.10", "1.10"},
    {"-0.05::DECIMAL(4,2)", "-0.05", "-0.05"},
    {"0::DECIMAL(38,10)", "0.0000000000", "0.0000000000"},
    {"0.1::DOUBLE", "0.1", "0.1"},
    {"0.1::FLOAT", "0.1", "0.1"},
    {"1e300", "1e+300", "1e+300"},
    {"2::DOUBLE", "2.0", "2.0"},
    {"'nan'::DOUBLE", "nan", "null"},
    {"'-inf'::FLOAT", "-inf", "null"},
    {"true", "true", "true"},
    {"NULL", "", "null"},
    {"NULL::INTEGER", "", "null"},
    {"''", "\"\"", "\"\""},
    {"'a,\"b'", "\"a,\"\"b\"", "\"a,\\\"b\""},
    {"'a\nb'", "\"a\nb\"", "\"a\\u000ab\""},
    {"'\xc3\xa9'", "\xc3\xa9", "\"\xc3\xa9\""},
    {"'a\\xFF'::BLOB", "a\\xFF", "\"a\\\\xFF\""},
    {"'101'::BIT::VARCHAR", "101", "\"101\""},
    {"'b'::ENUM('a', 'b')", "b", "\"b\""},
    {"'00112233-4455-6677-8899-aabbccddeeff'::UUID", "00112233-4455-6677-8899-aabbccddeeff",
     "\"00112233-4455-6677-8899-aabbccddeeff\""},
    {"DATE '2024-02-29'", "2024-02-29", "\"2024-02-29\""},
    {"TIME '01:02:03.25'", "01:02:03.250", "\"01:02:03.250\""},
    {"TIMESTAMP '1969-12-31 23:59:59.5'", "1969-12-31T23:59:59.500", "\"1969-12-31T23:59:59.500\""},
    {"make_timestamp_ns(1700000000000000001)", "2023-11-14T22:13:20.000000001",
     "\"2023-11-14T22:13:20.000000001\""},
    {"TIMESTAMP 'infinity'", "infinity", "\"infinity\""},
    {"INTERVAL '14 months 3 days 4.5 s'", "P14M3DT4.500S", "\"P14M3DT4.500S\""},
    {"INTERVAL '0 s'", "PT0S", "\"PT0S\""},
    {"[1, NULL, 3]", "\"[1,null,3]\"", "[1,null,3]"},
    {"[]::INTEGER[]", "[]", "[]"},
    {"[1, 2]::INTEGER[2]", "\"[1,2]\"", "[1,2]"},
    {"{'a': 1, 'b': [{'c': 'x'}]}", "\"{\"\"a\"\":1,\"\"b\"\":[{\"\"c\"\":\"\"x\"\"}]}\"",
     "{\"a\":1,\"b\":[{\"c\":\"x\"}]}"},
    {"MAP {'k': 1, 'l': NULL}", "\"{\"\"k\"\":1,\"\"l\"\":null}\"", "{\"k\":1,\"l\":null}"},
    {"MAP {7: 'x'}", "\"{\"\"7\"\":\"\"x\"\"}\"", "{\"7\":\"x\"}"},
    {"union_value(n := 1)", "1", "1"},
};

static void values_keep_what_they_are(void **state)
{
    struct ot_sql *sql = open_sql(0, 0);
    (void)state;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        struct ot_str statement = {0};
        struct ot_str csv = {0};
        struct ot_str json = {0};
        ot_str_addf(&statement, "SELECT v FROM (SELECT %s AS v)", values[i].sql);
        ot_str_addf(&csv, "v\r\n%s\r\n", values[i].csv);
        ot_str_addf(&json, "{\"v\":%s}", values[i].json);
        assert_answer(sql, ot_str_borrow(&statement), OT_SQL_CSV, ot_str_borrow(&csv));
        char *written = NULL;
        struct ot_sql_result result;
        struct ot_err err;
        query(sql, ot_str_borrow(&statement), OT_SQL_JSON, &written, &result, &err);
        if (!strstr(written, ot_str_borrow(&json)))
            fail_msg("%s: %s", values[i].sql, written);
        free(written);
        ot_str_release(&statement);
        ot_str_release(&csv);
        ot_str_release(&json);
    }
    ot_sql_close(sql);
}

static void json_is_one_object_that_says_what_is_left_out(void **state)
{
    struct ot_sql *sql = open_sql(0, 0);
    (void)state;
    assert_answer(sql, "SELECT i AS a, [i] AS a FROM range(5) t(i)", OT_SQL_JSON,
                  "{\"schema\":\"optally.sql/1\",\"commit\":\"c0ffee\",\"columns\":["
                  "{\"name\":\"a\",\"type\":\"BIGINT\"},{\"name\":\"a_1\",\"type\":\"BIGINT[]\"}],"
                  "\"rows\":[{\"a\":0,\"a_1\":[0]},{\"a\":1,\"a_1\":[1]},{\"a\":2,\"a_1\":[2]}],"
                  "\"total_rows\":5,\"returned\":3,\"truncated\":true}\n");
    ot_sql_close(sql);
}

static void tables_are_for_people(void **state)
{
    struct ot_sql *sql = open_sql(0, 0);
    (void)state;
    assert_answer(sql, "SELECT i AS number, 'a' || i AS text, NULL AS none FROM range(2) t(i)",
                  OT_SQL_TABLE,
                  "number  text  none\n"
                  "     0  a0    NULL\n"
                  "     1  a1    NULL\n"
                  "2 rows\n");
    assert_answer(sql, "FROM range(2000)", OT_SQL_TABLE,
                  "range\n    0\n    1\n    2\n3 of 2,000 rows (limit: 3, or all)\n");
    assert_answer(sql, "SELECT run, name FROM runs", OT_SQL_TABLE, "run  name\n0 rows\n");
    assert_answer(sql, "SELECT E'a\\033[31m\\nb' AS \"x\ty\", '' AS empty", OT_SQL_TABLE,
                  "x\xef\xbf\xbdy       empty\n"
                  "a\xef\xbf\xbd[31m "
                  "b\n1 row\n");
    ot_sql_close(sql);
}

/* More columns than a grid has. */
static void wide_rows_are_written_as_lines(void **state)
{
    struct ot_sql *sql = open_sql(0, 0);
    struct ot_str statement = {0};
    struct ot_str expected = {0};
    (void)state;
    ot_str_addf(&statement, "SELECT 0 AS column0");
    for (int i = 1; i < 100; i++)
        ot_str_addf(&statement, ", %d AS column%d", i, i);
    for (int i = 0; i < 100; i++)
        ot_str_addf(&expected, "column%-2d  %d\n", i, i);
    ot_str_addf(&expected, "1 row\n");
    assert_answer(sql, ot_str_borrow(&statement), OT_SQL_TABLE, ot_str_borrow(&expected));
    ot_str_release(&statement);
    ot_str_release(&expected);
    ot_sql_close(sql);
}

/* --- a store without runs -----------------------------------------------------------------------
 */

static void views_are_there_without_a_run(void **state)
{
    static const char *const views[] = {"runs",      "members", "artifacts", "sessions",
                                        "operators", "slices",  "memory",    "memory_devices",
                                        "devices",   "tracks",  "shapes",    "warnings"};
    struct ot_sql *sql = open_sql(0, 0);
    (void)state;
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
        struct ot_str statement = {0};
        ot_str_addf(&statement, "SELECT count(*) AS n FROM (FROM %s)", views[i]);
        assert_answer(sql, ot_str_borrow(&statement), OT_SQL_CSV, "n\r\n0\r\n");
        ot_str_release(&statement);
    }
    ot_sql_close(sql);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_reads_is_answered),
        cmocka_unit_test(all_else_is_refused),
        cmocka_unit_test(every_table_function_is_known),
        cmocka_unit_test(a_statement_ends_with_a_semicolon_of_its_own),
        cmocka_unit_test(time_is_limited),
        cmocka_unit_test(memory_is_limited_and_nothing_is_spilled),
        cmocka_unit_test(a_limit_bounds_rows_and_not_their_count),
        cmocka_unit_test(values_keep_what_they_are),
        cmocka_unit_test(json_is_one_object_that_says_what_is_left_out),
        cmocka_unit_test(tables_are_for_people),
        cmocka_unit_test(wide_rows_are_written_as_lines),
        cmocka_unit_test(views_are_there_without_a_run),
    };
    return RUN(tests);
}
