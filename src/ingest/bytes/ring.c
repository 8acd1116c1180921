#include "ingest/bytes/ring.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static const size_t stride =
    (OT_SOURCE_HEADROOM + OT_RING_BUFFER_LEN + OT_SOURCE_PADDING + PAGE - 1) / PAGE * PAGE;

static unsigned char *buffer_at(const struct ot_ring *ring, size_t number)
{
    return ring->memory + number % OT_RING_BUFFERS * stride + OT_SOURCE_HEADROOM;
}

bool ot_ring_init(struct ot_ring *ring)
{
    *ring = (struct ot_ring){.memory = aligned_alloc(PAGE, OT_RING_BUFFERS * stride)};
    if (!ring->memory)
        return false;
    /* glibc's never fail without attributes. */
    pthread_mutex_init(&ring->mutex, NULL);
    pthread_cond_init(&ring->changed, NULL);
    return true;
}

void ot_ring_release(struct ot_ring *ring)
{
    if (!ring->memory)
        return;
    pthread_cond_destroy(&ring->changed);
    pthread_mutex_destroy(&ring->mutex);
    free(ring->memory);
    ring->memory = NULL;
}

unsigned char *ot_ring_await_room(struct ot_ring *ring)
{
    pthread_mutex_lock(&ring->mutex);
    while (!ring->is_closing && ring->n_filled - ring->n_returned == OT_RING_BUFFERS)
        pthread_cond_wait(&ring->changed, &ring->mutex);
    unsigned char *bytes = ring->is_closing ? NULL : buffer_at(ring, ring->n_filled);
    pthread_mutex_unlock(&ring->mutex);
    return bytes;
}

void ot_ring_put(struct ot_ring *ring, size_t len)
{
    if (len == 0)
        return;
    memset(buffer_at(ring, ring->n_filled) + len, 0, OT_SOURCE_PADDING);
    pthread_mutex_lock(&ring->mutex);
    ring->lens[ring->n_filled % OT_RING_BUFFERS] = len;
    ring->n_filled++;
    pthread_cond_signal(&ring->changed);
    pthread_mutex_unlock(&ring->mutex);
}

void ot_ring_end(struct ot_ring *ring, int code, const struct ot_err *err)
{
    pthread_mutex_lock(&ring->mutex);
    ring->has_ended = true;
    ring->end_code = code;
    ring->end_err = *err;
    pthread_cond_signal(&ring->changed);
    pthread_mutex_unlock(&ring->mutex);
}

int ot_ring_take(struct ot_ring *ring, unsigned char **ret_bytes, size_t *ret_len,
                 struct ot_err *err)
{
    int code = OT_OK;
    pthread_mutex_lock(&ring->mutex);
    ring->n_returned = ring->n_taken;
    pthread_cond_signal(&ring->changed);
    while (ring->n_taken == ring->n_filled && !ring->has_ended)
        pthread_cond_wait(&ring->changed, &ring->mutex);
    if (ring->n_taken < ring->n_filled) {
        *ret_bytes = buffer_at(ring, ring->n_taken);
        *ret_len = ring->lens[ring->n_taken % OT_RING_BUFFERS];
        ring->n_taken++;
    } else {
        code = ring->end_code;
        if (code < 0 && err)
            *err = ring->end_err;
    }
    pthread_mutex_unlock(&ring->mutex);
    return code;
}

void ot_ring_close(struct ot_ring *ring)
{
    pthread_mutex_lock(&ring->mutex);
    ring->is_closing = true;
    pthread_cond_signal(&ring->changed);
    pthread_mutex_unlock(&ring->mutex);
}
