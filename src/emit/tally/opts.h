/* opts.h: how a tally is shown.
 *
 * One struct for the command line, for the parameters of the babeltrace2 component and for other
 * code that ends in a tally. Plain values; nothing to release.
 */
#ifndef OT_EMIT_TALLY_OPTS_H
#define OT_EMIT_TALLY_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "emit/grid/look.h"
#include "stats/view.h"

enum ot_tally_format { OT_TALLY_TABLE, OT_TALLY_JSON, OT_TALLY_CSV };

struct ot_tally_opts {
    enum ot_tally_format format;
    bool thapi;            /* THAPI's columns and JSON, byte for byte */
    int64_t max_name_size; /* code points; -1 unlimited */
    bool has_name_size;    /* it was asked for: names are not cut further to fit a terminal */
    bool has_chosen_backends;
    bool no_self;    /* self times were not worked out, and are not shown */
    bool by_forward; /* backward operators by what they work for; the population has to know it */
    struct ot_view_opts view;
    struct ot_look look;      /* of the tables that are not THAPI's */
    struct ot_look diag_look; /* of warnings */
};

/* What a plain `optally tally` shows. */
void ot_tally_opts_init(struct ot_tally_opts *opts);

/* An option by the name it has on the command line and as a parameter of the component. */
struct ot_tally_option {
    const char *name;
    bool is_switch; /* takes no value */

    /* OT_ERR_USAGE for a value that makes no sense, with one sentence that lists the valid ones;
     * the caller puts the option's name in front. */
    int (*set)(struct ot_tally_opts *opts, const char *value, struct ot_err *err);
};

extern const struct ot_tally_option ot_tally_options[];
extern const size_t ot_tally_n_options;

/* NULL if there is none of that name. */
const struct ot_tally_option *ot_tally_option_find(const char *name);

/* Options that contradict each other are OT_ERR_USAGE. Call it once all are set. */
int ot_tally_opts_check(const struct ot_tally_opts *opts, struct ot_err *err);

#endif
