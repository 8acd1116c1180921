/* line.h: how far something is, as one line for a terminal. */
#ifndef OT_EMIT_PROGRESS_LINE_H
#define OT_EMIT_PROGRESS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct ot_progress_line {
    const char *what; /* is done: "reading" */
    uint64_t done_bytes;
    uint64_t total_bytes; /* 0: nobody knows */
    int64_t elapsed_ns;   /* since it began */
};

/* Adds a line of at most `width` cells, without an end: a bar, its share, time left, bytes and
 * rate; what does not fit beside a bar of ten cells is left out, the rate first and the share last.
 * Without a total there is no bar, and without bytes the time alone. Numbers keep their places from
 * one line to the next. `ascii`: the terminal takes nothing else. */
void ot_progress_line_add(struct ot_str *str, const struct ot_progress_line *line, size_t width,
                          bool ascii);

#endif
