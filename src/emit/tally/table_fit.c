#include "emit/tally/table.h"

/* A terminal shows at least a third of its width of the names, within these limits, as long as
 * spare columns can be left out for them. */
enum { LEAST_GOOD_NAME = 20, MOST_GOOD_NAME = 32 };

static const char *const first_titles[] = {
    [OT_BY_OPERATOR] = "Name",
    [OT_BY_THREAD] = "Thread",
    [OT_BY_PROCESS] = "Process",
    [OT_BY_RANK] = "Rank",
};

static void add_operator(const struct ot_tally_table *table, const struct ot_view_row *row,
                         struct ot_str *str)
{
    ot_name_add(str, row->name, table->tally->opts->max_name_size);
}

static void add_process(const struct ot_tally_table *table, const struct ot_view_row *row,
                        struct ot_str *str)
{
    ot_name_add(str, row->host, table->tally->opts->max_name_size);
    ot_str_addf(str, "/");
    ot_tally_add_process(str, table->tally->pop, row->vpid);
}

static void add_thread(const struct ot_tally_table *table, const struct ot_view_row *row,
                       struct ot_str *str)
{
    add_process(table, row, str);
    ot_str_addf(str, "/");
    ot_tally_add_thread(str, table->tally->pop, row->vtid);
}

static void add_rank(const struct ot_tally_table *table, const struct ot_view_row *row,
                     struct ot_str *str)
{
    (void)table;
    ot_tally_add_rank(str, row->session);
}

const char *ot_tally_table_name_title(const struct ot_tally_table *table)
{
    return first_titles[table->tally->opts->view.by];
}

void ot_tally_table_add_name(const struct ot_tally_table *table, const struct ot_view_row *row,
                             struct ot_str *str)
{
    static void (*const add[])(const struct ot_tally_table *, const struct ot_view_row *,
                               struct ot_str *) = {
        [OT_BY_OPERATOR] = add_operator,
        [OT_BY_THREAD] = add_thread,
        [OT_BY_PROCESS] = add_process,
        [OT_BY_RANK] = add_rank,
    };
    add[table->tally->opts->view.by](table, row, str);
}

static void widen(size_t *width, size_t len)
{
    if (len > *width)
        *width = len;
}

static size_t cells_of(const struct ot_tally_table *table, const struct ot_str *str)
{
    return ot_look_cells(&table->look, (struct ot_text){ot_str_borrow(str), str->len});
}

static void measure_row(struct ot_tally_table *table, const struct ot_totals *totals, bool is_total)
{
    for (size_t i = 0; i < OT_TALLY_COLUMNS; i++) {
        if (is_total && ot_tally_columns[i].has_no_total)
            continue;
        char text[OT_UNITS_BYTES] = "";
        ot_tally_columns[i].write(table->cells, totals, text);
        widen(&table->columns[i].width, strlen(text));
    }
}

static void measure(struct ot_tally_table *table)
{
    const struct ot_view_table *view = table->cells->table;
    const struct ot_view_opts *opts = &table->tally->opts->view;
    table->name_width = strlen(ot_tally_table_name_title(table));
    widen(&table->name_width, strlen("Total"));
    for (size_t i = 0; i < OT_TALLY_COLUMNS; i++) {
        const struct ot_tally_column *column = &ot_tally_columns[i];
        table->columns[i] = (struct ot_column_fit){
            .title = column->title,
            .width = strlen(column->title),
            .rank = column->sort == opts->sort ? column->sorted_rank : column->rank};
    }
    struct ot_str name = {0};
    for (size_t i = 0; i < view->n_shown; i++) {
        ot_str_clear(&name);
        ot_tally_table_add_name(table, &view->rows[i], &name);
        widen(&table->name_width, cells_of(table, &name));
        measure_row(table, &view->rows[i].totals, false);
    }
    ot_str_release(&name);
    measure_row(table, &view->totals, true);
}

bool ot_tally_table_lacks(const struct ot_tally_table *table, const struct ot_tally_column *column)
{
    return column->is_self && (table->cells->thapi || table->tally->opts->no_self);
}

bool ot_tally_table_hides(const struct ot_tally_table *table, const struct ot_tally_column *column)
{
    return column->is_for_failures && table->cells->table->totals.n_errors == 0;
}

static size_t good_name(const struct ot_tally_table *table)
{
    size_t third = table->look.width / 3;
    size_t good = third < LEAST_GOOD_NAME  ? LEAST_GOOD_NAME
                  : third > MOST_GOOD_NAME ? MOST_GOOD_NAME
                                           : third;
    return table->name_width < good ? table->name_width : good;
}

/* Leaves columns out and shortens names until lines fit; the names as long as somebody asked for
 * are not, and if they are too long whatever is left out, nothing is. */
static void fit(struct ot_tally_table *table)
{
    struct ot_column_fit columns[OT_TALLY_COLUMNS];
    bool is_fixed = table->tally->opts->has_name_size;
    size_t names = table->name_width;
    size_t width = table->look.width + 1 - OT_TALLY_GAP_LEN; /* the last blank is not printed */
    size_t least = is_fixed || names < OT_COLUMN_MIN_NAME ? names : OT_COLUMN_MIN_NAME;
    for (size_t i = 0; i < OT_TALLY_COLUMNS; i++) {
        const struct ot_tally_column *column = &ot_tally_columns[i];
        columns[i] = table->columns[i];
        columns[i].width += OT_TALLY_GAP_LEN;
        if (ot_tally_table_lacks(table, column) || ot_tally_table_hides(table, column))
            columns[i].width = 0;
    }
    size_t taken = ot_columns_fit(columns, OT_TALLY_COLUMNS, width,
                                  is_fixed ? names : good_name(table), least);
    if (is_fixed && names + taken > width)
        return;
    for (size_t i = 0; i < OT_TALLY_COLUMNS; i++)
        table->columns[i].is_left_out = columns[i].is_left_out;
    size_t room = taken + least < width ? width - taken : least;
    table->name_width = names < room ? names : room;
    table->width = table->name_width + taken + OT_TALLY_GAP_LEN - 1;
}

void ot_tally_table_fit(struct ot_tally_table *table)
{
    measure(table);
    if (table->look.is_terminal)
        fit(table);
}
