/* look.h: how text for people looks where it goes.
 *
 * A zeroed struct is a file: any width, no colours, the same bytes everywhere. On a terminal a
 * character takes as many cells as emit/grid/fit.h says. Plain values; any thread.
 */
#ifndef OT_EMIT_GRID_LOOK_H
#define OT_EMIT_GRID_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/str.h"
#include "base/text.h"

struct ot_look {
    size_t width; /* of a line that fits; 0: any does */
    bool is_terminal;
    bool ascii; /* it takes nothing else; what is not ASCII becomes `?` */
    bool color;
};

/* What a colour can mean. Only such as can be read on light and on dark, and none alone: what it
 * says stands there in words or numbers, too. */
enum ot_style {
    OT_STYLE_PLAIN,
    OT_STYLE_HEAD,
    OT_STYLE_WARM, /* a tenth of the whole or more */
    OT_STYLE_HOT,  /* a quarter or more */
    OT_STYLE_WARNING,
    OT_STYLE_ERROR
};

/* What comes before and behind what is shown so; empty where there are no colours. */
const char *ot_look_begin(const struct ot_look *look, enum ot_style style);
const char *ot_look_end(const struct ot_look *look, enum ot_style style);

enum ot_style ot_style_of_share(int64_t part, int64_t whole);

/* The width of printable text. */
size_t ot_look_cells(const struct ot_look *look, struct ot_text text);

/* Adds `text`, made printable and cut in the middle to `width`. Returns the width that it takes. */
size_t ot_look_add(const struct ot_look *look, struct ot_str *str, struct ot_text text,
                   size_t width);

/* Writes printable words behind a label in a style, and ends the line; broken into lines that fit
 * and line up behind the label, unless that is long. */
void ot_look_write_words(const struct ot_look *look, enum ot_style style, const char *label,
                         struct ot_text words, FILE *out);

/* Writes printable text, of any number of lines. */
void ot_look_write(const struct ot_look *look, struct ot_text text, FILE *out);

#endif
