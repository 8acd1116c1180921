/* names.h: interned names.
 *
 * Each distinct run of bytes has one id, counted up from 0 in the order of first sight, and one
 * NUL-terminated copy that lives and stays in place until release. One thread.
 */
#ifndef OT_MODEL_NAMES_H
#define OT_MODEL_NAMES_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/text.h"

/* What an input can make us hold. PyTorch has a few thousand operators. */
enum { OT_NAMES_MAX = 1 << 22, OT_NAMES_MAX_BYTES = 1 << 28 };

struct ot_names {
    struct ot_arena arena;
    struct ot_map map;
    struct ot_text *texts;
    size_t n_texts;
    size_t cap;
    size_t total_bytes;
};

/* Allocates only on first sight of a name. OT_ERR_NOMEM: memory, or one of the limits above. */
int ot_names_intern(struct ot_names *names, struct ot_text text, uint32_t *ret_id,
                    struct ot_err *err);

/* `id` is one that ot_names_intern() gave. */
static inline struct ot_text ot_names_text(const struct ot_names *names, uint32_t id)
{
    return names->texts[id];
}

void ot_names_release(struct ot_names *names);

#endif
