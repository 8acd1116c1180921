/* fuzz_oplog.c: any operator log through its reader, and its events through slice/pair.h.
 *
 * A log is mostly zeros, so it is put together from few bytes:
 *
 *     options (1), bytes cut off the end in eights (2), patches of the header (1)
 *     each patch: offset (2), value (1)
 *     chunks, until the bytes end: kind (1), generation (1), words (2), that many words
 *
 * Whatever it is, it is read or refused; read in turn and in order it is the same events; and
 * recovering reads whatever has a header.
 */
#include "fuzz.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/oplog.h"
#include "ingest/oplog/reader.h"
#include "model/backend.h"
#include "slice/pair.h"

enum { MAX_CHUNKS = 24 };

struct input {
    const uint8_t *data;
    size_t len;
};

static uint64_t take(struct input *input, size_t n)
{
    uint64_t value = 0;
    size_t len = n < input->len ? n : input->len;
    memcpy(&value, input->data, len);
    input->data += len;
    input->len -= len;
    return value;
}

/* --- the file ------------------------------------------------------------------------------- */

static void put(int fd, const void *bytes, size_t len, size_t offset)
{
    OT_FUZZ_CHECK(pwrite(fd, bytes, len, (off_t)offset) == (ssize_t)len);
}

static void put_header(int fd, struct input *input, uint8_t options, uint8_t n_patches)
{
    struct ot_oplog_header header = {
        .magic = {'o', 'p', 'l', 'o', 'g', '\r', '\n', 0x1a},
        .version = OT_OPLOG_VERSION,
        .header_bytes = OT_OPLOG_HEADER_BYTES,
        .chunk_bytes = OT_OPLOG_CHUNK_BYTES,
        .clock = options & 0x80 ? OT_OPLOG_CLOCK_TSC : OT_OPLOG_CLOCK_MONOTONIC,
        .options = options & 0x0f,
        .pid = 7,
        .host_name = "node",
        .boot_id = "b",
        .loaded = {1000, 1000, 2000},
        .opened = {2000, 3000, 4000},
    };
    if (options & 0x40)
        header.closed = (struct ot_oplog_moment){1 << 20, 1 << 21, 1 << 21};
    for (; n_patches; n_patches--) {
        size_t offset = take(input, 2) % sizeof(header);
        ((uint8_t *)&header)[offset] = (uint8_t)take(input, 1);
    }
    put(fd, &header, sizeof(header), 0);
}

static int make_log(struct input *input)
{
    int fd = memfd_create("oplog", 0);
    OT_FUZZ_CHECK(fd >= 0);
    uint8_t options = (uint8_t)take(input, 1);
    size_t n_cut = take(input, 2) * 8;
    put_header(fd, input, options, (uint8_t)take(input, 1));
    size_t n_chunks = 0;
    for (; input->len && n_chunks < MAX_CHUNKS; n_chunks++) {
        size_t offset = OT_OPLOG_HEADER_BYTES + n_chunks * OT_OPLOG_CHUNK_BYTES;
        struct ot_oplog_chunk head = {.kind = (uint32_t)take(input, 1),
                                      .generation = (uint32_t)take(input, 1)};
        put(fd, &head, sizeof(head), offset);
        size_t n_words = take(input, 2) % (OT_OPLOG_CHUNK_WORDS + 1);
        size_t len = n_words * 8 < input->len ? n_words * 8 : input->len;
        put(fd, input->data, len, offset + sizeof(head));
        input->data += len;
        input->len -= len;
    }
    size_t n_bytes = OT_OPLOG_HEADER_BYTES + n_chunks * OT_OPLOG_CHUNK_BYTES;
    OT_FUZZ_CHECK(ftruncate(fd, (off_t)(n_bytes - (n_cut < n_bytes ? n_cut : 0))) == 0);
    return fd;
}

/* --- what is read --------------------------------------------------------------------------- */

/* Sums, which no order changes. */
struct sums {
    int code;
    uint64_t n_events;
    uint64_t n_discarded;
    uint64_t n_unclosed;
    uint64_t n_slices;
    uint64_t hash;
};

static uint64_t hash_of(const struct ot_event *event)
{
    uint64_t hash = ot_hash_bytes(event->name.bytes, event->name.len);
    hash = ot_hash_mix(hash ^ (uint64_t)event->ts_ns, event->vtid ^ event->kind);
    return ot_hash_mix(hash, event->ends_exactly ? (uint64_t)event->began_ns : 0);
}

static void take_paired(struct ot_pair *pair, struct sums *sums)
{
    struct ot_paired paired;
    while (ot_pair_next(pair, &paired) == OT_OK) {
        const struct ot_slice *slice = &paired.slice;
        OT_FUZZ_CHECK(slice->dur_ns >= 0 && slice->self_ns >= 0 && slice->self_ns <= slice->dur_ns);
        *(paired.kind == OT_PAIRED_SLICE ? &sums->n_slices : &sums->n_unclosed) += 1;
    }
}

static void take_event(struct ot_pair *pair, const struct ot_event *event, struct sums *sums)
{
    OT_FUZZ_CHECK(event->kind != OT_EVENT_SLICE && event->kind != OT_EVENT_OTHER);
    if (event->kind == OT_EVENT_DISCARDED) {
        OT_FUZZ_CHECK(event->n_discarded > 0);
        sums->n_discarded += event->n_discarded;
    } else {
        OT_FUZZ_CHECK(event->backend >= 0 && event->backend < OT_BACKEND_COUNT);
        sums->n_events++;
        sums->hash += hash_of(event);
    }
    if (event->kind == OT_EVENT_MEMORY)
        return;
    OT_FUZZ_CHECK(ot_pair_feed(pair, event, NULL) == OT_OK);
    take_paired(pair, sums);
}

static struct sums read_log(const char *path, const struct ot_reader_opts *opts)
{
    struct sums sums = {0};
    struct ot_names names = {0};
    struct ot_pair *pair = ot_pair_new(&names);
    struct ot_reader *reader = NULL;
    struct ot_event event;
    struct ot_err err = {""};
    OT_FUZZ_CHECK(pair);
    sums.code = ot_oplog_reader.open(&path, 1, opts, &reader, &err);
    while (sums.code == OT_OK) {
        sums.code = ot_oplog_reader.next(reader, &event, &err);
        if (sums.code == OT_OK)
            take_event(pair, &event, &sums);
    }
    ot_pair_end(pair);
    take_paired(pair, &sums);
    OT_FUZZ_CHECK(sums.code >= 0 || err.msg[0] != '\0');
    ot_oplog_reader.close(reader);
    ot_pair_free(pair);
    ot_names_release(&names);
    return sums;
}

static bool are_same(const struct sums *a, const struct sums *b)
{
    return a->n_events == b->n_events && a->n_discarded == b->n_discarded && a->hash == b->hash &&
           a->n_slices == b->n_slices && a->n_unclosed == b->n_unclosed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const struct ot_reader_opts in_turn = {0};
    static const struct ot_reader_opts in_order = {.in_order = true, .want_text = true};
    static const struct ot_reader_opts recover = {.recover = true, .in_order = true};
    struct input input = {data, len};
    int fd = make_log(&input);
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    struct sums whole = read_log(path, &in_turn);
    struct sums ordered = read_log(path, &in_order);
    struct sums recovered = read_log(path, &recover);
    close(fd);
    OT_FUZZ_CHECK((whole.code == OT_END) == (ordered.code == OT_END));
    OT_FUZZ_CHECK(recovered.code != OT_ERR_DAMAGED && recovered.code != OT_ERR_IO);
    if (whole.code == OT_END)
        OT_FUZZ_CHECK(are_same(&whole, &ordered) && are_same(&whole, &recovered));
    return 0;
}
