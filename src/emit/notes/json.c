#include "emit/notes/notes.h"
#include "stats/completeness.h"

static void put_reasons(struct ot_json *json, const struct ot_counts *counts)
{
    ot_json_key(json, ot_text_of("reasons"));
    ot_json_begin_array(json);
    for (size_t i = 0; i < OT_COMPLETENESS_REASONS; i++) {
        struct ot_str reason = {0};
        if (ot_completeness_reason(counts, i, &reason))
            ot_json_text(json, ot_text_of(ot_str_borrow(&reason)));
        ot_str_release(&reason);
    }
    ot_json_end_array(json);
}

static void put_warnings(struct ot_json *json, const struct ot_warnings *warnings)
{
    ot_json_key(json, ot_text_of("warnings"));
    ot_json_begin_array(json);
    for (int i = 0; i < OT_WARNING_COUNT; i++) {
        if (warnings->of[i].n == 0)
            continue;
        ot_json_begin_object(json);
        ot_json_put_text(json, "code", ot_text_of(ot_warning_classes[i].code));
        ot_json_put_unsigned(json, "count", warnings->of[i].n);
        ot_json_put_text(json, "first", ot_text_of(warnings->of[i].first));
        ot_json_end_object(json);
    }
    ot_json_end_array(json);
}

void ot_notes_put_completeness(struct ot_json *json, const struct ot_counts *counts,
                               const struct ot_warnings *warnings)
{
    bool is_exact = ot_completeness_exact(counts);
    ot_json_key(json, ot_text_of("completeness"));
    ot_json_begin_object(json);
    ot_json_put_text(json, "kind", ot_text_of(is_exact ? "exact" : "lower_bound"));
    ot_json_put_unsigned(json, "read_events", counts->events_read);
    ot_json_put_unsigned(json, "discarded_events", counts->discarded_events);
    ot_json_put_unsigned(json, "unmatched_exits", counts->unmatched_exits);
    ot_json_put_unsigned(json, "unclosed_entries", counts->unclosed_entries);
    put_reasons(json, counts);
    put_warnings(json, warnings);
    ot_json_end_object(json);
}
