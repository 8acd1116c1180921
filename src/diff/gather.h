/* gather.h: what the runs add up to, before they are compared. Private to this folder. */
#ifndef OT_DIFF_GATHER_H
#define OT_DIFF_GATHER_H

#include "base/map.h"
#include "diff/diff.h"
#include "model/names.h"

/* An operator's numbers in a run, in the order of the measures; all 0 where it has none. */
struct ot_diff_amounts {
    int64_t of[OT_DIFF_MEASURES];
};

/* Ids of names, each once. */
struct ot_diff_ids {
    uint32_t *ids;
    size_t n;
    size_t cap;
};

/* An operator of any run. */
struct ot_diff_row {
    uint32_t name;
    uint32_t kind;
    struct ot_diff_ids shapes[OT_DIFF_SIDES];
    bool has_more_shapes[OT_DIFF_SIDES]; /* than an analysis lists */
};

/* A run's value of an aggregate. */
struct ot_diff_reading {
    uint32_t name;
    uint32_t unit;
    enum ot_value_kind kind;
    int64_t value;
    uint32_t reasons; /* in words */
};

/* What a side is like, as a set of words: of all runs, or of all their sessions. */
struct ot_diff_trait {
    struct ot_diff_ids words;
    bool has_unknown; /* some run does not say */
};

struct ot_diff_gathered_run {
    struct ot_diff_amounts *amounts; /* by row; those of later rows are not there, and 0 */
    size_t n_amounts;
    struct ot_diff_reading *readings;
    size_t n_readings;
    uint64_t n_overflowed; /* sums of ours that met their limit */
    bool has_device;
    bool has_memory;
};

struct ot_diff_gather {
    struct ot_names names;
    struct ot_diff_row *rows;
    size_t n_rows;
    size_t cap;
    struct ot_map map; /* of rows, by name and kind */
    struct ot_diff_gathered_run *runs[OT_DIFF_SIDES];
    size_t run_cap[OT_DIFF_SIDES];
    size_t told_cap[OT_DIFF_SIDES]; /* of the diff's runs */
    /* By the fact that a trait makes. */
    struct ot_diff_trait traits[OT_DIFF_SIDES][OT_DIFF_FACT_KINDS];
};

/* Adds an id unless it is there. */
int ot_diff_ids_add(struct ot_diff_ids *ids, uint32_t id, struct ot_err *err);
bool ot_diff_ids_has(const struct ot_diff_ids *ids, uint32_t id);
bool ot_diff_ids_same(const struct ot_diff_ids *a, const struct ot_diff_ids *b);

/* The parts of ot_diff_add(). */
int ot_diff_gather_rows(struct ot_diff_gather *gather, enum ot_diff_side side,
                        const struct ot_analysis *analysis, struct ot_diff_gathered_run *run,
                        struct ot_err *err);
int ot_diff_gather_readings(struct ot_diff_gather *gather, const struct ot_analysis *analysis,
                            struct ot_diff_gathered_run *run, struct ot_err *err);
int ot_diff_gather_traits(struct ot_diff_gather *gather, enum ot_diff_side side,
                          const struct ot_diff_input *input, struct ot_err *err);

/* Of an operator in a run. */
static inline int64_t ot_diff_amount_of(const struct ot_diff_gathered_run *run, size_t row,
                                        enum ot_diff_measure measure)
{
    return row < run->n_amounts ? run->amounts[row].of[measure] : 0;
}

void ot_diff_gather_free(struct ot_diff_gather *gather, const size_t n_runs[OT_DIFF_SIDES]);

#endif
