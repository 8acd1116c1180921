/* names.h: the ids of names and shapes, and the dictionary in the file.
 *
 * One table per process, from the content to what records carry. It only grows, and what is in it
 * never changes, so finding takes no lock; what is not there yet is added under the process's lock
 * and is in the file before anyone can use its id.
 */
#ifndef OT_TRACER_BUILTIN_NAMES_H
#define OT_TRACER_BUILTIN_NAMES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/oplog.h"
#include "base/text.h"

struct ot_process;
struct ot_short_name;
struct ot_name_table;

struct ot_name_key {
    enum ot_oplog_name_kind kind;
    struct ot_text first;  /* of shapes the signature (inputs.h) */
    struct ot_text second; /* the overload's name */
    uint64_t hash;
};

struct ot_name {
    uint64_t hash;
    uint64_t entry_word; /* without ticks; of shapes the record SHAPES_OF */
    uint64_t exit_word;
    const struct ot_short_name *short_name; /* NULL: of operators that are not short, and others */
    uint32_t first_len;
    uint32_t second_len;
    uint32_t kind;
    char text[]; /* first, second */
};

struct ot_names {
    struct ot_name_table *_Atomic table;
    uint32_t n_names;
    uint32_t n_shapes;
    char *block; /* memory for what the table points at */
    size_t block_left;
    size_t bytes;                 /* of all blocks */
    char *text;                   /* room for the longest texts of shapes */
    struct ot_oplog_chunk *chunk; /* of names, the last one */
    uint64_t n_chunks;
    size_t chunk_used;
};

/* Texts that are too long are cut here, so that the same ones are the same. They are borrowed. */
struct ot_name_key ot_name_key_of(enum ot_oplog_name_kind kind, const char *name,
                                  const char *overload);
struct ot_name_key ot_name_key_of_shapes(const uint64_t *signature, size_t n);

/* NULL: it is not there. Any thread, without a lock. */
const struct ot_name *ot_names_find(const struct ot_names *names, const struct ot_name_key *key);

/* Finds or adds it. Where there is no room any more, a name whose records say so; NULL: there is
 * none now, and there may be later. The guard is taken, the process's lock is not. */
const struct ot_name *ot_names_intern(struct ot_process *process, const struct ot_name_key *key);

#endif
