/* plugin.c: the babeltrace2 plugin `optally`.
 *
 * To add a component class: write a folder beside this file with a header that declares its
 * methods, add its rows here and a manual page docs/man/babeltrace2-<type>.optally.<name>.7.
 */
#include <babeltrace2/babeltrace.h>

#include "bt2/interval/interval.h"
#include "bt2/tally/tally.h"
#include "bt2/timeline/sink.h"

BT_PLUGIN_MODULE();
BT_PLUGIN(optally);
BT_PLUGIN_DESCRIPTION("Where a PyTorch program's time goes, operator by operator");
BT_PLUGIN_LICENSE("Apache-2.0");

BT_PLUGIN_FILTER_COMPONENT_CLASS(interval, ot_interval_next);
BT_PLUGIN_FILTER_COMPONENT_CLASS_DESCRIPTION(interval,
                                             "Pair entries and exits and yield intervals");
BT_PLUGIN_FILTER_COMPONENT_CLASS_HELP(
    interval, "See the babeltrace2-filter.optally.interval(7) manual page.");
BT_PLUGIN_FILTER_COMPONENT_CLASS_INITIALIZE_METHOD(interval, ot_interval_initialize);
BT_PLUGIN_FILTER_COMPONENT_CLASS_FINALIZE_METHOD(interval, ot_interval_finalize);
BT_PLUGIN_FILTER_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD(
    interval, ot_interval_iterator_initialize);
BT_PLUGIN_FILTER_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_FINALIZE_METHOD(
    interval, ot_interval_iterator_finalize);

BT_PLUGIN_SINK_COMPONENT_CLASS(tally, ot_tally_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(tally, "Print the time per operator from intervals");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(tally,
                                    "See the babeltrace2-sink.optally.tally(7) manual page.");
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(tally, ot_tally_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(tally, ot_tally_finalize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(tally, ot_tally_graph_is_configured);

BT_PLUGIN_SINK_COMPONENT_CLASS(timeline, ot_timeline_sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(timeline, "Write a Perfetto trace from intervals");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(timeline,
                                    "See the babeltrace2-sink.optally.timeline(7) manual page.");
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(timeline, ot_timeline_sink_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(timeline, ot_timeline_sink_finalize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(timeline,
                                                          ot_timeline_sink_graph_is_configured);
