/* ring.h: a few buffers that go round between the thread that fills them and the one that takes.
 *
 * Both wait for each other: the filler for a buffer that nobody holds, the taker for one that was
 * filled. The taker holds one buffer at a time.
 */
#ifndef OT_INGEST_BYTES_RING_H
#define OT_INGEST_BYTES_RING_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "ingest/bytes/source.h"

/* Measured with 1 GB: of three or more buffers none is waited for, and larger ones pay less for
 * each turn. 256 KiB cost 2 % (of a caller that looks at each byte) to 8 % (of one that does not)
 * more, 128 KiB 6 to 20 %; two buffers cost more only where they are small. */
enum { OT_RING_BUFFERS = 3, OT_RING_BUFFER_LEN = 512 * 1024 };

struct ot_ring {
    unsigned char *memory;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t lens[OT_RING_BUFFERS];
    size_t n_filled; /* buffers ever filled; the next one is that modulo OT_RING_BUFFERS */
    size_t n_taken;
    size_t n_returned; /* n_taken, or one less while the taker holds a buffer */
    bool has_ended;    /* no more will be filled */
    bool is_closing;   /* no more will be taken */
    int end_code;
    struct ot_err end_err;
};

bool ot_ring_init(struct ot_ring *ring); /* false: out of memory */
void ot_ring_release(struct ot_ring *ring);

/* For the filler: room for OT_RING_BUFFER_LEN bytes, with headroom before and padding behind. NULL
 * once the taker has closed. */
unsigned char *ot_ring_await_room(struct ot_ring *ring);
/* Hands over the first `len` bytes of that room, if any, and zeroes the padding behind them. */
void ot_ring_put(struct ot_ring *ring, size_t len);
/* The taker gets the code and the sentence after the last buffer. */
void ot_ring_end(struct ot_ring *ring, int code, const struct ot_err *err);

/* For the taker: returns the buffer it holds, and waits for the next one. OT_OK, or the code of
 * ot_ring_end() from then on. */
int ot_ring_take(struct ot_ring *ring, unsigned char **ret_bytes, size_t *ret_len,
                 struct ot_err *err);
void ot_ring_close(struct ot_ring *ring);

#endif
