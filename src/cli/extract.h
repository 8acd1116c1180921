/* extract.h: from one trace to the tables of its session (store.h), in one pass.
 *
 * The trace is folded as for an analysis; slices and memory events go into the tables as they
 * become known, the rest at the end. Who keeps what was read taps it on the way.
 */
#ifndef OT_CLI_EXTRACT_H
#define OT_CLI_EXTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stats/population.h"
#include "store/store.h"

struct ot_extract_opts {
    const struct ot_store_api *store;
    const char *input;  /* what a reader can open, "-" too */
    const char *path;   /* what the session says that it was read from; NULL: `input` */
    const char *folder; /* for the tables; exists and is empty */
    enum ot_tables_format format;
    bool recover;
    _Atomic uint64_t *read_bytes; /* counts up, for progress; or NULL */

    /* Gets the bytes of a file while it is read, as they lie there; folders have none. Or NULL. */
    void (*tap)(void *context, uint32_t session, const void *bytes, size_t len);
    void *tap_context;

    /* Called once, when all is read: fills in what is only known then: the session's id, the
     * artifact, and when it is imported, if it is. The rest of `provenance` is set already, and
     * may be changed; what is pointed to stays valid until ot_extract() returns. A failure ends the
     * extraction. */
    int (*identify)(void *context, const struct ot_population *pop,
                    struct ot_provenance *provenance, struct ot_err *err);
    void *identify_context;
};

struct ot_extract {
    struct ot_population pop; /* all that was counted, with counts and warnings */
    const char *format;       /* the reader's; a constant */
    const struct ot_table_file *files;
    size_t n_files;

    struct ot_tables *tables; /* its own */
    const struct ot_store_api *store;
};

/* Reads the trace and writes its tables. A zeroed struct before; release it also after a failure,
 * which may leave files in the folder. OT_ERR_INPUT: it is no trace, or damaged; OT_ERR_IO: the
 * folder cannot be written. */
int ot_extract(struct ot_extract *extract, const struct ot_extract_opts *opts, struct ot_err *err);

void ot_extract_release(struct ot_extract *extract); /* takes NULL */

#endif
