#include <inttypes.h>

#include "base/utf8.h"
#include "emit/grid/leave_out.h"
#include "emit/tally/columns.h"

/* A terminal shows at least a third of its width of the names, within these limits, as long as
 * columns can be left out for them. */
enum { LEAST_NAME = 20, MOST_MIN_NAME = 32 };

static const char gap[] = " | ";
enum { GAP_LEN = sizeof(gap) - 1 };

/* One table being printed. */
struct table {
    const struct ot_tally *tally;
    const struct ot_tally_cells *cells;
    struct ot_look look;
    size_t name_width;
    struct ot_column_fit columns[OT_TALLY_COLUMNS]; /* widths without the gap, at the end */
    struct ot_str line;
};

static const char *const first_titles[] = {
    [OT_BY_OPERATOR] = "Name",
    [OT_BY_THREAD] = "Thread",
    [OT_BY_PROCESS] = "Process",
    [OT_BY_RANK] = "Rank",
};

static void add_operator(const struct table *table, const struct ot_view_row *row,
                         struct ot_str *str)
{
    ot_name_add(str, row->name, table->tally->opts->max_name_size);
}

static void add_process(const struct table *table, const struct ot_view_row *row,
                        struct ot_str *str)
{
    ot_name_add(str, row->host, table->tally->opts->max_name_size);
    ot_str_addf(str, "/");
    ot_tally_add_process(str, table->tally->pop, row->vpid);
}

static void add_thread(const struct table *table, const struct ot_view_row *row, struct ot_str *str)
{
    add_process(table, row, str);
    ot_str_addf(str, "/");
    ot_tally_add_thread(str, table->tally->pop, row->vtid);
}

static void add_rank(const struct table *table, const struct ot_view_row *row, struct ot_str *str)
{
    (void)table;
    ot_tally_add_rank(str, row->session);
}

static void add_row_name(const struct table *table, const struct ot_view_row *row,
                         struct ot_str *str)
{
    static void (*const add[])(const struct table *, const struct ot_view_row *,
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

static size_t cells_of(const struct table *table, const struct ot_str *str)
{
    return ot_look_cells(&table->look, (struct ot_text){ot_str_borrow(str), str->len});
}

static void measure_row(struct table *table, const struct ot_totals *totals, bool is_total)
{
    for (size_t i = 0; i < OT_TALLY_COLUMNS; i++) {
        if (is_total && ot_tally_columns[i].has_no_total)
            continue;
        char text[OT_UNITS_BYTES] = "";
        ot_tally_columns[i].write(table->cells, totals, text);
        widen(&table->columns[i].width, strlen(text));
    }
}

static void measure(struct table *table)
{
    const struct ot_view_table *view = table->cells->table;
    const struct ot_view_opts *opts = &table->tally->opts->view;
    table->name_width = strlen(first_titles[opts->by]);
    widen(&table->name_width, strlen("Total"));
    for (size_t i = 0; i < OT_TALLY_COLUMNS; i++) {
        const struct ot_tally_column *column = &ot_tally_columns[i];
        /* What the rows are in the order of stays. */
        table->columns[i] = (struct ot_column_fit){
            .title = column->title,
            .width = strlen(column->title),
            .rank = column->sort == opts->sort && column->rank ? 1 : column->rank};
    }
    struct ot_str name = {0};
    for (size_t i = 0; i < view->n_shown; i++) {
        ot_str_clear(&name);
        add_row_name(table, &view->rows[i], &name);
        widen(&table->name_width, cells_of(table, &name));
        measure_row(table, &view->rows[i].totals, false);
    }
    ot_str_release(&name);
    measure_row(table, &view->totals, true);
}

/* Not in this table at all. */
static bool is_absent(const struct table *table, const struct ot_tally_column *column)
{
    return column->is_self && (table->cells->thapi || table->tally->opts->no_self);
}

static bool has_no_failures(const struct table *table, const struct ot_tally_column *column)
{
    return column->is_for_failures && table->cells->table->totals.n_errors == 0;
}

static size_t min_name(const struct table *table)
{
    size_t third = table->look.width / 3;
    size_t least = third < LEAST_NAME ? LEAST_NAME : third > MOST_MIN_NAME ? MOST_MIN_NAME : third;
    bool is_fixed = table->tally->opts->has_name_size;
    return is_fixed || table->name_width < least ? table->name_width : least;
}

/* Leaves columns out and shortens names until lines fit; the names as long as somebody asked for
 * are not, and if they are too long whatever is left out, nothing is. */
static void fit(struct table *table)
{
    struct ot_column_fit columns[OT_TALLY_COLUMNS];
    bool is_fixed = table->tally->opts->has_name_size;
    size_t width = table->look.width + 1; /* the last gap's blank is not printed */
    size_t needed = min_name(table) + GAP_LEN;
    size_t taken = GAP_LEN;
    for (size_t i = 0; i < OT_TALLY_COLUMNS; i++) {
        const struct ot_tally_column *column = &ot_tally_columns[i];
        columns[i] = table->columns[i];
        columns[i].width += GAP_LEN;
        if (is_absent(table, column) || has_no_failures(table, column))
            columns[i].width = 0;
    }
    ot_columns_leave_out(columns, OT_TALLY_COLUMNS, width > needed ? width - needed : 0);
    for (size_t i = 0; i < OT_TALLY_COLUMNS; i++)
        taken += columns[i].is_left_out ? 0 : columns[i].width;
    if (is_fixed && table->name_width + taken > width)
        return;
    for (size_t i = 0; i < OT_TALLY_COLUMNS; i++)
        table->columns[i].is_left_out = columns[i].is_left_out;
    size_t room = taken + LEAST_NAME < width ? width - taken : LEAST_NAME;
    if (!is_fixed && table->name_width > room)
        table->name_width = room;
}

/* Right-aligned. */
static void add_cell(struct table *table, struct ot_text text, size_t width, enum ot_style style,
                     const char *end)
{
    struct ot_str cut = {0};
    size_t cells = ot_look_add(&table->look, &cut, text, width);
    bool is_styled = cut.len > 0;
    ot_str_addf(&table->line, "%*s%s", (int)(width > cells ? width - cells : 0), "",
                is_styled ? ot_look_begin(&table->look, style) : "");
    ot_str_add(&table->line, ot_str_borrow(&cut), cut.len);
    ot_str_addf(&table->line, "%s%s", is_styled ? ot_look_end(&table->look, style) : "", end);
    ot_str_release(&cut);
}

static void finish_line(struct table *table, FILE *out)
{
    struct ot_str *line = &table->line;
    size_t len = line->len;
    /* THAPI's lines end in blanks; ours do not. */
    while (!table->cells->thapi && len && line->bytes[len - 1] == ' ')
        len--;
    fwrite(ot_str_borrow(line), 1, len, out);
    putc('\n', out);
    ot_str_clear(line);
}

/* `totals` is NULL for the header. */
static void add_cells(struct table *table, const struct ot_totals *totals, enum ot_style style)
{
    bool is_total = totals == &table->cells->table->totals;
    for (size_t i = 0; i < OT_TALLY_COLUMNS; i++) {
        const struct ot_tally_column *column = &ot_tally_columns[i];
        if (is_absent(table, column) || table->columns[i].is_left_out)
            continue;
        bool is_hidden = (is_total && column->has_no_total) || has_no_failures(table, column);
        char text[OT_UNITS_BYTES] = "";
        if (totals && !is_hidden)
            column->write(table->cells, totals, text);
        const char *shown = totals || is_hidden ? text : column->title;
        add_cell(table, ot_text_of(shown), table->columns[i].width,
                 !totals || column->is_self ? style : OT_STYLE_PLAIN, is_hidden ? "   " : gap);
    }
}

static void write_row(struct table *table, struct ot_text name, const struct ot_totals *totals,
                      enum ot_style style, FILE *out)
{
    add_cell(table, name, table->name_width, style, gap);
    add_cells(table, totals, style);
    finish_line(table, out);
}

static enum ot_style style_of(const struct table *table, const struct ot_totals *totals)
{
    return table->tally->opts->no_self
               ? OT_STYLE_PLAIN
               : ot_style_of_share(totals->self_ns, table->cells->table->totals.self_ns);
}

static void write_rows(struct table *table, FILE *out)
{
    const struct ot_view_table *view = table->cells->table;
    const char *title = first_titles[table->tally->opts->view.by];
    write_row(table, ot_text_of(title), NULL, OT_STYLE_HEAD, out);
    struct ot_str name = {0};
    for (size_t i = 0; i < view->n_shown; i++) {
        const struct ot_totals *totals = &view->rows[i].totals;
        ot_str_clear(&name);
        add_row_name(table, &view->rows[i], &name);
        write_row(table, (struct ot_text){ot_str_borrow(&name), name.len}, totals,
                  style_of(table, totals), out);
    }
    ot_str_release(&name);
    write_row(table, ot_text_of("Total"), &view->totals, OT_STYLE_PLAIN, out);
}

static void write_labels(const struct ot_view_table *view, FILE *out)
{
    const char *separator = "";
    for (int i = 0; i < OT_BACKEND_COUNT; i++) {
        if (!view->has_backend[i])
            continue;
        fprintf(out, "%s%s", separator, ot_backends[i].label);
        separator = ",";
    }
    fputs(" | ", out);
}

/* What the trace does not say stands in no title, as in THAPI's. */
static void write_thread(const struct table *table, FILE *out)
{
    const struct ot_view_table *view = table->cells->table;
    const struct ot_population *pop = table->tally->pop;
    uint32_t id;
    struct ot_str title = {0};
    if (view->host.len) {
        ot_str_addf(&title, "Hostname: ");
        ot_utf8_add_printable(&title, view->host);
        ot_str_addf(&title, " | ");
    }
    if (view->vpid > 0 || ot_vpid_is_name(&pop->names, view->vpid, &id)) {
        ot_str_addf(&title, "Process: ");
        ot_tally_add_process(&title, pop, view->vpid);
        ot_str_addf(&title, " | ");
    }
    if (view->vtid) {
        ot_str_addf(&title, "Thread: ");
        ot_tally_add_thread(&title, pop, view->vtid);
        ot_str_addf(&title, " | ");
    }
    ot_look_write(&table->look, (struct ot_text){ot_str_borrow(&title), title.len}, out);
    ot_str_release(&title);
}

static void write_title(const struct table *table, FILE *out)
{
    const struct ot_view_table *view = table->cells->table;
    write_labels(view, out);
    if (table->tally->opts->view.extended)
        write_thread(table, out);
    else
        fprintf(out, "%" PRIu64 " Hostnames | %" PRIu64 " Processes | %" PRIu64 " Threads | ",
                view->n_hosts, table->cells->thapi ? view->n_process_ids : view->n_processes,
                table->cells->thapi ? view->n_thread_ids : view->n_threads);
    fputs("\n\n", out);
}

static void write_tables(const struct ot_tally *tally, bool thapi, FILE *out)
{
    for (size_t i = 0; i < tally->view->n_tables; i++) {
        const struct ot_tally_cells cells = {.table = &tally->view->tables[i], .thapi = thapi};
        struct table table = {.tally = tally, .cells = &cells};
        if (!thapi)
            table.look = tally->opts->look;
        measure(&table);
        if (table.look.is_terminal)
            fit(&table);
        write_title(&table, out);
        write_rows(&table, out);
        if (!thapi)
            ot_tally_write_cut(cells.table, "", out);
        ot_columns_tell_left_out(table.columns, OT_TALLY_COLUMNS, &table.look, out);
        putc('\n', out);
        ot_str_release(&table.line);
    }
}

void ot_tally_write_table(const struct ot_tally *tally, FILE *out)
{
    write_tables(tally, false, out);
    struct ot_str reasons = {0};
    ot_tally_add_completeness(&reasons, tally);
    if (reasons.len)
        ot_look_write_words(&tally->opts->look, OT_STYLE_WARNING, "Lower bounds: ",
                            (struct ot_text){ot_str_borrow(&reasons), reasons.len}, out);
    ot_str_release(&reasons);
}

void ot_tally_write_thapi_table(const struct ot_tally *tally, FILE *out)
{
    write_tables(tally, true, out);
}
