/* interval.h: filter.optally.interval: from entries and exits to intervals.
 *
 * One input port `in`, one output port `out`. The component holds the classes of what it yields;
 * each message iterator has a trace and a stream of its own. Methods as libbabeltrace2 calls them.
 */
#ifndef OT_BT2_INTERVAL_INTERVAL_H
#define OT_BT2_INTERVAL_INTERVAL_H

#include <babeltrace2/babeltrace.h>

bt_component_class_initialize_method_status
ot_interval_initialize(bt_self_component_filter *self,
                       bt_self_component_filter_configuration *configuration,
                       const bt_value *params, void *data);

void ot_interval_finalize(bt_self_component_filter *self);

bt_message_iterator_class_initialize_method_status
ot_interval_iterator_initialize(bt_self_message_iterator *self,
                                bt_self_message_iterator_configuration *configuration,
                                bt_self_component_port_output *port);

bt_message_iterator_class_next_method_status ot_interval_next(bt_self_message_iterator *self,
                                                              bt_message_array_const messages,
                                                              uint64_t capacity, uint64_t *count);

void ot_interval_iterator_finalize(bt_self_message_iterator *self);

#endif
