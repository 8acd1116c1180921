#include "emit/ctf/writer.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "emit/ctf/host.h"
#include "emit/ctf/nesting.h"
#include "emit/ctf/packet.h"
#include "model/backend.h"

struct stream {
    size_t host;
    size_t number; /* among the host's */
    uint64_t last_ns;
    uint64_t n_packets;
};

/* A thread. */
struct track {
    size_t host;
    int64_t vpid;
    uint64_t vtid;
    size_t stream;             /* SIZE_MAX: none yet */
    struct ot_nesting open[2]; /* operators, and annotations, whose borders they may cross */
};

struct ot_ctf_writer {
    const char *folder;
    struct ot_ctf_host *hosts;
    size_t n_hosts;
    size_t hosts_cap;
    struct stream *streams;
    size_t n_streams;
    size_t streams_cap;
    struct track *tracks;
    size_t n_tracks;
    size_t tracks_cap;
    struct ot_map track_map;
    size_t last_track; /* meaningful while n_tracks is not 0 */

    size_t current; /* the stream whose packet is being filled; SIZE_MAX: none */
    struct ot_ctf_packet *packet;

    struct ot_ctf_left_out left_out;
};

struct ot_ctf_writer *ot_ctf_writer_new(const char *folder)
{
    struct ot_ctf_writer *writer = calloc(1, sizeof(*writer));
    struct ot_ctf_packet *packet = malloc(sizeof(*packet));
    if (!writer || !packet) {
        free(writer);
        free(packet);
        return NULL;
    }
    writer->folder = folder;
    writer->packet = packet;
    writer->current = SIZE_MAX;
    return writer;
}

static int no_memory(struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a CTF trace");
}

/* Hosts are few. */
static int find_host(struct ot_ctf_writer *writer, struct ot_text name, size_t *ret_host,
                     struct ot_err *err)
{
    for (size_t i = 0; i < writer->n_hosts; i++) {
        struct ot_text known = {writer->hosts[i].name, writer->hosts[i].name_len};
        if (ot_text_same(known, name)) {
            *ret_host = i;
            return OT_OK;
        }
    }
    if (!ot_vec_reserve(&writer->hosts, &writer->hosts_cap, writer->n_hosts + 1,
                        sizeof(*writer->hosts)))
        return no_memory(err);
    int code = ot_ctf_host_init(&writer->hosts[writer->n_hosts], writer->folder, name, err);
    if (code == OT_OK)
        *ret_host = writer->n_hosts++;
    return code;
}

static bool is_track(const struct ot_ctf_writer *writer, size_t index, const struct ot_event *event)
{
    const struct track *track = &writer->tracks[index];
    const struct ot_ctf_host *host = &writer->hosts[track->host];
    return track->vtid == event->vtid && track->vpid == event->vpid &&
           ot_text_same((struct ot_text){host->name, host->name_len}, event->host);
}

static bool same_track(const void *owner, size_t index, const void *key)
{
    return is_track(owner, index, key);
}

static int find_track(struct ot_ctf_writer *writer, const struct ot_event *event, size_t *ret_track,
                      struct ot_err *err)
{
    if (writer->n_tracks && is_track(writer, writer->last_track, event)) {
        *ret_track = writer->last_track;
        return OT_OK;
    }
    uint64_t hash = ot_hash_bytes(event->host.bytes, event->host.len);
    hash = ot_hash_mix(ot_hash_mix(hash, (uint64_t)event->vpid), event->vtid);
    int64_t found = ot_map_find(&writer->track_map, hash, same_track, writer, event);
    if (found == OT_MAP_NONE) {
        size_t host = 0;
        int code = find_host(writer, event->host, &host, err);
        if (code < 0)
            return code;
        if (!ot_vec_reserve(&writer->tracks, &writer->tracks_cap, writer->n_tracks + 1,
                            sizeof(*writer->tracks)) ||
            !ot_map_put(&writer->track_map, hash, writer->n_tracks))
            return no_memory(err);
        found = (int64_t)writer->n_tracks++;
        writer->tracks[found] = (struct track){
            .host = host, .vpid = event->vpid, .vtid = event->vtid, .stream = SIZE_MAX};
    }
    writer->last_track = (size_t)found;
    *ret_track = (size_t)found;
    return OT_OK;
}

static int flush(struct ot_ctf_writer *writer, struct ot_err *err)
{
    if (writer->current == SIZE_MAX)
        return OT_OK;
    struct stream *stream = &writer->streams[writer->current];
    const struct ot_ctf_packet_place place = {.stream_instance = stream->number,
                                              .number = stream->n_packets++};
    ot_ctf_packet_finish(writer->packet, &place);
    writer->current = SIZE_MAX;
    return ot_ctf_host_append(&writer->hosts[stream->host], "pytorch", stream->number,
                              writer->packet, err);
}

/* One of the host's whose events end before; the one that has ended last, so that the others are
 * left for threads that began earlier. A new one else. */
static int choose_stream(struct ot_ctf_writer *writer, size_t host, uint64_t ts_ns,
                         size_t *ret_stream, struct ot_err *err)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < writer->n_streams; i++) {
        const struct stream *stream = &writer->streams[i];
        if (stream->host == host && stream->last_ns <= ts_ns &&
            (best == SIZE_MAX || stream->last_ns > writer->streams[best].last_ns))
            best = i;
    }
    if (best == SIZE_MAX) {
        if (!ot_vec_reserve(&writer->streams, &writer->streams_cap, writer->n_streams + 1,
                            sizeof(*writer->streams)))
            return no_memory(err);
        best = writer->n_streams++;
        writer->streams[best] =
            (struct stream){.host = host, .number = writer->hosts[host].n_streams++};
    }
    *ret_stream = best;
    return OT_OK;
}

static int turn_to_stream(struct ot_ctf_writer *writer, struct track *track, uint64_t ts_ns,
                          struct ot_err *err)
{
    int code = OT_OK;
    /* In a stream, time does not go back. */
    if (track->stream == SIZE_MAX || writer->streams[track->stream].last_ns > ts_ns)
        code = choose_stream(writer, track->host, ts_ns, &track->stream, err);
    if (code < 0 || writer->current == track->stream)
        return code;
    code = flush(writer, err);
    writer->current = track->stream;
    ot_ctf_packet_begin(writer->packet, ts_ns);
    return code;
}

static int add_record(struct ot_ctf_writer *writer, struct track *track,
                      const struct ot_ctf_record *record, struct ot_err *err)
{
    int code = turn_to_stream(writer, track, record->ts_ns, err);
    if (code == OT_OK && !ot_ctf_packet_add(writer->packet, record)) {
        code = flush(writer, err);
        writer->current = track->stream;
        ot_ctf_packet_begin(writer->packet, record->ts_ns);
        if (code == OT_OK && !ot_ctf_packet_add(writer->packet, record))
            code = ot_err_set(err, OT_ERR_INPUT, "a name of %zu bytes is too long for CTF",
                              record->name.len);
    }
    if (code < 0)
        return code;
    writer->streams[track->stream].last_ns = record->ts_ns;
    struct ot_ctf_host *host = &writer->hosts[track->host];
    host->first_ns = record->ts_ns < host->first_ns ? record->ts_ns : host->first_ns;
    host->last_ns = record->ts_ns > host->last_ns ? record->ts_ns : host->last_ns;
    return OT_OK;
}

static int note_open_calls(struct ot_ctf_writer *writer, struct ot_nesting *open,
                           const struct ot_event *event, struct ot_err *err)
{
    if (event->kind == OT_EVENT_ENTRY)
        return ot_nesting_begin(open, event->name, event->ts_ns) ? OT_OK : no_memory(err);
    if (!event->ends_exactly)
        ot_nesting_end(open, event->name);
    else if (!ot_nesting_end_exactly(open, event->name, event->began_ns))
        writer->left_out.crossings++;
    return OT_OK;
}

static void note_args(struct ot_ctf_writer *writer, const struct ot_event *event)
{
    if (!event->args)
        return;
    writer->left_out.sequences += event->args->has_sequence;
    writer->left_out.shapes += event->args->shapes.len != 0;
}

static struct ot_text or_else(struct ot_text text, const char *stand_in)
{
    return text.len && text.bytes[0] != '\0' ? text : ot_text_of(stand_in);
}

/* The name and the overload's apart, with LTTng's words where there is none. */
static void take_names(const struct ot_event *event, struct ot_ctf_record *record)
{
    struct ot_text name = event->name;
    if (event->overload.len && name.len > event->overload.len)
        name.len -= event->overload.len + 1;
    record->name = or_else(name, "(no name)");
    record->overload = or_else(event->overload, "default");
}

static int add_point(struct ot_ctf_writer *writer, const struct ot_event *event, struct ot_err *err)
{
    if (event->ts_ns < 0 || event->vpid < INT32_MIN || event->vpid > INT32_MAX ||
        event->vtid > INT32_MAX)
        return ot_err_set(err, OT_ERR_INPUT,
                          "an event of process %" PRId64 ", thread %" PRIu64 " at %" PRId64
                          " ns is out of what CTF can hold",
                          event->vpid, event->vtid, event->ts_ns);
    size_t index = 0;
    int code = find_track(writer, event, &index, err);
    if (code < 0)
        return code;
    struct track *track = &writer->tracks[index];
    bool is_annotation = event->backend == OT_BACKEND_ANNOTATION;
    bool is_entry = event->kind == OT_EVENT_ENTRY;
    struct ot_ctf_record record = {
        .event = is_annotation ? (is_entry ? OT_CTF_ANNOTATION_ENTRY : OT_CTF_ANNOTATION_EXIT)
                               : (is_entry ? OT_CTF_OP_ENTRY : OT_CTF_OP_EXIT),
        .ts_ns = (uint64_t)event->ts_ns,
        .vpid = (int32_t)event->vpid,
        .vtid = (int32_t)event->vtid,
    };
    take_names(event, &record);
    code = add_record(writer, track, &record, err);
    if (code == OT_OK)
        code = note_open_calls(writer, &track->open[is_annotation], event, err);
    note_args(writer, event);
    return code;
}

static int add_loss(struct ot_ctf_writer *writer, const struct ot_event *event, struct ot_err *err)
{
    size_t host = 0;
    int code = find_host(writer, event->host, &host, err);
    if (code < 0)
        return code;
    writer->hosts[host].n_lost += event->n_discarded;
    writer->hosts[host].has_unknown_loss |= !event->n_discarded_known;
    return OT_OK;
}

int ot_ctf_writer_add(struct ot_ctf_writer *writer, const struct ot_event *event,
                      struct ot_err *err)
{
    switch (event->kind) {
    case OT_EVENT_ENTRY:
    case OT_EVENT_EXIT:
        return add_point(writer, event, err);
    case OT_EVENT_DISCARDED:
        return add_loss(writer, event, err);
    case OT_EVENT_MEMORY:
        writer->left_out.memory_events++;
        return OT_OK;
    case OT_EVENT_OTHER:
    case OT_EVENT_SLICE:
    case OT_EVENT_LABEL:
    case OT_EVENT_FLOW:
    case OT_EVENT_MEMBER:
        break;
    }
    return OT_OK;
}

int ot_ctf_writer_finish(struct ot_ctf_writer *writer, struct ot_ctf_left_out *ret_left_out,
                         struct ot_err *err)
{
    size_t host = 0;
    int code = flush(writer, err);
    if (code == OT_OK && writer->n_hosts == 0)
        code = find_host(writer, (struct ot_text){0}, &host, err);
    for (size_t i = 0; code == OT_OK && i < writer->n_hosts; i++)
        code = ot_ctf_host_finish(&writer->hosts[i], writer->packet, err);
    if (code == OT_OK)
        *ret_left_out = writer->left_out;
    return code;
}

void ot_ctf_writer_free(struct ot_ctf_writer *writer)
{
    if (!writer)
        return;
    for (size_t i = 0; i < writer->n_hosts; i++)
        ot_ctf_host_release(&writer->hosts[i]);
    for (size_t i = 0; i < writer->n_tracks; i++) {
        ot_nesting_release(&writer->tracks[i].open[0]);
        ot_nesting_release(&writer->tracks[i].open[1]);
    }
    free(writer->hosts);
    free(writer->streams);
    free(writer->tracks);
    ot_map_release(&writer->track_map);
    free(writer->packet);
    free(writer);
}
