#include "bt2/interval/interval.h"

#include <stdlib.h>

#include "bt2/interval/classes.h"
#include "ingest/ctf/decode.h"
#include "slice/pair.h"

struct component {
    struct ot_interval_classes classes;
    bt_self_component_port_input *input;
};

enum step_status { STEP_MESSAGE, STEP_AGAIN, STEP_END, STEP_FAILED };

struct iterator;

/* Yields one message, or says why there is none now. A phase that is over sets the next one. */
typedef enum step_status (*phase)(struct iterator *iterator, const bt_message **ret_message);

struct iterator {
    struct ot_interval_target target;
    phase phase;
    bt_trace *trace;
    bt_stream *stream;
    bt_message_iterator *upstream;
    bt_message_array_const batch;
    uint64_t n_batch;
    uint64_t n_taken;
    struct ot_names names;
    struct ot_pair *pair;
    struct ot_ctf_decoder *decoder;
};

static void component_free(struct component *component)
{
    if (component)
        ot_interval_classes_release(&component->classes);
    free(component);
}

bt_component_class_initialize_method_status
ot_interval_initialize(bt_self_component_filter *self,
                       bt_self_component_filter_configuration *configuration,
                       const bt_value *params, void *data)
{
    (void)configuration;
    (void)data;
    if (!bt_value_map_is_empty(params)) {
        BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(
            bt_self_component_filter_as_self_component(self),
            "filter.optally.interval takes no parameters");
        return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
    }
    struct component *component = calloc(1, sizeof(*component));
    if (!component)
        return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
    bt_self_component *base = bt_self_component_filter_as_self_component(self);
    if (ot_interval_classes_init(&component->classes, base) < 0 ||
        bt_self_component_filter_add_input_port(self, "in", NULL, &component->input) !=
            BT_SELF_COMPONENT_ADD_PORT_STATUS_OK ||
        bt_self_component_filter_add_output_port(self, "out", NULL, NULL) !=
            BT_SELF_COMPONENT_ADD_PORT_STATUS_OK) {
        component_free(component);
        return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
    }
    bt_self_component_set_data(base, component);
    return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

void ot_interval_finalize(bt_self_component_filter *self)
{
    component_free(bt_self_component_get_data(bt_self_component_filter_as_self_component(self)));
}

static enum step_status fail(struct iterator *iterator, const char *sentence)
{
    BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_MESSAGE_ITERATOR(iterator->target.iterator, "%s",
                                                               sentence);
    return STEP_FAILED;
}

static enum step_status give(struct iterator *iterator, bt_message *message,
                             const bt_message **ret_message)
{
    if (!message)
        return fail(iterator, "out of memory for a message");
    *ret_message = message;
    return STEP_MESSAGE;
}

static enum step_status done(struct iterator *iterator, const bt_message **ret_message)
{
    (void)iterator;
    (void)ret_message;
    return STEP_END;
}

static enum step_status end_stream(struct iterator *iterator, const bt_message **ret_message)
{
    iterator->phase = done;
    return give(iterator, bt_message_stream_end_create(iterator->target.iterator, iterator->stream),
                ret_message);
}

static enum step_status give_completeness(struct iterator *iterator, const bt_message **ret_message)
{
    iterator->phase = end_stream;
    return give(iterator,
                ot_interval_completeness(&iterator->target, ot_pair_counts(iterator->pair)),
                ret_message);
}

static enum step_status give_paired(struct iterator *iterator, const struct ot_paired *paired,
                                    const bt_message **ret_message)
{
    bt_message *message = paired->kind == OT_PAIRED_SLICE
                              ? ot_interval_host(&iterator->target, &paired->slice)
                              : ot_interval_unclosed(&iterator->target, &paired->slice);
    return give(iterator, message, ret_message);
}

static enum step_status drain(struct iterator *iterator, const bt_message **ret_message)
{
    struct ot_paired paired;
    if (ot_pair_next(iterator->pair, &paired) == OT_OK)
        return give_paired(iterator, &paired, ret_message);
    return give_completeness(iterator, ret_message);
}

static enum step_status take_batch(struct iterator *iterator)
{
    iterator->n_batch = 0;
    iterator->n_taken = 0;
    switch (bt_message_iterator_next(iterator->upstream, &iterator->batch, &iterator->n_batch)) {
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
        return STEP_MESSAGE;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
        return STEP_AGAIN;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
        return STEP_END;
    default:
        return fail(iterator, "cannot get messages from upstream");
    }
}

/* Decodes and feeds the batch's next message. */
static int feed_one(struct iterator *iterator, struct ot_err *err)
{
    const bt_message *message = iterator->batch[iterator->n_taken++];
    struct ot_event event;
    int code = ot_ctf_decode(iterator->decoder, message, &event, err);
    if (code == OT_OK)
        code = ot_pair_feed(iterator->pair, &event, err);
    bt_message_put_ref(message);
    return code;
}

static enum step_status read_on(struct iterator *iterator, const bt_message **ret_message)
{
    struct ot_paired paired;
    while (ot_pair_next(iterator->pair, &paired) != OT_OK) {
        if (iterator->n_taken == iterator->n_batch) {
            enum step_status status = take_batch(iterator);
            if (status == STEP_END) {
                ot_pair_end(iterator->pair);
                iterator->phase = drain;
                return drain(iterator, ret_message);
            }
            if (status != STEP_MESSAGE)
                return status;
        }
        struct ot_err err;
        if (feed_one(iterator, &err) < 0)
            return fail(iterator, err.msg);
    }
    return give_paired(iterator, &paired, ret_message);
}

static enum step_status begin_stream(struct iterator *iterator, const bt_message **ret_message)
{
    iterator->phase = read_on;
    return give(iterator,
                bt_message_stream_beginning_create(iterator->target.iterator, iterator->stream),
                ret_message);
}

static void iterator_free(struct iterator *iterator)
{
    if (!iterator)
        return;
    while (iterator->n_taken < iterator->n_batch)
        bt_message_put_ref(iterator->batch[iterator->n_taken++]);
    ot_ctf_decoder_free(iterator->decoder);
    ot_pair_free(iterator->pair);
    ot_names_release(&iterator->names);
    bt_message_iterator_put_ref(iterator->upstream);
    bt_stream_put_ref(iterator->stream);
    bt_trace_put_ref(iterator->trace);
    free(iterator);
}

/* False when memory is out. */
static bool prepare(struct iterator *iterator, bt_self_message_iterator *self,
                    const struct component *component)
{
    const struct ot_interval_classes *classes = &component->classes;
    iterator->phase = begin_stream;
    iterator->trace = bt_trace_create(classes->trace);
    if (iterator->trace)
        iterator->stream = bt_stream_create(classes->stream, iterator->trace);
    iterator->pair = ot_pair_new(&iterator->names);
    iterator->decoder = ot_ctf_decoder_new(false);
    iterator->target = (struct ot_interval_target){
        .iterator = self,
        .classes = classes,
        .stream = iterator->stream,
        .names = &iterator->names,
    };
    return iterator->stream && iterator->pair && iterator->decoder;
}

bt_message_iterator_class_initialize_method_status
ot_interval_iterator_initialize(bt_self_message_iterator *self,
                                bt_self_message_iterator_configuration *configuration,
                                bt_self_component_port_output *port)
{
    (void)configuration;
    (void)port;
    const struct component *component =
        bt_self_component_get_data(bt_self_message_iterator_borrow_component(self));
    struct iterator *iterator = calloc(1, sizeof(*iterator));
    if (!iterator || !prepare(iterator, self, component)) {
        iterator_free(iterator);
        return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
    }
    if (bt_message_iterator_create_from_message_iterator(self, component->input,
                                                         &iterator->upstream) !=
        BT_MESSAGE_ITERATOR_CREATE_FROM_MESSAGE_ITERATOR_STATUS_OK) {
        iterator_free(iterator);
        return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
    }
    bt_self_message_iterator_set_data(self, iterator);
    return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

bt_message_iterator_class_next_method_status ot_interval_next(bt_self_message_iterator *self,
                                                              bt_message_array_const messages,
                                                              uint64_t capacity, uint64_t *count)
{
    static const bt_message_iterator_class_next_method_status statuses[] = {
        [STEP_AGAIN] = BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_AGAIN,
        [STEP_END] = BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END,
        [STEP_FAILED] = BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_ERROR,
    };
    struct iterator *iterator = bt_self_message_iterator_get_data(self);
    uint64_t n = 0;
    enum step_status status = STEP_MESSAGE;
    while (n < capacity && status == STEP_MESSAGE) {
        status = iterator->phase(iterator, &messages[n]);
        n += status == STEP_MESSAGE;
    }
    if (status == STEP_FAILED) {
        while (n)
            bt_message_put_ref(messages[--n]);
    }
    /* What stopped a batch that is not empty is found again by the next call. */
    if (n == 0)
        return statuses[status];
    *count = n;
    return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
}

void ot_interval_iterator_finalize(bt_self_message_iterator *self)
{
    iterator_free(bt_self_message_iterator_get_data(self));
}
