/* source.h: the bytes of a file, unpacked, as a stream of chunks.
 *
 * Plain, gzip (any number of members) and zstd (any number of frames), told apart by content, never
 * by name; "-" is standard input. A thread of the source's own reads and unpacks ahead of the
 * caller, so that this overlaps with what the caller does. Memory does not depend on the size of
 * the file: 2 MiB, and what zstd needs (8 MiB up to level 19, 128 MiB at most). A source belongs to
 * one thread.
 */
#ifndef OT_INGEST_BYTES_SOURCE_H
#define OT_INGEST_BYTES_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
    OT_SOURCE_HEADROOM = 64 * 1024, /* bytes before each chunk that the caller may write to */
    OT_SOURCE_PADDING = 64          /* readable bytes behind each chunk; their value is 0 */
};

enum ot_packing { OT_PACKING_NONE, OT_PACKING_GZIP, OT_PACKING_ZSTD };

struct ot_source;

struct ot_source_opts {
    /* As in struct ot_reader_opts: sees the file's bytes as they lie there. */
    void (*tap)(void *context, uint32_t session, const void *bytes, size_t len);
    void *tap_context;
    uint32_t session;
    _Atomic uint64_t *read_bytes; /* likewise; skipped ones count, too */
};

/* Opens and looks at the first bytes, for which it waits if it has to. OT_ERR_IO: the system
 * refused, also for a folder. `err` names the path. */
int ot_source_open(const char *path, const struct ot_source_opts *opts,
                   struct ot_source **ret_source, struct ot_err *err);

/* OT_OK with the next chunk, never an empty one; it may be written to, also before its start (see
 * OT_SOURCE_HEADROOM), and is valid until the next call. OT_END after the last one. OT_ERR_INPUT:
 * what is packed is damaged or ends early; what was whole has been handed out before, and what is
 * damaged may have been until its check sum told. OT_ERR_IO: the system refused. OT_ERR_NOMEM: zstd
 * found no memory. `err` says at which byte of the file, and not the path. Once it is not OT_OK it
 * stays what it is. */
int ot_source_next(struct ot_source *source, unsigned char **ret_bytes, size_t *ret_len,
                   struct ot_err *err);

enum ot_packing ot_source_packing(const struct ot_source *source);

/* Takes NULL, and a source that is not at its end. */
void ot_source_close(struct ot_source *source);

/* The first bytes of a file, unpacked, at most `cap`; less if there are no more, or if the rest is
 * damaged. Reads no more than it needs, starts no thread. OT_ERR_IO as ot_source_open().
 * OT_ERR_INPUT: what is packed is damaged or ends before the first byte of it; or it can be read
 * only once: "-" is no name here, a pipe or terminal is refused. `err` names the path. */
int ot_source_peek(const char *path, unsigned char *ret_bytes, size_t cap, size_t *ret_len,
                   enum ot_packing *ret_packing, struct ot_err *err);

#endif
