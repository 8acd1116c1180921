/* import_trace.h: one trace on its way into the store.
 *
 * It is read once: what it holds goes into tables, and its bytes are hashed and kept, all in the
 * writer's own folder. Only when all traces of an import are read are they put into their places.
 */
#ifndef OT_CLI_IMPORT_TRACE_H
#define OT_CLI_IMPORT_TRACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "corpus/corpus.h"
#include "corpus/writer.h"
#include "store/store.h"

struct ot_import {
    const char *verb;
    const struct ot_store_api *store;
    struct ot_writer *writer;
    struct ot_arena *arena; /* of what is made here */
    int64_t now_ns;         /* when all of it is imported, since the epoch */
    bool link;
    bool recover;
};

struct ot_import_trace {
    const char *arg;         /* as given */
    char tables[PATH_MAX];   /* folders in the writer's own */
    char artifact[PATH_MAX]; /* "": nothing is kept that was not */
    struct ot_corpus_session session;
    bool has_new_tables; /* to be put into place */
};

/* Reads the trace number `number` of this import, and fills in the session. Warnings are told,
 * unless all of it is in the store already.
 * OT_ERR_INPUT, OT_ERR_DAMAGED, OT_ERR_IO, ...: `err` names it. */
int ot_import_read(const struct ot_import *import, const char *arg, size_t number,
                   struct ot_import_trace *ret_trace, struct ot_err *err);

/* Puts what was made into its place. */
int ot_import_place(const struct ot_import *import, struct ot_import_trace *trace,
                    struct ot_err *err);

#endif
