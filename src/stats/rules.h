/* rules.h: what is read from names.
 *
 * Whoever named an operator, a runtime call or a range did not mean to be parsed; each rule that an
 * analysis takes from a name stands here and nowhere else. Where a rule looks for a word, ASCII
 * letters match in any case; where it looks at how a name begins, they match exactly. Definitions:
 * docs/formats/analysis-json.md. Pure functions, any thread.
 */
#ifndef OT_STATS_RULES_H
#define OT_STATS_RULES_H

#include <stdbool.h>

#include "base/text.h"

/* Waits for a device: an operator or a runtime call. */
bool ot_rules_synchronizes(struct ot_text name);

/* Compiles code, and does not merely run what was compiled: an operator, a runtime call or an
 * annotation. */
bool ot_rules_compiles(struct ot_text name);

/* True if an annotation of this name names a phase of the program; *ret_phase is then part of the
 * name. */
bool ot_rules_phase(struct ot_text name, struct ot_text *ret_phase);

bool ot_rules_is_warm(struct ot_text phase);

/* Launches a whole graph of device work: a runtime call. */
bool ot_rules_is_graph_launch(struct ot_text name);

/* The name says which overload of the operator ran: `aten::add.Tensor`. */
bool ot_rules_has_overload(struct ot_text name);

#endif
