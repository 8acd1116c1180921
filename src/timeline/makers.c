#include "timeline/makers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "slice/tracks.h"

struct thread {
    uint64_t *bits; /* a bit for each numbered operator, in the order of their entries */
    size_t cap;
    size_t n;
    size_t next; /* to be asked for */
    int64_t last_number;
};

struct ot_timeline_makers {
    struct ot_names *names;
    struct ot_tracks tracks;
    struct thread *threads; /* one per track */
    size_t threads_cap;
    struct ot_text last_host;
    uint32_t last_host_id;
};

struct ot_timeline_makers *ot_timeline_makers_new(struct ot_names *names)
{
    struct ot_timeline_makers *makers = calloc(1, sizeof(*makers));
    if (makers)
        makers->names = names;
    return makers;
}

/* NULL: memory, or too many. */
static struct thread *find_thread(struct ot_timeline_makers *makers, const struct ot_event *event,
                                  struct ot_err *err)
{
    if (!makers->last_host.bytes || !ot_text_same(makers->last_host, event->host)) {
        if (ot_names_intern(makers->names, event->host, &makers->last_host_id, err) < 0)
            return NULL;
        makers->last_host = ot_names_text(makers->names, makers->last_host_id);
    }
    const struct ot_track_key key = {.host = makers->last_host_id,
                                     .vpid = event->vpid,
                                     .vtid = event->vtid,
                                     .thread = event->thread_key};
    size_t n_before = makers->tracks.n_keys;
    size_t index = 0;
    if (!ot_vec_reserve(&makers->threads, &makers->threads_cap, n_before + 1,
                        sizeof(*makers->threads))) {
        ot_err_set(err, OT_ERR_NOMEM, "out of memory for threads");
        return NULL;
    }
    if (ot_tracks_index(&makers->tracks, &key, &index, err) < 0)
        return NULL;
    if (index == n_before)
        makers->threads[index] = (struct thread){0};
    return &makers->threads[index];
}

static void set(struct thread *thread, size_t at)
{
    thread->bits[at / 64] |= UINT64_C(1) << (at % 64);
}

int ot_timeline_makers_see(struct ot_timeline_makers *makers, const struct ot_event *event,
                           struct ot_err *err)
{
    if (!ot_timeline_is_forward(event))
        return OT_OK;
    struct thread *thread = find_thread(makers, event, err);
    if (!thread)
        return OT_ERR_NOMEM;
    if (thread->n && event->args->sequence != thread->last_number)
        set(thread, thread->n - 1);
    if (!ot_vec_reserve(&thread->bits, &thread->cap, thread->n / 64 + 1, sizeof(*thread->bits)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for sequence numbers");
    if (thread->n % 64 == 0)
        thread->bits[thread->n / 64] = 0;
    thread->n++;
    thread->last_number = event->args->sequence;
    return OT_OK;
}

void ot_timeline_makers_rewind(struct ot_timeline_makers *makers)
{
    for (size_t i = 0; i < makers->tracks.n_keys; i++) {
        struct thread *thread = &makers->threads[i];
        thread->next = 0;
        if (thread->n)
            set(thread, thread->n - 1);
    }
}

bool ot_timeline_makers_ask(struct ot_timeline_makers *makers, const struct ot_event *event)
{
    if (!ot_timeline_is_forward(event))
        return false;
    struct thread *thread = find_thread(makers, event, NULL);
    if (!thread || thread->next >= thread->n)
        return false;
    size_t at = thread->next++;
    return thread->bits[at / 64] >> (at % 64) & 1;
}

void ot_timeline_makers_free(struct ot_timeline_makers *makers)
{
    if (!makers)
        return;
    for (size_t i = 0; i < makers->tracks.n_keys; i++)
        free(makers->threads[i].bits);
    free(makers->threads);
    ot_tracks_release(&makers->tracks);
    free(makers);
}
