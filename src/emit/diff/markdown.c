#include "base/utf8.h"
#include "emit/diff/words.h"

/* For a comment on a change of code: the tables of GitHub and GitLab, and what there is most of
 * folded away. */
struct page {
    const struct ot_diff_report *report;
    FILE *out;
    bool failed;
};

/* Also what GitHub makes a link of, by its beginning: "https://", "www." */
static bool is_markup(unsigned char c, unsigned char before)
{
    bool is_address = (c == '/' && before == ':') || (c == '.' && (before == 'w' || before == 'W'));
    return is_address || strchr("\\`*_{}[]<#|~&@$", c);
}

/* Names are anybody's. As numbers, characters that Markdown or HTML know mean only themselves. */
static void write_plain(struct page *page, struct ot_text text)
{
    struct ot_str printable = {0};
    ot_utf8_add_printable(&printable, text);
    for (size_t i = 0; i < printable.len; i++) {
        unsigned char c = (unsigned char)printable.bytes[i];
        if (is_markup(c, i ? (unsigned char)printable.bytes[i - 1] : 0))
            fprintf(page->out, "&#%d;", c);
        else
            putc(c, page->out);
    }
    page->failed |= printable.failed;
    ot_str_release(&printable);
}

/* Takes the string's text and empties it. */
static void write_str(struct page *page, struct ot_str *str)
{
    page->failed |= str->failed;
    write_plain(page, (struct ot_text){ot_str_borrow(str), str->len});
    ot_str_release(str);
    *str = (struct ot_str){0};
}

static void write_headline(struct page *page)
{
    const struct ot_diff *diff = page->report->diff;
    const struct ot_diff_aggregate *whole = ot_diff_whole(diff);
    struct ot_str str = {0};
    if (!whole || !ot_diff_is_known(&whole->value))
        whole = ot_diff_find_aggregate(diff, "host_busy_time");
    if (!whole)
        return;
    fputs("**", page->out);
    ot_str_add_text(&str, ot_diff_label(whole->name));
    ot_str_addf(&str, ": ");
    ot_diff_add_amount(&str, whole->unit, whole->value.of[OT_DIFF_BASELINE], false);
    ot_str_addf(&str, " → ");
    ot_diff_add_amount(&str, whole->unit, whole->value.of[OT_DIFF_CANDIDATE], false);
    ot_str_addf(&str, ", ");
    ot_diff_add_amount(&str, whole->unit, whole->value.change, true);
    if (whole->value.of[OT_DIFF_BASELINE] > 0) {
        ot_str_addf(&str, ", ");
        ot_diff_add_percent(&str, whole->value.change, whole->value.of[OT_DIFF_BASELINE]);
    }
    write_str(page, &str);
    fputs("**", page->out);
    if (whole->interval.is_there) {
        putc(' ', page->out);
        ot_diff_add_interval(&str, whole->unit, &whole->interval);
        ot_str_addf(&str, "%s", ot_diff_is_evident(&whole->interval) ? "" : ", no evidence");
        write_str(page, &str);
    }
    fputs("\n\n", page->out);
}

static void write_gates(struct page *page)
{
    for (size_t i = 0; i < page->report->n_gates; i++) {
        struct ot_str str = {0};
        fputs("- ", page->out);
        ot_diff_add_verdict(&str, page->report->diff, &page->report->gates[i]);
        write_str(page, &str);
        fputs(i + 1 == page->report->n_gates ? "\n\n" : "\n", page->out);
    }
}

static void write_facts(struct page *page)
{
    const struct ot_diff *diff = page->report->diff;
    struct ot_str unknown = {0};
    bool has_one = false;
    for (size_t i = 0; i < diff->n_facts; i++) {
        const struct ot_diff_fact *fact = &diff->facts[i];
        if (fact->is_unknown)
            continue;
        if (!has_one)
            fputs("Not the same on both sides:\n\n| | Baseline | Candidate |\n|---|---|---|\n",
                  page->out);
        has_one = true;
        fprintf(page->out, "| %s | ", ot_diff_facts[fact->kind].label);
        write_plain(page, fact->of[OT_DIFF_BASELINE]);
        fputs(" | ", page->out);
        write_plain(page, fact->of[OT_DIFF_CANDIDATE]);
        fputs(" |\n", page->out);
    }
    fputs(has_one ? "\n" : "", page->out);
    ot_diff_add_not_known(&unknown, diff);
    if (!unknown.len)
        return;
    fputs("Not known to be the same: ", page->out);
    write_str(page, &unknown);
    fputs(".\n\n", page->out);
}

/* A column without any text is left out, as it is on a terminal. */
static bool has_cells(const struct ot_diff_table *table, size_t n, size_t column)
{
    struct ot_str str = {0};
    for (size_t i = 0; i < n && !str.len; i++)
        ot_diff_columns[column].add(&str, &table->rows[i], table->measure);
    bool is_there = str.len > 0;
    ot_str_release(&str);
    return is_there;
}

static void write_rows(struct page *page, const struct ot_diff_table *table, size_t n)
{
    bool is_there[OT_DIFF_COLUMNS];
    for (size_t k = 0; k < OT_DIFF_COLUMNS; k++) {
        is_there[k] = has_cells(table, n, k);
        if (is_there[k])
            fprintf(page->out, "| %s ", ot_diff_columns[k].title.title);
    }
    fputs("|\n", page->out);
    for (size_t k = 0; k < OT_DIFF_COLUMNS; k++) {
        if (is_there[k])
            fputs(ot_diff_columns[k].title.is_left ? "|---" : "|---:", page->out);
    }
    fputs("|\n", page->out);
    for (size_t i = 0; i < n; i++) {
        struct ot_str cell = {0};
        for (size_t k = 0; k < OT_DIFF_COLUMNS; k++) {
            if (!is_there[k])
                continue;
            bool is_name = k + 1 == OT_DIFF_COLUMNS;
            fputs(is_name ? "| <code>" : "| ", page->out);
            ot_diff_columns[k].add(&cell, &table->rows[i], table->measure);
            write_str(page, &cell);
            fputs(is_name ? "</code> " : " ", page->out);
        }
        fputs("|\n", page->out);
    }
    putc('\n', page->out);
}

static void write_table(struct page *page, const struct ot_diff_table *table, bool is_folded)
{
    struct ot_str words = {0};
    int64_t limit = ot_diff_limit_for_people(table, page->report->limit);
    size_t n = ot_diff_n_shown(table, limit);
    if (table->n_rows == 0)
        return;
    fputs(is_folded ? "<details><summary>" : "", page->out);
    ot_diff_add_title(&words, page->report->diff, table, limit);
    write_str(page, &words);
    fputs(is_folded ? "</summary>\n\n" : "\n\n", page->out);
    if (n)
        write_rows(page, table, n);
    ot_diff_add_rest(&words, table, limit);
    bool has_rest = words.len > 0;
    write_str(page, &words);
    fputs(has_rest ? "\n\n" : "", page->out);
    fputs(is_folded ? "</details>\n\n" : "", page->out);
}

static void write_sums(struct page *page)
{
    const struct ot_diff *diff = page->report->diff;
    struct ot_str cell = {0};
    fputs("<details><summary>Sums</summary>\n\n"
          "| | Before | After | Change | Change(%) |\n|---|---:|---:|---:|---:|\n",
          page->out);
    for (const struct ot_diff_shown *shown = ot_diff_shown; shown->aggregate; shown++) {
        const struct ot_diff_aggregate *sum = ot_diff_shown_aggregate(diff, shown);
        if (!sum)
            continue;
        fprintf(page->out, "| %s | ", shown->label);
        for (int side = 0; side < OT_DIFF_SIDES; side++) {
            ot_diff_add_amount(&cell, sum->unit, sum->value.of[side], false);
            write_str(page, &cell);
            fputs(" | ", page->out);
        }
        ot_diff_add_amount(&cell, sum->unit, sum->value.change, true);
        write_str(page, &cell);
        fputs(" | ", page->out);
        ot_diff_add_percent(&cell, sum->value.change, sum->value.of[OT_DIFF_BASELINE]);
        write_str(page, &cell);
        fputs(" |\n", page->out);
    }
    fputs("\n</details>\n\n", page->out);
}

static void write_sides(struct page *page)
{
    static const char *const labels[OT_DIFF_SIDES] = {"Baseline: ", "\nCandidate: "};
    for (int side = 0; side < OT_DIFF_SIDES; side++) {
        struct ot_str words = {0};
        fputs(labels[side], page->out);
        ot_diff_add_side(&words, page->report->diff, (enum ot_diff_side)side);
        write_str(page, &words);
        fputs("\n", page->out);
    }
}

int ot_diff_write_markdown(const struct ot_diff_report *report, FILE *out, struct ot_err *err)
{
    struct page page = {.report = report, .out = out};
    struct ot_str trust = {0};
    write_headline(&page);
    write_gates(&page);
    write_facts(&page);
    write_table(&page, &report->diff->operators, false);
    write_table(&page, &report->diff->devices, true);
    write_sums(&page);
    ot_diff_add_trust(&trust, report->diff);
    write_str(&page, &trust);
    fputs("\n\n", out);
    write_sides(&page);
    return page.failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for the comparison") : OT_OK;
}
