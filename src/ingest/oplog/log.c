#include "ingest/oplog/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "ingest/oplog/scan.h"

const char *ot_oplog_name_of(const struct ot_oplog_log *log)
{
    const char *slash = strrchr(log->file.path, '/');
    return slash ? slash + 1 : log->file.path;
}

int ot_oplog_damage(const struct ot_oplog_log *log, struct ot_oplog_common *common, uint64_t chunk,
                    size_t word, struct ot_err *err, const char *fmt, ...)
{
    char what[128];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    if (!common->recover)
        return ot_err_set(err, OT_ERR_DAMAGED,
                          "%s: chunk %llu, word %zu: %s; --recover keeps what is whole",
                          log->file.path, (unsigned long long)chunk, word, what);
    char place[OT_WARNING_PLACE_BYTES];
    snprintf(place, sizeof(place), "%.100s: chunk %llu, word %zu", ot_oplog_name_of(log),
             (unsigned long long)chunk, word);
    common->counts.damaged_events++;
    ot_warnings_add(&common->warnings, OT_WARN_DAMAGED_EVENT, 1, place);
    return OT_OK;
}

/* A part of a chunk that was never used is a process that ended while it made it. */
static int find_cut(struct ot_oplog_log *log, struct ot_oplog_common *common, struct ot_err *err)
{
    const struct ot_oplog_header *header = &log->file.header;
    uint64_t n_chunks = ot_oplog_file_chunks(&log->file);
    bool is_short =
        n_chunks < header->n_chunks && header->closed.monotonic_ns != 0 && header->stop_reason == 0;
    if (ot_oplog_file_is_cut(&log->file) && n_chunks) {
        struct ot_oplog_chunk last;
        int code = ot_oplog_file_head(&log->file, n_chunks - 1, &last, err);
        if (code < 0)
            return code;
        is_short |= last.kind != OT_OPLOG_CHUNK_UNUSED;
    }
    log->is_cut = is_short;
    if (!is_short)
        return OT_OK;
    common->counts.truncated_inputs++;
    ot_warnings_add(&common->warnings, OT_WARN_TRUNCATED, 1, ot_oplog_name_of(log));
    return OT_OK;
}

/* A log without its magic number is still being made, or its process ended while it made it; one
 * that is gone was removed to make room. */
static bool is_unfinished(const char *path)
{
    char magic[sizeof(((struct ot_oplog_header *)0)->magic)] = {0};
    static const char zeros[sizeof(magic)];
    FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT;
    size_t len = fread(magic, 1, sizeof(magic), file);
    fclose(file);
    return memcmp(magic, zeros, sizeof(magic)) == 0 ||
           (len < sizeof(magic) && memcmp(magic, OT_OPLOG_MAGIC, len) == 0);
}

int ot_oplog_log_open(struct ot_oplog_log *log, const char *path, struct ot_oplog_common *common,
                      struct ot_err *err)
{
    int code = ot_oplog_file_open(&log->file, path, err);
    if (code < 0)
        return is_unfinished(path) ? OT_END : code;
    const struct ot_oplog_header *header = &log->file.header;
    memcpy(log->host, header->host_name, sizeof(header->host_name));
    code = ot_oplog_clocks_find(&common->clocks, header, &log->clock, err);
    if (code == OT_OK)
        code = ot_oplog_clock_add_header(&common->clocks, log->clock, header, err);
    if (code == OT_OK)
        code = ot_oplog_scan(log, common, err);
    if (code == OT_OK)
        code = find_cut(log, common, err);
    return code;
}

/* --- names --------------------------------------------------------------------------------------
 */

/* Among the first `n`, which are in order. */
static bool has_chunk(const struct ot_oplog_log *log, size_t n, uint64_t chunk)
{
    size_t low = 0;
    size_t high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (log->names[middle] < chunk)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && log->names[low] == chunk;
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t number_a = *(const uint64_t *)a;
    uint64_t number_b = *(const uint64_t *)b;
    return (number_a > number_b) - (number_a < number_b);
}

/* Chunks that became ones of names while the log was scanned: behind those of then, and in a ring
 * anywhere. */
static int find_late_names(struct ot_oplog_log *log, struct ot_err *err)
{
    const struct ot_oplog_header *header = &log->file.header;
    if (header->closed.monotonic_ns || ot_oplog_file_look(&log->file, err) < 0)
        return OT_OK; /* it ended, or was removed, and then there is nothing more to find */
    size_t n_before = log->n_names;
    uint64_t first = header->options & OT_OPLOG_RING ? 0 : log->n_scanned;
    for (uint64_t i = first; i < ot_oplog_file_chunks(&log->file); i++) {
        struct ot_oplog_chunk head;
        if (i < log->n_scanned && has_chunk(log, n_before, i))
            continue;
        int code = ot_oplog_file_head(&log->file, i, &head, err);
        if (code < 0)
            return code;
        if (head.kind != OT_OPLOG_CHUNK_NAMES)
            continue;
        if (!ot_vec_reserve(&log->names, &log->names_cap, log->n_names + 1, sizeof(*log->names)))
            return ot_err_set(err, OT_ERR_NOMEM, "out of memory for names");
        log->names[log->n_names++] = i;
    }
    if (log->n_names != n_before)
        qsort(log->names, log->n_names, sizeof(*log->names), compare_numbers);
    log->n_scanned = ot_oplog_file_chunks(&log->file);
    return OT_OK;
}

static int take_names(struct ot_oplog_log *log, struct ot_oplog_common *common, uint64_t chunk,
                      struct ot_err *err)
{
    struct ot_oplog_buffer *buffer = &common->buffer;
    int code = ot_oplog_file_read(&log->file, chunk, 0, OT_OPLOG_CHUNK_WORDS, buffer, err);
    if (code < 0 || buffer->head.kind != OT_OPLOG_CHUNK_NAMES)
        return code;
    size_t at = 0;
    struct ot_err what;
    code = ot_oplog_dict_take(&log->dict, buffer, &at, &what);
    if (code == OT_ERR_DAMAGED)
        return ot_oplog_damage(log, common, chunk, at, err, "%.100s", what.msg);
    if (code < 0)
        return ot_err_set(err, code, "%s: %s", log->file.path, what.msg);
    return OT_OK;
}

int ot_oplog_log_use_names(struct ot_oplog_log *log, struct ot_oplog_common *common,
                           struct ot_err *err)
{
    if (log->has_names)
        return OT_OK;
    log->has_names = true;
    int code = find_late_names(log, err);
    log->dict = (struct ot_oplog_dict){.texts = &common->texts, .n_chunks = log->n_names};
    for (size_t i = 0; i < log->n_names && code == OT_OK; i++)
        code = take_names(log, common, log->names[i], err);
    return code;
}

void ot_oplog_log_leave_names(struct ot_oplog_log *log)
{
    if (++log->n_done == log->n_threads)
        ot_oplog_dict_release(&log->dict);
}

int64_t ot_oplog_log_tid(const struct ot_oplog_log *log, uint64_t torch_thread)
{
    for (size_t i = 0; i < log->n_threads; i++) {
        if (log->threads[i].torch_thread == torch_thread)
            return (int64_t)log->threads[i].tid;
    }
    return -1;
}

void ot_oplog_log_release(struct ot_oplog_log *log)
{
    if (!log)
        return;
    ot_oplog_file_close(&log->file);
    ot_oplog_dict_release(&log->dict);
    free(log->pieces);
    free(log->ends);
    free(log->ends_by_beginning);
    free(log->threads);
    free(log->names);
    *log = (struct ot_oplog_log){0};
}
