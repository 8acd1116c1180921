#include "ingest/bytes/source.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "ingest/bytes/ring.h"
#include "ingest/bytes/stream.h"

enum { PIECE_LEN = 256 * 1024 };

struct ot_source {
    struct ot_stream stream; /* the thread's, until that has ended */
    struct ot_ring ring;
    pthread_t thread;
    enum ot_packing packing;
};

static void *read_ahead(void *context)
{
    struct ot_source *source = context;
    struct ot_err err = {0};
    int code = OT_OK;
    while (code == OT_OK) {
        unsigned char *bytes = ot_ring_await_room(&source->ring);
        if (!bytes)
            return NULL;
        size_t len = 0;
        code = ot_stream_fill(&source->stream, bytes, OT_RING_BUFFER_LEN, &len, &err);
        ot_ring_put(&source->ring, len);
    }
    if (code == OT_ERR_INPUT)
        ot_stream_skip(&source->stream);
    ot_ring_end(&source->ring, code, &err);
    return NULL;
}

/* Signals are for the threads that the program knows of. */
static int start_thread(struct ot_source *source)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&source->thread, NULL, read_ahead, source);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static int start(struct ot_source *source, const char *path, struct ot_err *err)
{
    if (!ot_ring_init(&source->ring))
        return ot_err_set(err, OT_ERR_NOMEM, "%s: out of memory", path);
    errno = start_thread(source);
    if (errno == 0)
        return OT_OK;
    ot_ring_release(&source->ring);
    return ot_err_sys(err, OT_ERR_NOMEM, "%s: cannot start a thread", path);
}

int ot_source_open(const char *path, const struct ot_source_opts *opts,
                   struct ot_source **ret_source, struct ot_err *err)
{
    struct ot_source *source = calloc(1, sizeof(*source));
    if (!source)
        return ot_err_set(err, OT_ERR_NOMEM, "%s: out of memory", path);
    int code = ot_stream_open(&source->stream, path, opts, PIECE_LEN, err);
    if (code == OT_OK) {
        source->packing = source->stream.class->packing;
        code = start(source, path, err);
        if (code < 0)
            ot_stream_release(&source->stream);
    }
    if (code == OT_OK)
        *ret_source = source;
    else
        free(source);
    return code;
}

int ot_source_next(struct ot_source *source, unsigned char **ret_bytes, size_t *ret_len,
                   struct ot_err *err)
{
    return ot_ring_take(&source->ring, ret_bytes, ret_len, err);
}

enum ot_packing ot_source_packing(const struct ot_source *source)
{
    return source->packing;
}

void ot_source_close(struct ot_source *source)
{
    if (!source)
        return;
    ot_ring_close(&source->ring);
    ot_input_stop(&source->stream.input);
    pthread_join(source->thread, NULL);
    ot_ring_release(&source->ring);
    ot_stream_release(&source->stream);
    free(source);
}
