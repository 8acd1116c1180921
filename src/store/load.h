/* load.h: a population's tables, as tables of the database.
 *
 * load.c is the schema: a column's name, type and place in our structs stand in one line.
 */
#ifndef OT_STORE_LOAD_H
#define OT_STORE_LOAD_H

#include "base/err.h"
#include "stats/analysis.h"
#include "stats/population.h"
#include "store/db.h"

/* Makes and fills all tables. */
int ot_load(struct ot_db *db, const struct ot_population *pop, const struct ot_analysis_opts *opts,
            struct ot_err *err);

#endif
