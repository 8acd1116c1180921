/* analysis.h: the result of an analysis, as plain values.
 *
 * Profile pytorch/1: aggregates and coverage are functions of the whole population; only the rows
 * of `operators` and `repeated` are bounded by limits, and each table says how many there are. All
 * texts and arrays live in the analysis's arena until ot_analysis_release(). Definitions:
 * docs/formats/analysis-json.md.
 */
#ifndef OT_STATS_ANALYSIS_H
#define OT_STATS_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "model/counts.h"
#include "model/session.h"
#include "model/warnings.h"

#define OT_ANALYSIS_PROFILE "pytorch/1"

struct ot_analysis_opts {
    int64_t limit;          /* rows of operators; -1 all */
    int64_t small_limit;    /* rows of repeated small operations; -1 all */
    int64_t small_below_ns; /* -1: the 25th percentile */
    bool sums_alone;        /* neither parts of aggregates nor anything of repeated operations */
};

enum ot_value_kind { OT_VALUE_EXACT, OT_VALUE_LOWER_BOUND, OT_VALUE_UNAVAILABLE };

/* A part of an aggregate: what one device has of it, or one reason. */
struct ot_aggregate_part {
    uint32_t session;
    struct ot_text label; /* "0", "cuda:0", "no_launch_record" */
    bool has_device_type; /* the next two mean something: memory of a device */
    int64_t device_type;
    int64_t device_id;
    uint64_t n_events;
    int64_t value;
};

struct ot_aggregate {
    struct ot_text name; /* "host_busy_time" */
    struct ot_text unit; /* "ns", "bytes", "events", "operators", "tracks" */
    enum ot_value_kind kind;
    int64_t value;           /* unless unavailable */
    bool is_of_memory;       /* counted over the memory events, beside the population */
    struct ot_text *reasons; /* why it is a lower bound or unavailable, in words */
    size_t n_reasons;
    struct ot_text parts_name; /* "by_device", "by_reason"; empty: no parts */
    struct ot_aggregate_part *parts;
    size_t n_parts;
};

struct ot_coverage {
    struct ot_text name;
    bool is_there;
};

struct ot_shapes_row {
    struct ot_text shapes; /* JSON text as the trace has it */
    uint64_t n_calls;
};

struct ot_operator_row {
    uint32_t session;
    struct ot_text name;
    struct ot_text kind;
    struct ot_text category;
    uint64_t n_calls;
    int64_t self_ns;
    int64_t inclusive_ns;
    int64_t min_ns;
    int64_t max_ns;
    bool has_device; /* the next two mean something */
    int64_t device_self_ns;
    int64_t device_inclusive_ns;
    bool has_allocated;
    int64_t allocated_bytes;
    uint64_t n_shapes; /* distinct ones */
    struct ot_shapes_row *shapes;
    size_t n_shapes_returned;
    bool synchronizes;
    bool compiles;
    bool warms_up;
};

struct ot_analysis_table {
    uint64_t n_total;
    int64_t limit; /* -1: none */
    struct ot_operator_row *rows;
    size_t n_rows;
};

struct ot_analysis {
    struct ot_arena arena;
    struct ot_counts counts;
    struct ot_warnings warnings;
    struct ot_session *sessions;
    size_t n_sessions;
    uint64_t n_operators;
    uint64_t n_events;
    uint64_t n_tracks;
    uint64_t n_processes; /* that the tracks are of */
    uint64_t n_memory_events;
    bool has_times; /* the next two mean something: there is a slice, and one clock for all */
    int64_t start_ns;
    int64_t end_ns;
    bool has_device;           /* some device slice */
    uint64_t n_graph_launched; /* device slices that a graph launch started, attributed or not */
    int64_t graph_launched_ns;
    struct ot_aggregate *aggregates; /* in an order that is always the same */
    size_t n_aggregates;
    struct ot_coverage *coverage;
    size_t n_coverage;
    struct ot_analysis_table operators;
    struct ot_analysis_table repeated; /* shapes are not filled in */
    bool threshold_is_absolute;
    bool has_threshold; /* false: no operators at all */
    int64_t threshold_ns;
    int threshold_thousandths; /* of a nanosecond, to the nearest; what is chosen is exact */
};

/* Takes NULL and a zeroed struct. */
void ot_analysis_release(struct ot_analysis *analysis);

#endif
