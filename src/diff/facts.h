/* facts.h: what may make the sides' numbers incomparable. Private to this folder. */
#ifndef OT_DIFF_FACTS_H
#define OT_DIFF_FACTS_H

#include "diff/diff.h"

/* Once the tables are made. */
int ot_diff_find_facts(struct ot_diff *diff, struct ot_err *err);

#endif
