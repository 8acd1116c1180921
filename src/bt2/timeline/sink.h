/* sink.h: sink.optally.timeline: writes a Perfetto trace from intervals.
 *
 * One input port `in`. Parameter `path`: the file. Methods as libbabeltrace2 calls them.
 */
#ifndef OT_BT2_TIMELINE_SINK_H
#define OT_BT2_TIMELINE_SINK_H

#include <babeltrace2/babeltrace.h>

bt_component_class_initialize_method_status
ot_timeline_sink_initialize(bt_self_component_sink *self,
                            bt_self_component_sink_configuration *configuration,
                            const bt_value *params, void *data);

void ot_timeline_sink_finalize(bt_self_component_sink *self);

bt_component_class_sink_graph_is_configured_method_status
ot_timeline_sink_graph_is_configured(bt_self_component_sink *self);

bt_component_class_sink_consume_method_status
ot_timeline_sink_consume(bt_self_component_sink *self);

#endif
