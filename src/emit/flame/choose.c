#include <stdlib.h>

#include "base/sum.h"
#include "emit/flame/picture.h"
#include "emit/markup/markup.h"

enum {
    DEFAULT_FRAMES = 20000,
    DEFAULT_BYTES = 3000000,
    FRAME_BYTES = 220, /* of a frame in a file, beside its name, which stands there twice at most */
};

static int64_t now(const struct flame_node *node)
{
    return node->of[FLAME_NOW].total;
}

/* The heaviest first, and callers before what they call, which is never heavier. */
static int compare(const void *a, const void *b, void *context)
{
    const struct flame_node *nodes = context;
    uint32_t i = *(const uint32_t *)a;
    uint32_t k = *(const uint32_t *)b;
    if (now(&nodes[i]) != now(&nodes[k]))
        return now(&nodes[i]) > now(&nodes[k]) ? -1 : 1;
    if (nodes[i].depth != nodes[k].depth)
        return nodes[i].depth < nodes[k].depth ? -1 : 1;
    return (nodes[i].at > nodes[k].at) - (nodes[i].at < nodes[k].at);
}

/* The nodes that have a width, ordered. */
static size_t rank_nodes(struct flame_tree *tree, uint32_t *ranked)
{
    size_t n = 0;
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        if (now(&tree->nodes[i]) > 0)
            ranked[n++] = i;
    }
    qsort_r(ranked, n, sizeof(*ranked), compare, tree->nodes);
    return n;
}

static void mark(struct flame_picture *picture, const uint32_t *ranked, size_t n,
                 const struct ot_flame_svg_opts *opts)
{
    struct flame_tree *tree = &picture->tree;
    size_t max_frames = opts->max_frames ? opts->max_frames : DEFAULT_FRAMES;
    size_t max_bytes = opts->max_bytes ? opts->max_bytes : DEFAULT_BYTES;
    size_t bytes = 0;
    for (size_t i = 0; i < n && i < max_frames; i++) {
        struct flame_node *node = &tree->nodes[ranked[i]];
        ot_str_clear(&tree->line);
        ot_markup_add(&tree->line, flame_tree_name(tree, ranked[i]), FLAME_NAME_SIZE);
        bytes += 2 * tree->line.len + FRAME_BYTES;
        if (bytes > max_bytes && i > 0)
            break;
        node->is_drawn = true;
        picture->n_drawn++;
        picture->depth = node->depth > picture->depth ? node->depth : picture->depth;
    }
}

static void keep_faded(struct flame_picture *picture, uint32_t number)
{
    const struct flame_node *nodes = picture->tree.nodes;
    size_t at = picture->n_faded_nodes;
    while (at > 0 && nodes[picture->faded_nodes[at - 1]].of[FLAME_BEFORE].total <
                         nodes[number].of[FLAME_BEFORE].total)
        at--;
    if (at == FLAME_FADED_TOLD)
        return;
    size_t n =
        picture->n_faded_nodes < FLAME_FADED_TOLD ? picture->n_faded_nodes : FLAME_FADED_TOLD - 1;
    memmove(&picture->faded_nodes[at + 1], &picture->faded_nodes[at],
            (n - at) * sizeof(picture->faded_nodes[0]));
    picture->faded_nodes[at] = number;
    picture->n_faded_nodes = n + 1;
}

/* A sum counts only the outermost of its frames, which hold the others. */
static void count_rest(struct flame_picture *picture)
{
    const struct flame_node *nodes = picture->tree.nodes;
    for (uint32_t i = flame_tree_next(&picture->tree, FLAME_ROOT); i != FLAME_NONE;
         i = flame_tree_next(&picture->tree, i)) {
        const struct flame_node *node = &nodes[i];
        const struct flame_node *parent = &nodes[node->parent];
        int64_t before = node->of[FLAME_BEFORE].total;
        if (now(node) > 0 && !node->is_drawn) {
            picture->n_small++;
            if (parent->is_drawn)
                ot_sum_add(&picture->small, now(node));
        } else if (now(node) == 0 && before > 0) {
            picture->n_faded++;
            picture->n_gone += node->of[FLAME_NOW].n_calls == 0;
            if (now(parent) > 0) {
                ot_sum_add(&picture->faded, before);
                keep_faded(picture, i);
            }
        } else if (now(node) == 0) {
            picture->n_zero++;
        }
    }
}

int flame_picture_choose(struct flame_picture *picture, const struct ot_flame_svg_opts *opts,
                         struct ot_err *err)
{
    uint32_t *ranked = calloc(picture->tree.n_nodes, sizeof(*ranked));
    if (!ranked)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for frames");
    mark(picture, ranked, rank_nodes(&picture->tree, ranked), opts);
    free(ranked);
    count_rest(picture);
    return picture->tree.line.failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for names")
                                     : OT_OK;
}
