#include "timeline/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/label.h"

enum { ROWS_PER_KIND = 1 << 20 };

/* --- titles -------------------------------------------------------------------------------------
 */

static struct ot_text name_of(const struct ot_describe *describe, uint32_t id_plus_1)
{
    if (id_plus_1 == 0)
        return ot_text_of("");
    struct ot_text text = ot_names_text(describe->places->names, id_plus_1 - 1);
    while (text.len && text.bytes[text.len - 1] == ' ')
        text.len--;
    return text;
}

static struct ot_text finish(const struct ot_describe *describe)
{
    return (struct ot_text){ot_str_borrow(&describe->title), describe->title.len};
}

/* A path's last part: of a job's files it tells them apart. */
static struct ot_text base_name(struct ot_text path)
{
    const char *slash = path.len ? memrchr(path.bytes, '/', path.len) : NULL;
    if (!slash)
        return path;
    size_t skipped = (size_t)(slash + 1 - path.bytes);
    return (struct ot_text){slash + 1, path.len - skipped};
}

static void add_session(struct ot_describe *describe, const struct ot_place_process *process)
{
    struct ot_str *title = &describe->title;
    struct ot_text host = ot_names_text(describe->places->names, process->host);
    if (process->session < describe->n_sessions) {
        const struct ot_session *session = &describe->sessions[process->session];
        if (session->has_rank)
            ot_str_addf(title, ", rank %" PRId64, session->rank);
        if (describe->n_sessions > 1 && !session->has_rank) {
            ot_str_addf(title, ", ");
            ot_str_add_text(title, base_name(session->path));
        }
        if (host.len == 0)
            host = session->host;
    }
    if (host.len) {
        ot_str_addf(title, ", on ");
        ot_str_add_text(title, host);
    }
    if (describe->is_unaligned && describe->is_unaligned[process->session])
        ot_str_addf(title, ", not lined up");
}

static void add_pid(struct ot_str *title, int64_t vpid, const struct ot_names *names)
{
    uint32_t id = 0;
    if (ot_vpid_is_name(names, vpid, &id))
        ot_str_add_text(title, ot_names_text(names, id));
    else
        ot_str_addf(title, "process %" PRId64, vpid);
}

/* "python", which a viewer shows with the pid; "GPU 0"; "python (process 7)". */
static struct ot_text title_process(struct ot_describe *describe,
                                    const struct ot_place_process *process)
{
    struct ot_str *title = &describe->title;
    struct ot_text name = name_of(describe, process->label);
    struct ot_text note = name_of(describe, process->note);
    ot_str_clear(title);
    if (process->is_process) {
        ot_str_add_text(title, name.len ? name : ot_text_of("process"));
    } else if (!process->is_host && note.len) {
        ot_str_add_text(title, note);
    } else if (name.len) {
        ot_str_add_text(title, name);
        ot_str_addf(title, " (");
        add_pid(title, process->vpid, describe->places->names);
        ot_str_addf(title, ")");
    } else {
        add_pid(title, process->vpid, describe->places->names);
    }
    add_session(describe, process);
    return finish(describe);
}

static void add_thread(struct ot_describe *describe, const struct ot_place_thread *thread)
{
    bool is_stream = thread->lanes[OT_LANE_KIND_DEVICE] || thread->lanes[OT_LANE_KIND_SYNC];
    struct ot_str *title = &describe->title;
    struct ot_text label = name_of(describe, thread->label);
    uint32_t id = 0;
    if (label.len)
        ot_str_add_text(title, label);
    else if (ot_vtid_is_name(describe->places->names, thread->vtid, &id))
        ot_str_add_text(title, ot_names_text(describe->places->names, id));
    else
        ot_str_addf(title, "%s %" PRId64, is_stream ? "stream" : "thread",
                    ot_vtid_number(thread->vtid));
}

/* --- tracks -------------------------------------------------------------------------------------
 */

static const struct ot_place_process *draw_process(struct ot_describe *describe, uint32_t number)
{
    struct ot_place_process *process = &describe->places->processes[number];
    if (process->is_drawn)
        return process;
    process->is_drawn = true;
    process->is_process =
        process->is_host && !process->shares_pid && process->vpid > 0 && process->vpid <= INT32_MAX;
    const struct ot_pftrace_track track = {
        .kind = process->is_process ? OT_PFTRACE_PROCESS : OT_PFTRACE_TRACK,
        .uuid = process->uuid,
        .name = title_process(describe, process),
        .pid = (int32_t)process->vpid,
        .has_order = process->has_order,
        .order = process->order,
    };
    ot_pftrace_put_track(describe->trace, &track);
    return process;
}

static bool has_host_lane(const struct ot_place_thread *thread)
{
    for (int i = 0; i < OT_LANE_KINDS; i++) {
        if (thread->lanes[i] && ot_lane_classes[i].is_host)
            return true;
    }
    return false;
}

/* What lies on the thread's own track. */
static enum ot_lane_kind first_lane(const struct ot_place_thread *thread)
{
    int kind = OT_LANE_KIND_CALLS;
    while (!has_host_lane(thread) && !thread->lanes[kind])
        kind++;
    return (enum ot_lane_kind)kind;
}

static bool is_thread(const struct ot_place_process *process, const struct ot_place_thread *thread)
{
    return process->is_process && has_host_lane(thread) && !thread->shares_tid &&
           thread->vtid > 0 && thread->vtid <= INT32_MAX;
}

/* A viewer shows a thread's tid beside its name, which a trace of torch.profiler has in it already:
 * of "thread 12 (python)" only "python" is left. */
static void add_real_thread(struct ot_describe *describe, const struct ot_place_thread *thread)
{
    struct ot_text label = name_of(describe, thread->label);
    char prefix[32];
    size_t len =
        (size_t)snprintf(prefix, sizeof(prefix), "thread %" PRId64, ot_vtid_number(thread->vtid));
    if (label.len >= len && memcmp(label.bytes, prefix, len) == 0) {
        label.bytes += len;
        label.len -= len;
        if (label.len > 3 && memcmp(label.bytes, " (", 2) == 0) {
            label.bytes += 2;
            label.len -= 3;
        } else {
            label.len = 0;
        }
    }
    ot_str_add_text(&describe->title, label);
}

static void draw_thread(struct ot_describe *describe, struct ot_place_thread *thread)
{
    const struct ot_place_process *process = draw_process(describe, thread->process);
    if (thread->is_drawn)
        return;
    thread->is_drawn = true;
    bool is_real = is_thread(process, thread);
    ot_str_clear(&describe->title);
    if (is_real)
        add_real_thread(describe, thread);
    else
        add_thread(describe, thread);
    if (thread->shares_tid)
        ot_str_addf(&describe->title, " (another one)");
    const struct ot_pftrace_track track = {
        .kind = is_real ? OT_PFTRACE_THREAD : OT_PFTRACE_TRACK,
        .uuid = thread->uuid,
        .parent = process->uuid,
        .name = finish(describe),
        .pid = (int32_t)process->vpid,
        .tid = (int32_t)thread->vtid,
        .has_order = thread->has_order,
        .order = thread->order,
    };
    ot_pftrace_put_track(describe->trace, &track);
    describe->n_tracks += thread->lanes[first_lane(thread)] != 0;
}

/* Rows of a thread's own lane are called as the thread is. */
static void draw_row(struct ot_describe *describe, const struct ot_place_lane *lane, size_t row,
                     uint64_t uuid)
{
    const struct ot_place_thread *thread = &describe->places->threads[lane->owner];
    struct ot_str *title = &describe->title;
    ot_str_clear(title);
    if (lane->kind == first_lane(thread) && !has_host_lane(thread))
        add_thread(describe, thread);
    else
        ot_str_addf(title, "%s", ot_lane_classes[lane->kind].name);
    if (row)
        ot_str_addf(title, " (row %zu)", row + 1);
    const struct ot_pftrace_track track = {
        .kind = OT_PFTRACE_TRACK,
        .uuid = uuid,
        .parent = thread->uuid,
        .name = finish(describe),
        .has_order = true,
        .order = (int32_t)lane->kind * ROWS_PER_KIND + (int32_t)row,
    };
    ot_pftrace_put_track(describe->trace, &track);
    describe->n_tracks++;
}

/* Of c10::DeviceType. */
static const struct {
    int64_t type;
    const char *name;
} device_types[] = {{0, "CPU"},  {1, "CUDA"}, {6, "HIP"},   {9, "XLA"},         {12, "XPU"},
                    {13, "MPS"}, {15, "HPU"}, {19, "MTIA"}, {20, "PrivateUse1"}};

static void add_device(struct ot_str *title, int64_t type)
{
    for (size_t i = 0; i < sizeof(device_types) / sizeof(device_types[0]); i++) {
        if (device_types[i].type == type) {
            ot_str_addf(title, ", %s", device_types[i].name);
            return;
        }
    }
    if (type >= 0)
        ot_str_addf(title, ", device type %" PRId64, type);
}

static void draw_counter(struct ot_describe *describe, const struct ot_place_lane *lane)
{
    struct ot_str *title = &describe->title;
    const struct ot_place_process *process = draw_process(describe, lane->owner);
    ot_str_clear(title);
    ot_str_addf(title, "allocated bytes");
    add_device(title, lane->device_type);
    if (lane->device_id >= 0)
        ot_str_addf(title, " %" PRId64, lane->device_id);
    if (lane->kind == OT_LANE_KIND_SUM)
        ot_str_addf(title, " (sum of the changes that were seen)");
    const struct ot_pftrace_track track = {
        .kind = OT_PFTRACE_COUNTER,
        .uuid = lane->uuid,
        .parent = process->uuid,
        .name = finish(describe),
    };
    ot_pftrace_put_track(describe->trace, &track);
    describe->n_tracks++;
}

static uint64_t draw_first_row(struct ot_describe *describe, struct ot_place_lane *lane)
{
    lane->is_drawn = true;
    if (lane->kind >= OT_LANE_KIND_COUNTER) {
        draw_counter(describe, lane);
        return lane->uuid;
    }
    struct ot_place_thread *thread = &describe->places->threads[lane->owner];
    draw_thread(describe, thread);
    if (lane->kind == first_lane(thread)) {
        lane->uuid = thread->uuid;
        return lane->uuid;
    }
    lane->uuid = ot_places_new_uuid(describe->places);
    draw_row(describe, lane, 0, lane->uuid);
    return lane->uuid;
}

uint64_t ot_describe_row(struct ot_describe *describe, uint32_t lane, size_t row)
{
    struct ot_place_lane *place = &describe->places->lanes[lane];
    if (row == 0)
        return place->is_drawn ? place->uuid : draw_first_row(describe, place);
    uint64_t uuid = ot_places_new_uuid(describe->places);
    draw_row(describe, place, row, uuid);
    return uuid;
}

void ot_describe_release(struct ot_describe *describe)
{
    ot_str_release(&describe->title);
}
