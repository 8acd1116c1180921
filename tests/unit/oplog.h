/* oplog.h: writes operator logs (base/oplog.h) for tests, word by word.
 *
 * A log is built in memory: chunks are begun, and what is added goes into the newest one. Nothing
 * is checked, so that logs which cannot be can be made, too. Needs no test framework, so that the
 * fuzz target and the generator use it. */
#ifndef OT_TESTS_UNIT_OPLOG_H
#define OT_TESTS_UNIT_OPLOG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/oplog.h"

struct oplog {
    unsigned char *bytes; /* the whole file */
    size_t n_chunks;
    size_t at;     /* word of the newest chunk that comes next */
    uint64_t base; /* of its ticks */
};

static inline struct ot_oplog_header *oplog_header(struct oplog *log)
{
    return (struct ot_oplog_header *)log->bytes;
}

static inline struct ot_oplog_chunk *oplog_chunk(struct oplog *log, size_t number)
{
    return (struct ot_oplog_chunk *)(log->bytes + OT_OPLOG_HEADER_BYTES +
                                     number * OT_OPLOG_CHUNK_BYTES);
}

static inline uint64_t *oplog_words(struct oplog *log, size_t number)
{
    return (uint64_t *)(oplog_chunk(log, number) + 1);
}

static inline size_t oplog_bytes(const struct oplog *log)
{
    return OT_OPLOG_HEADER_BYTES + log->n_chunks * OT_OPLOG_CHUNK_BYTES;
}

static inline void oplog_resize(struct oplog *log, size_t n_chunks)
{
    size_t before = log->bytes ? oplog_bytes(log) : 0;
    log->n_chunks = n_chunks;
    log->bytes = realloc(log->bytes, oplog_bytes(log));
    if (!log->bytes)
        abort();
    if (oplog_bytes(log) > before)
        memset(log->bytes + before, 0, oplog_bytes(log) - before);
    oplog_header(log)->n_chunks = n_chunks;
}

/* Process 7 on host `node`, whose ticks are nanoseconds of CLOCK_MONOTONIC; it began 1 s after the
 * boot, which was 1000 s after the epoch. */
static inline void oplog_begin(struct oplog *log)
{
    *log = (struct oplog){0};
    oplog_resize(log, 0);
    *oplog_header(log) = (struct ot_oplog_header){
        .version = OT_OPLOG_VERSION,
        .header_bytes = OT_OPLOG_HEADER_BYTES,
        .chunk_bytes = OT_OPLOG_CHUNK_BYTES,
        .clock = OT_OPLOG_CLOCK_MONOTONIC,
        .pid = 7,
        .parent_pid = 1,
        .host_name = "node",
        .boot_id = "00000000-0000-4000-8000-000000000001",
        .torch_version = "2.13.0",
        .loaded = {1000000000, 1000000000, 1001000000000},
        .opened = {1000000000, 1000000000, 1001000000000},
    };
    memcpy(oplog_header(log)->magic, OT_OPLOG_MAGIC, 8);
}

static inline void oplog_begin_chunk(struct oplog *log, uint32_t kind)
{
    oplog_resize(log, log->n_chunks + 1);
    oplog_chunk(log, log->n_chunks - 1)->kind = kind;
    log->at = 0;
}

static inline void oplog_word(struct oplog *log, uint64_t word)
{
    if (log->at == OT_OPLOG_CHUNK_WORDS)
        abort();
    oplog_words(log, log->n_chunks - 1)[log->at++] = word;
}

static inline size_t oplog_room(const struct oplog *log)
{
    return OT_OPLOG_CHUNK_WORDS - log->at;
}

static inline void oplog_record(struct oplog *log, unsigned record, uint32_t id, uint64_t ticks)
{
    oplog_word(log, OT_OPLOG_WORD(record, id, ticks ? ticks - log->base : 0));
}

static inline void oplog_segment(struct oplog *log, const struct ot_oplog_segment *segment)
{
    uint64_t words[sizeof(*segment) / 8];
    memcpy(words, segment, sizeof(*segment));
    oplog_word(log, OT_OPLOG_WORD(OT_OPLOG_SEGMENT, 0, 0));
    for (size_t i = 0; i < sizeof(words) / 8; i++)
        oplog_word(log, words[i]);
    log->base = segment->base_ticks;
}

/* A chunk that begins with this segment of thread `thread`, whose tid is 100 more. */
static inline void oplog_begin_events(struct oplog *log, uint32_t thread, uint32_t number,
                                      uint64_t base, uint64_t events_before)
{
    oplog_begin_chunk(log, OT_OPLOG_CHUNK_EVENTS);
    oplog_segment(log, &(struct ot_oplog_segment){.thread = thread,
                                                  .number = number,
                                                  .tid = 100 + thread,
                                                  .base_ticks = base,
                                                  .events_before = events_before,
                                                  .torch_thread = thread});
}

static inline void oplog_entry(struct oplog *log, uint32_t id, uint64_t ticks)
{
    oplog_record(log, OT_OPLOG_ENTRY, id, ticks);
}

static inline void oplog_exit(struct oplog *log, uint32_t id, uint64_t ticks)
{
    oplog_record(log, OT_OPLOG_EXIT, id, ticks);
}

static inline void oplog_exit_of(struct oplog *log, uint32_t id, uint64_t ticks, uint32_t thread,
                                 uint64_t began)
{
    oplog_record(log, OT_OPLOG_EXIT_OF, id, ticks);
    oplog_word(log, thread);
    oplog_word(log, began);
}

static inline void oplog_sequence(struct oplog *log, int64_t sequence, uint64_t forward_thread)
{
    oplog_record(log, OT_OPLOG_SEQUENCE_OF, 0, 0);
    oplog_word(log, (uint64_t)sequence);
    oplog_word(log, forward_thread);
}

static inline void oplog_memory(struct oplog *log, uint64_t ticks, int64_t bytes, int64_t total)
{
    oplog_record(log, OT_OPLOG_MEMORY_EVENT, 0, ticks);
    oplog_word(log, (uint64_t)bytes);
    oplog_word(log, (uint64_t)total);
    oplog_word(log, (uint64_t)UINT32_MAX << 32); /* CPU, index -1 */
}

static inline void oplog_flagged_name(struct oplog *log, uint32_t id, uint8_t kind, uint8_t flags,
                                      const char *first, const char *second)
{
    struct ot_oplog_name name = {.id = id,
                                 .kind = kind,
                                 .flags = flags,
                                 .first_len = (uint32_t)strlen(first),
                                 .second_len = (uint32_t)strlen(second)};
    size_t n_words = (sizeof(name) + name.first_len + name.second_len + 7) / 8;
    if (n_words > oplog_room(log))
        abort();
    char *at = (char *)(oplog_words(log, log->n_chunks - 1) + log->at);
    memcpy(at, &name, sizeof(name));
    memcpy(at + sizeof(name), first, name.first_len);
    memcpy(at + sizeof(name) + name.first_len, second, name.second_len);
    log->at += n_words;
}

static inline void oplog_name(struct oplog *log, uint32_t id, uint8_t kind, const char *first,
                              const char *second)
{
    oplog_flagged_name(log, id, kind, 0, first, second);
}

/* 1 aten::add.Tensor, 2 aten::abs, 3 the annotation `step`, 4 aten::mul; shapes 1. */
static inline void oplog_usual_names(struct oplog *log)
{
    oplog_begin_chunk(log, OT_OPLOG_CHUNK_NAMES);
    oplog_name(log, 1, OT_OPLOG_NAME_OPERATOR, "aten::add", "Tensor");
    oplog_name(log, 2, OT_OPLOG_NAME_OPERATOR, "aten::abs", "");
    oplog_name(log, 3, OT_OPLOG_NAME_ANNOTATION, "step", "");
    oplog_name(log, 4, OT_OPLOG_NAME_OPERATOR, "aten::mul", "default");
    oplog_name(log, 1, OT_OPLOG_NAME_SHAPES, "[[64, 3], []]", "[\"float\", \"Scalar\"]");
}

/* Writes `len` bytes of it, and drops it. */
static inline void oplog_write_part(struct oplog *log, const char *path, size_t len)
{
    FILE *file = fopen(path, "w");
    if (!file || fwrite(log->bytes, 1, len, file) != len || fclose(file) != 0)
        abort();
    free(log->bytes);
    *log = (struct oplog){0};
}

static inline void oplog_write(struct oplog *log, const char *path)
{
    oplog_write_part(log, path, oplog_bytes(log));
}

#endif
