/* tree.h: one tree of the frames of one or two sources, as it is drawn.
 *
 * Frames of both sources with the same names from the outermost on are one node. The children of a
 * node are ordered by name, so that graphs of two runs look alike. Private to this folder.
 */
#ifndef OT_EMIT_FLAME_TREE_H
#define OT_EMIT_FLAME_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/str.h"
#include "emit/flame/flame.h"
#include "model/names.h"

enum { FLAME_NOW, FLAME_BEFORE, FLAME_SOURCES };
enum { FLAME_ROOT = 0, FLAME_NONE = UINT32_MAX };

struct flame_sums {
    int64_t own;   /* weight of its own calls */
    int64_t total; /* and of all below */
    uint64_t n_calls;
};

struct flame_node {
    uint32_t parent; /* its number is smaller */
    uint32_t name;   /* of the tree's names */
    uint32_t depth;  /* the root's is 0 */
    uint32_t first;  /* of `order`: its children */
    uint32_t n_children;
    uint32_t at;    /* in `order` */
    uint32_t track; /* as that of ot_stack_frame; of a call 0, and in folded stacks */
    int backend;    /* likewise, but in folded stacks 0 of all that is not OT_STACKS_NO_CALL */
    bool is_drawn;
    struct flame_sums of[FLAME_SOURCES];
    int64_t start; /* where it begins: the weight of now to its left */
};

struct flame_tree {
    enum ot_flame_weight weight;
    bool is_folded; /* names are as lines of text can have them, and all that tells frames apart */
    unsigned overflowed_sums[FLAME_SOURCES];
    struct ot_names names;
    struct flame_node *nodes;
    size_t n_nodes;
    size_t cap;
    struct ot_map map;
    uint32_t *order; /* the children of a node are neighbours here */
    struct ot_str line;
};

/* `tree` is zeroed but for `is_folded`; released by the caller also after a failure. */
int flame_tree_init(struct flame_tree *tree, const struct ot_flame *flame, struct ot_err *err);

/* The node behind this one in the order of drawing, callers before what they call; FLAME_NONE
 * behind the last. */
uint32_t flame_tree_next(const struct flame_tree *tree, uint32_t node);

static inline struct ot_text flame_tree_name(const struct flame_tree *tree, uint32_t node)
{
    return ot_names_text(&tree->names, tree->nodes[node].name);
}

void flame_tree_release(struct flame_tree *tree);

/* Adds who a thread is: `rank 0, thread 12 (process 10, node7)`. */
void flame_add_thread(struct ot_str *str, const struct ot_flame_source *source,
                      const struct ot_stack_track *track);

#endif
