/* tables_take.h: from the rows of a session's tables to a population. Private to this folder.
 *
 * What is read is data, whoever wrote it: numbers that point to something are looked at. One
 * thread.
 */
#ifndef OT_STORE_TABLES_TAKE_H
#define OT_STORE_TABLES_TAKE_H

#include "store/tables_columns.h"

/* Zeroed but for what the caller sets. */
struct ot_tables_take {
    struct ot_population *pop; /* the caller's; it has the empty name */
    size_t n_sessions;         /* the caller's: that there will be */
    uint32_t *first_rows;      /* the caller's, n_sessions + 1: of each session that was begun */
    struct ot_err *err;        /* the caller's */
    uint32_t format;           /* name id: the first session's */
    bool is_other_version;     /* that is what is wrong */
};

/* Takes all rows of one of the small tables: its columns, then the number of the session, as a
 * BIGINT, ascending. The kinds come in their order. `session` is 0 before; after a failure it says
 * whose row was wrong. */
int ot_tables_take_rows(struct ot_tables_take *take, enum ot_tables_kind kind, struct ot_rows *rows,
                        size_t *session);

/* OT_ERR_INPUT, and `is_other_version`, unless it is ours. */
int ot_tables_take_version(struct ot_tables_take *take, struct ot_text extractor);

#endif
