#include "bt2/model.h"

const struct ot_bt2_count ot_bt2_counts[OT_BT2_COUNTS] = {
    {"events_read", offsetof(struct ot_counts, events_read)},
    {"discarded_events", offsetof(struct ot_counts, discarded_events)},
    {"discarded_unknown", offsetof(struct ot_counts, discarded_unknown)},
    {"unmatched_exits", offsetof(struct ot_counts, unmatched_exits)},
    {"unclosed_entries", offsetof(struct ot_counts, unclosed_entries)},
    {"lost_entries", offsetof(struct ot_counts, lost_entries)},
    {"backward_times", offsetof(struct ot_counts, backward_times)},
};
