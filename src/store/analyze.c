#include "store/analyze.h"

#include "stats/completeness.h"
#include "store/load.h"
#include "store/sql.h"
#include "store/take.h"

static int take_nothing(struct ot_take *take, struct ot_rows *rows)
{
    (void)take;
    (void)rows;
    return OT_OK;
}

/* In the order of sql.h. */
static const struct step {
    const char *sql;
    int (*take)(struct ot_take *take, struct ot_rows *rows);
    bool is_beside_sums;
} steps[] = {
    {ot_sql_operators, take_nothing, false},
    {ot_sql_summary, ot_take_summary, false},
    {ot_sql_aggregates, ot_take_aggregates, false},
    {ot_sql_parts, ot_take_parts, true},
    {ot_sql_coverage, ot_take_coverage, false},
    {ot_sql_details, ot_take_operators, false},
    {ot_sql_shapes, ot_take_shapes, false},
    {ot_sql_threshold, ot_take_threshold, true},
    {ot_sql_repeated, ot_take_repeated_total, true},
    {ot_sql_repeated_details, ot_take_repeated, true},
};

static int query(struct ot_take *take, struct ot_db *db)
{
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        struct ot_rows rows;
        if (steps[i].is_beside_sums && take->opts->sums_alone)
            continue;
        int code = ot_db_query(db, steps[i].sql, &rows, take->err);
        if (code < 0)
            return code;
        code = steps[i].take(take, &rows);
        ot_rows_release(&rows);
        if (code < 0)
            return code;
    }
    return OT_OK;
}

static int analyze(struct ot_take *take, struct ot_db *db)
{
    int code = ot_db_open(db, take->err);
    if (code == OT_OK)
        code = ot_load(db, take->pop, take->opts, take->err);
    if (code == OT_OK)
        code = ot_take_sessions(take);
    if (code == OT_OK)
        code = query(take, db);
    return code == OT_OK ? ot_take_certainty(take) : code;
}

int ot_analyze(const struct ot_population *pop, const struct ot_analysis_opts *opts,
               struct ot_analysis *ret_analysis, struct ot_err *err)
{
    struct ot_analysis analysis = {
        .counts = pop->counts,
        .warnings = pop->warnings,
        .operators.limit = opts->limit,
        .repeated.limit = opts->small_limit,
    };
    struct ot_take take = {.pop = pop, .opts = opts, .analysis = &analysis, .err = err};
    struct ot_db db = {0};
    int code = analyze(&take, &db);
    ot_db_close(&db);
    if (code == OT_OK)
        *ret_analysis = analysis;
    else
        ot_analysis_release(&analysis);
    return code;
}
