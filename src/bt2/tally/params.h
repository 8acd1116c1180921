/* params.h: component parameters as options of the tally. Private to this folder. */
#ifndef OT_BT2_TALLY_PARAMS_H
#define OT_BT2_TALLY_PARAMS_H

#include <babeltrace2/babeltrace.h>

#include "emit/tally/opts.h"

/* A switch takes a boolean; other options take a string, or an integer where a number is meant.
 * OT_ERR_USAGE names the parameter at fault. */
int ot_tally_params_read(struct ot_tally_opts *opts, const bt_value *params, struct ot_err *err);

#endif
