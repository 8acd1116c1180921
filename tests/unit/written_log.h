/* written_log.h: reads an operator log strictly and by itself, to check what the writer wrote.
 *
 * Shares nothing with the reader in src/ingest: what base/oplog.h says is read as it says it, and
 * whatever is not so fails the test.
 */
#ifndef OT_TESTS_UNIT_WRITTEN_LOG_H
#define OT_TESTS_UNIT_WRITTEN_LOG_H

#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/oplog.h"

enum { LOG_THREADS_MAX = 20000, LOG_WORDS_OF_SEGMENT = 9 };

struct log_name {
    const char *first;
    const char *second;
    uint32_t first_len;
    uint32_t second_len;
    uint8_t kind;
    uint8_t flags;
};

struct log_event {
    unsigned record;
    uint32_t id;
    uint64_t ticks;
    uint64_t words[3];
};

struct log_thread {
    struct log_event *events;
    size_t n;
    size_t cap;
    uint64_t first_before; /* events_before of the first segment that is there */
    uint32_t n_segments;
    uint32_t first_number;
    uint32_t first_open_calls;
};

struct log {
    char *bytes;
    size_t len;
    struct ot_oplog_header header;
    struct log_name *names[2]; /* of operators and annotations; of shapes */
    uint32_t n_names[2];
    struct log_thread *threads; /* from 1 */
    uint32_t n_threads;
    uint32_t generation_max;
    uint64_t n_events;    /* entries and exits */
    uint64_t n_backwards; /* whose time is before that of the one before */
};

struct log_segment {
    struct ot_oplog_segment head;
    const uint64_t *words;
    size_t n_words;
};

static inline bool log_is_event(unsigned record)
{
    return record == OT_OPLOG_ENTRY || record == OT_OPLOG_EXIT || record == OT_OPLOG_EXIT_OF;
}

static inline unsigned log_words_behind(unsigned record)
{
    static const unsigned words[] = {
        [OT_OPLOG_EXIT_OF] = 2, [OT_OPLOG_SEQUENCE_OF] = 2, [OT_OPLOG_MEMORY_EVENT] = 3,
        [OT_OPLOG_REBASE] = 1,  [OT_OPLOG_SEGMENT] = 8,
    };
    return record < sizeof(words) / sizeof(words[0]) ? words[record] : 0;
}

static inline void log_read_names(struct log *log, const char *chunk)
{
    size_t at = sizeof(struct ot_oplog_chunk);
    while (at + sizeof(struct ot_oplog_name) <= OT_OPLOG_CHUNK_BYTES) {
        struct ot_oplog_name name;
        memcpy(&name, chunk + at, sizeof(name));
        if (name.id == 0)
            return;
        size_t bytes = (sizeof(name) + name.first_len + name.second_len + 7) / 8 * 8;
        assert_true(at + bytes <= OT_OPLOG_CHUNK_BYTES);
        int space = name.kind == OT_OPLOG_NAME_SHAPES;
        assert_int_equal(name.id, log->n_names[space] + 1);
        log->n_names[space] = name.id;
        if ((name.id & (name.id - 1)) == 0) /* doubles at powers of two */
            log->names[space] = realloc(log->names[space], 2 * name.id * sizeof(struct log_name));
        log->names[space][name.id] = (struct log_name){
            .first = chunk + at + sizeof(name),
            .second = chunk + at + sizeof(name) + name.first_len,
            .first_len = name.first_len,
            .second_len = name.second_len,
            .kind = name.kind,
            .flags = name.flags,
        };
        at += bytes;
    }
}

static inline int log_compare_segments(const void *a, const void *b)
{
    const struct log_segment *left = a;
    const struct log_segment *right = b;
    if (left->head.thread != right->head.thread)
        return left->head.thread < right->head.thread ? -1 : 1;
    return (left->head.number > right->head.number) - (left->head.number < right->head.number);
}

static inline void log_add_event(struct log *log, struct log_thread *thread,
                                 const struct log_event *event)
{
    if (thread->n == thread->cap) {
        thread->cap = thread->cap ? 2 * thread->cap : 64;
        thread->events = realloc(thread->events, thread->cap * sizeof(*thread->events));
    }
    thread->events[thread->n++] = *event;
    if (log_is_event(event->record)) {
        uint32_t last_id = log->n_names[0];
        assert_true((event->id >= 1 && event->id <= last_id) || event->id > OT_OPLOG_ID_MAX);
        log->n_events++;
    }
}

static inline void log_read_segment(struct log *log, const struct log_segment *segment,
                                    uint64_t *last_ticks, uint64_t *n_events)
{
    struct log_thread *thread = &log->threads[segment->head.thread];
    uint64_t base = segment->head.base_ticks;
    for (size_t i = 0; i < segment->n_words;) {
        uint64_t word = segment->words[i];
        struct log_event event = {.record = ot_oplog_record_of(word), .id = ot_oplog_id_of(word)};
        unsigned behind = log_words_behind(event.record);
        assert_true(i + 1 + behind <= segment->n_words);
        for (unsigned k = 0; k < behind; k++)
            event.words[k] = segment->words[i + 1 + k];
        i += 1 + behind;
        if (event.record == OT_OPLOG_REBASE) {
            base = event.words[0];
            continue;
        }
        event.ticks = base + ot_oplog_ticks_of(word);
        if (log_is_event(event.record) || event.record == OT_OPLOG_MEMORY_EVENT) {
            log->n_backwards += event.ticks < *last_ticks;
            *last_ticks = event.ticks;
        }
        *n_events += log_is_event(event.record);
        log_add_event(log, thread, &event);
    }
}

static inline size_t log_find_segments(struct log *log, struct log_segment **ret_segments)
{
    struct log_segment *segments = NULL;
    size_t n = 0;
    size_t n_chunks = (log->len - OT_OPLOG_HEADER_BYTES) / OT_OPLOG_CHUNK_BYTES;
    for (size_t c = 0; c < n_chunks; c++) {
        const char *chunk = log->bytes + OT_OPLOG_HEADER_BYTES + c * OT_OPLOG_CHUNK_BYTES;
        struct ot_oplog_chunk head;
        memcpy(&head, chunk, sizeof(head));
        if (head.generation > log->generation_max)
            log->generation_max = head.generation;
        if (head.kind == OT_OPLOG_CHUNK_NAMES)
            log_read_names(log, chunk);
        if (head.kind != OT_OPLOG_CHUNK_EVENTS)
            continue;
        const uint64_t *words = (const uint64_t *)(const void *)(chunk + sizeof(head));
        assert_int_equal(ot_oplog_record_of(words[0]), OT_OPLOG_SEGMENT);
        for (size_t i = 0; i < OT_OPLOG_CHUNK_WORDS && words[i] != 0;) {
            unsigned record = ot_oplog_record_of(words[i]);
            assert_in_range(record, OT_OPLOG_ENTRY, OT_OPLOG_SEGMENT);
            if (record == OT_OPLOG_SEGMENT) {
                segments = realloc(segments, (n + 1) * sizeof(*segments));
                memcpy(&segments[n].head, &words[i + 1], sizeof(segments[n].head));
                segments[n].words = &words[i + LOG_WORDS_OF_SEGMENT];
                segments[n++].n_words = 0;
            } else {
                segments[n - 1].n_words += 1 + log_words_behind(record);
            }
            i += 1 + log_words_behind(record);
            assert_true(i <= OT_OPLOG_CHUNK_WORDS);
        }
    }
    if (n > 0)
        qsort(segments, n, sizeof(*segments), log_compare_segments);
    *ret_segments = segments;
    return n;
}

static inline void log_read_unordered(struct log *log, const char *path)
{
    struct log_segment *segments;
    memset(log, 0, sizeof(*log));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    log->len = (size_t)ftell(file);
    rewind(file);
    log->bytes = malloc(log->len);
    assert_int_equal(fread(log->bytes, 1, log->len, file), log->len);
    fclose(file);
    assert_true(log->len >= OT_OPLOG_HEADER_BYTES);
    memcpy(&log->header, log->bytes, sizeof(log->header));
    assert_memory_equal(log->header.magic, OT_OPLOG_MAGIC, sizeof(log->header.magic));
    assert_int_equal(log->header.version, OT_OPLOG_VERSION);
    /* Who is killed in the middle of it leaves one that was not handed out. */
    uint64_t len = OT_OPLOG_HEADER_BYTES + log->header.n_chunks * OT_OPLOG_CHUNK_BYTES;
    assert_in_range(log->len, len, len + OT_OPLOG_CHUNK_BYTES);

    size_t n = log_find_segments(log, &segments);
    log->threads = calloc(LOG_THREADS_MAX, sizeof(*log->threads));
    uint64_t last_ticks = 0;
    uint64_t n_events = 0;
    for (size_t i = 0; i < n; i++) {
        const struct ot_oplog_segment *head = &segments[i].head;
        assert_in_range(head->thread, 1, LOG_THREADS_MAX - 1);
        struct log_thread *thread = &log->threads[head->thread];
        log->n_threads = head->thread;
        if (thread->n_segments == 0) {
            last_ticks = 0;
            n_events = thread->first_before = head->events_before;
            thread->first_number = head->number;
            thread->first_open_calls = head->open_calls;
        }
        assert_int_equal(head->number, thread->first_number + thread->n_segments);
        assert_int_equal(head->events_before, n_events);
        assert_true(head->tid != 0);
        thread->n_segments++;
        log_read_segment(log, &segments[i], &last_ticks, &n_events);
    }
    free(segments);
}

/* Times of a thread do not run backwards either. */
static inline void log_read(struct log *log, const char *path)
{
    log_read_unordered(log, path);
    assert_int_equal(log->n_backwards, 0);
}

static inline void log_release(struct log *log)
{
    for (uint32_t i = 0; i < LOG_THREADS_MAX; i++)
        free(log->threads[i].events);
    free(log->threads);
    free(log->names[0]);
    free(log->names[1]);
    free(log->bytes);
}

static inline bool log_name_is(const struct log *log, uint32_t id, const char *first,
                               const char *second)
{
    if (id == 0 || id > log->n_names[0])
        return false;
    const struct log_name *name = &log->names[0][id];
    return name->first_len == strlen(first) && name->second_len == strlen(second) &&
           memcmp(name->first, first, name->first_len) == 0 &&
           memcmp(name->second, second, name->second_len) == 0;
}

#endif
