#include "emit/grid/grid.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "emit/grid/leave_out.h"

enum { GAP = 2 };

void ot_grid_add_styled(struct ot_grid *grid, struct ot_text text, enum ot_style style)
{
    if (!ot_vec_reserve(&grid->cells, &grid->cap, grid->n_cells + 1, sizeof(*grid->cells))) {
        grid->failed = true;
        return;
    }
    ot_utf8_add_printable(&grid->texts, text);
    grid->failed |= grid->texts.failed;
    grid->cells[grid->n_cells++] = (struct ot_grid_cell){grid->texts.len, style};
}

void ot_grid_add(struct ot_grid *grid, struct ot_text text)
{
    ot_grid_add_styled(grid, text, OT_STYLE_PLAIN);
}

static struct ot_text cell(const struct ot_grid *grid, size_t i)
{
    size_t start = i ? grid->cells[i - 1].end : 0;
    return (struct ot_text){ot_str_borrow(&grid->texts) + start, grid->cells[i].end - start};
}

/* A table being written. */
struct layout {
    const struct ot_grid *grid;
    const struct ot_look *look;
    struct ot_column_fit columns[OT_GRID_MAX_COLUMNS]; /* widths without the gap, at the end */
    size_t width;                                      /* of the longest line */
    struct ot_str text;                                /* of a line */
    bool has_cells;
};

static void measure(struct layout *layout)
{
    const struct ot_grid *grid = layout->grid;
    for (size_t i = 0; i < grid->n_cells; i++) {
        struct ot_column_fit *column = &layout->columns[i % grid->n_columns];
        size_t cells = ot_look_cells(layout->look, cell(grid, i));
        if (cells > column->width)
            column->width = cells;
    }
    for (size_t i = 0; i < grid->n_columns; i++) {
        struct ot_column_fit *column = &layout->columns[i];
        column->title = grid->columns[i].title;
        column->rank = grid->columns[i].rank;
        if (column->width && !grid->has_no_titles && strlen(column->title) > column->width)
            column->width = strlen(column->title);
    }
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Gives the last column what the others leave. */
static void fit(struct layout *layout)
{
    const struct ot_grid *grid = layout->grid;
    const struct ot_look *look = layout->look;
    size_t n_others = grid->n_columns - 1;
    size_t indent = grid->indent ? strlen(grid->indent) : 0;
    size_t width = look->width > indent ? look->width - indent : 0;
    struct ot_column_fit *last = &layout->columns[n_others];
    size_t least =
        look->is_terminal && !grid->has_no_titles ? OT_COLUMN_MIN_NAME : OT_GRID_MIN_LAST;
    for (size_t i = 0; i < n_others; i++)
        layout->columns[i].width += layout->columns[i].width ? GAP : 0;
    size_t taken =
        ot_columns_fit(layout->columns, n_others, look->is_terminal ? width : SIZE_MAX,
                       smaller(last->width, OT_GRID_MIN_LAST), smaller(last->width, least));
    for (size_t i = 0; i < n_others; i++)
        layout->columns[i].width -= layout->columns[i].width ? GAP : 0;
    if (look->width)
        last->width = smaller(last->width, taken + least < width ? width - taken : least);
    layout->width = indent + taken + last->width - (last->width || !taken ? 0 : GAP);
}

static void add_cell(struct layout *layout, size_t i, struct ot_text text, enum ot_style style)
{
    const struct ot_column_fit *column = &layout->columns[i];
    struct ot_str *line = &layout->text;
    if (column->width == 0 || column->is_left_out)
        return;
    struct ot_str cut = {0};
    size_t cells = ot_look_add(layout->look, &cut, text, column->width);
    int padding = (int)(column->width > cells ? column->width - cells : 0);
    bool is_left = layout->grid->columns[i].is_left;
    ot_str_addf(line, "%*s", layout->has_cells ? GAP : 0, "");
    ot_str_addf(line, "%*s", is_left ? 0 : padding, "");
    if (cut.len)
        ot_str_addf(line, "%s", ot_look_begin(layout->look, style));
    ot_str_add(line, ot_str_borrow(&cut), cut.len);
    if (cut.len)
        ot_str_addf(line, "%s", ot_look_end(layout->look, style));
    ot_str_addf(line, "%*s", is_left ? padding : 0, "");
    ot_str_release(&cut);
    layout->has_cells = true;
}

static void begin_line(struct layout *layout)
{
    if (layout->grid->indent)
        ot_str_addf(&layout->text, "%s", layout->grid->indent);
}

static void end_line(struct layout *layout, FILE *out)
{
    size_t len = layout->text.len;
    while (len && layout->text.bytes[len - 1] == ' ')
        len--;
    fwrite(ot_str_borrow(&layout->text), 1, len, out);
    putc('\n', out);
    ot_str_clear(&layout->text);
    layout->has_cells = false;
}

void ot_grid_write(const struct ot_grid *grid, const struct ot_look *look, FILE *out)
{
    struct layout layout = {.grid = grid, .look = look};
    measure(&layout);
    fit(&layout);
    if (!grid->has_no_titles) {
        begin_line(&layout);
        for (size_t i = 0; i < grid->n_columns; i++)
            add_cell(&layout, i, ot_text_of(grid->columns[i].title), OT_STYLE_HEAD);
        end_line(&layout, out);
    }
    for (size_t row = 0; row + grid->n_columns <= grid->n_cells; row += grid->n_columns) {
        begin_line(&layout);
        for (size_t i = 0; i < grid->n_columns; i++)
            add_cell(&layout, i, cell(grid, row + i), grid->cells[row + i].style);
        end_line(&layout, out);
    }
    ot_columns_tell_left_out(layout.columns, grid->n_columns, layout.width, look, out);
    ot_str_release(&layout.text);
}

void ot_grid_release(struct ot_grid *grid)
{
    if (!grid)
        return;
    ot_str_release(&grid->texts);
    free(grid->cells);
    grid->cells = NULL;
    grid->n_cells = grid->cap = 0;
}
