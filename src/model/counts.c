#include "model/counts.h"

const struct ot_told_loss ot_told_losses[OT_TOLD_LOSSES] = {
    {"discarded_events", offsetof(struct ot_counts, discarded_events)},
    {"discarded_unknown", offsetof(struct ot_counts, discarded_unknown)},
    {"damaged_events", offsetof(struct ot_counts, damaged_events)},
    {"truncated_inputs", offsetof(struct ot_counts, truncated_inputs)},
    {"lost_names", offsetof(struct ot_counts, lost_names)},
    {"left_out_calls", offsetof(struct ot_counts, left_out_calls)},
};
