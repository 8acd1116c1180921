#include "bt2/timeline/sink.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "bt2/intervals.h"
#include "emit/notes/notes.h"
#include "stats/completeness.h"
#include "timeline/timeline.h"

struct component {
    char *path;
    struct ot_outfile file;
    struct ot_names names;
    struct ot_timeline *timeline;
    struct ot_intervals *intervals;
    struct ot_counts counts; /* what the intervals say was lost */
    uint64_t n_unclosed;
    bt_self_component_port_input *input;
    bt_message_iterator *upstream;
};

static void component_free(struct component *component)
{
    if (!component)
        return;
    bt_message_iterator_put_ref(component->upstream);
    ot_intervals_free(component->intervals);
    ot_timeline_free(component->timeline);
    ot_names_release(&component->names);
    ot_outfile_abandon(&component->file);
    free(component->path);
    free(component);
}

static void append_cause(bt_self_component_sink *self, const char *sentence)
{
    BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(
        bt_self_component_sink_as_self_component(self), "%s", sentence);
}

/* --- intervals ----------------------------------------------------------------------------------
 */

static int take_slice(void *context, struct ot_slice *slice, struct ot_err *err)
{
    struct component *component = context;
    return ot_timeline_add_slice(component->timeline, slice, err);
}

/* Nobody says how long it was open. */
static int take_unclosed(void *context, const struct ot_slice *entry, struct ot_err *err)
{
    struct component *component = context;
    (void)entry;
    (void)err;
    component->n_unclosed++;
    return OT_OK;
}

static void take_counts(void *context, const struct ot_counts *counts)
{
    struct component *component = context;
    ot_counts_add(&component->counts, counts);
}

/* --- from its parameters to its end
 * --------------------------------------------------------------- */

static bt_value_map_foreach_entry_const_func_status find_stranger(const char *name,
                                                                  const bt_value *value, void *data)
{
    const char **stranger = data;
    (void)value;
    if (strcmp(name, "path") != 0)
        *stranger = name;
    return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_OK;
}

/* `ret_path` is the parameters' own. */
static int read_params(const bt_value *params, const char **ret_path, struct ot_err *err)
{
    const char *stranger = NULL;
    if (bt_value_map_foreach_entry_const(params, find_stranger, &stranger) !=
        BT_VALUE_MAP_FOREACH_ENTRY_CONST_STATUS_OK)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for parameters");
    if (stranger)
        return ot_err_set(err, OT_ERR_USAGE, "parameter '%s' is none of: path", stranger);
    const bt_value *path = bt_value_map_borrow_entry_value_const(params, "path");
    if (!path)
        return ot_err_set(err, OT_ERR_USAGE, "no parameter 'path': the file to write");
    if (!bt_value_is_string(path) || bt_value_string_get(path)[0] == '\0')
        return ot_err_set(err, OT_ERR_USAGE, "parameter 'path': not the name of a file");
    *ret_path = bt_value_string_get(path);
    return OT_OK;
}

/* The parameters do not outlive the component's beginning. */
static int open_file(struct component *component, const char *path, struct ot_err *err)
{
    component->path = strdup(path);
    return component->path ? ot_outfile_open(&component->file, component->path, NULL, 0, err)
                           : ot_err_set(err, OT_ERR_NOMEM, "out of memory for a path");
}

static int make_parts(struct component *component, struct ot_err *err)
{
    const struct ot_timeline_opts opts = {
        .out = component->file.out,
        .names = &component->names,
        .temp_folder = ot_outfile_temp_folder(&component->file),
    };
    const struct ot_intervals_taker taker = {.names = &component->names,
                                             .context = component,
                                             .take_slice = take_slice,
                                             .take_unclosed = take_unclosed,
                                             .take_counts = take_counts};
    component->timeline = ot_timeline_new(&opts);
    component->intervals = ot_intervals_new(&taker);
    return component->timeline && component->intervals
               ? OT_OK
               : ot_err_set(err, OT_ERR_NOMEM, "out of memory for a timeline");
}

bt_component_class_initialize_method_status
ot_timeline_sink_initialize(bt_self_component_sink *self,
                            bt_self_component_sink_configuration *configuration,
                            const bt_value *params, void *data)
{
    (void)configuration;
    (void)data;
    struct component *component = calloc(1, sizeof(*component));
    if (!component)
        return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
    struct ot_err err;
    const char *path = "";
    int code = read_params(params, &path, &err);
    if (code == OT_OK)
        code = open_file(component, path, &err);
    if (code == OT_OK)
        code = make_parts(component, &err);
    if (code < 0) {
        append_cause(self, err.msg);
        component_free(component);
        return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
    }
    if (bt_self_component_sink_add_input_port(self, "in", NULL, &component->input) !=
        BT_SELF_COMPONENT_ADD_PORT_STATUS_OK) {
        component_free(component);
        return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
    }
    bt_self_component_set_data(bt_self_component_sink_as_self_component(self), component);
    return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

void ot_timeline_sink_finalize(bt_self_component_sink *self)
{
    component_free(bt_self_component_get_data(bt_self_component_sink_as_self_component(self)));
}

bt_component_class_sink_graph_is_configured_method_status
ot_timeline_sink_graph_is_configured(bt_self_component_sink *self)
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

static void tell(const struct component *component, const struct ot_timeline_totals *totals)
{
    fprintf(stderr, "sink.optally.timeline: %" PRIu64 " slice%s on %" PRIu64 " track%s in %s\n",
            totals->n_slices, totals->n_slices == 1 ? "" : "s", totals->n_tracks,
            totals->n_tracks == 1 ? "" : "s", component->path);
    const struct {
        uint64_t n;
        const char *one;
        const char *many;
    } lacks[] = {
        {component->n_unclosed, "call that never ended is left out",
         "calls that never ended are left out"},
        {totals->n_instants, "call whose beginning is not known is drawn as a point",
         "calls whose beginnings are not known are drawn as points"},
        {totals->n_left_out, "call that overlaps too many others is left out",
         "calls that overlap too many others are left out"},
    };
    for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++) {
        if (lacks[i].n)
            fprintf(stderr, "sink.optally.timeline: warning: %" PRIu64 " %s\n", lacks[i].n,
                    lacks[i].n == 1 ? lacks[i].one : lacks[i].many);
    }
}

static bt_component_class_sink_consume_method_status fail(bt_self_component_sink *self,
                                                          const char *sentence)
{
    append_cause(self, sentence);
    return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
}

/* In the picture, too: it goes where its warnings do not. */
static int say_losses(struct component *component, struct ot_err *err)
{
    struct ot_str line = {0};
    int code = OT_OK;
    ot_notes_add_reasons(&line, &component->counts);
    if (line.failed)
        code = ot_err_set(err, OT_ERR_NOMEM, "out of memory for a line");
    else if (line.len)
        code = ot_timeline_say(component->timeline, (struct ot_text){line.bytes, line.len}, err);
    if (line.len && code == OT_OK)
        fprintf(stderr, "sink.optally.timeline: warning: not all that ran is there: %s\n",
                ot_str_borrow(&line));
    ot_str_release(&line);
    return code;
}

static bt_component_class_sink_consume_method_status finish(bt_self_component_sink *self,
                                                            struct component *component)
{
    struct ot_err err;
    struct ot_timeline_totals totals;
    ot_intervals_end(component->intervals);
    int code = ot_timeline_end(component->timeline, NULL, 0, &totals, &err);
    if (code == OT_OK)
        code = say_losses(component, &err);
    if (code < 0)
        ot_err_context(&err, "%s", component->path);
    else
        code = ot_outfile_keep(&component->file, NULL, &err);
    if (code < 0)
        return fail(self, err.msg);
    tell(component, &totals);
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

bt_component_class_sink_consume_method_status ot_timeline_sink_consume(bt_self_component_sink *self)
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
