#include "emit/grid/leave_out.h"

static struct ot_column_fit *find_next(struct ot_column_fit *columns, size_t n_columns,
                                       unsigned least_rank)
{
    struct ot_column_fit *next = NULL;
    for (size_t i = 0; i < n_columns; i++) {
        struct ot_column_fit *column = &columns[i];
        if (column->is_left_out || column->width == 0 || column->rank < least_rank)
            continue;
        if (!next || column->rank > next->rank)
            next = column;
    }
    return next;
}

size_t ot_columns_fit(struct ot_column_fit *columns, size_t n_columns, size_t width, size_t good,
                      size_t least)
{
    const struct {
        size_t name;
        unsigned least_rank;
    } steps[] = {{good, OT_COLUMN_SPARE}, {least, 1}};
    size_t taken = 0;
    for (size_t i = 0; i < n_columns; i++)
        taken += columns[i].is_left_out ? 0 : columns[i].width;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        while (width < steps[i].name || taken > width - steps[i].name) {
            struct ot_column_fit *next = find_next(columns, n_columns, steps[i].least_rank);
            if (!next)
                break;
            next->is_left_out = true;
            taken -= next->width;
        }
    }
    return taken;
}

void ot_columns_tell_left_out(const struct ot_column_fit *columns, size_t n_columns, size_t width,
                              const struct ot_look *look, FILE *out)
{
    struct ot_str words = {0};
    char label[64] = "Left out: ";
    bool is_too_long = look->is_terminal && width > look->width;
    for (size_t i = 0; i < n_columns; i++) {
        if (columns[i].is_left_out)
            ot_str_addf(&words, "%s%s", words.len ? ", " : "", columns[i].title);
    }
    if (!is_too_long)
        snprintf(label, sizeof(label), "Left out to fit %zu columns: ", look->width);
    if (words.len)
        ot_look_write_words(look, OT_STYLE_PLAIN, label,
                            (struct ot_text){ot_str_borrow(&words), words.len}, out);
    if (is_too_long)
        fprintf(out, "At least %zu columns are needed\n", width);
    ot_str_release(&words);
}
