#include "ingest/ctf/reader.h"

#include <babeltrace2/babeltrace.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/recording.h"
#include "ingest/ctf/cause.h"
#include "ingest/ctf/decode.h"
#include "ingest/ctf/find.h"
#include "ingest/ctf/index.h"
#include "ingest/ctf/metadata.h"

/* A graph of one source per trace folder, a muxer that puts their messages into the order of time,
 * and a sink that keeps one batch of messages until next() has taken them. */
struct ot_reader {
    bt_graph *graph; /* NULL: the traces hold no stream, so there is nothing to run */
    struct ot_ctf_decoder *decoder;
    char *where; /* the first path, for errors while reading */
    bt_message_array_const batch;
    uint64_t n_batch;
    uint64_t n_taken; /* of the batch; the last one taken lives until the next call */
    bool has_ended;
    _Atomic uint64_t *read_bytes;  /* of ot_reader_opts */
    struct ot_ctf_packets packets; /* that there are; 0: nobody knows */
    size_t n_cut; /* recordings that end before their program did, yet to be reported */
};

static int recognise(const char *path, struct ot_err *err)
{
    struct ot_ctf_folders folders = {0};
    int code = ot_ctf_find(&folders, path, err);
    if (code == OT_OK && folders.n_paths == 0)
        code = OT_END;
    if (code >= 0 && folders.stray_stream)
        code = ot_err_set(err, OT_ERR_INPUT,
                          "%s: a CTF stream without its file 'metadata' beside it; without that "
                          "nothing can be read: copy the whole trace folder",
                          folders.stray_stream);
    ot_ctf_folders_release(&folders);
    return code;
}

static bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator *iterator,
                                                                  void *user_data)
{
    struct ot_reader *reader = user_data;
    /* The codes of both enumerations are the same by design of the library. */
    return (bt_graph_simple_sink_component_consume_func_status)bt_message_iterator_next(
        iterator, &reader->batch, &reader->n_batch);
}

/* The parts of a graph while it is put together. */
struct build {
    struct ot_reader *reader;
    const bt_component_class_source *source_class;
    const bt_component_filter *muxer;
    uint64_t n_connected;
};

static const bt_plugin *find_plugin(const char *name, struct ot_err *err)
{
    const bt_plugin *plugin = NULL;
    if (bt_plugin_find(name, BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin) !=
        BT_PLUGIN_FIND_STATUS_OK) {
        bt_current_thread_clear_error();
        ot_err_set(err, OT_ERR_MISSING,
                   "babeltrace2's plugin '%s' was not found; install babeltrace2's plugins "
                   "(Debian: libbabeltrace2-0) or set BABELTRACE_PLUGIN_PATH",
                   name);
        return NULL;
    }
    return plugin;
}

static int add_muxer(struct build *build, struct ot_err *err)
{
    const bt_plugin *plugin = find_plugin("utils", err);
    if (!plugin)
        return OT_ERR_MISSING;
    const bt_component_class_filter *class =
        bt_plugin_borrow_filter_component_class_by_name_const(plugin, "muxer");
    int code = OT_OK;
    if (bt_graph_add_filter_component(build->reader->graph, class, "muxer", NULL,
                                      BT_LOGGING_LEVEL_NONE,
                                      &build->muxer) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
        code = ot_ctf_take_cause(err, OT_ERR_NOMEM, "muxer");
    bt_plugin_put_ref(plugin);
    return code;
}

static int connect(struct build *build, const bt_port_output *output, const char *where,
                   struct ot_err *err)
{
    /* The muxer always has one free input, its last. */
    uint64_t n_inputs = bt_component_filter_get_input_port_count(build->muxer);
    const bt_port_input *input =
        bt_component_filter_borrow_input_port_by_index_const(build->muxer, n_inputs - 1);
    if (bt_graph_connect_ports(build->reader->graph, output, input, NULL) !=
        BT_GRAPH_CONNECT_PORTS_STATUS_OK)
        return ot_ctf_take_cause(err, OT_ERR_INPUT, where);
    build->n_connected++;
    return OT_OK;
}

/* NULL when memory is out. */
static bt_value *source_params(const char *path)
{
    bt_value *params = bt_value_map_create();
    bt_value *inputs = NULL;
    if (params &&
        bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) ==
            BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK &&
        bt_value_array_append_string_element(inputs, path) ==
            BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK)
        return params;
    bt_value_put_ref(params);
    return NULL;
}

static int add_source(struct build *build, const char *path, size_t number, struct ot_err *err)
{
    int code = ot_ctf_check_metadata(path, err);
    if (code == OT_OK)
        code = ot_ctf_check_indexes(path, &build->reader->packets, err);
    if (code < 0)
        return code;
    bt_value *params = source_params(path);
    if (!params) {
        bt_current_thread_clear_error();
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a source");
    }
    char name[32];
    snprintf(name, sizeof(name), "trace%zu", number);
    const bt_component_source *source;
    bt_graph_add_component_status status = bt_graph_add_source_component(
        build->reader->graph, build->source_class, name, params, BT_LOGGING_LEVEL_NONE, &source);
    bt_value_put_ref(params);
    if (status != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
        return ot_ctf_take_cause(err, OT_ERR_INPUT, path);
    uint64_t n_outputs = bt_component_source_get_output_port_count(source);
    for (uint64_t i = 0; i < n_outputs; i++) {
        code = connect(build, bt_component_source_borrow_output_port_by_index_const(source, i),
                       path, err);
        if (code < 0)
            return code;
    }
    return OT_OK;
}

static int add_sources(struct build *build, const struct ot_ctf_folders *folders,
                       struct ot_err *err)
{
    const bt_plugin *plugin = find_plugin("ctf", err);
    if (!plugin)
        return OT_ERR_MISSING;
    build->source_class = bt_plugin_borrow_source_component_class_by_name_const(plugin, "fs");
    int code = OT_OK;
    for (size_t i = 0; i < folders->n_paths && code == OT_OK; i++)
        code = add_source(build, folders->paths[i], i, err);
    bt_plugin_put_ref(plugin);
    return code;
}

static int add_sink(struct build *build, struct ot_err *err)
{
    const bt_component_sink *sink;
    if (bt_graph_add_simple_sink_component(build->reader->graph, "events", NULL, consume, NULL,
                                           build->reader,
                                           &sink) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
        return ot_ctf_take_cause(err, OT_ERR_NOMEM, "sink");
    const bt_port_output *output =
        bt_component_filter_borrow_output_port_by_index_const(build->muxer, 0);
    const bt_port_input *input = bt_component_sink_borrow_input_port_by_index_const(sink, 0);
    if (bt_graph_connect_ports(build->reader->graph, output, input, NULL) !=
        BT_GRAPH_CONNECT_PORTS_STATUS_OK)
        return ot_ctf_take_cause(err, OT_ERR_NOMEM, "sink");
    return OT_OK;
}

static int build_graph(struct ot_reader *reader, const struct ot_ctf_folders *folders,
                       struct ot_err *err)
{
    /* The library speaks through its errors; its log would only repeat them. */
    bt_logging_set_global_level(BT_LOGGING_LEVEL_NONE);
    reader->graph = bt_graph_create(0);
    if (!reader->graph)
        return ot_ctf_take_cause(err, OT_ERR_NOMEM, "graph");
    struct build build = {.reader = reader};
    int code = add_muxer(&build, err);
    if (code == OT_OK)
        code = add_sources(&build, folders, err);
    if (code == OT_OK)
        code = add_sink(&build, err);
    if (code == OT_OK && build.n_connected == 0) {
        bt_graph_put_ref(reader->graph);
        reader->graph = NULL;
    }
    return code;
}

static void close_reader(struct ot_reader *reader)
{
    if (!reader)
        return;
    uint64_t first_held = reader->n_taken ? reader->n_taken - 1 : 0;
    for (uint64_t i = first_held; i < reader->n_batch; i++)
        bt_message_put_ref(reader->batch[i]);
    ot_ctf_decoder_free(reader->decoder);
    bt_graph_put_ref(reader->graph);
    free(reader->where);
    free(reader);
}

/* The trace itself cannot tell: what is missing is its end. */
static bool was_cut(const char *path)
{
    char marker[PATH_MAX];
    char line[1024];
    int len = snprintf(marker, sizeof(marker), "%s/" OT_RECORDING_FILE, path);
    FILE *file = len > 0 && (size_t)len < sizeof(marker) ? fopen(marker, "re") : NULL;
    bool is_cut = false;
    while (file && !is_cut && fgets(line, sizeof(line), file))
        is_cut = strncmp(line, OT_RECORDING_CUT, strlen(OT_RECORDING_CUT)) == 0;
    if (file)
        fclose(file);
    return is_cut;
}

static int open_reader(const char *const *paths, size_t n_paths, const struct ot_reader_opts *opts,
                       struct ot_reader **ret_reader, struct ot_err *err)
{
    struct ot_reader *reader = calloc(1, sizeof(*reader));
    if (!reader)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a reader");
    struct ot_ctf_folders folders = {0};
    int code = OT_OK;
    reader->decoder = ot_ctf_decoder_new(opts->want_text);
    reader->where = strdup(paths[0]);
    reader->read_bytes = opts->read_bytes;
    if (!reader->decoder || !reader->where)
        code = ot_err_set(err, OT_ERR_NOMEM, "out of memory for a reader");
    for (size_t i = 0; i < n_paths && code == OT_OK; i++)
        code = ot_ctf_find(&folders, paths[i], err);
    for (size_t i = 0; i < n_paths && code == OT_OK; i++)
        reader->n_cut += was_cut(paths[i]);
    if (code == OT_OK)
        code = build_graph(reader, &folders, err);
    ot_ctf_folders_release(&folders);
    if (code == OT_OK)
        *ret_reader = reader;
    else
        close_reader(reader);
    return code;
}

/* A message does not say how large its packet was: each counts as one of average size. */
static void note_packet(const struct ot_reader *reader, const bt_message *message)
{
    if (reader->read_bytes && reader->packets.n &&
        bt_message_get_type(message) == BT_MESSAGE_TYPE_PACKET_END)
        atomic_fetch_add_explicit(reader->read_bytes, reader->packets.n_bytes / reader->packets.n,
                                  memory_order_relaxed);
}

/* OT_OK with a batch that is not empty, OT_END at the end. */
static int read_batch(struct ot_reader *reader, struct ot_err *err)
{
    reader->n_batch = 0;
    reader->n_taken = 0;
    while (reader->n_batch == 0) {
        if (!reader->graph || reader->has_ended)
            return OT_END;
        bt_graph_run_once_status status = bt_graph_run_once(reader->graph);
        if (status == BT_GRAPH_RUN_ONCE_STATUS_END)
            reader->has_ended = true;
        else if (status != BT_GRAPH_RUN_ONCE_STATUS_OK)
            return ot_ctf_take_cause(err, OT_ERR_INPUT, reader->where);
    }
    return OT_OK;
}

static int next(struct ot_reader *reader, struct ot_event *ret_event, struct ot_err *err)
{
    if (reader->n_cut) {
        reader->n_cut--;
        *ret_event = (struct ot_event){.kind = OT_EVENT_DISCARDED, .n_discarded = 1};
        return OT_OK;
    }
    while (true) {
        if (reader->n_taken)
            bt_message_put_ref(reader->batch[reader->n_taken - 1]);
        if (reader->n_taken == reader->n_batch) {
            int code = read_batch(reader, err);
            if (code != OT_OK)
                return code;
        }
        const bt_message *message = reader->batch[reader->n_taken++];
        int code = ot_ctf_decode(reader->decoder, message, ret_event, err);
        if (code == OT_END)
            note_packet(reader, message);
        if (code < 0)
            ot_err_context(err, "%s", reader->where);
        if (code != OT_END)
            return code;
    }
}

const struct ot_reader_class ot_ctf_reader = {
    .name = "LTTng/CTF trace folder",
    .format = "ctf",
    .recognise = recognise,
    .open = open_reader,
    .next = next,
    .close = close_reader,
};
