#include "ingest/oplog/follow.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/tick_clock.h"
#include "base/vec.h"
#include "ingest/oplog/follow_entry.h"

enum {
    MAX_LOGS = 1 << 16,
    DEFAULT_CHUNKS = 1 << 10, /* 8 million events; some 0.1 s of work */
    MAX_OPENINGS = 5,         /* a log that is just being made has no header yet */
    NAP = 64 /* polls after which a log that was put to sleep is asked for its size */
};

struct ot_follow {
    char *folder;
    struct ot_follow_opts opts;
    struct timespec folder_changed;
    struct ot_follow_entry *entries;
    size_t n_entries;
    size_t cap;
    struct ot_map map; /* of entries, by name */
    struct ot_names hosts;
    struct ot_follow_room *room;
    uint64_t n_polls;
    int64_t until_ns; /* of the last poll, on our CLOCK_MONOTONIC */
    bool is_past;     /* the poll is of a time that has gone: nobody was alive in the beginning */
    char trouble[sizeof(((struct ot_err *)0)->msg)];

    struct ot_follow_call *calls;
    size_t n_calls;
    size_t calls_cap;
    struct ot_follow_thread *threads;
    size_t n_threads;
    size_t threads_cap;
};

int ot_follow_open(const char *folder, const struct ot_follow_opts *opts,
                   struct ot_follow **ret_follow, struct ot_err *err)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return ot_err_sys(err, OT_ERR_IO, "%s", folder);
    closedir(dir);
    struct ot_follow *follow = calloc(1, sizeof(*follow));
    if (follow) {
        follow->folder = strdup(folder);
        follow->room = malloc(sizeof(*follow->room));
        follow->opts = *opts;
        if (follow->opts.max_chunks == 0)
            follow->opts.max_chunks = DEFAULT_CHUNKS;
    }
    if (!follow || !follow->folder || !follow->room) {
        ot_follow_close(follow);
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a recording");
    }
    *ret_follow = follow;
    return OT_OK;
}

void ot_follow_close(struct ot_follow *follow)
{
    if (!follow)
        return;
    for (size_t i = 0; i < follow->n_entries; i++) {
        ot_follow_entry_close(&follow->entries[i]);
        free(follow->entries[i].name);
    }
    free(follow->entries);
    ot_map_release(&follow->map);
    ot_names_release(&follow->hosts);
    free(follow->room);
    free(follow->folder);
    free(follow->calls);
    free(follow->threads);
    free(follow);
}

/* --- the folder --------------------------------------------------------------------------------
 */

static bool same_name(const void *owner, size_t index, const void *key)
{
    const struct ot_follow *follow = owner;
    return strcmp(follow->entries[index].name, key) == 0;
}

static bool is_log_name(const char *name)
{
    size_t len = strlen(name);
    size_t suffix_len = sizeof(OT_OPLOG_SUFFIX) - 1;
    return len > suffix_len && strcmp(name + len - suffix_len, OT_OPLOG_SUFFIX) == 0;
}

static int note_entry(struct ot_follow *follow, const char *name, struct ot_err *err)
{
    uint64_t hash = ot_hash_bytes(name, strlen(name));
    if (follow->n_entries >= MAX_LOGS ||
        ot_map_find(&follow->map, hash, same_name, follow, name) != OT_MAP_NONE)
        return OT_OK;
    char *copy = strdup(name);
    if (!copy ||
        !ot_vec_reserve(&follow->entries, &follow->cap, follow->n_entries + 1,
                        sizeof(*follow->entries)) ||
        !ot_map_put(&follow->map, hash, follow->n_entries)) {
        free(copy);
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for logs");
    }
    follow->entries[follow->n_entries++] =
        (struct ot_follow_entry){.name = copy, .life = OT_OPLOG_NOT_SEEN};
    return OT_OK;
}

static int list_folder(struct ot_follow *follow, struct ot_err *err)
{
    DIR *dir = opendir(follow->folder);
    if (!dir)
        return ot_err_sys(err, OT_ERR_IO, "%s", follow->folder);
    int code = OT_OK;
    for (struct dirent *item; code == OT_OK && (item = readdir(dir));) {
        if (is_log_name(item->d_name))
            code = note_entry(follow, item->d_name, err);
    }
    closedir(dir);
    return code;
}

/* A folder that has not changed has no new files. Its time is not fine enough to tell two changes
 * that lie close together apart. */
static int look_for_logs(struct ot_follow *follow, struct ot_err *err)
{
    enum { COARSE_NS = 1000000000 };
    struct stat status;
    if (stat(follow->folder, &status) < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", follow->folder);
    struct timespec changed = status.st_mtim;
    int64_t age_ns =
        ot_tick_clock_ns(CLOCK_REALTIME) - ((int64_t)changed.tv_sec * 1000000000 + changed.tv_nsec);
    bool is_same = changed.tv_sec == follow->folder_changed.tv_sec &&
                   changed.tv_nsec == follow->folder_changed.tv_nsec;
    if (is_same && age_ns > 3 * (int64_t)COARSE_NS)
        return OT_OK;
    follow->folder_changed = changed;
    return list_folder(follow, err);
}

static void note_trouble(struct ot_follow *follow, const struct ot_err *err)
{
    memcpy(follow->trouble, err->msg, sizeof(follow->trouble));
}

/* --- one log -----------------------------------------------------------------------------------
 */

/* At least one; more than a few are no excuse for more work. */
static size_t seconds_between(int64_t since_ns, int64_t until_ns)
{
    enum { MOST = 10 };
    int64_t seconds = (until_ns - since_ns + 500000000) / 1000000000;
    return seconds < 1 ? 1 : seconds < MOST ? (size_t)seconds : MOST;
}

/* `since_ns`, `until_ns`: on the CLOCK_MONOTONIC of its machine. */
static int look_at(struct ot_follow *follow, struct ot_follow_entry *entry, int64_t since_ns,
                   int64_t until_ns, struct ot_err *err)
{
    struct ot_follow_log *log = entry->log;
    uint64_t since = log->last_event; /* where nobody knows what time it is there */
    if (log->has_our_clock || follow->is_past)
        since = ot_follow_log_ticks(log, since_ns);
    else if (log->look == 0)
        since = UINT64_MAX;
    size_t max_chunks = follow->opts.max_chunks * seconds_between(since_ns, until_ns);
    int code = ot_follow_log_look(log, since, max_chunks, follow->room, err);
    if (code < 0)
        return code;
    if (log->damage.msg[0] != '\0')
        note_trouble(follow, &log->damage);
    ot_follow_entry_pass_time(entry, until_ns);
    return OT_OK;
}

/* The end of what an ended log has, so that one can look at what was before. */
static int64_t end_of(struct ot_follow *follow, struct ot_follow_entry *entry)
{
    struct ot_err ignored;
    struct ot_follow_log *log = entry->log;
    int64_t closed_ns = ot_follow_time_of(log->file.header.closed.monotonic_ns);
    if (closed_ns)
        return closed_ns;
    ot_follow_log_look(log, UINT64_MAX, follow->opts.max_chunks, follow->room, &ignored);
    int64_t end_ns =
        log->last_event ? ot_follow_time_of(ot_follow_log_ns(log, log->last_event)) : 0;
    /* It was looked at without counting: what counts is looked at from the beginning. */
    ot_follow_entry_close(entry);
    entry->n_openings = 0;
    return end_ns;
}

/* --- what is told ------------------------------------------------------------------------------
 */

static uint64_t to_ns(const struct ot_follow_log *log, uint64_t ticks)
{
    double ns = (double)ticks * ot_follow_log_tick_ns(log);
    return ns < 0x1p62 ? (uint64_t)ns : UINT64_C(1) << 62;
}

static int tell_calls(struct ot_follow *follow, struct ot_follow_log *log, struct ot_err *err)
{
    const struct ot_follow_sums *sums = &log->sums;
    if (!ot_vec_reserve(&follow->calls, &follow->calls_cap, follow->n_calls + sums->n_touched + 1,
                        sizeof(*follow->calls)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for operators");
    for (size_t i = 0; i < sums->n_touched; i++) {
        uint32_t place = sums->touched[i];
        const struct ot_follow_sum *sum = &sums->items[place];
        follow->calls[follow->n_calls++] = (struct ot_follow_call){
            .name = ot_follow_name(log, place, &follow->room->names),
            .is_annotation = sum->lane == OT_FOLLOW_ANNOTATIONS,
            .self_ns = to_ns(log, sum->self_ticks),
            .inclusive_ns = to_ns(log, sum->inclusive_ticks),
            .n_calls = sum->n_calls,
        };
    }
    return OT_OK;
}

static struct ot_text current_of(struct ot_follow *follow, struct ot_follow_log *log,
                                 const struct ot_follow_thread_state *thread)
{
    const struct ot_follow_lane *lane = &thread->lanes[OT_FOLLOW_OPERATORS];
    /* Of one that has stopped recording nobody knows what it is in. */
    if (lane->n == 0 || log->file.header.stop_reason)
        return (struct ot_text){"", 0};
    return ot_follow_name(log, lane->stack[lane->n - 1].place, &follow->room->names);
}

static int tell_threads(struct ot_follow *follow, const struct ot_follow_entry *entry,
                        struct ot_err *err)
{
    struct ot_follow_log *log = entry->log;
    const struct ot_oplog_header *header = &log->file.header;
    if (!ot_vec_reserve(&follow->threads, &follow->threads_cap,
                        follow->n_threads + log->n_threads + 1, sizeof(*follow->threads)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for threads");
    for (size_t i = 0; i < log->n_threads; i++) {
        const struct ot_follow_thread_state *thread = log->threads[i];
        follow->threads[follow->n_threads++] = (struct ot_follow_thread){
            .key = (uint64_t)(entry - follow->entries) << 32 | thread->ordinal,
            .host = ot_names_text(&follow->hosts, entry->host),
            .name = ot_text_of(thread->name),
            .current = current_of(follow, log, thread),
            .pid = header->pid,
            .tid = thread->tid,
            .busy_ns = to_ns(log, thread->busy_ticks),
            .n_calls = thread->n_calls,
            .lives = thread->lives,
        };
    }
    return OT_OK;
}

static int tell_log(struct ot_follow *follow, const struct ot_follow_entry *entry,
                    struct ot_follow_poll *poll, struct ot_err *err)
{
    struct ot_follow_log *log = entry->log;
    poll->n_events += log->n_events;
    poll->n_skipped += log->n_skipped;
    poll->grown_bytes += (log->n_words + log->n_skipped) * sizeof(uint64_t);
    int code = tell_calls(follow, log, err);
    return code < 0 ? code : tell_threads(follow, entry, err);
}

static void tell_recording(const struct ot_follow *follow, int64_t now_ns,
                           struct ot_follow_poll *poll)
{
    for (size_t i = 0; i < follow->n_entries; i++) {
        const struct ot_follow_entry *entry = &follow->entries[i];
        if (entry->pid == 0)
            continue;
        poll->n_processes++;
        poll->n_alive += ot_follow_entry_is_alive(entry, now_ns);
        poll->log_bytes += entry->n_bytes;
        poll->n_lost += entry->n_lost;
        poll->n_lost_names += entry->n_lost_names;
        poll->n_stopped += entry->stop_reason != 0;
        if (entry->stop_reason)
            poll->stop_reason = entry->stop_reason;
        if (poll->started_ns == 0 || entry->started_ns < poll->started_ns)
            poll->started_ns = entry->started_ns;
        if (entry->last_ns > poll->last_ns)
            poll->last_ns = entry->last_ns;
    }
    poll->n_hosts = follow->hosts.n_texts;
    if (poll->n_hosts)
        poll->host = ot_names_text(&follow->hosts, 0);
    if (follow->trouble[0] != '\0')
        poll->trouble = follow->trouble;
    poll->calls = follow->calls;
    poll->n_calls = follow->n_calls;
    poll->threads = follow->threads;
    poll->n_threads = follow->n_threads;
}

/* --- polling -----------------------------------------------------------------------------------
 */

/* Opens those that are new; one that is just being made gets some more tries. */
static int open_new(struct ot_follow *follow, struct ot_err *err)
{
    for (size_t i = 0; i < follow->n_entries; i++) {
        struct ot_follow_entry *entry = &follow->entries[i];
        if (entry->log || entry->n_openings >= MAX_OPENINGS)
            continue;
        int code = ot_follow_entry_open(entry, follow->folder, err);
        entry->n_openings++;
        if (code == OT_ERR_NOMEM)
            return code;
        if (code < 0 && entry->n_openings == MAX_OPENINGS)
            note_trouble(follow, err);
        if (code == OT_OK)
            entry->n_openings = MAX_OPENINGS;
    }
    return OT_OK;
}

/* Header, size, and whether the process is there. A log that is gone is not looked at any more. */
static int refresh(struct ot_follow *follow, struct ot_follow_entry *entry, struct ot_err *err)
{
    struct ot_err trouble;
    if (ot_follow_log_refresh(entry->log, &trouble) < 0) {
        entry->life = OT_OPLOG_ENDED;
        ot_follow_entry_close(entry);
        return OT_OK;
    }
    ot_follow_log_note_now(entry->log);
    ot_follow_entry_note_life(entry);
    return ot_follow_entry_note_facts(entry, &follow->hosts, err);
}

/* Where nobody is alive, the time that is of interest ended with the last process. */
static int64_t end_of_all(struct ot_follow *follow)
{
    int64_t end_ns = 0;
    for (size_t i = 0; i < follow->n_entries; i++) {
        struct ot_follow_entry *entry = &follow->entries[i];
        if (entry->log && entry->life == OT_OPLOG_RUNS)
            return 0;
    }
    for (size_t i = 0; i < follow->n_entries; i++) {
        struct ot_follow_entry *entry = &follow->entries[i];
        if (!entry->log)
            continue;
        int64_t ended_ns = end_of(follow, entry);
        if (ended_ns > end_ns)
            end_ns = ended_ns;
    }
    return end_ns;
}

/* When the first log was opened, at the latest `until_ns`. */
static int64_t first_opening(const struct ot_follow *follow, int64_t until_ns)
{
    int64_t opened_ns = until_ns;
    for (size_t i = 0; i < follow->n_entries; i++) {
        const struct ot_follow_entry *entry = &follow->entries[i];
        if (entry->log &&
            ot_follow_time_of(entry->log->file.header.opened.monotonic_ns) < opened_ns)
            opened_ns = ot_follow_time_of(entry->log->file.header.opened.monotonic_ns);
    }
    return opened_ns;
}

/* From when to when the poll is. */
static int choose_time(struct ot_follow *follow, int64_t *ret_since_ns, int64_t *ret_until_ns,
                       struct ot_err *err)
{
    int64_t until_ns = ot_tick_clock_ns(CLOCK_MONOTONIC);
    int64_t since_ns = follow->until_ns;
    follow->is_past = false;
    if (follow->n_polls == 0) {
        int64_t end_ns = end_of_all(follow);
        int code = open_new(follow, err);
        if (code < 0)
            return code;
        follow->is_past = end_ns != 0;
        until_ns = end_ns ? end_ns : until_ns;
        since_ns = until_ns - (int64_t)follow->opts.lookback_ns;
        int64_t opened_ns = first_opening(follow, until_ns);
        since_ns = opened_ns > since_ns ? opened_ns : since_ns;
    }
    *ret_since_ns = since_ns;
    *ret_until_ns = until_ns;
    return OT_OK;
}

static void note_growth(struct ot_follow_entry *entry, int64_t now_ns)
{
    if (entry->log->n_events && entry->log->look > 1)
        entry->grown_ns = now_ns;
    entry->is_asleep = entry->life == OT_OPLOG_NOT_SEEN && !entry->log->n_events &&
                       !ot_follow_entry_is_alive(entry, now_ns);
}

/* True if one that was put to sleep has grown since. */
static bool wakes_up(const struct ot_follow *follow, const struct ot_follow_entry *entry)
{
    char path[PATH_MAX];
    struct stat status;
    int len = snprintf(path, sizeof(path), "%s/%s", follow->folder, entry->name);
    return entry->is_asleep && !entry->log && follow->n_polls % NAP == 0 &&
           len < (int)sizeof(path) && stat(path, &status) == 0 &&
           (uint64_t)status.st_size != entry->n_bytes;
}

static int poll_log(struct ot_follow *follow, struct ot_follow_entry *entry, int64_t since_ns,
                    int64_t until_ns, struct ot_follow_poll *poll, struct ot_err *err)
{
    /* Told in the last poll, whose texts had to stay until now. */
    ot_follow_log_begin_anew(entry->log);
    int code = look_at(follow, entry, since_ns, until_ns, err);
    if (code == OT_ERR_IO) {
        entry->life = OT_OPLOG_ENDED;
        ot_follow_entry_close(entry);
        return OT_OK;
    }
    if (code == OT_OK)
        code = ot_follow_entry_note_facts(entry, &follow->hosts, err);
    if (code < 0)
        return code;
    ot_follow_log_forget_threads(entry->log);
    note_growth(entry, ot_tick_clock_ns(CLOCK_MONOTONIC));
    return tell_log(follow, entry, poll, err);
}

/* Those that had ended when they were told, or may have. */
static void close_ended(struct ot_follow *follow)
{
    for (size_t i = 0; i < follow->n_entries; i++) {
        struct ot_follow_entry *entry = &follow->entries[i];
        if (entry->log && entry->log->look &&
            (ot_follow_entry_has_ended(entry) || entry->is_asleep))
            ot_follow_entry_close(entry);
        else if (wakes_up(follow, entry))
            entry->n_openings = 0;
    }
}

/* When the last process has ended no time passes any more. */
static uint64_t wall_of(const struct ot_follow *follow, const struct ot_follow_poll *poll,
                        int64_t since_ns, int64_t until_ns)
{
    if (poll->n_processes && !poll->n_alive && !follow->is_past)
        until_ns -= ot_tick_clock_ns(CLOCK_REALTIME) - poll->last_ns;
    return until_ns > since_ns ? (uint64_t)(until_ns - since_ns) : 0;
}

int ot_follow_poll(struct ot_follow *follow, struct ot_follow_poll *ret_poll, struct ot_err *err)
{
    struct ot_follow_poll poll = {0};
    int64_t since_ns = 0;
    int64_t until_ns = 0;
    follow->n_calls = follow->n_threads = 0;
    close_ended(follow);
    int code = look_for_logs(follow, err);
    if (code == OT_OK)
        code = open_new(follow, err);
    for (size_t i = 0; i < follow->n_entries && code == OT_OK; i++) {
        if (follow->entries[i].log)
            code = refresh(follow, &follow->entries[i], err);
    }
    if (code == OT_OK)
        code = choose_time(follow, &since_ns, &until_ns, err);
    for (size_t i = 0; i < follow->n_entries && code == OT_OK; i++) {
        struct ot_follow_entry *entry = &follow->entries[i];
        if (entry->log)
            code = poll_log(follow, entry, since_ns, until_ns, &poll, err);
    }
    if (code < 0)
        return code;
    follow->until_ns = follow->is_past ? ot_tick_clock_ns(CLOCK_MONOTONIC) : until_ns;
    follow->n_polls++;
    tell_recording(follow, until_ns, &poll);
    poll.wall_ns = wall_of(follow, &poll, since_ns, until_ns);
    *ret_poll = poll;
    return OT_OK;
}
