/* tables_make.h: from a population to the rows of a session's tables. Private to this folder. */
#ifndef OT_STORE_TABLES_MAKE_H
#define OT_STORE_TABLES_MAKE_H

#include "base/arena.h"
#include "store/tables_columns.h"

/* Texts that are no UTF-8 are copied into the arena, with U+FFFD in place of each wrong byte. */
struct ot_tables_make {
    const struct ot_names *names;
    const struct ot_population *pop;        /* not for a thread */
    const struct ot_provenance *provenance; /* likewise */
    struct ot_arena arena;                  /* released by the caller */
    bool failed;                            /* memory is out */
};

/* Makes the rows of one of the small tables: a malloc'ed array of the structs of tables_columns.h.
 */
int ot_tables_make(struct ot_tables_make *make, enum ot_tables_kind kind, void **ret_records,
                   size_t *ret_n, struct ot_err *err);

struct ot_thread_record ot_tables_make_thread(struct ot_tables_make *make, int64_t vpid,
                                              uint64_t vtid);

#endif
