#include <inttypes.h>

#include "base/units.h"
#include "base/utf8.h"
#include "emit/tally/format.h"

/* One table being printed. */
struct grid {
    const struct ot_tally *tally;
    const struct ot_view_table *table;
    bool thapi;
};

/* A cell that has nothing to say stays empty. */
typedef void (*write_cell)(const struct grid *grid, const struct ot_totals *totals,
                           char ret_text[OT_UNITS_BYTES]);

static void time_cell(const struct grid *grid, const struct ot_totals *totals,
                      char ret_text[OT_UNITS_BYTES])
{
    (void)grid;
    if (ot_tally_n_timed(totals))
        ot_units_ns(ret_text, (uint64_t)totals->inclusive_ns);
}

static void percent(int64_t part, int64_t whole, const struct ot_totals *totals,
                    char ret_text[OT_UNITS_BYTES])
{
    if (ot_tally_n_timed(totals) && whole)
        ot_units_percent(ret_text, (uint64_t)part, (uint64_t)whole);
}

static void time_percent_cell(const struct grid *grid, const struct ot_totals *totals,
                              char ret_text[OT_UNITS_BYTES])
{
    percent(totals->inclusive_ns, grid->table->totals.inclusive_ns, totals, ret_text);
}

static void self_cell(const struct grid *grid, const struct ot_totals *totals,
                      char ret_text[OT_UNITS_BYTES])
{
    (void)grid;
    if (ot_tally_n_timed(totals))
        ot_units_ns(ret_text, (uint64_t)totals->self_ns);
}

static void self_percent_cell(const struct grid *grid, const struct ot_totals *totals,
                              char ret_text[OT_UNITS_BYTES])
{
    percent(totals->self_ns, grid->table->totals.self_ns, totals, ret_text);
}

static void calls_cell(const struct grid *grid, const struct ot_totals *totals,
                       char ret_text[OT_UNITS_BYTES])
{
    (void)grid;
    snprintf(ret_text, OT_UNITS_BYTES, "%" PRIu64, totals->n_calls);
}

static void average_cell(const struct grid *grid, const struct ot_totals *totals,
                         char ret_text[OT_UNITS_BYTES])
{
    if (ot_tally_n_timed(totals))
        ot_units_mean_ns(ret_text, (uint64_t)totals->inclusive_ns, ot_tally_n_timed(totals),
                         grid->thapi);
}

static void min_cell(const struct grid *grid, const struct ot_totals *totals,
                     char ret_text[OT_UNITS_BYTES])
{
    (void)grid;
    if (ot_tally_n_timed(totals))
        ot_units_ns(ret_text, (uint64_t)totals->min_ns);
}

static void max_cell(const struct grid *grid, const struct ot_totals *totals,
                     char ret_text[OT_UNITS_BYTES])
{
    (void)grid;
    if (ot_tally_n_timed(totals))
        ot_units_ns(ret_text, (uint64_t)totals->max_ns);
}

static void error_cell(const struct grid *grid, const struct ot_totals *totals,
                       char ret_text[OT_UNITS_BYTES])
{
    (void)grid;
    snprintf(ret_text, OT_UNITS_BYTES, "%" PRIu64, totals->n_errors);
}

static const struct column {
    const char *title;
    write_cell write;
    bool is_ours;         /* not in THAPI's table */
    bool has_no_total;    /* hidden in the Total row */
    bool is_for_failures; /* hidden where no call failed */
} columns[] = {
    {"Time", time_cell, false, false, false},   {"Time(%)", time_percent_cell, false, false, false},
    {"Self", self_cell, true, false, false},    {"Self(%)", self_percent_cell, true, false, false},
    {"Calls", calls_cell, false, false, false}, {"Average", average_cell, false, true, false},
    {"Min", min_cell, false, true, false},      {"Max", max_cell, false, true, false},
    {"Error", error_cell, false, false, true},
};
enum { N_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static const char *const first_titles[] = {
    [OT_BY_OPERATOR] = "Name",
    [OT_BY_THREAD] = "Thread",
    [OT_BY_PROCESS] = "Process",
    [OT_BY_RANK] = "Rank",
};

static void add_operator(const struct grid *grid, const struct ot_view_row *row, struct ot_str *str)
{
    ot_name_add(str, row->name, grid->tally->opts->max_name_size);
}

static void add_process(const struct grid *grid, const struct ot_view_row *row, struct ot_str *str)
{
    ot_name_add(str, row->host, grid->tally->opts->max_name_size);
    ot_str_addf(str, "/");
    ot_tally_add_process(str, grid->tally->pop, row->vpid);
}

static void add_thread(const struct grid *grid, const struct ot_view_row *row, struct ot_str *str)
{
    add_process(grid, row, str);
    ot_str_addf(str, "/");
    ot_tally_add_thread(str, grid->tally->pop, row->vtid);
}

static void add_rank(const struct grid *grid, const struct ot_view_row *row, struct ot_str *str)
{
    (void)grid;
    ot_tally_add_rank(str, row->session);
}

static void add_row_name(const struct grid *grid, const struct ot_view_row *row, struct ot_str *str)
{
    static void (*const add[])(const struct grid *, const struct ot_view_row *, struct ot_str *) = {
        [OT_BY_OPERATOR] = add_operator,
        [OT_BY_THREAD] = add_thread,
        [OT_BY_PROCESS] = add_process,
        [OT_BY_RANK] = add_rank,
    };
    add[grid->tally->opts->view.by](grid, row, str);
}

static void widen(size_t *width, size_t len)
{
    if (len > *width)
        *width = len;
}

struct widths {
    size_t name;
    size_t columns[N_COLUMNS];
};

static void measure_row(const struct grid *grid, const struct ot_totals *totals, bool is_total,
                        struct widths *widths)
{
    for (size_t i = 0; i < N_COLUMNS; i++) {
        if (is_total && columns[i].has_no_total)
            continue;
        char text[OT_UNITS_BYTES] = "";
        columns[i].write(grid, totals, text);
        widen(&widths->columns[i], strlen(text));
    }
}

static struct widths measure(const struct grid *grid)
{
    struct widths widths = {.name = strlen(first_titles[grid->tally->opts->view.by])};
    widen(&widths.name, strlen("Total"));
    for (size_t i = 0; i < N_COLUMNS; i++)
        widths.columns[i] = strlen(columns[i].title);
    for (size_t i = 0; i < grid->table->n_shown; i++) {
        struct ot_str name = {0};
        add_row_name(grid, &grid->table->rows[i], &name);
        widen(&widths.name, ot_utf8_count((struct ot_text){ot_str_borrow(&name), name.len}));
        ot_str_release(&name);
        measure_row(grid, &grid->table->rows[i].totals, false, &widths);
    }
    measure_row(grid, &grid->table->totals, true, &widths);
    return widths;
}

/* Right-aligned; widths count code points. */
static void add_cell(struct ot_str *line, struct ot_text text, size_t width, const char *end)
{
    size_t len = ot_utf8_count(text);
    ot_str_addf(line, "%*s", (int)(width > len ? width - len : 0), "");
    ot_str_add_text(line, text);
    ot_str_addf(line, "%s", end);
}

static void finish_line(const struct grid *grid, struct ot_str *line, FILE *out)
{
    size_t len = line->len;
    /* THAPI's lines end in blanks; ours do not. */
    while (!grid->thapi && len && line->bytes[len - 1] == ' ')
        len--;
    fwrite(ot_str_borrow(line), 1, len, out);
    putc('\n', out);
    ot_str_clear(line);
}

/* `totals` is NULL for the header. */
static void add_cells(const struct grid *grid, const struct widths *widths,
                      const struct ot_totals *totals, struct ot_str *line)
{
    for (size_t i = 0; i < N_COLUMNS; i++) {
        /* Our columns are those of self times. */
        if (columns[i].is_ours && (grid->thapi || grid->tally->opts->no_self))
            continue;
        bool is_hidden = (totals == &grid->table->totals && columns[i].has_no_total) ||
                         (columns[i].is_for_failures && grid->table->totals.n_errors == 0);
        char text[OT_UNITS_BYTES] = "";
        if (totals && !is_hidden)
            columns[i].write(grid, totals, text);
        const char *shown = totals || is_hidden ? text : columns[i].title;
        add_cell(line, ot_text_of(shown), widths->columns[i], is_hidden ? "   " : " | ");
    }
}

static void write_grid(const struct grid *grid, FILE *out)
{
    const struct ot_view_table *table = grid->table;
    struct widths widths = measure(grid);
    struct ot_str line = {0};
    add_cell(&line, ot_text_of(first_titles[grid->tally->opts->view.by]), widths.name, " | ");
    add_cells(grid, &widths, NULL, &line);
    finish_line(grid, &line, out);
    struct ot_str name = {0};
    for (size_t i = 0; i < table->n_shown; i++) {
        ot_str_clear(&name);
        add_row_name(grid, &table->rows[i], &name);
        add_cell(&line, (struct ot_text){ot_str_borrow(&name), name.len}, widths.name, " | ");
        add_cells(grid, &widths, &table->rows[i].totals, &line);
        finish_line(grid, &line, out);
    }
    ot_str_release(&name);
    add_cell(&line, ot_text_of("Total"), widths.name, " | ");
    add_cells(grid, &widths, &table->totals, &line);
    finish_line(grid, &line, out);
    ot_str_release(&line);
}

static void write_labels(const struct ot_view_table *table, FILE *out)
{
    const char *separator = "";
    for (int i = 0; i < OT_BACKEND_COUNT; i++) {
        if (!table->has_backend[i])
            continue;
        fprintf(out, "%s%s", separator, ot_backends[i].label);
        separator = ",";
    }
    fputs(" | ", out);
}

/* What the trace does not say stands in no title, as in THAPI's. */
static void write_thread(const struct grid *grid, FILE *out)
{
    const struct ot_view_table *table = grid->table;
    const struct ot_population *pop = grid->tally->pop;
    uint32_t id;
    struct ot_str thread = {0};
    if (table->host.len) {
        struct ot_str host = {0};
        ot_utf8_add_printable(&host, table->host);
        fprintf(out, "Hostname: %s | ", ot_str_borrow(&host));
        ot_str_release(&host);
    }
    if (table->vpid > 0 || ot_vpid_is_name(&pop->names, table->vpid, &id)) {
        ot_tally_add_process(&thread, pop, table->vpid);
        fprintf(out, "Process: %s | ", ot_str_borrow(&thread));
        ot_str_clear(&thread);
    }
    if (table->vtid) {
        ot_tally_add_thread(&thread, pop, table->vtid);
        fprintf(out, "Thread: %s | ", ot_str_borrow(&thread));
    }
    ot_str_release(&thread);
}

static void write_title(const struct grid *grid, FILE *out)
{
    const struct ot_view_table *table = grid->table;
    write_labels(table, out);
    if (grid->tally->opts->view.extended)
        write_thread(grid, out);
    else
        fprintf(out, "%" PRIu64 " Hostnames | %" PRIu64 " Processes | %" PRIu64 " Threads | ",
                table->n_hosts, grid->thapi ? table->n_process_ids : table->n_processes,
                grid->thapi ? table->n_thread_ids : table->n_threads);
    fputs("\n\n", out);
}

static void write_tables(const struct ot_tally *tally, bool thapi, FILE *out)
{
    for (size_t i = 0; i < tally->view->n_tables; i++) {
        struct grid grid = {.tally = tally, .table = &tally->view->tables[i], .thapi = thapi};
        write_title(&grid, out);
        write_grid(&grid, out);
        if (!thapi)
            ot_tally_write_cut(grid.table, "", out);
        putc('\n', out);
    }
}

void ot_tally_write_table(const struct ot_tally *tally, FILE *out)
{
    write_tables(tally, false, out);
    ot_tally_write_completeness(tally, "Lower bounds: ", out);
}

void ot_tally_write_thapi_table(const struct ot_tally *tally, FILE *out)
{
    write_tables(tally, true, out);
}
