/* screen.h: the live view as lines of text.
 *
 * A screen is made anew for each picture from plain values, and drawn by whoever has a terminal, or
 * printed as it is. No line is wider than the screen, none has a control character in it. One
 * thread.
 */
#ifndef OT_EMIT_TOP_SCREEN_H
#define OT_EMIT_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "emit/top/top.h"

enum { OT_SCREEN_ALL = 0 /* for a width or a height: no limit */ };

enum ot_screen_style {
    OT_SCREEN_PLAIN,
    OT_SCREEN_TITLE, /* what is watched */
    OT_SCREEN_HEAD,  /* titles of columns */
    OT_SCREEN_ALERT  /* what is missing */
};

/* What the user has chosen. */
struct ot_screen_opts {
    size_t width; /* cells */
    size_t height;
    enum ot_top_by by;
    enum ot_top_sort sort;
    size_t first_row; /* to show; beyond the end: the last page */
    bool paused;
    bool help;
    bool interactive; /* keys mean something */
    bool ascii;       /* the terminal takes nothing else */
};

struct ot_screen_line {
    size_t end; /* in `text` */
    enum ot_screen_style style;
};

struct ot_screen {
    struct ot_str text; /* lines one behind the other, without separators */
    struct ot_screen_line *lines;
    size_t n_lines;
    size_t cap;
    size_t n_rows_shown; /* of the table; a page for whoever scrolls */
    size_t first_row;    /* that is shown */
    bool failed;         /* memory was out; sticks */
};

/* Makes the picture; what was there before is gone. A zeroed struct is an empty screen. */
void ot_screen_make(struct ot_screen *screen, const struct ot_top *top,
                    const struct ot_screen_opts *opts);

/* Valid until the screen is made anew. */
struct ot_text ot_screen_line(const struct ot_screen *screen, size_t i);

void ot_screen_release(struct ot_screen *screen);

#endif
