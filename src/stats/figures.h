/* figures.h: the few numbers that say what a session was, without a database.
 *
 * They are those of an analysis of it: what counts is what has an interval and is not of a kind
 * that no total counts. */
#ifndef OT_STATS_FIGURES_H
#define OT_STATS_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "stats/population.h"

struct ot_figures {
    uint64_t n_operators;   /* as an analysis counts them */
    uint64_t n_events;      /* that were read */
    int64_t host_busy_ns;   /* self times of the population but for devices; saturates */
    bool has_device;        /* some device worked */
    int64_t device_busy_ns; /* the union on each device, added up; saturates */
    bool is_exact;          /* false: these are lower bounds */
};

/* The population is complete. OT_ERR_NOMEM. */
int ot_figures_of(const struct ot_population *pop, struct ot_figures *ret_figures,
                  struct ot_err *err);

#endif
