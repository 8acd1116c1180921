#include "mcp/queries.h"

#include <inttypes.h>
#include <stdint.h>

#include "base/quote.h"

enum { DEFAULT_WIDTH_NS = 1000000 };
/* Half of what an integer holds: added to a time since the epoch, it still fits. */
#define FAR_NS (INT64_MAX / 2)

static void add_sessions(struct ot_str *sql, const struct ot_mcp_pick *pick)
{
    ot_str_addf(sql, "session IN (");
    for (size_t i = 0; i < pick->n_sessions; i++) {
        ot_str_addf(sql, "%s", i ? ", " : "");
        ot_quote(sql, pick->sessions[i]);
    }
    ot_str_addf(sql, ")");
}

static int64_t integer_of(const struct ot_mcp_question *question, const char *name)
{
    return json_integer_value(json_object_get(question->arguments, name));
}

int ot_mcp_ask_sql(const struct ot_mcp_question *question, struct ot_str *sql, struct ot_err *err)
{
    (void)err;
    ot_str_addf(sql, "%s", json_string_value(json_object_get(question->arguments, "sql")));
    return OT_OK;
}

struct list {
    const char *of;    /* a table of the WITH clause; the list's name, too */
    const char *row;   /* a struct of its columns */
    const char *order; /* by these; complete, so that pages fit together */
};

/* A list as the other results have it: rows, total, returned, truncated. */
static void add_list(struct ot_str *sql, const struct ot_mcp_question *question,
                     const struct list *list)
{
    int64_t offset = integer_of(question, "offset");
    int64_t limit = integer_of(question, "limit");
    ot_str_addf(sql,
                "(SELECT {'total': (SELECT count(*) FROM %s), 'returned': count(*),"
                " 'truncated': (SELECT count(*) FROM %s) > %" PRId64 " + count(*),"
                " 'rows': coalesce(list(%s ORDER BY %s), [])}",
                list->of, list->of, offset, list->row, list->order);
    ot_str_addf(sql,
                " FROM (SELECT * FROM %s ORDER BY %s LIMIT %" PRId64 " OFFSET %" PRId64 ")) AS %s",
                list->of, list->order, limit, offset, list->of);
}

struct window {
    int64_t start_ns;
    int64_t end_ns;
};

static int take_window(const struct ot_mcp_question *question, struct window *ret_window,
                       struct ot_err *err)
{
    bool has_start = json_object_get(question->arguments, "start_ns");
    bool has_end = json_object_get(question->arguments, "end_ns");
    bool has_around = json_object_get(question->arguments, "around_ns");
    bool has_width = json_object_get(question->arguments, "width_ns");
    if (has_start != has_end || has_start == has_around || (has_width && !has_around))
        return ot_err_set(err, OT_ERR_USAGE,
                          "give either \"start_ns\" and \"end_ns\", or \"around_ns\" and, if you "
                          "like, \"width_ns\"");
    struct window window = {integer_of(question, "start_ns"), integer_of(question, "end_ns")};
    if (has_around) {
        int64_t around_ns = integer_of(question, "around_ns");
        int64_t width_ns = has_width ? integer_of(question, "width_ns") : DEFAULT_WIDTH_NS;
        if (__builtin_sub_overflow(around_ns, width_ns / 2, &window.start_ns) ||
            __builtin_add_overflow(window.start_ns, width_ns, &window.end_ns))
            return ot_err_set(err, OT_ERR_USAGE, "the window is beyond all times");
    }
    if (window.end_ns <= window.start_ns)
        return ot_err_set(err, OT_ERR_USAGE, "\"end_ns\" has to be after \"start_ns\"");
    *ret_window = window;
    return OT_OK;
}

static void add_kinds(struct ot_str *sql, const json_t *kinds)
{
    size_t i;
    json_t *kind;
    json_array_foreach (kinds, i, kind) {
        ot_str_addf(sql, "%s", i ? ", " : " AND kind IN (");
        ot_quote(sql, json_string_value(kind));
    }
    if (json_array_size(kinds))
        ot_str_addf(sql, ")");
}

/* The same bound once more, in words that let the database pass by what is later: of `ts_ns`, which
 * is in the files. */
static void add_last(struct ot_str *sql, const struct window *window)
{
    if (window->end_ns > -FAR_NS && window->end_ns < FAR_NS)
        ot_str_addf(sql, " AND ts_ns < (SELECT max(first_ns) FROM begins) + %" PRId64,
                    window->end_ns);
}

/* A slice is in the window if a part of it is, and a duration of 0 counts. */
static void add_inside(struct ot_str *sql, const struct ot_mcp_question *question,
                       const struct window *window)
{
    ot_str_addf(sql, "WITH begins AS (SELECT session, start_ns AS begin_ns,"
                     " start_ns - coalesce(base_ns, 0) AS first_ns FROM sessions WHERE ");
    add_sessions(sql, question->pick);
    ot_str_addf(sql,
                "), events AS (SELECT slices.*, ts_ns - first_ns AS at_ns"
                " FROM slices JOIN begins USING (session)"
                " WHERE ts_ns - first_ns < %" PRId64
                " AND ts_ns - first_ns + greatest(dur_ns, 1) > %" PRId64 " AND ",
                window->end_ns, window->start_ns);
    add_sessions(sql, question->pick);
    add_last(sql, window);
    add_kinds(sql, json_object_get(question->arguments, "kinds"));
    ot_str_addf(sql, ")");
}

int ot_mcp_ask_window(const struct ot_mcp_question *question, struct ot_str *sql,
                      struct ot_err *err)
{
    static const struct list events = {
        .of = "events",
        .row = "{'at_ns': at_ns, 'dur_ns': dur_ns, 'self_ns': self_ns, 'name': name, 'kind': kind,"
               " 'category': category, 'depth': depth, 'caller': caller, 'process': process,"
               " 'thread': thread, 'thread_label': thread_label, 'session': left(session, 12)}",
        .order = "at_ns, dur_ns DESC, depth, session, process, thread, thread_label, name",
    };
    struct window window = {0};
    int code = take_window(question, &window, err);
    if (code < 0)
        return code;
    add_inside(sql, question, &window);
    ot_str_addf(sql,
                " SELECT %" PRId64 " AS start_ns, %" PRId64 " AS end_ns,"
                " (SELECT list({'session': session, 'begin_ns': begin_ns} ORDER BY session)"
                " FROM begins) AS sessions, ",
                window.start_ns, window.end_ns);
    add_list(sql, question, &events);
    return OT_OK;
}

/* Names that hold this one, then those that are like it, for who did not hit one. */
static void add_alike(struct ot_str *sql, const struct ot_mcp_question *question, const char *name)
{
    ot_str_addf(sql, "(SELECT list(name ORDER BY likeness DESC, name) FROM (SELECT DISTINCT name,"
                     " contains(lower(name), lower(asked))::INTEGER + jaro_winkler_similarity("
                     "lower(name), lower(asked)) AS likeness FROM operators, (SELECT ");
    ot_quote(sql, name);
    ot_str_addf(sql, " AS asked) WHERE ");
    add_sessions(sql, question->pick);
    ot_str_addf(sql, " ORDER BY likeness DESC, name LIMIT 5)"
                     " WHERE (SELECT calls FROM itself) = 0) AS alike, ");
}

static void add_sums(struct ot_str *sql, const char *table, const char *name_column)
{
    ot_str_addf(sql,
                ", %s AS (SELECT coalesce(%s, '') AS name, count(*) AS calls, sum(dur_ns) AS"
                " inclusive_ns, sum(self_ns) AS self_ns FROM %s_of GROUP BY ALL)",
                table, name_column, table);
}

int ot_mcp_ask_callers(const struct ot_mcp_question *question, struct ot_str *sql,
                       struct ot_err *err)
{
    static const char row[] = "{'name': name, 'calls': calls, 'inclusive_ns': inclusive_ns,"
                              " 'self_ns': self_ns}";
    static const char order[] = "inclusive_ns DESC, name";
    (void)err;
    const char *name = json_string_value(json_object_get(question->arguments, "operator"));
    ot_str_addf(sql, "WITH callers_of AS MATERIALIZED (SELECT * FROM slices WHERE name = ");
    ot_quote(sql, name);
    ot_str_addf(sql, " AND ");
    add_sessions(sql, question->pick);
    ot_str_addf(sql, "), callees_of AS MATERIALIZED (SELECT * FROM slices WHERE caller = ");
    ot_quote(sql, name);
    ot_str_addf(sql, " AND ");
    add_sessions(sql, question->pick);
    ot_str_addf(sql, "), itself AS (SELECT count(*) AS calls, coalesce(sum(dur_ns), 0) AS"
                     " inclusive_ns, coalesce(sum(self_ns), 0) AS self_ns FROM callers_of)");
    add_sums(sql, "callers", "caller");
    add_sums(sql, "callees", "name");
    ot_str_addf(sql, " SELECT (SELECT {'name': ");
    ot_quote(sql, name);
    ot_str_addf(sql, ", 'calls': calls, 'inclusive_ns': inclusive_ns, 'self_ns': self_ns}"
                     " FROM itself) AS operator, ");
    add_alike(sql, question, name);
    add_list(sql, question, &(struct list){"callers", row, order});
    ot_str_addf(sql, ", ");
    add_list(sql, question, &(struct list){"callees", row, order});
    return OT_OK;
}
