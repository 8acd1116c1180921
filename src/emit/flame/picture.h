/* picture.h: what a picture of a tree shows, and what it has to say of the rest. Private to this
 * folder. */
#ifndef OT_EMIT_FLAME_PICTURE_H
#define OT_EMIT_FLAME_PICTURE_H

#include "emit/flame/tree.h"

enum { FLAME_FADED_TOLD = 5, FLAME_NAME_SIZE = 300 };

struct flame_picture {
    const struct ot_flame *flame;
    struct flame_tree tree;
    bool is_diff;
    size_t n_drawn; /* with the root */
    uint32_t depth; /* of the deepest one drawn */
    size_t n_small; /* not drawn, because they are the smallest */
    int64_t small;  /* what they weigh together */
    size_t n_zero;  /* not drawn, because they weigh nothing, now or before */
    size_t n_faded; /* not drawn, because they weigh nothing any more */
    size_t n_gone;  /* of these: not called any more, either */
    int64_t faded;  /* what they weighed together */
    uint32_t faded_nodes[FLAME_FADED_TOLD]; /* those that weighed most, of the outermost */
    size_t n_faded_nodes;
};

/* Marks the nodes that are drawn: the heaviest, with all around them. */
int flame_picture_choose(struct flame_picture *picture, const struct ot_flame_svg_opts *opts,
                         struct ot_err *err);

/* Adds lines of text: what was counted, how complete that is, what is not drawn and why. */
void flame_picture_add_notes(struct ot_str *str, const struct flame_picture *picture);

/* Adds what is said of a frame: its name, what it weighs, its shares; on lines of their own. */
void flame_picture_add_frame(struct ot_str *str, const struct flame_picture *picture,
                             uint32_t node);

/* The class of a frame's colour. */
const char *flame_colour(const struct flame_picture *picture, uint32_t node);

/* What the colours mean: kinds of calls, or more and less. `class` is NULL behind the last. */
struct flame_colour_meaning {
    const char *class;
    const char *means;
};
const struct flame_colour_meaning *flame_colour_meanings(bool is_diff);

#endif
