/* input.h: the bytes of a file as they lie there.
 *
 * A regular file, or what can only be streamed: a pipe, a terminal, standard input. The first bytes
 * can be looked at before they are read. One thread reads; another one may ask it to stop.
 */
#ifndef OT_INGEST_BYTES_INPUT_H
#define OT_INGEST_BYTES_INPUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { OT_INPUT_HEAD = 16 };

struct ot_input {
    int fd;
    int stop_fd; /* becomes readable when reading is to stop; -1 for a file that cannot block */
    atomic_bool is_stopping;
    bool is_regular;
    unsigned char head[OT_INPUT_HEAD]; /* the first bytes, fewer only if the file is shorter */
    size_t n_head;
    uint64_t n_read; /* bytes that were handed out */
};

/* "-" is standard input. OT_ERR_IO: the system refused, also for a folder; OT_ERR_NOMEM. `err`
 * names the path. Release it only after OT_OK. */
int ot_input_open(struct ot_input *input, const char *path, struct ot_err *err);

/* OT_OK with 0 bytes only at the end, and once it was asked to stop; who asked does not care what
 * else there would be. OT_ERR_IO: `err` says at which byte. */
int ot_input_read(struct ot_input *input, unsigned char *ret_bytes, size_t cap, size_t *ret_len,
                  struct ot_err *err);

/* From any thread: ends a read that waits, and makes later ones return nothing. */
void ot_input_stop(struct ot_input *input);

void ot_input_release(struct ot_input *input);

#endif
