#include "bt2/tally/tally.h"

#include <stdlib.h>

#include "bt2/intervals.h"
#include "bt2/tally/params.h"
#include "emit/tally/tally.h"
#include "slice/nest.h"
#include "stats/completeness.h"

struct component {
    struct ot_tally_opts opts;
    struct ot_population pop;
    struct ot_nest *nest;
    struct ot_intervals *intervals;
    bt_self_component_port_input *input;
    bt_message_iterator *upstream;
};

static void component_free(struct component *component)
{
    if (!component)
        return;
    bt_message_iterator_put_ref(component->upstream);
    ot_intervals_free(component->intervals);
    ot_nest_free(component->nest);
    ot_population_release(&component->pop);
    free(component);
}

static void append_cause(bt_self_component_sink *self, const char *sentence)
{
    BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(
        bt_self_component_sink_as_self_component(self), "%s", sentence);
}

static int take_slice(void *context, struct ot_slice *slice, struct ot_err *err)
{
    struct component *component = context;
    int code = ot_nest_add(component->nest, slice, err);
    return code == OT_OK ? ot_population_add(&component->pop, slice, err) : code;
}

static int take_unclosed(void *context, const struct ot_slice *entry, struct ot_err *err)
{
    struct component *component = context;
    return ot_population_add_unclosed(&component->pop, entry, err);
}

static void take_counts(void *context, const struct ot_counts *counts)
{
    struct component *component = context;
    ot_counts_add(&component->pop.counts, counts);
}

static bool make_parts(struct component *component)
{
    const struct ot_intervals_taker taker = {.names = &component->pop.names,
                                             .context = component,
                                             .take_slice = take_slice,
                                             .take_unclosed = take_unclosed,
                                             .take_counts = take_counts};
    component->nest = ot_nest_new();
    component->intervals = ot_intervals_new(&taker);
    return component->nest && component->intervals;
}

bt_component_class_initialize_method_status
ot_tally_initialize(bt_self_component_sink *self,
                    bt_self_component_sink_configuration *configuration, const bt_value *params,
                    void *data)
{
    (void)configuration;
    (void)data;
    struct component *component = calloc(1, sizeof(*component));
    if (!component)
        return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
    struct ot_err err;
    ot_tally_opts_init(&component->opts);
    if (ot_tally_params_read(&component->opts, params, &err) < 0) {
        append_cause(self, err.msg);
        component_free(component);
        return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
    }
    if (!make_parts(component) ||
        bt_self_component_sink_add_input_port(self, "in", NULL, &component->input) !=
            BT_SELF_COMPONENT_ADD_PORT_STATUS_OK) {
        component_free(component);
        return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
    }
    bt_self_component_set_data(bt_self_component_sink_as_self_component(self), component);
    return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

void ot_tally_finalize(bt_self_component_sink *self)
{
    component_free(bt_self_component_get_data(bt_self_component_sink_as_self_component(self)));
}

bt_component_class_sink_graph_is_configured_method_status
ot_tally_graph_is_configured(bt_self_component_sink *self)
{
    struct component *component =
        bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
    if (bt_message_iterator_create_from_sink_component(self, component->input,
                                                       &component->upstream) !=
        BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK) {
        append_cause(self, "cannot get messages from upstream");
        return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR;
    }
    return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

static bt_component_class_sink_consume_method_status fail(bt_self_component_sink *self,
                                                          const char *sentence)
{
    append_cause(self, sentence);
    return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
}

static bt_component_class_sink_consume_method_status finish(bt_self_component_sink *self,
                                                            struct component *component)
{
    struct ot_err err;
    const struct ot_counts counts = {.uncertain_self = ot_nest_uncertain(component->nest)};
    ot_intervals_end(component->intervals);
    ot_counts_add(&component->pop.counts, &counts);
    if (ot_tally_write(&component->pop, &component->opts, stdout, stderr, &err) < 0)
        return fail(self, err.msg);
    return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
}

static bt_component_class_sink_consume_method_status take_batch(bt_self_component_sink *self,
                                                                struct component *component,
                                                                bt_message_array_const messages,
                                                                uint64_t count)
{
    struct ot_err err;
    int code = OT_OK;
    for (uint64_t i = 0; i < count; i++) {
        if (code == OT_OK)
            code = ot_intervals_add(component->intervals, messages[i], &err);
        bt_message_put_ref(messages[i]);
    }
    return code == OT_OK ? BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK : fail(self, err.msg);
}

bt_component_class_sink_consume_method_status ot_tally_consume(bt_self_component_sink *self)
{
    struct component *component =
        bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
    bt_message_array_const messages;
    uint64_t count = 0;
    switch (bt_message_iterator_next(component->upstream, &messages, &count)) {
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
        return take_batch(self, component, messages, count);
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
        return finish(self, component);
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
        return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_AGAIN;
    default:
        return fail(self, "cannot get messages from upstream");
    }
}
