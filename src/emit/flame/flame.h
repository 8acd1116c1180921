/* flame.h: stacks of calls as a flame graph: lines of text for other tools, or a picture.
 *
 * A frame is as wide as what it weighs, itself and all inside it. Everything is counted; a picture
 * leaves out what is too small to draw and says how many frames and how much that is. With `before`
 * it is the difference of two: widths are those of now, colours say what became more or less, and
 * what is gone is told in words. Same input, same bytes. One thread.
 */
#ifndef OT_EMIT_FLAME_FLAME_H
#define OT_EMIT_FLAME_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "base/text.h"
#include "stats/population.h"
#include "stats/stacks.h"

enum ot_flame_weight {
    OT_FLAME_SELF,
    OT_FLAME_CALLS,
    OT_FLAME_ALLOCATED,
    OT_FLAME_DEVICE,
    OT_FLAME_WEIGHTS
};

/* Filled in together by one fold (fold.h). */
struct ot_flame_source {
    const struct ot_stacks *stacks;
    const struct ot_population *pop;
};

struct ot_flame {
    struct ot_flame_source now;
    struct ot_flame_source before; /* stacks are NULL: there is none */
    enum ot_flame_weight weight;
};

/* OT_OK: it has something to show. OT_ERR_INPUT: it has not, and the sentence says why and what
 * would help. */
int ot_flame_check(const struct ot_flame_source *source, enum ot_flame_weight weight,
                   struct ot_err *err);

/* Adds a sentence on calls that have no frame of their own; nothing if there are none. */
void ot_flame_add_merged(struct ot_str *str, const struct ot_stacks *stacks);

/* Lines `FRAME;FRAME;FRAME WEIGHT`, as flamegraph.pl, inferno and speedscope read them: each
 * frame's own weight, those without one left out, sorted. With `before` lines have two weights,
 * first that of before, as difffolded.pl writes them. Names are changed where they would break a
 * line. */
int ot_flame_write_folded(const struct ot_flame *flame, FILE *out, struct ot_err *err);

struct ot_flame_svg_opts {
    struct ot_text title;
    bool is_embedded;  /* an element for inside HTML, without title, style and script: the page has
                          ot_asset_flame_css and ot_asset_flame_js once for all its graphs */
    size_t max_frames; /* of those drawn; 0: 20,000 */
    size_t max_bytes;  /* about as much for the frames; 0: 3,000,000 */
};

/* A whole file, or with `is_embedded` one <svg> element. `flame` was checked. */
int ot_flame_write_svg(const struct ot_flame *flame, const struct ot_flame_svg_opts *opts,
                       FILE *out, struct ot_err *err);

/* The page may choose a theme with data-theme="light" or "dark" on its root element; without it is
 * the reader's own. */
extern const char ot_asset_flame_css[];
extern const char ot_asset_flame_js[];

#endif
