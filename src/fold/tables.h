/* tables.h: nests everything that was kept, and fills in the population's tables. Private to this
 * folder. */
#ifndef OT_FOLD_TABLES_H
#define OT_FOLD_TABLES_H

#include "fold/intake.h"

/* Once, when all is read. For OT_FOLD_SELF: self times alone. */
int ot_tables_fill(struct ot_intake *intake, struct ot_err *err);

#endif
