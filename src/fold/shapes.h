/* shapes.h: which shapes the calls of an operator were given, and how often.
 *
 * Shapes are JSON text. Two that differ in white space alone are one, so that a trace that somebody
 * laid out anew counts as before: `[[64, 3], []]`. A zeroed struct is empty. One thread.
 */
#ifndef OT_FOLD_SHAPES_H
#define OT_FOLD_SHAPES_H

#include "base/map.h"
#include "base/str.h"
#include "stats/population.h"

struct ot_shapes {
    struct ot_map map; /* of the population's table */
    size_t cap;
    struct ot_str line;
};

int ot_shapes_count(struct ot_shapes *shapes, struct ot_population *pop, uint32_t row,
                    struct ot_text text, struct ot_err *err);

void ot_shapes_release(struct ot_shapes *shapes);

#endif
