/* diff.h: what changed between two sides, each one run or several.
 *
 * Runs are added one by one; of an analysis only sums stay, so it may be released at once. Then
 * ot_diff_finish() compares, and everything below `options` of struct ot_diff can be read until
 * ot_diff_release(). Of several runs a side has the medians. The whole population is compared:
 * which rows are shown is not chosen here. Definitions: docs/formats/diff-json.md. One thread.
 */
#ifndef OT_DIFF_DIFF_H
#define OT_DIFF_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "stats/analysis.h"

/* Parts of a change can be larger than the change itself: 3 calls of a year instead of 2^40 of a
 * nanosecond. */
__extension__ typedef __int128 ot_diff_sum;
__extension__ typedef unsigned __int128 ot_diff_size; /* of a sum, without its sign */

static inline ot_diff_size ot_diff_size_of(ot_diff_sum sum)
{
    return sum < 0 ? -(ot_diff_size)sum : (ot_diff_size)sum;
}

enum ot_diff_side { OT_DIFF_BASELINE, OT_DIFF_CANDIDATE };
enum {
    OT_DIFF_SIDES = 2,
    OT_DIFF_MAX_RUNS = 1000, /* a side */
    OT_DIFF_NAMED_RUNS = 6   /* a side, where words name them; the others are counted */
};
extern const char *const ot_diff_side_names[OT_DIFF_SIDES]; /* "baseline", "candidate" */

/* What can be compared of an operator; the order is that of ot_diff_measures. */
enum ot_diff_measure {
    OT_DIFF_SELF,
    OT_DIFF_DEVICE, /* self time of the work that it launched */
    OT_DIFF_INCLUSIVE,
    OT_DIFF_CALLS,
    OT_DIFF_ALLOCATED
};
enum { OT_DIFF_MEASURES = 5 };

struct ot_diff_measure_class {
    const char *name;   /* "self" */
    const char *words;  /* "self time" */
    const char *member; /* of a row of operators in an analysis: "self_ns" */
    const char *unit;   /* "ns", "bytes", "calls" */
    const char *whole;  /* the aggregate that is the sum of it; NULL: there is none */
};
extern const struct ot_diff_measure_class ot_diff_measures[OT_DIFF_MEASURES];

/* OT_ERR_USAGE with a sentence that lists them. */
int ot_diff_measure_parse(const char *value, enum ot_diff_measure *ret_measure, struct ot_err *err);

/* --- what is compared ----------------------------------------------------------------------------
 */

/* A run. All is borrowed until ot_diff_add() returns. */
struct ot_diff_input {
    const struct ot_analysis *analysis; /* with limit -1 */
    const char *name;                   /* as it was given */
    const char *format;                 /* of the reader */
    const char *commit;                 /* NULL: it is not of a store */
    const char *const *artifacts;       /* one per session */
};

/* --- what came of it -----------------------------------------------------------------------------
 */

struct ot_diff_run {
    struct ot_text name;
    struct ot_text format;
    struct ot_text commit;     /* empty: none */
    struct ot_text *artifacts; /* sorted */
    size_t n_artifacts;
    bool is_empty; /* nothing ran */
    bool is_exact;
    struct ot_text reasons; /* why not, in words */
};

/* Holds the change of the medians in 95 of 100 cases. */
struct ot_diff_interval {
    bool is_there;
    int64_t low;
    int64_t high;
};

/* A side's number is the median of its runs. `change` is there if both sides are known; where 64
 * bits do not hold it, it is the nearest that they do. */
struct ot_diff_change {
    int64_t of[OT_DIFF_SIDES];
    bool is_known[OT_DIFF_SIDES];
    int64_t change;
};

static inline bool ot_diff_is_known(const struct ot_diff_change *change)
{
    return change->is_known[OT_DIFF_BASELINE] && change->is_known[OT_DIFF_CANDIDATE];
}

/* There is an interval, and 0 is not in it. */
static inline bool ot_diff_is_evident(const struct ot_diff_interval *interval)
{
    return interval->is_there && (interval->low > 0 || interval->high < 0);
}

enum ot_diff_presence { OT_DIFF_BOTH, OT_DIFF_NEW, OT_DIFF_VANISHED };

/* An operator by kind and name: all categories and sessions. */
struct ot_diff_operator {
    struct ot_text name;
    struct ot_text kind;
    enum ot_diff_presence presence;
    struct ot_diff_change measures[OT_DIFF_MEASURES];
    /* Of the measure that is compared: calls_part + value_part is its change, exactly. */
    ot_diff_sum calls_part;
    ot_diff_sum value_part;
    struct ot_diff_interval interval;
};

/* The largest change first, then by name and kind. */
struct ot_diff_table {
    enum ot_diff_measure measure;
    struct ot_diff_operator *rows;
    size_t n_rows;
    size_t n_changed; /* rows whose measure has changed */
    size_t n_new;
    size_t n_vanished;
    ot_diff_sum change; /* of all rows */
    ot_diff_sum new_change;
    ot_diff_sum vanished_change;
    size_t n_tested; /* rows with an interval whose runs are not all the same */
    size_t n_evident;
};

struct ot_diff_aggregate {
    struct ot_text name;
    struct ot_text unit;
    enum ot_value_kind kinds[OT_DIFF_SIDES]; /* the worst of a side's runs */
    struct ot_text reasons[OT_DIFF_SIDES];   /* of that run, in words */
    struct ot_diff_change value;
    struct ot_diff_interval interval;
};

/* What may make the numbers of the two sides say something else than that the program changed. */
enum ot_diff_fact_kind {
    OT_DIFF_RECORDING, /* torch.profiler's or optally's */
    OT_DIFF_INCOMPLETE,
    OT_DIFF_SAME_TRACE,
    OT_DIFF_DEVICES,
    OT_DIFF_TORCH,
    OT_DIFF_HOST,
    OT_DIFF_WORLD_SIZE,
    OT_DIFF_SESSIONS,
    OT_DIFF_RANKS,
    OT_DIFF_INPUT_SHAPES,
    OT_DIFF_OPERATORS, /* hardly the same ones */
    OT_DIFF_HAS_DEVICE_WORK,
    OT_DIFF_HAS_MEMORY,
    OT_DIFF_HAS_INPUT_SHAPES,
    OT_DIFF_HAS_PYTHON_STACKS,
    OT_DIFF_HAS_PHASES,
    OT_DIFF_HAS_OVERLOADS
};
enum { OT_DIFF_FACT_KINDS = OT_DIFF_HAS_OVERLOADS + 1 };

struct ot_diff_fact_class {
    const char *code;  /* "torch_version" */
    const char *label; /* "PyTorch" */
};
extern const struct ot_diff_fact_class ot_diff_facts[OT_DIFF_FACT_KINDS];

struct ot_diff_fact {
    enum ot_diff_fact_kind kind;
    bool is_unknown;                  /* nobody can say whether it is the same */
    struct ot_text of[OT_DIFF_SIDES]; /* in words */
};

/* Operators (kind op) that both sides have, whose inputs had other shapes. */
struct ot_diff_shapes {
    size_t n_common; /* with shapes on both sides */
    size_t n_other;
    size_t n_unknown;    /* more shapes than an analysis lists */
    int64_t other_ns[2]; /* self time of the `n_other`, each side */
};

/* How far an interval is to be trusted. */
struct ot_diff_trust {
    bool has_intervals;
    unsigned n_resamples;
    unsigned chance_thousandths; /* of intervals that are clear of 0 where nothing has changed */
};

struct ot_diff {
    enum ot_diff_measure measure;

    struct ot_arena arena;
    struct ot_diff_gather *gather; /* while runs are added; private */

    struct ot_diff_run *runs[OT_DIFF_SIDES];
    size_t n_runs[OT_DIFF_SIDES];
    size_t n_twins[OT_DIFF_SIDES]; /* runs that were given again, and do not count */
    struct ot_diff_fact *facts;    /* in the order of their kinds */
    size_t n_facts;
    struct ot_diff_shapes shapes;
    struct ot_diff_trust trust;
    struct ot_diff_aggregate *aggregates; /* as in an analysis; "calls" and "span" come first */
    size_t n_aggregates;
    struct ot_diff_table operators; /* kinds op and runtime; of device time op alone */
    struct ot_diff_table devices;   /* kind device, if both sides have it: durations or calls */
};

/* A zeroed struct is empty; set `measure` before the first run. Release it also after a failure. */

/* At most OT_DIFF_MAX_RUNS a side. `ret_is_twin`: the side has a run of the same artifacts, and
 * this one was left out. */
int ot_diff_add(struct ot_diff *diff, enum ot_diff_side side, const struct ot_diff_input *input,
                bool *ret_is_twin, struct ot_err *err);

/* Both sides have a run. OT_ERR_INPUT: a side cannot know the measure. */
int ot_diff_finish(struct ot_diff *diff, struct ot_err *err);

void ot_diff_release(struct ot_diff *diff);

/* NULL: there is none of that name. */
const struct ot_diff_aggregate *ot_diff_find_aggregate(const struct ot_diff *diff,
                                                       const char *name);

/* --- a limit on growth ---------------------------------------------------------------------------
 */

enum ot_diff_verdict { OT_DIFF_PASS, OT_DIFF_FAIL, OT_DIFF_UNKNOWN };

struct ot_diff_gate {
    const char *text;            /* as it was given; borrowed */
    struct ot_text name;         /* of an operator; empty: the whole. In `text` */
    int64_t percent_thousandths; /* growth up to which all is well */

    enum ot_diff_verdict verdict;
    struct ot_diff_change value;
    struct ot_diff_interval interval;
    const char *unit;
    struct ot_text reason; /* why it is unknown, in words; in the diff's arena */
};

/* "PCT%", "PCT" or "NAME=PCT%". OT_ERR_USAGE: it is none. */
int ot_diff_gate_parse(const char *text, struct ot_diff_gate *ret_gate, struct ot_err *err);

/* OT_ERR_USAGE: the gate is for the whole, and the measure has none. */
int ot_diff_gate_check(const struct ot_diff_gate *gate, enum ot_diff_measure measure,
                       struct ot_err *err);

/* Fails a gate that was checked if the growth is above its limit, and the interval's low end too if
 * there is one. */
int ot_diff_gate_judge(struct ot_diff *diff, struct ot_diff_gate *gate, struct ot_err *err);

#endif
