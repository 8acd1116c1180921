#include <inttypes.h>
#include <stdio.h>

#include "base/sum.h"
#include "base/units.h"
#include "base/utf8.h"
#include "emit/flame/picture.h"
#include "emit/grid/name.h"
#include "emit/notes/notes.h"
#include "stats/completeness.h"

static void add_count(struct ot_str *str, uint64_t n)
{
    char text[OT_UNITS_BYTES];
    ot_units_count(text, n);
    ot_str_addf(str, "%s", text);
}

static void add_many(struct ot_str *str, uint64_t n, const char *one, const char *many)
{
    add_count(str, n);
    ot_str_addf(str, " %s", n == 1 ? one : many);
}

/* A weight is never negative. */
static void add_weight(struct ot_str *str, const struct flame_picture *picture, int64_t value)
{
    char text[OT_UNITS_BYTES];
    switch (picture->tree.weight) {
    case OT_FLAME_CALLS:
        add_many(str, (uint64_t)value, "call", "calls");
        return;
    case OT_FLAME_ALLOCATED:
        ot_units_bytes(text, (uint64_t)value);
        break;
    default:
        ot_units_ns(text, (uint64_t)value);
        break;
    }
    ot_str_addf(str, "%s", text);
}

static void add_percent(struct ot_str *str, int64_t part, int64_t whole)
{
    char text[OT_UNITS_BYTES] = "0.00%";
    if (whole > 0)
        ot_units_percent(text, (uint64_t)part, (uint64_t)whole);
    ot_str_addf(str, "%s", text);
}

/* `+1.20ms (+34.00%)` */
static void add_change(struct ot_str *str, const struct flame_picture *picture,
                       const struct flame_sums *sums)
{
    int64_t now = sums[FLAME_NOW].total;
    int64_t before = sums[FLAME_BEFORE].total;
    int64_t size = now > before ? now - before : before - now;
    const char *sign = now > before ? "+" : now < before ? "-" : "";
    ot_str_addf(str, "%s", sign);
    add_weight(str, picture, size);
    if (before == 0 && now > 0) {
        ot_str_addf(str, " (new)");
    } else if (before > 0) {
        ot_str_addf(str, " (%s", sign);
        add_percent(str, size, before);
        ot_str_addf(str, ")");
    }
}

/* --- of a frame ---------------------------------------------------------------------------------
 */

static const struct {
    const char *own;
    const char *total;
} words[OT_FLAME_WEIGHTS] = {
    [OT_FLAME_SELF] = {"self", "inclusive"},
    [OT_FLAME_CALLS] = {"", "with all inside"},
    [OT_FLAME_ALLOCATED] = {"allocated itself", "with all inside"},
    [OT_FLAME_DEVICE] = {"on devices, launched itself", "with all inside"},
};

static void add_sums(struct ot_str *str, const struct flame_picture *picture,
                     const struct flame_sums *sums)
{
    enum ot_flame_weight weight = picture->tree.weight;
    add_weight(str, picture, sums->own);
    ot_str_addf(str, "%s%s, ", words[weight].own[0] ? " " : "", words[weight].own);
    add_weight(str, picture, sums->total);
    ot_str_addf(str, " %s", words[weight].total);
    if (weight != OT_FLAME_CALLS) {
        ot_str_addf(str, ", ");
        add_many(str, sums->n_calls, "call", "calls");
    }
}

static void add_shares(struct ot_str *str, const struct flame_picture *picture,
                       const struct flame_node *node)
{
    const struct flame_node *nodes = picture->tree.nodes;
    int64_t total = node->of[FLAME_NOW].total;
    add_percent(str, total, nodes[FLAME_ROOT].of[FLAME_NOW].total);
    ot_str_addf(str, " of all");
    if (node->depth > 1) {
        ot_str_addf(str, ", ");
        add_percent(str, total, nodes[node->parent].of[FLAME_NOW].total);
        ot_str_addf(str, " of what is around it");
    }
}

void flame_picture_add_frame(struct ot_str *str, const struct flame_picture *picture,
                             uint32_t number)
{
    const struct flame_node *node = &picture->tree.nodes[number];
    ot_name_add(str, flame_tree_name(&picture->tree, number), FLAME_NAME_SIZE);
    ot_str_addf(str, picture->is_diff ? "\nnow: " : "\n");
    add_sums(str, picture, &node->of[FLAME_NOW]);
    if (picture->is_diff) {
        ot_str_addf(str, "\nbefore: ");
        add_sums(str, picture, &node->of[FLAME_BEFORE]);
        ot_str_addf(str, "\nchange: ");
        add_change(str, picture, node->of);
    }
    ot_str_addf(str, "\n");
    add_shares(str, picture, node);
}

/* --- of the picture -----------------------------------------------------------------------------
 */

static const char *const titles[OT_FLAME_WEIGHTS] = {
    [OT_FLAME_SELF] = "Self time",
    [OT_FLAME_CALLS] = "Calls",
    [OT_FLAME_ALLOCATED] = "Allocated memory",
    [OT_FLAME_DEVICE] = "Device time by the operators that launched it",
};

/* What is the root's or a thread's own. */
static int64_t outside_operators(const struct flame_picture *picture)
{
    int64_t sum = 0;
    for (size_t i = 0; i < picture->tree.n_nodes; i++) {
        const struct flame_node *node = &picture->tree.nodes[i];
        if (node->backend == OT_STACKS_NO_CALL)
            ot_sum_add(&sum, node->of[FLAME_NOW].own);
    }
    return sum;
}

static uint64_t calls_of(const struct ot_flame_source *source)
{
    uint64_t n = 0;
    for (size_t i = 0; i < source->stacks->n_frames; i++)
        n += source->stacks->frames[i].n_calls;
    return n;
}

static void add_exactness(struct ot_str *str, const struct ot_flame_source *source,
                          unsigned overflowed_sums)
{
    struct ot_counts counts = source->pop->counts;
    counts.overflowed_sums += overflowed_sums;
    if (ot_completeness_exact(&counts)) {
        ot_str_addf(str, " (exact)");
        return;
    }
    ot_str_addf(str, " (at least: ");
    ot_notes_add_reasons(str, &counts);
    ot_str_addf(str, ")");
}

static void add_total(struct ot_str *str, const struct flame_picture *picture,
                      const struct ot_flame_source *source, int which)
{
    add_weight(str, picture, picture->tree.nodes[FLAME_ROOT].of[which].total);
    if (picture->tree.weight != OT_FLAME_CALLS) {
        ot_str_addf(str, " in ");
        add_many(str, calls_of(source), "call", "calls");
    }
    add_exactness(str, source, picture->tree.overflowed_sums[which]);
}

static void add_headline(struct ot_str *str, const struct flame_picture *picture)
{
    ot_str_addf(str, "%s: ", titles[picture->tree.weight]);
    add_total(str, picture, &picture->flame->now, FLAME_NOW);
    ot_str_addf(str, ".");
    int64_t outside = outside_operators(picture);
    if (outside > 0 && picture->tree.weight >= OT_FLAME_ALLOCATED) {
        ot_str_addf(str, " Of it ");
        add_weight(str, picture, outside);
        ot_str_addf(str, " outside every operator.");
    }
    if (!picture->is_diff)
        return;
    ot_str_addf(str, "\nBefore: ");
    add_total(str, picture, &picture->flame->before, FLAME_BEFORE);
    ot_str_addf(str, ". Change: ");
    add_change(str, picture, picture->tree.nodes[FLAME_ROOT].of);
    ot_str_addf(str,
                ". Widths are those of now, and nothing is scaled; a colour is the change of a "
                "frame with all inside it.");
}

/* What is called as before may weigh nothing, too. */
static void add_faded(struct ot_str *str, const struct flame_picture *picture)
{
    if (picture->n_faded == 0)
        return;
    size_t n_called = picture->n_faded - picture->n_gone;
    ot_str_addf(str, n_called ? "\nWeighing nothing any more: " : "\nGone since before: ");
    add_many(str, picture->n_faded, "frame", "frames");
    if (n_called) {
        ot_str_addf(str, " (");
        add_count(str, n_called);
        ot_str_addf(str, " of them still called)");
    }
    ot_str_addf(str, ", ");
    add_weight(str, picture, picture->faded);
    for (size_t i = 0; i < picture->n_faded_nodes; i++) {
        uint32_t number = picture->faded_nodes[i];
        const struct flame_node *node = &picture->tree.nodes[number];
        ot_str_addf(str, "%s", i ? "; " : ", most of it ");
        ot_name_add(str, flame_tree_name(&picture->tree, number), 80);
        if (node->depth > 1) {
            ot_str_addf(str, " in ");
            ot_name_add(str, flame_tree_name(&picture->tree, node->parent), 80);
        }
        ot_str_addf(str, " (");
        add_weight(str, picture, node->of[FLAME_BEFORE].total);
        ot_str_addf(str, ")");
    }
    ot_str_addf(str, ".");
}

static void add_left_out(struct ot_str *str, const struct flame_picture *picture)
{
    if (picture->n_small) {
        ot_str_addf(str, "\nNot drawn: ");
        add_many(str, picture->n_small, "frame, which is", "frames, which are");
        ot_str_addf(str, " too small: ");
        add_weight(str, picture, picture->small);
        ot_str_addf(str, ", ");
        add_percent(str, picture->small, picture->tree.nodes[FLAME_ROOT].of[FLAME_NOW].total);
        ot_str_addf(str, " of all.");
    }
    if (picture->n_zero) {
        ot_str_addf(str, "\nNot drawn: ");
        add_many(str, picture->n_zero, "frame that weighs nothing.", "frames that weigh nothing.");
    }
}

void ot_flame_add_merged(struct ot_str *str, const struct ot_stacks *stacks)
{
    if (stacks->n_merged_calls == 0)
        return;
    add_many(str, stacks->n_merged_calls, "call has no frame of its own",
             "calls have no frame of their own");
    ot_str_addf(str,
                ", since stacks are too deep (%d) or too many: counted for the call around, or "
                "where there is none as (more stacks).",
                OT_STACKS_MAX_DEPTH);
}

static void add_merged(struct ot_str *str, const struct ot_stacks *stacks, const char *before)
{
    if (stacks->n_merged_calls)
        ot_str_addf(str, "\n%s", before);
    ot_flame_add_merged(str, stacks);
}

void flame_picture_add_notes(struct ot_str *str, const struct flame_picture *picture)
{
    add_headline(str, picture);
    add_faded(str, picture);
    add_left_out(str, picture);
    add_merged(str, picture->flame->now.stacks, "");
    if (picture->is_diff)
        add_merged(str, picture->flame->before.stacks, "Before: ");
}
