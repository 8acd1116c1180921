#include "stats/view.h"

#include <stdlib.h>

#include "base/vec.h"

/* What sorting needs beside the two rows. */
struct order {
    const struct ot_population *pop;
    const struct ot_view_opts *opts;
};

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_name_id(const struct ot_population *pop, uint32_t a, uint32_t b)
{
    if (a == b)
        return 0;
    return ot_text_compare(ot_names_text(&pop->names, a), ot_names_text(&pop->names, b));
}

static int compare_threads(const struct ot_population *pop, const struct ot_row *a,
                           const struct ot_row *b)
{
    int order = compare_name_id(pop, a->host, b->host);
    if (order == 0)
        order = compare_i64(a->vpid, b->vpid);
    return order ? order : compare_u64(a->vtid, b->vtid);
}

/* Puts together what one table holds, and inside a table what one shown row sums up. */
static int compare_groups(const struct order *order, const struct ot_row *a, const struct ot_row *b)
{
    int by_level = order->opts->levels[b->backend] - order->opts->levels[a->backend];
    if (by_level)
        return by_level;
    return order->opts->extended ? compare_threads(order->pop, a, b) : 0;
}

static int compare_operators(const struct ot_population *pop, const struct ot_row *a,
                             const struct ot_row *b)
{
    return compare_name_id(pop, a->name, b->name);
}

static int compare_processes(const struct ot_population *pop, const struct ot_row *a,
                             const struct ot_row *b)
{
    int order = compare_name_id(pop, a->host, b->host);
    return order ? order : compare_i64(a->vpid, b->vpid);
}

static const struct ot_session *session_of(const struct ot_population *pop,
                                           const struct ot_row *row)
{
    return row->session < pop->n_sessions ? &pop->sessions[row->session].session : NULL;
}

/* By number, then what has none, each file for itself. */
static int compare_ranks(const struct ot_population *pop, const struct ot_row *a,
                         const struct ot_row *b)
{
    const struct ot_session *session_a = session_of(pop, a);
    const struct ot_session *session_b = session_of(pop, b);
    bool has_rank_a = session_a && session_a->has_rank;
    bool has_rank_b = session_b && session_b->has_rank;
    if (has_rank_a != has_rank_b)
        return has_rank_a ? -1 : 1;
    return has_rank_a ? compare_i64(session_a->rank, session_b->rank)
                      : compare_u64(a->session, b->session);
}

static int compare_keys(const struct order *order, const struct ot_row *a, const struct ot_row *b)
{
    static int (*const compare[])(const struct ot_population *, const struct ot_row *,
                                  const struct ot_row *) = {
        [OT_BY_OPERATOR] = compare_operators,
        [OT_BY_THREAD] = compare_threads,
        [OT_BY_PROCESS] = compare_processes,
        [OT_BY_RANK] = compare_ranks,
    };
    return compare[order->opts->by](order->pop, a, b);
}

static int compare_rows(const void *a, const void *b, void *arg)
{
    const struct order *order = arg;
    const struct ot_row *row_a = *(const struct ot_row *const *)a;
    const struct ot_row *row_b = *(const struct ot_row *const *)b;
    int by_group = compare_groups(order, row_a, row_b);
    return by_group ? by_group : compare_keys(order, row_a, row_b);
}

static uint64_t n_succeeded(const struct ot_totals *totals)
{
    return totals->n_calls - totals->n_errors;
}

/* Each is positive if `a` has more. */
static int compare_time(const struct ot_totals *a, const struct ot_totals *b)
{
    return compare_i64(a->inclusive_ns, b->inclusive_ns);
}

static int compare_self(const struct ot_totals *a, const struct ot_totals *b)
{
    return compare_i64(a->self_ns, b->self_ns);
}

static int compare_calls(const struct ot_totals *a, const struct ot_totals *b)
{
    return compare_u64(a->n_calls, b->n_calls);
}

static int compare_means(const struct ot_totals *a, const struct ot_totals *b)
{
    /* Exact: the product of two 64-bit numbers fits into 128 bits. */
    unsigned __int128 left = (unsigned __int128)a->inclusive_ns * n_succeeded(b);
    unsigned __int128 right = (unsigned __int128)b->inclusive_ns * n_succeeded(a);
    return (left > right) - (left < right);
}

static int compare_min(const struct ot_totals *a, const struct ot_totals *b)
{
    return compare_i64(a->min_ns, b->min_ns);
}

static int compare_max(const struct ot_totals *a, const struct ot_totals *b)
{
    return compare_i64(a->max_ns, b->max_ns);
}

static int compare_errors(const struct ot_totals *a, const struct ot_totals *b)
{
    return compare_u64(a->n_errors, b->n_errors);
}

static int compare_nothing(const struct ot_totals *a, const struct ot_totals *b)
{
    (void)a;
    (void)b;
    return 0;
}

static int compare_values(enum ot_sort sort, const struct ot_totals *a, const struct ot_totals *b)
{
    static const struct {
        int (*compare)(const struct ot_totals *a, const struct ot_totals *b);
        bool needs_success; /* a row without a successful call has no such value: it goes last */
    } keys[] = {
        [OT_SORT_TIME] = {compare_time, false},    [OT_SORT_SELF] = {compare_self, false},
        [OT_SORT_CALLS] = {compare_calls, false},  [OT_SORT_AVERAGE] = {compare_means, true},
        [OT_SORT_MIN] = {compare_min, true},       [OT_SORT_MAX] = {compare_max, true},
        [OT_SORT_NAME] = {compare_nothing, false}, [OT_SORT_ERRORS] = {compare_errors, false},
    };
    if (keys[sort].needs_success && (n_succeeded(a) == 0 || n_succeeded(b) == 0))
        return (n_succeeded(a) != 0) - (n_succeeded(b) != 0);
    return keys[sort].compare(a, b);
}

static int compare_shown_names(const struct ot_view_row *a, const struct ot_view_row *b)
{
    int order = ot_text_compare(a->name, b->name);
    if (order == 0)
        order = ot_text_compare(a->host, b->host);
    if (order == 0)
        order = compare_i64(a->vpid, b->vpid);
    if (order == 0)
        order = compare_u64(a->vtid, b->vtid);
    /* Of one population's array, which is in the order of the inputs. */
    return order ? order : (a->session > b->session) - (a->session < b->session);
}

static int compare_shown(const void *a, const void *b, void *arg)
{
    const struct order *order = arg;
    const struct ot_view_row *row_a = a;
    const struct ot_view_row *row_b = b;
    int by_value = compare_values(order->opts->sort, &row_a->totals, &row_b->totals);
    return by_value ? -by_value : compare_shown_names(row_a, row_b);
}

/* The rows of one table: [first, first + n) of the sorted pointers. */
struct span {
    const struct ot_row **rows;
    size_t n;
};

static uint64_t count_distinct(struct span span, struct order *order,
                               int (*compare)(const void *, const void *, void *))
{
    qsort_r(span.rows, span.n, sizeof(*span.rows), compare, order);
    uint64_t n = span.n > 0;
    for (size_t i = 1; i < span.n; i++)
        n += compare(&span.rows[i - 1], &span.rows[i], order) != 0;
    return n;
}

static int by_host(const void *a, const void *b, void *arg)
{
    return compare_name_id(((const struct order *)arg)->pop,
                           (*(const struct ot_row *const *)a)->host,
                           (*(const struct ot_row *const *)b)->host);
}

static int by_vpid(const void *a, const void *b, void *arg)
{
    (void)arg;
    return compare_i64((*(const struct ot_row *const *)a)->vpid,
                       (*(const struct ot_row *const *)b)->vpid);
}

static int by_vtid(const void *a, const void *b, void *arg)
{
    (void)arg;
    return compare_u64((*(const struct ot_row *const *)a)->vtid,
                       (*(const struct ot_row *const *)b)->vtid);
}

static int by_process(const void *a, const void *b, void *arg)
{
    int order = by_host(a, b, arg);
    return order ? order : by_vpid(a, b, arg);
}

static int by_thread(const void *a, const void *b, void *arg)
{
    int order = by_process(a, b, arg);
    return order ? order : by_vtid(a, b, arg);
}

static void describe(struct ot_view_table *table, struct span span, struct order *order)
{
    for (size_t i = 0; i < span.n; i++)
        table->has_backend[span.rows[i]->backend] = true;
    const struct ot_row *first = span.rows[0];
    table->level = order->opts->levels[first->backend];
    table->host = ot_names_text(&order->pop->names, first->host);
    table->vpid = first->vpid;
    table->vtid = first->vtid;
    table->n_hosts = count_distinct(span, order, by_host);
    table->n_processes = count_distinct(span, order, by_process);
    table->n_threads = count_distinct(span, order, by_thread);
    table->n_process_ids = count_distinct(span, order, by_vpid);
    table->n_thread_ids = count_distinct(span, order, by_vtid);
}

static struct ot_view_row shown_row(const struct ot_row *row, const struct order *order)
{
    struct ot_view_row shown = {.vpid = row->vpid};
    ot_totals_init(&shown.totals);
    if (order->opts->by == OT_BY_OPERATOR) {
        shown.name = ot_names_text(&order->pop->names, row->name);
        shown.vpid = 0;
        return shown;
    }
    shown.session = session_of(order->pop, row);
    if (order->opts->by == OT_BY_RANK)
        return shown;
    shown.host = ot_names_text(&order->pop->names, row->host);
    if (order->opts->by == OT_BY_THREAD)
        shown.vtid = row->vtid;
    return shown;
}

static int fill(struct ot_view *view, struct ot_view_table *table, struct span span,
                struct order *order, struct ot_err *err)
{
    size_t cap = 0;
    ot_totals_init(&table->totals);
    for (size_t i = 0; i < span.n; i++) {
        if (i == 0 || compare_keys(order, span.rows[i - 1], span.rows[i]) != 0) {
            if (!ot_vec_reserve(&table->rows, &cap, table->n_rows + 1, sizeof(*table->rows)))
                return ot_err_set(err, OT_ERR_NOMEM, "out of memory for rows");
            table->rows[table->n_rows++] = shown_row(span.rows[i], order);
        }
        view->n_overflowed +=
            ot_totals_add(&table->rows[table->n_rows - 1].totals, &span.rows[i]->totals);
        view->n_overflowed += ot_totals_add(&table->totals, &span.rows[i]->totals);
    }
    qsort_r(table->rows, table->n_rows, sizeof(*table->rows), compare_shown, order);
    table->n_shown = table->n_rows;
    if (order->opts->top >= 0 && (uint64_t)order->opts->top < table->n_rows)
        table->n_shown = (size_t)order->opts->top;
    return OT_OK;
}

static int add_table(struct ot_view *view, size_t *cap, struct span span, struct order *order,
                     struct ot_err *err)
{
    if (!ot_vec_reserve(&view->tables, cap, view->n_tables + 1, sizeof(*view->tables)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for tables");
    struct ot_view_table *table = &view->tables[view->n_tables++];
    *table = (struct ot_view_table){0};
    int code = fill(view, table, span, order, err);
    /* Last, since counting reorders the span. */
    if (code == OT_OK)
        describe(table, span, order);
    return code;
}

/* Rows without a call (nothing but unclosed entries) are in no table. */
static size_t choose(struct ot_view *view, const struct order *order, const struct ot_row **rows)
{
    size_t n = 0;
    for (size_t i = 0; i < order->pop->n_rows; i++) {
        const struct ot_row *row = &order->pop->rows[i];
        if (order->opts->levels[row->backend] == 0)
            view->left_out[row->backend] += row->totals.n_calls;
        else if (row->totals.n_calls)
            rows[n++] = row;
    }
    return n;
}

int ot_view_build(struct ot_view *view, const struct ot_population *pop,
                  const struct ot_view_opts *opts, struct ot_err *err)
{
    struct order order = {.pop = pop, .opts = opts};
    const struct ot_row **rows = calloc(pop->n_rows + 1, sizeof(*rows));
    if (!rows)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for rows");
    size_t n = choose(view, &order, rows);
    qsort_r(rows, n, sizeof(*rows), compare_rows, &order);
    size_t cap = 0;
    int code = OT_OK;
    for (size_t first = 0, end; first < n && code == OT_OK; first = end) {
        for (end = first + 1; end < n && compare_groups(&order, rows[first], rows[end]) == 0;)
            end++;
        code = add_table(view, &cap, (struct span){rows + first, end - first}, &order, err);
    }
    free(rows);
    return code;
}

void ot_view_release(struct ot_view *view)
{
    if (!view)
        return;
    for (size_t i = 0; i < view->n_tables; i++)
        free(view->tables[i].rows);
    free(view->tables);
    *view = (struct ot_view){0};
}
