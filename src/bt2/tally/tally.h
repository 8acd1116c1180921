/* tally.h: sink.optally.tally: prints the time per operator from intervals.
 *
 * One input port `in`. Parameters are the options of `optally tally`. Methods as libbabeltrace2
 * calls them.
 */
#ifndef OT_BT2_TALLY_TALLY_H
#define OT_BT2_TALLY_TALLY_H

#include <babeltrace2/babeltrace.h>

bt_component_class_initialize_method_status
ot_tally_initialize(bt_self_component_sink *self,
                    bt_self_component_sink_configuration *configuration, const bt_value *params,
                    void *data);

void ot_tally_finalize(bt_self_component_sink *self);

bt_component_class_sink_graph_is_configured_method_status
ot_tally_graph_is_configured(bt_self_component_sink *self);

bt_component_class_sink_consume_method_status ot_tally_consume(bt_self_component_sink *self);

#endif
