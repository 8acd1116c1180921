/* tracer_status.h: what the tracer said of the processes it was in (base/tracer_env.h).
 */
#ifndef OT_CAPTURE_TRACER_STATUS_H
#define OT_CAPTURE_TRACER_STATUS_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

struct ot_tracer_status {
    unsigned attached;    /* processes that are traced, forked children not counted */
    unsigned refused;     /* processes with a PyTorch that could not be traced */
    char version[64];     /* of the first that is traced */
    char overloads[32];   /* exported, or operator_name */
    long sequence_offset; /* -1: not found */
    char library[PATH_MAX];
    unsigned lost;     /* processes whose events could not be kept from some point on */
    char refusal[512]; /* the first reason, "" none */
    char loss[512];    /* likewise */
    char warning[512]; /* the first warning, "" none */
};

/* Makes the empty file that tracers append to. */
int ot_tracer_status_create(const char *path, struct ot_err *err);

/* Lines that are not understood are passed over. */
int ot_tracer_status_read(const char *path, struct ot_tracer_status *ret_status,
                          struct ot_err *err);

#endif
