#include "ingest/oplog/follow_entry.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A process that nobody sees is alive if its log has grown in the last 10 seconds. */
static const int64_t quiet_ns = INT64_C(10) * 1000000000;

int ot_follow_entry_open(struct ot_follow_entry *entry, const char *folder, struct ot_err *err)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof(path), "%s/%s", folder, entry->name) >= (int)sizeof(path))
        return ot_err_set(err, OT_ERR_IO, "%s: the path is too long", entry->name);
    struct ot_follow_log *log = calloc(1, sizeof(*log));
    if (!log)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a log");
    int code = ot_follow_log_open(log, path, err);
    if (code < 0) {
        free(log);
        return code;
    }
    ot_follow_log_note_now(log);
    entry->log = log;
    return OT_OK;
}

void ot_follow_entry_close(struct ot_follow_entry *entry)
{
    if (entry->log)
        ot_follow_log_close(entry->log);
    free(entry->log);
    entry->log = NULL;
}

static struct ot_text field_text(const char *bytes, size_t cap)
{
    return (struct ot_text){bytes, strnlen(bytes, cap)};
}

int64_t ot_follow_time_of(int64_t ns)
{
    return ns > 0 && ns < INT64_MAX / 4 ? ns : 0;
}

static int64_t last_time(const struct ot_follow_log *log)
{
    const struct ot_oplog_header *header = &log->file.header;
    if (header->closed.ticks)
        return ot_follow_time_of(header->closed.realtime_ns);
    int64_t last_ns = ot_follow_time_of(header->opened.realtime_ns);
    if (log->last_event)
        last_ns += ot_follow_time_of(ot_follow_log_ns(log, log->last_event)) -
                   ot_follow_time_of(header->opened.monotonic_ns);
    return ot_follow_time_of(last_ns);
}

int ot_follow_entry_note_facts(struct ot_follow_entry *entry, struct ot_names *hosts,
                               struct ot_err *err)
{
    const struct ot_oplog_header *header = &entry->log->file.header;
    entry->pid = header->pid;
    entry->n_bytes = entry->log->file.n_bytes;
    entry->n_lost = header->lost_events;
    entry->n_lost_names = header->lost_names;
    entry->stop_reason = header->stop_reason;
    entry->started_ns = ot_follow_time_of(header->loaded.realtime_ns);
    if (entry->started_ns == 0)
        entry->started_ns = ot_follow_time_of(header->opened.realtime_ns);
    entry->last_ns = last_time(entry->log);
    return ot_names_intern(hosts, field_text(header->host_name, sizeof(header->host_name)),
                           &entry->host, err);
}

void ot_follow_entry_note_life(struct ot_follow_entry *entry)
{
    const struct ot_oplog_header *header = &entry->log->file.header;
    entry->life = ot_oplog_life(header);
    if (entry->life != OT_OPLOG_RUNS)
        return;
    if (!entry->was_running && !entry->is_stranger)
        entry->is_stranger = !ot_oplog_process_writes(header->pid, entry->name);
    entry->was_running = !entry->is_stranger;
    if (entry->is_stranger)
        entry->life = OT_OPLOG_NOT_SEEN;
}

bool ot_follow_entry_has_ended(const struct ot_follow_entry *entry)
{
    return entry->life == OT_OPLOG_ENDED ||
           (entry->life == OT_OPLOG_NOT_SEEN && entry->was_running);
}

bool ot_follow_entry_is_alive(const struct ot_follow_entry *entry, int64_t now_ns)
{
    if (entry->life != OT_OPLOG_NOT_SEEN)
        return entry->life == OT_OPLOG_RUNS;
    return !ot_follow_entry_has_ended(entry) && entry->grown_ns &&
           now_ns - entry->grown_ns < quiet_ns;
}

/* Up to where time has passed for the threads of a log, in its ticks. */
static uint64_t now_of(const struct ot_follow_entry *entry, int64_t until_ns)
{
    const struct ot_follow_log *log = entry->log;
    /* Nobody would say that a call has ended. */
    if (log->file.header.stop_reason)
        return log->last_event;
    if (log->file.header.closed.ticks)
        return log->file.header.closed.ticks;
    if (entry->life == OT_OPLOG_RUNS && log->has_our_clock)
        return ot_follow_log_ticks(log, until_ns);
    return log->last_event;
}

void ot_follow_entry_pass_time(const struct ot_follow_entry *entry, int64_t until_ns)
{
    struct ot_follow_log *log = entry->log;
    uint64_t now = now_of(entry, until_ns);
    bool runs = entry->life == OT_OPLOG_RUNS;
    for (size_t i = 0; i < log->n_threads; i++) {
        struct ot_follow_thread_state *thread = log->threads[i];
        thread->lives = runs ? ot_oplog_thread_runs(log->file.header.pid, thread->tid)
                             : thread->is_active && !ot_follow_entry_has_ended(entry);
        if (thread->lives || log->file.header.closed.ticks)
            ot_follow_thread_pass(thread, &log->sums, now);
    }
}
