#include "emit/grid/leave_out.h"

static size_t total(const struct ot_column_fit *columns, size_t n_columns)
{
    size_t sum = 0;
    for (size_t i = 0; i < n_columns; i++)
        sum += columns[i].is_left_out ? 0 : columns[i].width;
    return sum;
}

static struct ot_column_fit *find_next(struct ot_column_fit *columns, size_t n_columns)
{
    struct ot_column_fit *next = NULL;
    for (size_t i = 0; i < n_columns; i++) {
        struct ot_column_fit *column = &columns[i];
        if (column->is_left_out || column->width == 0 || column->rank == 0)
            continue;
        if (!next || column->rank > next->rank)
            next = column;
    }
    return next;
}

void ot_columns_leave_out(struct ot_column_fit *columns, size_t n_columns, size_t room)
{
    while (total(columns, n_columns) > room) {
        struct ot_column_fit *next = find_next(columns, n_columns);
        if (!next)
            return;
        next->is_left_out = true;
    }
}

void ot_columns_tell_left_out(const struct ot_column_fit *columns, size_t n_columns,
                              const struct ot_look *look, FILE *out)
{
    struct ot_str words = {0};
    char label[64];
    for (size_t i = 0; i < n_columns; i++) {
        if (columns[i].is_left_out)
            ot_str_addf(&words, "%s%s", words.len ? ", " : "", columns[i].title);
    }
    snprintf(label, sizeof(label), "Left out to fit %zu columns: ", look->width);
    if (words.len)
        ot_look_write_words(look, OT_STYLE_PLAIN, label,
                            (struct ot_text){ot_str_borrow(&words), words.len}, out);
    ot_str_release(&words);
}
