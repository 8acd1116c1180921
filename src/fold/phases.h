/* phases.h: which stretches of a process's time are a warm-up.
 *
 * An annotation may name a phase (stats/rules.h). At any time the phase of a process is that of the
 * annotation, on any of its threads, that holds this time and began last; of two that began
 * together the shorter one, then the later one of the trace. Private to this folder. One thread.
 */
#ifndef OT_FOLD_PHASES_H
#define OT_FOLD_PHASES_H

#include "fold/intake.h"

/* From ts_ns until the next one's. */
struct ot_phase_span {
    int64_t ts_ns;
    bool is_warm;
};

struct ot_phase_process {
    uint32_t session;
    uint32_t host;
    int64_t vpid;
    struct ot_phase_span *spans;
    size_t n_spans;
};

struct ot_phases {
    struct ot_phase_process *processes; /* in order */
    size_t n_processes;
};

/* From the annotations that were kept. Marks the sessions that have such. */
int ot_phases_init(struct ot_phases *phases, struct ot_intake *intake, struct ot_err *err);

/* NULL for a process without phases. */
const struct ot_phase_process *ot_phases_find(const struct ot_phases *phases,
                                              const struct ot_group *group);

bool ot_phases_is_warm(const struct ot_phase_process *process, int64_t ts_ns);

void ot_phases_release(struct ot_phases *phases);

#endif
