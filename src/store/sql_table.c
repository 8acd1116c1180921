#include <stdlib.h>

#include "base/units.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "emit/grid/grid.h"
#include "store/sql_write.h"

/* A table for people. Texts that are too long for a terminal are cut, numbers never are; columns
 * that have no room even so are left out, the last ones first. */
enum { GAP = 2, MIN_TEXT = 16, MAX_COLUMNS = OT_GRID_MAX_COLUMNS - 1 };

struct table {
    const struct ot_sql_columns *columns;
    const struct ot_look *look;
    FILE *out;
    struct ot_str texts; /* of all cells, one behind the other */
    size_t *ends;        /* of each */
    size_t n_cells;
    size_t cap;
    bool failed;
};

static int begin(const struct ot_sql_columns *columns, const struct ot_sql_output *output,
                 const char *commit, void **ret_state, struct ot_err *err)
{
    (void)commit;
    struct table *table = calloc(1, sizeof(*table));
    if (!table)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a query");
    *table = (struct table){.columns = columns, .look = output->look, .out = output->out};
    *ret_state = table;
    return OT_OK;
}

/* Lines within a value have no place in a table. */
static void put_on_one_line(struct ot_str *value)
{
    for (size_t i = 0; i < value->len; i++) {
        if (value->bytes[i] == '\t' || value->bytes[i] == '\n' || value->bytes[i] == '\r')
            value->bytes[i] = ' ';
    }
}

static void add_cell(struct table *table, const struct ot_sql_type *type, duckdb_vector vector,
                     size_t row)
{
    struct ot_str value = {0};
    if (!ot_vec_reserve(&table->ends, &table->cap, table->n_cells + 1, sizeof(*table->ends))) {
        table->failed = true;
        return;
    }
    if (type->id == DUCKDB_TYPE_SQLNULL || ot_sql_value_is_null(vector, row))
        ot_str_addf(&value, "NULL");
    else
        ot_sql_value_add(&value, type, vector, row);
    if (table->columns->is_plan) {
        ot_str_add(&table->texts, ot_str_borrow(&value), value.len);
    } else {
        put_on_one_line(&value);
        ot_utf8_add_printable(&table->texts, (struct ot_text){ot_str_borrow(&value), value.len});
    }
    table->failed |= value.failed;
    ot_str_release(&value);
    table->ends[table->n_cells++] = table->texts.len;
}

static void row(void *state, duckdb_data_chunk chunk, size_t row)
{
    struct table *table = state;
    for (size_t i = 0; i < table->columns->n; i++)
        add_cell(table, &table->columns->types[i], duckdb_data_chunk_get_vector(chunk, i), row);
}

static struct ot_text cell(const struct table *table, size_t i)
{
    size_t start = i ? table->ends[i - 1] : 0;
    return (struct ot_text){ot_str_borrow(&table->texts) + start, table->ends[i] - start};
}

/* --- as a grid ----------------------------------------------------------------------------------
 */

/* What has nothing to say any more when it is cut never is. */
static bool can_be_cut(const struct table *table, size_t column)
{
    const struct ot_sql_type *type = &table->columns->types[column];
    return type->id == DUCKDB_TYPE_VARCHAR || type->id == DUCKDB_TYPE_BLOB ||
           ot_sql_type_is_nested(type);
}

static void measure(const struct table *table, size_t *widths)
{
    for (size_t i = 0; i < table->columns->n; i++)
        widths[i] = ot_look_cells(table->look, ot_text_of(table->columns->names[i]));
    size_t column = 0;
    for (size_t i = 0; i < table->n_cells; i++, column++) {
        column = column < table->columns->n ? column : 0;
        size_t cells = ot_look_cells(table->look, cell(table, i));
        if (cells > widths[column])
            widths[column] = cells;
    }
}

static size_t width_with(const struct table *table, const size_t *widths, size_t text_width)
{
    size_t width = 0;
    for (size_t i = 0; i < table->columns->n; i++)
        width += (i ? GAP : 0) +
                 (can_be_cut(table, i) && widths[i] > text_width ? text_width : widths[i]);
    return width;
}

/* The largest width of texts with which a line fits, or the least if none does. */
static size_t find_text_width(const struct table *table, const size_t *widths)
{
    size_t text_width = MIN_TEXT;
    for (size_t i = 0; i < table->columns->n; i++) {
        if (can_be_cut(table, i) && widths[i] > text_width)
            text_width = widths[i];
    }
    while (table->look->width && text_width > MIN_TEXT &&
           width_with(table, widths, text_width) > table->look->width)
        text_width--;
    return text_width;
}

static void add_to_grid(struct table *table, struct ot_grid *grid, struct ot_text text,
                        size_t width)
{
    struct ot_str cut = {0};
    if (ot_look_cells(table->look, text) > width) {
        ot_look_add(table->look, &cut, text, width);
        text = (struct ot_text){ot_str_borrow(&cut), cut.len};
    }
    /* A grid leaves out a column without text. */
    ot_grid_add(grid, text.len ? text : ot_text_of(" "));
    table->failed |= cut.failed;
    ot_str_release(&cut);
}

static void write_grid(struct table *table, size_t text_width)
{
    struct ot_grid_column columns[OT_GRID_MAX_COLUMNS] = {{0}};
    size_t n = table->columns->n;
    /* The last column of a grid is cut; so that no number is, it is one without text. */
    struct ot_grid grid = {.columns = columns, .n_columns = n + 1};
    columns[n].title = "";
    for (size_t i = 0; i < n; i++)
        columns[i] =
            (struct ot_grid_column){table->columns->names[i],
                                    !ot_sql_type_is_number(&table->columns->types[i]), (unsigned)i};
    for (size_t row = 0; row < table->n_cells; row += n) {
        for (size_t i = 0; i < n; i++)
            add_to_grid(table, &grid, cell(table, row + i),
                        can_be_cut(table, i) ? text_width : SIZE_MAX);
        ot_grid_add(&grid, ot_text_of(""));
    }
    ot_grid_write(&grid, table->look, table->out);
    table->failed |= grid.failed;
    ot_grid_release(&grid);
}

/* --- otherwise ----------------------------------------------------------------------------------
 */

static void write_titles(const struct table *table)
{
    fputs(ot_look_begin(table->look, OT_STYLE_HEAD), table->out);
    for (size_t i = 0; i < table->columns->n; i++) {
        fputs(i ? "  " : "", table->out);
        ot_look_write(table->look, ot_text_of(table->columns->names[i]), table->out);
    }
    fprintf(table->out, "%s\n", ot_look_end(table->look, OT_STYLE_HEAD));
}

/* A line per value. */
static void write_records(const struct table *table)
{
    size_t n = table->columns->n;
    size_t longest = 0;
    for (size_t i = 0; i < n; i++) {
        size_t cells = ot_look_cells(table->look, ot_text_of(table->columns->names[i]));
        longest = cells > longest ? cells : longest;
    }
    for (size_t i = 0; i < table->n_cells; i++) {
        struct ot_text name = ot_text_of(table->columns->names[i % n]);
        if (i && i % n == 0)
            putc('\n', table->out);
        fputs(ot_look_begin(table->look, OT_STYLE_HEAD), table->out);
        ot_look_write(table->look, name, table->out);
        fprintf(table->out, "%s%*s", ot_look_end(table->look, OT_STYLE_HEAD),
                (int)(longest - ot_look_cells(table->look, name)) + GAP, "");
        ot_look_write(table->look, cell(table, i), table->out);
        putc('\n', table->out);
    }
}

/* EXPLAIN's second column has lines. */
static void write_plan(const struct table *table)
{
    for (size_t i = 1; i < table->n_cells; i += table->columns->n) {
        struct ot_text rest = cell(table, i);
        while (rest.len) {
            const char *end = memchr(rest.bytes, '\n', rest.len);
            size_t len = end ? (size_t)(end - rest.bytes) : rest.len;
            struct ot_str line = {0};
            ot_utf8_add_printable(&line, (struct ot_text){rest.bytes, len});
            ot_look_write(table->look, (struct ot_text){ot_str_borrow(&line), line.len},
                          table->out);
            putc('\n', table->out);
            ot_str_release(&line);
            len += end != NULL;
            rest = (struct ot_text){rest.bytes + len, rest.len - len};
        }
    }
}

static void write_count(const struct table *table, const struct ot_sql_result *result)
{
    char shown[OT_UNITS_BYTES];
    char all[OT_UNITS_BYTES];
    ot_units_count(shown, result->n_shown);
    ot_units_count(all, result->n_rows);
    if (result->n_shown < result->n_rows)
        fprintf(table->out, "%s of %s rows (limit: %s, or all)\n", shown, all, shown);
    else
        fprintf(table->out, "%s row%s\n", all, result->n_rows == 1 ? "" : "s");
}

static void write_rows(struct table *table)
{
    size_t *widths = calloc(table->columns->n + 1, sizeof(*widths));
    if (!widths) {
        table->failed = true;
        return;
    }
    measure(table, widths);
    bool is_single = table->n_cells == table->columns->n;
    bool fits =
        !table->look->is_terminal || width_with(table, widths, MIN_TEXT) <= table->look->width;
    if (table->n_cells == 0)
        write_titles(table);
    else if (table->columns->n > MAX_COLUMNS || (is_single && !fits))
        write_records(table);
    else
        write_grid(table, find_text_width(table, widths));
    free(widths);
}

static int end(void *state, const struct ot_sql_result *result, struct ot_err *err)
{
    struct table *table = state;
    table->failed |= table->texts.failed;
    if (result && !table->failed && table->columns->is_plan) {
        write_plan(table);
    } else if (result && !table->failed) {
        write_rows(table);
        write_count(table, result);
    }
    bool failed = table->failed;
    ot_str_release(&table->texts);
    free(table->ends);
    free(table);
    return failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for a table") : OT_OK;
}

const struct ot_sql_writer ot_sql_table_writer = {begin, row, end};
