/* warnings.h: what was odd about an input, counted by kind.
 *
 * A warning has a stable code, for machines, and a sentence. It is never silent: it reaches the
 * user and the result. Whether it makes the result a lower bound is not said here, but by the
 * counts (counts.h). A zeroed struct has none. One thread.
 */
#ifndef OT_MODEL_WARNINGS_H
#define OT_MODEL_WARNINGS_H

#include <stdint.h>

enum ot_warning {
    OT_WARN_BAD_MEMORY_EVENT,
    OT_WARN_CLAMPED,
    OT_WARN_DAMAGED_EVENT,
    OT_WARN_DUPLICATE_KEY,
    OT_WARN_IMPOSSIBLE_TIME,
    OT_WARN_LEGACY_NO_CATEGORY,
    OT_WARN_LOST_SHAPES,
    OT_WARN_MISSING_DURATION,
    OT_WARN_PYTHON_CLAMPED,
    OT_WARN_REPLACED_CHARACTERS,
    OT_WARN_TRUNCATED,
    OT_WARN_UNKNOWN_CATEGORY,
    OT_WARN_UNMATCHED_BEGIN_END,
    OT_WARNING_COUNT
};

enum { OT_WARNING_PLACE_BYTES = 160 };

struct ot_warnings {
    struct ot_warning_count {
        uint64_t n;
        char first[OT_WARNING_PLACE_BYTES]; /* where it was first: "event 812 (byte 93211)" */
    } of[OT_WARNING_COUNT];
};

struct ot_warning_class {
    const char *code; /* "clamped" */
    const char *one;  /* what follows "1 " */
    const char *many; /* what follows any other number */
};

/* Indexed by enum ot_warning, whose order is that of the codes. */
extern const struct ot_warning_class ot_warning_classes[OT_WARNING_COUNT];

/* Adds `n` more. `first` is where; it is kept, cut rather than overflowed, if these are the first
 * ones. */
void ot_warnings_add(struct ot_warnings *warnings, enum ot_warning warning, uint64_t n,
                     const char *first);

/* The same of one of several inputs, the end of whose path is put in front of `first`; NULL: it is
 * the only one. */
void ot_warnings_add_of(struct ot_warnings *warnings, enum ot_warning warning, uint64_t n,
                        const char *path, const char *first);

#endif
