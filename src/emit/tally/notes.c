#include <inttypes.h>

#include "emit/notes/notes.h"
#include "emit/tally/format.h"
#include "stats/completeness.h"

enum { NAMES_SHOWN = 3 };

void ot_tally_write_left_out(const struct ot_tally *tally, const char *prefix, FILE *out)
{
    bool is_first = true;
    for (int i = 0; i < OT_BACKEND_COUNT; i++) {
        uint64_t n = tally->view->left_out[i];
        if (n == 0)
            continue;
        fprintf(out, "%s%s (%" PRIu64 " %s)", is_first ? prefix : ", ", ot_backends[i].name, n,
                n == 1 ? "call" : "calls");
        is_first = false;
    }
    if (!is_first)
        fputs("; choose with --backends\n", out);
}

/* The names that never ended, each once, in the order of first sight. */
static void add_unclosed_names(const struct ot_population *pop, struct ot_str *line)
{
    uint32_t shown[NAMES_SHOWN];
    size_t n_shown = 0;
    bool has_more = false;
    for (size_t i = 0; i < pop->n_rows && !has_more; i++) {
        if (pop->rows[i].n_unclosed == 0)
            continue;
        bool is_known = false;
        for (size_t k = 0; k < n_shown; k++)
            is_known |= shown[k] == pop->rows[i].name;
        if (is_known)
            continue;
        has_more = n_shown == NAMES_SHOWN;
        if (!has_more)
            shown[n_shown++] = pop->rows[i].name;
    }
    for (size_t k = 0; k < n_shown; k++) {
        ot_str_addf(line, "%s", k ? ", " : " (");
        ot_name_add(line, ot_names_text(&pop->names, shown[k]), 80);
    }
    if (n_shown)
        ot_str_addf(line, "%s", has_more ? ", ...)" : ")");
}

void ot_tally_add_completeness(struct ot_str *str, const struct ot_tally *tally)
{
    if (ot_completeness_exact(&tally->counts))
        return;
    ot_notes_add_reasons(str, &tally->counts);
    add_unclosed_names(tally->pop, str);
}

void ot_tally_write_cut(const struct ot_view_table *table, const char *prefix, FILE *out)
{
    if (table->n_shown < table->n_rows)
        fprintf(out, "%s%zu of %zu rows shown; Total counts all of them\n", prefix, table->n_shown,
                table->n_rows);
}
