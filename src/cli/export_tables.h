/* export_tables.h: traces as tables in a folder, for `optally export`. */
#ifndef OT_CLI_EXPORT_TABLES_H
#define OT_CLI_EXPORT_TABLES_H

#include <stdbool.h>

#include "base/err.h"
#include "cli/distinct.h"
#include "cli/inputs.h"
#include "store/store.h"

struct ot_export_tables {
    const char *verb;
    const struct ot_inputs *given;
    const struct ot_distinct *inputs; /* those of `given` that count */
    enum ot_tables_format format;
    bool recover;
    const char *folder;           /* exists and is empty */
    _Atomic uint64_t *read_bytes; /* as in extract.h */
};

/* One input: its tables are in the folder. Several: each has a folder session=ID there, and what is
 * the same trace as another one is left out, with a line on stderr. Warnings of the inputs are
 * told. */
int ot_export_tables(const struct ot_export_tables *opts, struct ot_err *err);

#endif
