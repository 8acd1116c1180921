/* take.h: from the rows of the queries to an analysis.
 *
 * One function per query. Nothing is computed here: what is an aggregate is one before it arrives.
 */
#ifndef OT_STORE_TAKE_H
#define OT_STORE_TAKE_H

#include "stats/analysis.h"
#include "stats/population.h"
#include "store/db.h"

struct ot_take {
    const struct ot_population *pop;
    const struct ot_analysis_opts *opts;
    struct ot_analysis *analysis; /* all that is taken lives in its arena */
    struct ot_err *err;
};

int ot_take_sessions(struct ot_take *take);
int ot_take_summary(struct ot_take *take, struct ot_rows *rows);
int ot_take_aggregates(struct ot_take *take, struct ot_rows *rows);
int ot_take_parts(struct ot_take *take, struct ot_rows *rows);
int ot_take_coverage(struct ot_take *take, struct ot_rows *rows);
int ot_take_operators(struct ot_take *take, struct ot_rows *rows);
int ot_take_shapes(struct ot_take *take, struct ot_rows *rows);
int ot_take_threshold(struct ot_take *take, struct ot_rows *rows);
int ot_take_repeated_total(struct ot_take *take, struct ot_rows *rows);
int ot_take_repeated(struct ot_take *take, struct ot_rows *rows);

/* Last, when all that can make a result a lower bound is known: says of each aggregate what it is,
 * and why. */
int ot_take_certainty(struct ot_take *take);

/* Shared by the functions above. A copy of a text; NULL bytes and OT_ERR_NOMEM in `err` when memory
 * is out. */
int ot_take_text(struct ot_take *take, struct ot_text text, struct ot_text *ret_copy);

/* Room for one more item behind the `n` that there are; `items` points to the array's pointer. */
int ot_take_room(struct ot_take *take, void *items, size_t n, size_t item_bytes);

#endif
