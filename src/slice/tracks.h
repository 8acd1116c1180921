/* tracks.h: which track {host, process, thread, lane} is which index.
 *
 * Indices count up from 0 in the order of first sight; the owner keeps its own array beside. The
 * last track is remembered, since a thread's events come in runs. A zeroed struct is empty. One
 * thread.
 */
#ifndef OT_SLICE_TRACKS_H
#define OT_SLICE_TRACKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"

/* What an input can make us hold: more threads than any job has. */
enum { OT_TRACKS_MAX = 1 << 22 };

struct ot_track_key {
    uint32_t host;
    int64_t vpid;
    uint64_t vtid;
    uint32_t lane;   /* of enum ot_lane (model/backend.h) */
    uint32_t thread; /* tells apart threads that had the same ids (thread_key of model/event.h) */
};

struct ot_tracks {
    struct ot_map map;
    struct ot_track_key *keys;
    size_t n_keys;
    size_t cap;
    size_t last; /* meaningful while n_keys is not 0 */
};

/* A new track's index is the n_keys of before. OT_ERR_NOMEM: memory or OT_TRACKS_MAX. */
int ot_tracks_index(struct ot_tracks *tracks, const struct ot_track_key *key, size_t *ret_index,
                    struct ot_err *err);

void ot_tracks_release(struct ot_tracks *tracks);

#endif
