/* make_oplog.c: writes an operator log of any size: PATH [EVENTS [THREADS]].
 *
 * Calls of 40 operators, nested up to three deep, as a training loop has them. The ticks are those
 * of a counter of 2.4 GHz. */
#include "../unit/oplog.h"

enum { N_NAMES = 40, TICKS_APART = 1000 };

struct writer {
    struct oplog log; /* the header, and one chunk at a time behind it */
    FILE *file;
    uint64_t n_chunks;
};

static void flush(struct writer *writer)
{
    size_t len = OT_OPLOG_CHUNK_BYTES;
    if (fwrite(oplog_chunk(&writer->log, 0), 1, len, writer->file) != len)
        exit(1);
    writer->n_chunks++;
    oplog_resize(&writer->log, 0);
}

static struct ot_oplog_moment moment_of(uint64_t ticks)
{
    int64_t ns = (int64_t)(ticks / 12 * 5);
    return (struct ot_oplog_moment){ticks, ns, ns + INT64_C(1700000000) * 1000000000};
}

static void write_names(struct writer *writer)
{
    oplog_begin_chunk(&writer->log, OT_OPLOG_CHUNK_NAMES);
    for (uint32_t i = 1; i <= N_NAMES; i++) {
        char name[32];
        snprintf(name, sizeof(name), "aten::op_%u", i);
        oplog_name(&writer->log, i, OT_OPLOG_NAME_OPERATOR, name, i % 3 ? "" : "Tensor");
    }
    flush(writer);
}

/* Entries and exits in turn down and up again, like ((()())()). */
static uint64_t write_thread(struct writer *writer, uint32_t thread, uint64_t n_events,
                             uint64_t ticks)
{
    static const signed char steps[] = {1, 1, 1, -1, 1, -1, -1, 1, -1, -1};
    uint32_t open[4];
    unsigned depth = 0;
    uint32_t next_name = thread;
    uint32_t number = 0;
    struct oplog *log = &writer->log;
    for (uint64_t i = 0; i < n_events; i++) {
        if (log->n_chunks && oplog_room(log) == 0)
            flush(writer);
        if (log->n_chunks == 0) {
            oplog_begin_events(log, thread, number++, ticks, i);
            struct ot_oplog_segment *segment = (struct ot_oplog_segment *)(oplog_words(log, 0) + 1);
            segment->open_calls = depth;
            segment->monotonic_ns = moment_of(ticks).monotonic_ns;
        }
        ticks += TICKS_APART;
        if (steps[i % sizeof(steps)] > 0) {
            open[depth] = next_name++ * 7 % N_NAMES + 1;
            oplog_entry(log, open[depth++], ticks);
        } else {
            oplog_exit(log, open[--depth], ticks);
        }
    }
    flush(writer);
    return ticks;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    uint64_t n_events = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000000;
    uint32_t n_threads = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 3;
    struct writer writer = {.file = fopen(argv[1], "w")};
    if (!writer.file || n_threads == 0)
        return 1;
    oplog_begin(&writer.log);
    struct ot_oplog_header header = *oplog_header(&writer.log);
    header.clock = OT_OPLOG_CLOCK_TSC;
    header.loaded = header.opened = moment_of(2400000000);
    if (fwrite(writer.log.bytes, 1, OT_OPLOG_HEADER_BYTES, writer.file) != OT_OPLOG_HEADER_BYTES)
        return 1;
    write_names(&writer);
    uint64_t last = 0;
    for (uint32_t t = 1; t <= n_threads; t++)
        last = write_thread(&writer, t, n_events / n_threads / 10 * 10, 2400000000);
    header.closed = moment_of(last);
    header.n_chunks = writer.n_chunks;
    rewind(writer.file);
    if (fwrite(&header, 1, sizeof(header), writer.file) != sizeof(header) ||
        fclose(writer.file) != 0)
        return 1;
    free(writer.log.bytes);
    return 0;
}
