#include "emit/flame/tree.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/sum.h"
#include "base/vec.h"
#include "emit/flame/fold_name.h"
#include "emit/flame/weights.h"

struct node_key {
    uint32_t parent;
    uint32_t name;
    uint32_t track;
    int backend;
};

static bool same_node(const void *owner, size_t index, const void *key)
{
    const struct flame_node *node = &((const struct flame_tree *)owner)->nodes[index];
    const struct node_key *wanted = key;
    return index != FLAME_ROOT && node->parent == wanted->parent && node->name == wanted->name &&
           node->track == wanted->track && node->backend == wanted->backend;
}

static int add_node(struct flame_tree *tree, const struct node_key *key, uint32_t *ret_node,
                    struct ot_err *err)
{
    if (!ot_vec_reserve(&tree->nodes, &tree->cap, tree->n_nodes + 1, sizeof(*tree->nodes)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for frames");
    *ret_node = (uint32_t)tree->n_nodes++;
    tree->nodes[*ret_node] = (struct flame_node){
        .parent = key->parent,
        .name = key->name,
        .track = key->track,
        .backend = key->backend,
        .depth = *ret_node == FLAME_ROOT ? 0 : tree->nodes[key->parent].depth + 1,
    };
    return OT_OK;
}

static int find_node(struct flame_tree *tree, const struct node_key *key, uint32_t *ret_node,
                     struct ot_err *err)
{
    uint64_t hash = ot_hash_mix((uint64_t)(unsigned)key->backend << 32 | key->track, key->parent);
    hash = ot_hash_mix(hash, key->name);
    int64_t found = ot_map_find(&tree->map, hash, same_node, tree, key);
    if (found != OT_MAP_NONE) {
        *ret_node = (uint32_t)found;
        return OT_OK;
    }
    int code = add_node(tree, key, ret_node, err);
    if (code == OT_OK && !ot_map_put(&tree->map, hash, *ret_node))
        code = ot_err_set(err, OT_ERR_NOMEM, "out of memory for frames");
    return code;
}

static int name_frame(struct flame_tree *tree, const struct ot_flame_source *source,
                      const struct ot_stack_frame *frame, uint32_t *ret_name, struct ot_err *err)
{
    struct ot_text name = ot_text_of("(more stacks)");
    struct ot_str label = {0};
    if (frame->backend >= 0) {
        name = ot_names_text(&source->pop->names, frame->name);
    } else if (frame->backend == OT_STACKS_NO_CALL) {
        flame_add_thread(&label, source, &source->stacks->tracks[frame->track - 1]);
        name = (struct ot_text){ot_str_borrow(&label), label.len};
    }
    if (tree->is_folded) {
        ot_str_clear(&tree->line);
        flame_fold_name(&tree->line, name);
        name = (struct ot_text){ot_str_borrow(&tree->line), tree->line.len};
    }
    int code = label.failed || tree->line.failed
                   ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for names")
                   : ot_names_intern(&tree->names, name, ret_name, err);
    ot_str_release(&label);
    return code;
}

static int merge_frame(struct flame_tree *tree, const struct ot_flame_source *source, int which,
                       uint32_t number, uint32_t *node_of, struct ot_err *err)
{
    const struct ot_stack_frame *frame = &source->stacks->frames[number];
    bool is_call = frame->backend != OT_STACKS_NO_CALL;
    struct node_key key = {.parent = node_of[frame->parent],
                           .track = is_call || tree->is_folded ? 0 : frame->track,
                           .backend = is_call && tree->is_folded ? 0 : frame->backend};
    int code = OT_OK;
    node_of[number] = FLAME_ROOT;
    if (number != OT_STACKS_ROOT) {
        code = name_frame(tree, source, frame, &key.name, err);
        if (code == OT_OK)
            code = find_node(tree, &key, &node_of[number], err);
    }
    if (code < 0)
        return code;
    struct flame_sums *sums = &tree->nodes[node_of[number]].of[which];
    tree->overflowed_sums[which] += ot_sum_add(&sums->own, flame_weight_of(frame, tree->weight));
    sums->n_calls += frame->n_calls;
    return OT_OK;
}

static int merge(struct flame_tree *tree, const struct ot_flame_source *source, int which,
                 struct ot_err *err)
{
    size_t n = source->stacks->n_frames;
    uint32_t *node_of = calloc(n ? n : 1, sizeof(*node_of));
    if (!node_of)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for frames");
    int code = OT_OK;
    for (uint32_t i = 0; i < n && code == OT_OK; i++)
        code = merge_frame(tree, source, which, i, node_of, err);
    free(node_of);
    return code;
}

static void add_up(struct flame_tree *tree)
{
    for (size_t i = tree->n_nodes; i-- > 0;) {
        struct flame_node *node = &tree->nodes[i];
        for (int which = 0; which < FLAME_SOURCES; which++) {
            struct flame_sums *sums = &node->of[which];
            unsigned *n_overflowed = &tree->overflowed_sums[which];
            *n_overflowed += ot_sum_add(&sums->total, sums->own);
            if (i != FLAME_ROOT)
                *n_overflowed +=
                    ot_sum_add(&tree->nodes[node->parent].of[which].total, sums->total);
        }
    }
}

/* --- order --------------------------------------------------------------------------------------
 */

static int compare(const void *a, const void *b, void *context)
{
    const struct flame_tree *tree = context;
    const struct flame_node *x = &tree->nodes[*(const uint32_t *)a];
    const struct flame_node *y = &tree->nodes[*(const uint32_t *)b];
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    int order =
        ot_text_compare(ot_names_text(&tree->names, x->name), ot_names_text(&tree->names, y->name));
    if (order == 0)
        order = (x->backend > y->backend) - (x->backend < y->backend);
    return order ? order : (x->track > y->track) - (x->track < y->track);
}

static int order_nodes(struct flame_tree *tree, struct ot_err *err)
{
    size_t n = tree->n_nodes - 1;
    tree->order = calloc(n ? n : 1, sizeof(*tree->order));
    if (!tree->order)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for frames");
    for (uint32_t i = 0; i < n; i++)
        tree->order[i] = i + 1;
    qsort_r(tree->order, n, sizeof(*tree->order), compare, tree);
    for (uint32_t i = 0; i < n; i++) {
        struct flame_node *node = &tree->nodes[tree->order[i]];
        struct flame_node *parent = &tree->nodes[node->parent];
        node->at = i;
        if (parent->n_children++ == 0)
            parent->first = i;
    }
    return OT_OK;
}

uint32_t flame_tree_next(const struct flame_tree *tree, uint32_t number)
{
    const struct flame_node *node = &tree->nodes[number];
    if (node->n_children)
        return tree->order[node->first];
    while (number != FLAME_ROOT) {
        const struct flame_node *parent = &tree->nodes[node->parent];
        if (node->at + 1 < parent->first + parent->n_children)
            return tree->order[node->at + 1];
        number = node->parent;
        node = parent;
    }
    return FLAME_NONE;
}

/* The first child begins where its parent does; the own weight of a frame is at its right. */
static void place(struct flame_tree *tree)
{
    for (uint32_t i = 0; i != FLAME_NONE; i = flame_tree_next(tree, i)) {
        const struct flame_node *node = &tree->nodes[i];
        int64_t start = node->start;
        for (uint32_t k = 0; k < node->n_children; k++) {
            struct flame_node *child = &tree->nodes[tree->order[node->first + k]];
            child->start = start;
            ot_sum_add(&start, child->of[FLAME_NOW].total);
        }
    }
}

int flame_tree_init(struct flame_tree *tree, const struct ot_flame *flame, struct ot_err *err)
{
    struct node_key root = {.backend = OT_STACKS_NO_CALL};
    uint32_t number = 0;
    tree->weight = flame->weight;
    int code = ot_names_intern(&tree->names, ot_text_of("all"), &root.name, err);
    if (code == OT_OK)
        code = add_node(tree, &root, &number, err);
    if (code == OT_OK)
        code = merge(tree, &flame->now, FLAME_NOW, err);
    if (code == OT_OK && flame->before.stacks)
        code = merge(tree, &flame->before, FLAME_BEFORE, err);
    ot_map_release(&tree->map); /* as large as what follows */
    if (code == OT_OK)
        code = order_nodes(tree, err);
    if (code < 0)
        return code;
    add_up(tree);
    place(tree);
    return OT_OK;
}

void flame_tree_release(struct flame_tree *tree)
{
    ot_names_release(&tree->names);
    ot_map_release(&tree->map);
    ot_str_release(&tree->line);
    free(tree->nodes);
    free(tree->order);
    *tree = (struct flame_tree){0};
}
