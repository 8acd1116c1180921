/* flame_side.h: what one side of a flame graph's difference is made of; without a difference there
 * is one side. */
#ifndef OT_CLI_FLAME_SIDE_H
#define OT_CLI_FLAME_SIDE_H

#include <stdbool.h>

#include "base/str.h"
#include "cli/distinct.h"
#include "cli/inputs.h"
#include "emit/flame/flame.h"

struct ot_flame_side_opts {
    const char *verb;
    enum ot_flame_weight weight;
    bool by_thread;
    bool recover;
};

struct ot_flame_side {
    const struct ot_inputs *given;
    struct ot_distinct inputs;
    struct ot_population pop;
    struct ot_stacks stacks;
};

/* Reads inputs, 1 or more, which are borrowed until the release. OT_ERR_INPUT also for what has
 * not got the weight. `side` is zeroed before, and released also after a failure. */
int ot_flame_side_read(struct ot_flame_side *side, const struct ot_flame_side_opts *opts,
                       const struct ot_inputs *inputs, struct ot_err *err);

/* What was odd, what is incomplete and what shares a frame, in lines on stderr; `is_named` says of
 * which side. */
void ot_flame_side_tell(const struct ot_flame_side *side, const char *verb, bool is_named);

/* Adds the names of the inputs, for a title. */
void ot_flame_side_add_name(struct ot_str *title, const struct ot_flame_side *side);

void ot_flame_side_release(struct ot_flame_side *side);

#endif
