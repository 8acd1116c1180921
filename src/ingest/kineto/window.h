/* window.h: a piece of a stream that lies in one run of memory.
 *
 * Bytes come in chunks. A window is the chunk as its source gave it, with the unfinished rest of
 * the one before copied in front of it, where there is room; only what is larger than that goes
 * through memory of the window's own. Behind `end` lie OT_SOURCE_PADDING zeros. One thread.
 */
#ifndef OT_INGEST_KINETO_WINDOW_H
#define OT_INGEST_KINETO_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Where chunks come from; the contract is that of ot_source_next() (ingest/bytes/source.h). */
struct ot_kineto_chunks {
    int (*next)(void *source, unsigned char **ret_bytes, size_t *ret_len, struct ot_err *err);
    void *source;
};

/* What a window has to hold is what lies in one piece: an event, or a member of the header. */
enum { OT_WINDOW_MAX_LEN = 64 * 1024 * 1024 };

struct ot_kineto_window {
    struct ot_kineto_chunks chunks;
    const unsigned char *end;
    uint64_t end_offset; /* of `end` in the stream */
    unsigned char *own;  /* the rest, while the next chunk comes; or the window */
    size_t own_cap;
    bool is_own;
    int end_code; /* not OT_OK: what the source said at last */
    struct ot_err end_err;
};

/* Keeps what lies from `keep` on and puts more behind it: as much again, so that reading it anew
 * each time is no more than twice the work, or what there is; but not much more than
 * OT_WINDOW_MAX_LEN in all. OT_OK: at least one byte came. OT_END
 * or what the source said: none did. In any case *ret_keep is where `keep` is now. Takes NULL as
 * `keep` for a window that has no bytes yet. */
int ot_kineto_window_grow(struct ot_kineto_window *window, const unsigned char *keep,
                          const unsigned char **ret_keep, struct ot_err *err);

/* Where in the stream `at` is, from 0. */
static inline uint64_t ot_kineto_window_offset(const struct ot_kineto_window *window,
                                               const unsigned char *at)
{
    return window->end_offset - (uint64_t)(window->end - at);
}

void ot_kineto_window_release(struct ot_kineto_window *window);

#endif
