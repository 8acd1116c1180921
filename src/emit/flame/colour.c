#include "base/hash.h"
#include "emit/flame/picture.h"
#include "model/backend.h"

enum { N_TINTS = 3, N_STEPS = 5 };

/* A kind has neighbouring tints, so that neighbours can be told apart. */
enum { ATEN, AUTOGRAD, OTHER, RUNTIME, N_KINDS };
static const char *const tints[N_KINDS][N_TINTS] = {
    [ATEN] = {"a0", "a1", "a2"},
    [AUTOGRAD] = {"g0", "g1", "g2"},
    [OTHER] = {"o0", "o1", "o2"},
    [RUNTIME] = {"r0", "r1", "r2"},
};

static bool starts_with(struct ot_text name, const char *prefix)
{
    size_t len = strlen(prefix);
    return name.len >= len && memcmp(name.bytes, prefix, len) == 0;
}

/* `AddmmBackward0` */
static bool is_node_of_autograd(struct ot_text name)
{
    static const char word[] = "Backward";
    enum { WORD_LEN = sizeof(word) - 1 };
    while (name.len && name.bytes[name.len - 1] >= '0' && name.bytes[name.len - 1] <= '9')
        name.len--;
    return name.len >= WORD_LEN && memcmp(name.bytes + name.len - WORD_LEN, word, WORD_LEN) == 0;
}

static int kind_of(struct ot_text name, int backend)
{
    if (backend != OT_BACKEND_PYTORCH)
        return RUNTIME;
    if (starts_with(name, "aten::"))
        return ATEN;
    return starts_with(name, "autograd::") || is_node_of_autograd(name) ? AUTOGRAD : OTHER;
}

/* By how much a frame with all inside it changed, as a share of the larger side: 0 is next to
 * nothing, N_STEPS more than twice as much or new. */
static int step_of(int64_t more, int64_t less)
{
    static const double borders[N_STEPS] = {0.01, 0.05, 0.15, 0.3, 0.5};
    double share = ((double)more - (double)less) / (double)more;
    int step = 0;
    while (step < N_STEPS && share > borders[step])
        step++;
    return step;
}

static const char *colour_of_change(const struct flame_sums *sums)
{
    static const char *const more[] = {"z0", "u1", "u2", "u3", "u4", "u5"};
    static const char *const less[] = {"z0", "d1", "d2", "d3", "d4", "d5"};
    int64_t now = sums[FLAME_NOW].total;
    int64_t before = sums[FLAME_BEFORE].total;
    if (now == before)
        return "z0";
    return now > before ? more[step_of(now, before)] : less[step_of(before, now)];
}

const char *flame_colour(const struct flame_picture *picture, uint32_t number)
{
    const struct flame_node *node = &picture->tree.nodes[number];
    struct ot_text name = flame_tree_name(&picture->tree, number);
    if (picture->is_diff)
        return colour_of_change(node->of);
    if (node->backend < 0)
        return "t0";
    return tints[kind_of(name, node->backend)][ot_hash_bytes(name.bytes, name.len) % N_TINTS];
}

const struct flame_colour_meaning *flame_colour_meanings(bool is_diff)
{
    static const struct flame_colour_meaning changes[] = {
        {"u4", "more than before"}, {"d4", "less"}, {"z0", "about the same"}, {0}};
    static const struct flame_colour_meaning plain[] = {{"a0", "aten"},
                                                        {"g0", "autograd"},
                                                        {"o0", "other operators"},
                                                        {"r0", "calls into a runtime"},
                                                        {0}};
    return is_diff ? changes : plain;
}
