/* places.h: where things are drawn: processes, their threads, and the lanes of these.
 *
 * A *lane* is what nests, or overlaps, on its own: the calls of a thread, its annotations, each
 * flat backend of a stream; and a counter of a process. It is drawn on one track and, if that is
 * not enough, on more. Each kind of place is an array, in the order of first sight, and known by
 * its number there. Names of processes and threads may come before or after what happens in them.
 * A zeroed struct but for `names` is empty. One thread.
 */
#ifndef OT_TIMELINE_PLACES_H
#define OT_TIMELINE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "model/event.h"
#include "model/names.h"

/* What an input can make us hold. */
enum { OT_PLACES_MAX = 1 << 22 };

enum ot_lane_kind {
    OT_LANE_KIND_CALLS,
    OT_LANE_KIND_DEVICE,
    OT_LANE_KIND_SYNC,
    OT_LANE_KIND_DEVICE_ANNOTATIONS,
    OT_LANE_KIND_ANNOTATIONS,
    OT_LANE_KIND_PYTHON,
    OT_LANE_KIND_OTHER,
    OT_LANE_KINDS,                        /* of a thread */
    OT_LANE_KIND_COUNTER = OT_LANE_KINDS, /* of a process */
    OT_LANE_KIND_SUM                      /* likewise; what is told are changes, not totals */
};

struct ot_lane_class {
    const char *name; /* as its track is called where it is not the thread's own */
    bool nests;
    bool is_host; /* a thread that has it runs on a host */
};

extern const struct ot_lane_class ot_lane_classes[OT_LANE_KINDS];

struct ot_place_process {
    uint32_t session;
    uint32_t host; /* id of a name */
    int64_t vpid;
    uint64_t uuid;
    uint32_t label; /* 1 + id of a name; 0: none */
    uint32_t note;
    bool has_order;
    int32_t order;
    bool is_host;    /* something nests on one of its threads */
    bool shares_pid; /* with another process of the trace */
    bool is_drawn;   /* its track was written */
    bool is_process; /* as a process, and not as a mere track */
};

struct ot_place_thread {
    uint32_t process;
    uint64_t vtid;
    uint32_t key; /* thread_key of model/event.h */
    uint64_t uuid;
    uint32_t label; /* as of the process */
    bool has_order;
    int32_t order;
    bool shares_tid; /* with an earlier thread of its process */
    bool is_drawn;
    uint32_t lanes[OT_LANE_KINDS]; /* 1 + number; 0: none */
};

struct ot_place_lane {
    enum ot_lane_kind kind;
    uint32_t owner;      /* thread, or of a counter process */
    int64_t device_type; /* counter; -1: not told */
    int64_t device_id;
    int64_t sum;   /* counter: of what was told so far */
    uint64_t uuid; /* of its first track */
    bool is_drawn;
};

/* What tells a process, or with it a thread. */
struct ot_place_key {
    uint32_t session;
    uint32_t host; /* id of a name */
    int64_t vpid;
    uint64_t vtid;
    uint32_t thread_key;
};

struct ot_places {
    struct ot_names *names; /* borrowed */
    uint64_t last_uuid;
    struct ot_place_process *processes;
    size_t n_processes;
    size_t processes_cap;
    struct ot_map process_map;
    struct ot_map pid_map; /* the first process with a pid */
    uint32_t last_process;
    struct ot_place_thread *threads;
    size_t n_threads;
    size_t threads_cap;
    struct ot_map thread_map;
    struct ot_map tid_map;
    uint32_t last_thread;
    struct ot_place_lane *lanes;
    size_t n_lanes;
    size_t lanes_cap;
    struct ot_map counter_map;
};

/* Of a backend; ot_backends[] has all. */
enum ot_lane_kind ot_places_kind_of(int backend);

/* Each finds or makes it. OT_ERR_NOMEM: memory, or too many. */
int ot_places_process(struct ot_places *places, const struct ot_place_key *key,
                      uint32_t *ret_process, struct ot_err *err);
int ot_places_thread(struct ot_places *places, const struct ot_place_key *key, uint32_t *ret_thread,
                     struct ot_err *err);
int ot_places_lane(struct ot_places *places, uint32_t thread, enum ot_lane_kind kind,
                   uint32_t *ret_lane, struct ot_err *err);
int ot_places_counter(struct ot_places *places, uint32_t process, const struct ot_event_args *args,
                      uint32_t *ret_lane, struct ot_err *err);

/* What an event that tells it by numbers or by names is about. */
int ot_places_key_of(struct ot_places *places, const struct ot_event *event,
                     struct ot_place_key *ret_key, struct ot_err *err);

/* Takes note of a label (OT_EVENT_LABEL). */
int ot_places_name(struct ot_places *places, const struct ot_event *event, struct ot_err *err);

uint64_t ot_places_new_uuid(struct ot_places *places);

void ot_places_release(struct ot_places *places);

#endif
