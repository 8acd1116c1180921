#include "emit/notes/notes.h"

#include <inttypes.h>

#include "base/utf8.h"
#include "stats/completeness.h"

void ot_notes_warning_prefix(char ret_prefix[OT_NOTES_PREFIX_BYTES], const char *before,
                             const struct ot_look *look)
{
    snprintf(ret_prefix, OT_NOTES_PREFIX_BYTES, "%s%swarning:%s ", before,
             ot_look_begin(look, OT_STYLE_WARNING), ot_look_end(look, OT_STYLE_WARNING));
}

void ot_notes_write_warnings(const struct ot_warnings *warnings, const char *prefix, FILE *out)
{
    for (int i = 0; i < OT_WARNING_COUNT; i++) {
        const struct ot_warning_count *count = &warnings->of[i];
        const struct ot_warning_class *class = &ot_warning_classes[i];
        if (count->n == 0)
            continue;
        struct ot_str first = {0};
        if (count->first[0] != '\0') {
            ot_str_addf(&first, "; first: ");
            ot_utf8_add_printable(&first, ot_text_of(count->first));
        }
        fprintf(out, "%s%s: %" PRIu64 " %s%s\n", prefix, class->code, count->n,
                count->n == 1 ? class->one : class->many, ot_str_borrow(&first));
        ot_str_release(&first);
    }
}

void ot_notes_add_reasons(struct ot_str *str, const struct ot_counts *counts)
{
    bool is_first = true;
    for (size_t i = 0; i < OT_COMPLETENESS_REASONS; i++) {
        struct ot_str reason = {0};
        if (ot_completeness_reason(counts, i, &reason)) {
            ot_str_addf(str, "%s%s", is_first ? "" : "; ", ot_str_borrow(&reason));
            is_first = false;
        }
        ot_str_release(&reason);
    }
}
