/* run_timeline.h: from inputs to a Perfetto trace. */
#ifndef OT_CLI_RUN_TIMELINE_H
#define OT_CLI_RUN_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/outfile.h"
#include "cli/progress.h"
#include "model/counts.h"
#include "model/warnings.h"
#include "timeline/timeline.h"

struct ot_timeline_run {
    struct ot_timeline_totals totals;
    struct ot_counts counts; /* of the reader and of pairing */
    struct ot_warnings warnings;
};

/* Reads all inputs together and writes to `file`, which is neither kept nor abandoned here. A
 * recording that turns out not to fit the straight way (timeline/timeline.h) is read again; of a
 * file that cannot be begun anew the way is chosen so that it need not be. `progress` was started.
 */
int ot_timeline_run(const char *const *inputs, size_t n_inputs, bool recover,
                    struct ot_progress *progress, struct ot_outfile *file,
                    struct ot_timeline_run *ret_run, struct ot_err *err);

#endif
