#include "model/warnings.h"

#include <stdio.h>
#include <string.h>

const struct ot_warning_class ot_warning_classes[OT_WARNING_COUNT] = {
    [OT_WARN_BAD_MEMORY_EVENT] = {"bad_memory_event", "memory event without a usable size",
                                  "memory events without a usable size"},
    [OT_WARN_CLAMPED] = {"clamped", "call outlives the one around it",
                         "calls outlive the ones around them"},
    [OT_WARN_DAMAGED_EVENT] = {"damaged_event", "damaged event was skipped",
                               "damaged events were skipped"},
    [OT_WARN_DUPLICATE_KEY] = {"duplicate_key", "key occurs twice in one object (the last one won)",
                               "keys occur twice in one object (the last ones won)"},
    [OT_WARN_IMPOSSIBLE_TIME] = {"impossible_time", "slice with impossible times was left out",
                                 "slices with impossible times were left out"},
    [OT_WARN_LEGACY_NO_CATEGORY] = {"legacy_no_category",
                                    "event without a category was read as an operator",
                                    "events without a category were read as operators"},
    [OT_WARN_LOST_SHAPES] = {"lost_shapes", "call's shapes were not kept",
                             "calls' shapes were not kept"},
    [OT_WARN_MISSING_DURATION] = {"missing_duration", "slice without a duration was left out",
                                  "slices without a duration were left out"},
    [OT_WARN_PYTHON_CLAMPED] = {"python_clamped", "Python frame outlives the one around it",
                                "Python frames outlive the ones around them"},
    [OT_WARN_REPLACED_CHARACTERS] = {"replaced_characters",
                                     "name has bytes that are no text; they read as U+FFFD",
                                     "names have bytes that are no text; they read as U+FFFD"},
    [OT_WARN_TRUNCATED] = {"truncated", "input could not be read to its end",
                           "inputs could not be read to their ends"},
    [OT_WARN_UNKNOWN_CATEGORY] = {"unknown_category",
                                  "event of an unknown category was counted as other",
                                  "events of unknown categories were counted as other"},
    [OT_WARN_UNMATCHED_BEGIN_END] = {"unmatched_begin_end", "B or E event without its partner",
                                     "B or E events without their partners"},
};

void ot_warnings_add(struct ot_warnings *warnings, enum ot_warning warning, uint64_t n,
                     const char *first)
{
    struct ot_warning_count *count = &warnings->of[warning];
    if (n && count->n == 0)
        snprintf(count->first, sizeof(count->first), "%s", first);
    if (__builtin_add_overflow(count->n, n, &count->n))
        count->n = UINT64_MAX;
}

/* The last bytes, where the paths of a job's ranks differ; it begins with a whole character. */
static const char *end_of_path(const char *path)
{
    enum { MAX_LEN = 60 };
    size_t len = strlen(path);
    if (len > MAX_LEN)
        path += len - MAX_LEN;
    while (((unsigned char)*path & 0xc0) == 0x80)
        path++;
    return path;
}

void ot_warnings_add_of(struct ot_warnings *warnings, enum ot_warning warning, uint64_t n,
                        const char *path, const char *first)
{
    char place[OT_WARNING_PLACE_BYTES];
    snprintf(place, sizeof(place), "%s%s%.90s", path ? end_of_path(path) : "", path ? ": " : "",
             first);
    ot_warnings_add(warnings, warning, n, place);
}
