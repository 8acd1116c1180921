/* slice.h: one execution of a call, with start and duration, on a track {host, process, thread}. */
#ifndef OT_MODEL_SLICE_H
#define OT_MODEL_SLICE_H

#include <stdbool.h>
#include <stdint.h>

struct ot_slice {
    uint32_t host; /* ids of the struct ot_names that the maker of the slice was given */
    uint32_t name;
    uint32_t session;
    uint32_t category; /* id of the empty name where there is none */
    uint32_t shapes;   /* 1 + id of the shapes of its inputs, as its entry told them; 0: none */
    int backend;
    int64_t vpid;
    uint64_t vtid;
    int64_t ts_ns;
    int64_t dur_ns;  /* 0 for a failed call */
    int64_t self_ns; /* dur_ns minus the direct children; 0 for a failed call */
    uint32_t depth;  /* open calls around it when it ended; 0 is outermost */
    bool err;        /* an exit whose entry was never seen: counts as a call, never as time */
};

#endif
