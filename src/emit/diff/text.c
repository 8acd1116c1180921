#include "emit/diff/words.h"

/* A text being written; memory that is out anywhere sets `failed`, which sticks. */
struct text {
    const struct ot_diff_report *report;
    const struct ot_look *look;
    FILE *out;
    bool failed;
};

static const struct ot_grid_column sum_columns[] = {
    {"", true, 0},           {"Before", false, 4},        {"After", false, 3}, {"Change", false, 0},
    {"Change(%)", false, 1}, {"95 % interval", false, 2}, {"Note", true, 0},
};

static void write_words(struct text *text, enum ot_style style, const char *label,
                        struct ot_str *words)
{
    struct ot_text made = {ot_str_borrow(words), words->len};
    text->failed |= words->failed;
    if (words->len)
        ot_look_write_words(text->look, style, label, made, text->out);
    ot_str_release(words);
}

/* Takes the string's text and empties it. */
static void add_cell(struct ot_grid *grid, struct ot_str *str, enum ot_style style)
{
    grid->failed |= str->failed;
    ot_grid_add_styled(grid, (struct ot_text){ot_str_borrow(str), str->len}, style);
    ot_str_release(str);
    *str = (struct ot_str){0};
}

static void end_grid(struct text *text, struct ot_grid *grid)
{
    if (grid->n_cells)
        ot_grid_write(grid, text->look, text->out);
    text->failed |= grid->failed;
    ot_grid_release(grid);
}

/* Runs are named by whoever made them. */
static void write_sides(struct text *text)
{
    static const char *const labels[OT_DIFF_SIDES] = {"Baseline   ", "Candidate  "};
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        struct ot_str raw = {0};
        struct ot_str words = {0};
        ot_diff_add_side(&raw, text->report->diff, (enum ot_diff_side)side);
        ot_look_add(text->look, &words, (struct ot_text){ot_str_borrow(&raw), raw.len}, SIZE_MAX);
        text->failed |= raw.failed;
        ot_str_release(&raw);
        write_words(text, OT_STYLE_PLAIN, labels[side], &words);
    }
}

/* All of a fact is said, however narrow the line: what is cut could be what differs. */
static void write_fact(struct text *text, const struct ot_diff_fact *fact)
{
    enum { LABEL_BYTES = 32, LABEL_CELLS = 20 };
    char label[LABEL_BYTES];
    struct ot_str words = {0};
    snprintf(label, sizeof(label), "  %-*s", LABEL_CELLS, ot_diff_facts[fact->kind].label);
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        ot_str_addf(&words, "%s", side ? " -> " : "");
        ot_look_add(text->look, &words, fact->of[side], SIZE_MAX);
    }
    write_words(text, OT_STYLE_WARNING, label, &words);
}

static void write_facts(struct text *text)
{
    const struct ot_diff *diff = text->report->diff;
    struct ot_str unknown = {0};
    size_t n_written = 0;
    for (size_t i = 0; i < diff->n_facts; i++) {
        if (diff->facts[i].is_unknown)
            continue;
        if (n_written++ == 0)
            fputs("\nNot the same on both sides, so numbers may differ for that alone:\n",
                  text->out);
        write_fact(text, &diff->facts[i]);
    }
    if (n_written == 0)
        fputs("\nNothing that is known of the two sides differs but the numbers.\n", text->out);
    ot_diff_add_not_known(&unknown, diff);
    write_words(text, OT_STYLE_PLAIN, "Not known to be the same: ", &unknown);
}

static void write_sums(struct text *text)
{
    const struct ot_diff *diff = text->report->diff;
    const struct ot_diff_aggregate *whole = ot_diff_whole(diff);
    struct ot_grid grid = {.columns = sum_columns,
                           .n_columns = sizeof(sum_columns) / sizeof(sum_columns[0])};
    struct ot_str cell = {0};
    putc('\n', text->out);
    for (const struct ot_diff_shown *shown = ot_diff_shown; shown->aggregate; shown++) {
        const struct ot_diff_aggregate *sum = ot_diff_shown_aggregate(diff, shown);
        if (!sum)
            continue;
        enum ot_style style = sum == whole ? OT_STYLE_HEAD : OT_STYLE_PLAIN;
        ot_grid_add_styled(&grid, ot_text_of(shown->label), style);
        for (int side = 0; side < OT_DIFF_SIDES; side++) {
            ot_diff_add_amount(&cell, sum->unit, sum->value.of[side], false);
            add_cell(&grid, &cell, style);
        }
        ot_diff_add_amount(&cell, sum->unit, sum->value.change, true);
        add_cell(&grid, &cell, style);
        ot_diff_add_percent(&cell, sum->value.change, sum->value.of[OT_DIFF_BASELINE]);
        add_cell(&grid, &cell, style);
        ot_diff_add_interval(&cell, sum->unit, &sum->interval);
        add_cell(&grid, &cell, style);
        if (sum->interval.is_there && !ot_diff_is_evident(&sum->interval))
            ot_str_addf(&cell, "no evidence");
        add_cell(&grid, &cell, OT_STYLE_PLAIN);
    }
    end_grid(text, &grid);
}

/* Growth is warm or hot by its share of what there was before. */
static enum ot_style style_of(const struct text *text, const struct ot_diff_table *table,
                              const struct ot_diff_operator *row)
{
    const struct ot_diff_aggregate *whole = ot_diff_whole(text->report->diff);
    int64_t change = row->measures[table->measure].change;
    bool is_of_whole = whole && table == &text->report->diff->operators;
    return is_of_whole && change > 0 ? ot_style_of_share(change, whole->value.of[OT_DIFF_BASELINE])
                                     : OT_STYLE_PLAIN;
}

static void write_rows(struct text *text, const struct ot_diff_table *table, int64_t limit)
{
    struct ot_grid_column titles[OT_DIFF_COLUMNS];
    struct ot_grid grid = {.columns = titles, .n_columns = OT_DIFF_COLUMNS};
    size_t n = ot_diff_n_shown(table, limit);
    for (size_t i = 0; i < OT_DIFF_COLUMNS; i++)
        titles[i] = ot_diff_columns[i].title;
    for (size_t i = 0; i < n; i++) {
        const struct ot_diff_operator *row = &table->rows[i];
        enum ot_style style = style_of(text, table, row);
        struct ot_str cell = {0};
        for (size_t k = 0; k < OT_DIFF_COLUMNS; k++) {
            bool is_told = k == 0 || k + 1 == OT_DIFF_COLUMNS;
            ot_diff_columns[k].add(&cell, row, table->measure);
            add_cell(&grid, &cell, is_told ? style : OT_STYLE_PLAIN);
        }
    }
    end_grid(text, &grid);
}

static void write_table(struct text *text, const struct ot_diff_table *table)
{
    int64_t limit = ot_diff_limit_for_people(table, text->report->limit);
    struct ot_str words = {0};
    if (table->n_rows == 0)
        return;
    putc('\n', text->out);
    ot_diff_add_title(&words, text->report->diff, table, limit);
    fprintf(text->out, "%s%s%s\n", ot_look_begin(text->look, OT_STYLE_HEAD), ot_str_borrow(&words),
            ot_look_end(text->look, OT_STYLE_HEAD));
    text->failed |= words.failed;
    ot_str_clear(&words);
    write_rows(text, table, limit);
    ot_diff_add_rest(&words, table, limit);
    write_words(text, OT_STYLE_PLAIN, "", &words);
}

int ot_diff_write_text(const struct ot_diff_report *report, const struct ot_look *look, FILE *out,
                       struct ot_err *err)
{
    struct text text = {.report = report, .look = look, .out = out};
    struct ot_str trust = {0};
    write_sides(&text);
    write_facts(&text);
    ot_diff_add_trust(&trust, report->diff);
    write_words(&text, OT_STYLE_PLAIN, "", &trust);
    write_sums(&text);
    write_table(&text, &report->diff->operators);
    write_table(&text, &report->diff->devices);
    return text.failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for the comparison") : OT_OK;
}
