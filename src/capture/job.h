/* job.h: a function that may hang, run where that does no harm: in a child.
 *
 * For conversations with a daemon, whose library waits without a limit. The child has our memory
 * as it was and changes only its own.
 */
#ifndef OT_CAPTURE_JOB_H
#define OT_CAPTURE_JOB_H

#include <stdbool.h>

#include "base/err.h"

struct ot_job {
    /* In the child. It may also execute a program: that has done it if it exits with 0. */
    int (*run)(void *data, struct ot_err *err);

    /* In the parent, every 2 ms: true abandons the job. */
    bool (*is_hopeless)(void *data, int elapsed_ms);

    void *data;
};

/* What run() returned, with its sentence; OT_END when the job was abandoned, the child killed. */
int ot_job_run(const struct ot_job *job, struct ot_err *err);

#endif
