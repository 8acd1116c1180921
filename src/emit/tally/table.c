#include "emit/tally/table.h"

#include <inttypes.h>

#include "base/utf8.h"

/* Right-aligned. */
static void add_cell(struct ot_tally_table *table, struct ot_text text, size_t width,
                     enum ot_style style, const char *end)
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

static void finish_line(struct ot_tally_table *table, FILE *out)
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
static void add_cells(struct ot_tally_table *table, const struct ot_totals *totals,
                      enum ot_style style)
{
    bool is_total = totals == &table->cells->table->totals;
    for (size_t i = 0; i < OT_TALLY_COLUMNS; i++) {
        const struct ot_tally_column *column = &ot_tally_columns[i];
        if (ot_tally_table_lacks(table, column) || table->columns[i].is_left_out)
            continue;
        bool is_hidden = (is_total && column->has_no_total) || ot_tally_table_hides(table, column);
        char text[OT_UNITS_BYTES] = "";
        if (totals && !is_hidden)
            column->write(table->cells, totals, text);
        const char *shown = totals || is_hidden ? text : column->title;
        add_cell(table, ot_text_of(shown), table->columns[i].width,
                 !totals || column->is_self ? style : OT_STYLE_PLAIN,
                 is_hidden ? "   " : OT_TALLY_GAP);
    }
}

static void write_row(struct ot_tally_table *table, struct ot_text name,
                      const struct ot_totals *totals, enum ot_style style, FILE *out)
{
    add_cell(table, name, table->name_width, style, OT_TALLY_GAP);
    add_cells(table, totals, style);
    finish_line(table, out);
}

static enum ot_style style_of(const struct ot_tally_table *table, const struct ot_totals *totals)
{
    return table->tally->opts->no_self
               ? OT_STYLE_PLAIN
               : ot_style_of_share(totals->self_ns, table->cells->table->totals.self_ns);
}

static void write_rows(struct ot_tally_table *table, FILE *out)
{
    const struct ot_view_table *view = table->cells->table;
    const char *title = ot_tally_table_name_title(table);
    write_row(table, ot_text_of(title), NULL, OT_STYLE_HEAD, out);
    struct ot_str name = {0};
    for (size_t i = 0; i < view->n_shown; i++) {
        const struct ot_totals *totals = &view->rows[i].totals;
        ot_str_clear(&name);
        ot_tally_table_add_name(table, &view->rows[i], &name);
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
static void write_thread(const struct ot_tally_table *table, FILE *out)
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

static void write_title(const struct ot_tally_table *table, FILE *out)
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
        struct ot_tally_table table = {.tally = tally, .cells = &cells};
        if (!thapi)
            table.look = tally->opts->look;
        ot_tally_table_fit(&table);
        write_title(&table, out);
        write_rows(&table, out);
        if (!thapi)
            ot_tally_write_cut(cells.table, "", out);
        ot_columns_tell_left_out(table.columns, OT_TALLY_COLUMNS, table.width, &table.look, out);
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
