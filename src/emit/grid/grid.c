#include "emit/grid/grid.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "emit/grid/name.h"

enum { GAP = 2 };

void ot_grid_add(struct ot_grid *grid, struct ot_text text)
{
    if (!ot_vec_reserve(&grid->ends, &grid->cap, grid->n_cells + 1, sizeof(*grid->ends))) {
        grid->failed = true;
        return;
    }
    ot_utf8_add_printable(&grid->texts, text);
    grid->failed |= grid->texts.failed;
    grid->ends[grid->n_cells++] = grid->texts.len;
}

static struct ot_text cell(const struct ot_grid *grid, size_t i)
{
    size_t start = i ? grid->ends[i - 1] : 0;
    return (struct ot_text){ot_str_borrow(&grid->texts) + start, grid->ends[i] - start};
}

static void measure(const struct ot_grid *grid, size_t ret_widths[OT_GRID_MAX_COLUMNS])
{
    for (size_t i = 0; i < grid->n_cells; i++) {
        size_t *width = &ret_widths[i % grid->n_columns];
        size_t len = ot_utf8_count(cell(grid, i));
        if (len > *width)
            *width = len;
    }
    for (size_t i = 0; i < grid->n_columns && !grid->has_no_titles; i++) {
        size_t len = strlen(grid->columns[i].title);
        if (ret_widths[i] && len > ret_widths[i])
            ret_widths[i] = len;
    }
}

/* What the other columns leave for the last one. */
static size_t room_for_last(const struct ot_grid *grid, const size_t *widths, size_t width)
{
    size_t taken = grid->indent ? strlen(grid->indent) : 0;
    for (size_t i = 0; i + 1 < grid->n_columns; i++)
        taken += widths[i] ? widths[i] + GAP : 0;
    return taken + OT_GRID_MIN_LAST < width ? width - taken : OT_GRID_MIN_LAST;
}

struct line {
    const struct ot_grid *grid;
    size_t widths[OT_GRID_MAX_COLUMNS];
    struct ot_str text;
    bool has_cells;
};

static void add_cell(struct line *line, size_t column, struct ot_text text)
{
    size_t width = line->widths[column];
    if (width == 0)
        return;
    struct ot_str cut = {0};
    ot_name_add(&cut, text, (int64_t)width);
    size_t len = ot_utf8_count((struct ot_text){ot_str_borrow(&cut), cut.len});
    int padding = (int)(width > len ? width - len : 0);
    bool is_left = line->grid->columns[column].is_left;
    ot_str_addf(&line->text, "%*s", line->has_cells ? GAP : 0, "");
    ot_str_addf(&line->text, "%*s", is_left ? 0 : padding, "");
    ot_str_add(&line->text, ot_str_borrow(&cut), cut.len);
    ot_str_addf(&line->text, "%*s", is_left ? padding : 0, "");
    ot_str_release(&cut);
    line->has_cells = true;
}

static void end_line(struct line *line, FILE *out)
{
    size_t len = line->text.len;
    while (len && line->text.bytes[len - 1] == ' ')
        len--;
    fwrite(ot_str_borrow(&line->text), 1, len, out);
    putc('\n', out);
    ot_str_clear(&line->text);
    line->has_cells = false;
}

static void begin_line(struct line *line)
{
    if (line->grid->indent)
        ot_str_addf(&line->text, "%s", line->grid->indent);
}

void ot_grid_write(const struct ot_grid *grid, size_t width, FILE *out)
{
    struct line line = {.grid = grid};
    measure(grid, line.widths);
    size_t last = grid->n_columns - 1;
    size_t room = room_for_last(grid, line.widths, width);
    if (line.widths[last] > room)
        line.widths[last] = room;
    if (!grid->has_no_titles) {
        begin_line(&line);
        for (size_t i = 0; i < grid->n_columns; i++)
            add_cell(&line, i, ot_text_of(grid->columns[i].title));
        end_line(&line, out);
    }
    for (size_t row = 0; row + grid->n_columns <= grid->n_cells; row += grid->n_columns) {
        begin_line(&line);
        for (size_t i = 0; i < grid->n_columns; i++)
            add_cell(&line, i, cell(grid, row + i));
        end_line(&line, out);
    }
    ot_str_release(&line.text);
}

void ot_grid_release(struct ot_grid *grid)
{
    if (!grid)
        return;
    ot_str_release(&grid->texts);
    free(grid->ends);
    grid->ends = NULL;
    grid->n_cells = grid->cap = 0;
}
