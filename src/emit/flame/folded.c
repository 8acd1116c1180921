#include <inttypes.h>

#include "emit/flame/tree.h"

/* What belongs to no operator has no frame to stand for it. */
static const char no_operator[] = "(no operator)";

static void write_line(const struct flame_tree *tree, uint32_t number, bool is_diff,
                       const struct ot_str *path, FILE *out)
{
    const struct flame_sums *of = tree->nodes[number].of;
    if (of[FLAME_NOW].own == 0 && of[FLAME_BEFORE].own == 0)
        return;
    bool is_call = tree->nodes[number].backend != OT_STACKS_NO_CALL;
    fprintf(out, "%s%s%s", ot_str_borrow(path), is_call || path->len == 0 ? "" : ";",
            is_call ? "" : no_operator);
    if (is_diff)
        fprintf(out, " %" PRId64, of[FLAME_BEFORE].own);
    fprintf(out, " %" PRId64 "\n", of[FLAME_NOW].own);
}

static int write_lines(const struct flame_tree *tree, bool is_diff, FILE *out, struct ot_err *err)
{
    size_t lens[OT_STACKS_MAX_DEPTH + 1] = {0}; /* of the path down to each depth */
    struct ot_str path = {0};
    for (uint32_t i = 0; i != FLAME_NONE && !path.failed; i = flame_tree_next(tree, i)) {
        uint32_t depth = tree->nodes[i].depth;
        if (i != FLAME_ROOT) {
            path.len = lens[depth - 1];
            ot_str_addf(&path, "%s", depth > 1 ? ";" : "");
            ot_str_add_text(&path, flame_tree_name(tree, i));
            lens[depth] = path.len;
        }
        if (!path.failed)
            write_line(tree, i, is_diff, &path, out);
    }
    int code = path.failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for a line") : OT_OK;
    ot_str_release(&path);
    return code;
}

int ot_flame_write_folded(const struct ot_flame *flame, FILE *out, struct ot_err *err)
{
    struct flame_tree tree = {.is_folded = true};
    int code = flame_tree_init(&tree, flame, err);
    if (code == OT_OK)
        code = write_lines(&tree, flame->before.stacks != NULL, out, err);
    flame_tree_release(&tree);
    return code;
}
