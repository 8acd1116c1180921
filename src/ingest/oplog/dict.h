/* dict.h: what the ids of one operator log stand for.
 *
 * A chunk of names is taken when it is read, and again, from where it was left, when more may have
 * come into it. A name that an event carries was there before the event: who reads a growing file
 * reads events first and names after. One thread.
 */
#ifndef OT_INGEST_OPLOG_DICT_H
#define OT_INGEST_OPLOG_DICT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "ingest/oplog/file.h"
#include "model/names.h"

/* What an id of an entry stands for; the texts lie in `texts` and stay. */
struct ot_oplog_call {
    struct ot_text name;     /* the overload joined: `aten::abs.out`; NULL bytes: nobody knows it */
    struct ot_text first;    /* as PyTorch has it: `aten::abs` */
    struct ot_text overload; /* `out`; empty for none */
    uint32_t name_id;        /* of `name` in `texts` */
    int backend;
};

struct ot_oplog_shapes {
    struct ot_text shapes; /* NULL bytes: nobody knows them */
    struct ot_text types;
};

/* Zeroed but for `texts`. */
struct ot_oplog_dict {
    struct ot_names *texts;      /* borrowed; of all logs of a reader together */
    struct ot_oplog_call *calls; /* by id */
    size_t n_calls;
    size_t calls_cap;
    struct ot_oplog_shapes *shapes; /* by id */
    size_t n_shapes;
    size_t shapes_cap;
    uint64_t n_chunks; /* of names that the log has, set before they are taken: bounds the ids */
};

/* Takes the names of `chunk` from word *at on, and says in *at where it came to: at the end, or at
 * an entry that is not whole yet. OT_ERR_DAMAGED for one that cannot be, which *at then names. */
int ot_oplog_dict_take(struct ot_oplog_dict *dict, const struct ot_oplog_buffer *chunk, size_t *at,
                       struct ot_err *err);

/* NULL for an id that has no name. */
static inline const struct ot_oplog_call *ot_oplog_dict_call(const struct ot_oplog_dict *dict,
                                                             uint32_t id)
{
    return id < dict->n_calls && dict->calls[id].name.bytes ? &dict->calls[id] : NULL;
}

static inline const struct ot_oplog_shapes *ot_oplog_dict_shapes(const struct ot_oplog_dict *dict,
                                                                 uint32_t id)
{
    return id < dict->n_shapes && dict->shapes[id].shapes.bytes ? &dict->shapes[id] : NULL;
}

/* The name of events whose name was not kept: of operators, and of annotations. */
int ot_oplog_dict_unknown(struct ot_names *texts, int backend, struct ot_oplog_call *ret_call,
                          struct ot_err *err);

void ot_oplog_dict_release(struct ot_oplog_dict *dict);

#endif
