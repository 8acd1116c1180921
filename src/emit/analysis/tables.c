#include <inttypes.h>

#include "base/units.h"
#include "emit/analysis/text.h"
#include "emit/grid/grid.h"
#include "emit/grid/name.h"

/* What the cells of a row depend on. */
struct context {
    const struct ot_analysis *analysis;
    const struct ot_operator_row *row;
    int64_t host_busy_ns;
};

typedef void (*add_cell)(const struct context *context, struct ot_str *str);

static void add_ns(struct ot_str *str, int64_t ns)
{
    char text[OT_UNITS_BYTES];
    ot_units_ns(text, ns < 0 ? 0 : (uint64_t)ns);
    ot_str_addf(str, "%s", text);
}

static void inclusive_cell(const struct context *context, struct ot_str *str)
{
    add_ns(str, context->row->inclusive_ns);
}

static void self_cell(const struct context *context, struct ot_str *str)
{
    add_ns(str, context->row->self_ns);
}

/* A device's work is no part of what the host was busy with. */
static void self_percent_cell(const struct context *context, struct ot_str *str)
{
    if (ot_text_same(context->row->kind, ot_text_of("device")) || context->host_busy_ns <= 0)
        return;
    char text[OT_UNITS_BYTES];
    ot_units_percent(text, (uint64_t)context->row->self_ns, (uint64_t)context->host_busy_ns);
    ot_str_addf(str, "%s", text);
}

static void calls_cell(const struct context *context, struct ot_str *str)
{
    ot_str_addf(str, "%" PRIu64, context->row->n_calls);
}

static void mean_cell(const struct context *context, struct ot_str *str)
{
    char text[OT_UNITS_BYTES];
    ot_units_mean_ns(text, (uint64_t)context->row->inclusive_ns, context->row->n_calls, false);
    ot_str_addf(str, "%s", text);
}

static void device_cell(const struct context *context, struct ot_str *str)
{
    if (context->row->has_device && context->row->device_inclusive_ns)
        add_ns(str, context->row->device_inclusive_ns);
}

static void memory_cell(const struct context *context, struct ot_str *str)
{
    if (!context->row->has_allocated || context->row->allocated_bytes <= 0)
        return;
    char text[OT_UNITS_BYTES];
    ot_units_bytes(text, (uint64_t)context->row->allocated_bytes);
    ot_str_addf(str, "%s", text);
}

/* Those of most calls, and how many others there are. */
static void shapes_cell(const struct context *context, struct ot_str *str)
{
    enum { MAX_SIZE = 32 };
    const struct ot_operator_row *row = context->row;
    if (row->n_shapes_returned == 0)
        return;
    ot_name_add(str, row->shapes[0].shapes, MAX_SIZE);
    if (row->n_shapes > 1)
        ot_str_addf(str, " +%" PRIu64, row->n_shapes - 1);
}

static void rank_cell(const struct context *context, struct ot_str *str)
{
    if (context->analysis->n_sessions > 1)
        ot_analysis_add_rank(context->analysis, context->row->session, str);
}

/* What is an operator goes without saying. */
static void kind_cell(const struct context *context, struct ot_str *str)
{
    if (!ot_text_same(context->row->kind, ot_text_of("op")))
        ot_str_add_text(str, context->row->kind);
}

static void name_cell(const struct context *context, struct ot_str *str)
{
    ot_str_add_text(str, context->row->name);
}

static enum ot_style style_of(const struct context *context)
{
    bool is_device = ot_text_same(context->row->kind, ot_text_of("device"));
    return is_device ? OT_STYLE_PLAIN
                     : ot_style_of_share(context->row->self_ns, context->host_busy_ns);
}

struct column {
    struct ot_grid_column title;
    add_cell add;
    bool is_self; /* how much it is shows */
};

static const struct column operator_columns[] = {
    {{"Inclusive", false, 0}, inclusive_cell, false},
    {{"Self", false, 3}, self_cell, true},
    {{"Self(%)", false, 12}, self_percent_cell, true},
    {{"Calls", false, 2}, calls_cell, false},
    {{"Mean", false, 15}, mean_cell, false},
    {{"Device", false, 11}, device_cell, false},
    {{"Memory", false, 14}, memory_cell, false},
    {{"Rank", true, 1}, rank_cell, false},
    {{"Kind", true, 13}, kind_cell, false},
    {{"Input shapes", true, 16}, shapes_cell, false},
    {{"Name", true, 0}, name_cell, true},
};

static const struct column repeated_columns[] = {
    {{"Calls", false, 0}, calls_cell, false},         {{"Mean", false, 3}, mean_cell, false},
    {{"Inclusive", false, 2}, inclusive_cell, false}, {{"Rank", true, 1}, rank_cell, false},
    {{"Kind", true, 11}, kind_cell, false},           {{"Name", true, 0}, name_cell, false},
};

static void write_table(struct ot_analysis_text *text, const struct ot_analysis_table *table,
                        const struct column *columns, size_t n_columns)
{
    struct ot_grid_column titles[OT_GRID_MAX_COLUMNS];
    struct ot_grid grid = {.columns = titles, .n_columns = n_columns};
    struct context context = {.analysis = text->report->analysis};
    for (size_t i = 0; i < context.analysis->n_aggregates; i++) {
        if (ot_text_same(context.analysis->aggregates[i].name, ot_text_of("host_busy_time")))
            context.host_busy_ns = context.analysis->aggregates[i].value;
    }
    for (size_t i = 0; i < n_columns; i++)
        titles[i] = columns[i].title;
    for (size_t row = 0; row < table->n_rows; row++) {
        context.row = &table->rows[row];
        for (size_t i = 0; i < n_columns; i++) {
            struct ot_str cell = {0};
            columns[i].add(&context, &cell);
            ot_grid_add_styled(&grid, (struct ot_text){ot_str_borrow(&cell), cell.len},
                               columns[i].is_self ? style_of(&context) : OT_STYLE_PLAIN);
            grid.failed |= cell.failed;
            ot_str_release(&cell);
        }
    }
    if (table->n_rows)
        ot_grid_write(&grid, text->look, text->out);
    text->failed |= grid.failed;
    ot_grid_release(&grid);
}

/* "Operators, 3 of 17 shown" */
static void write_title(struct ot_analysis_text *text, const char *title,
                        const struct ot_analysis_table *table)
{
    const struct ot_look *look = text->look;
    fprintf(text->out, "\n%s%s%s, %zu of %" PRIu64 " shown\n", ot_look_begin(look, OT_STYLE_HEAD),
            title, ot_look_end(look, OT_STYLE_HEAD), table->n_rows, table->n_total);
}

static void write_threshold(struct ot_analysis_text *text)
{
    const struct ot_analysis *analysis = text->report->analysis;
    char threshold[OT_UNITS_BYTES];
    /* Thousandths are below what a large one is shown with. */
    if (analysis->threshold_ns < INT32_MAX)
        ot_units_mean_ns(threshold,
                         (uint64_t)analysis->threshold_ns * 1000 +
                             (uint64_t)analysis->threshold_thousandths,
                         1000, false);
    else
        ot_units_ns(threshold, (uint64_t)analysis->threshold_ns);
    struct ot_str words = {0};
    ot_str_addf(&words, "3 calls or more of %s or less on average%s)", threshold,
                analysis->threshold_is_absolute ? "" : ", the 25th percentile");
    ot_analysis_write_words(text, OT_STYLE_PLAIN, "(", &words);
    ot_str_release(&words);
}

void ot_analysis_write_tables(struct ot_analysis_text *text)
{
    const struct ot_analysis *analysis = text->report->analysis;
    if (analysis->n_operators == 0)
        return;
    write_title(text, "Operators by inclusive time", &analysis->operators);
    write_table(text, &analysis->operators, operator_columns,
                sizeof(operator_columns) / sizeof(operator_columns[0]));
    write_title(text, "Repeated small operations", &analysis->repeated);
    write_threshold(text);
    write_table(text, &analysis->repeated, repeated_columns,
                sizeof(repeated_columns) / sizeof(repeated_columns[0]));
}
