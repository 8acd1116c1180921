/* oplog.h: the operator log, the file that the built-in writer keeps of one process.
 *
 * Writer and reader share nothing else. docs/formats/oplog.md explains the format to outsiders;
 * whoever changes one of them changes the other and, if old readers would be wrong,
 * OT_OPLOG_VERSION.
 *
 * A file is a header and, from `header_bytes` on, chunks of `chunk_bytes` each, all little-endian.
 * The writer maps what it writes (MAP_SHARED), so whatever it stored is in the file, however the
 * process ends. Nothing is ever half there: a record or a name becomes visible with one store of
 * its first word, after everything else of it, and a word of zero is where nothing is yet.
 *
 * Times are ticks of the clock that the header names, unsigned 64-bit.
 */
#ifndef OT_BASE_OPLOG_H
#define OT_BASE_OPLOG_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OT_OPLOG_SUFFIX ".oplog" /* PID.oplog, PID-2.oplog, ... in the recording's folder */
#define OT_OPLOG_MAGIC  "oplog\r\n\x1a"

enum {
    OT_OPLOG_VERSION = 1,
    OT_OPLOG_HEADER_BYTES = 1 << 16, /* so that chunks can be mapped whatever a page is */
    OT_OPLOG_CHUNK_BYTES = 1 << 16,
};

enum ot_oplog_clock_kind {
    OT_OPLOG_CLOCK_TSC = 1,       /* x86-64's time stamp counter, where it is invariant */
    OT_OPLOG_CLOCK_CNTVCT = 2,    /* aarch64's virtual counter */
    OT_OPLOG_CLOCK_MONOTONIC = 3, /* CLOCK_MONOTONIC: a tick is a nanosecond */
};

/* One moment on three clocks. All zero: none was taken. */
struct ot_oplog_moment {
    uint64_t ticks;
    int64_t monotonic_ns; /* CLOCK_MONOTONIC */
    int64_t realtime_ns;  /* CLOCK_REALTIME, since the epoch */
};

/* What was recorded beside names and times. */
enum ot_oplog_options {
    OT_OPLOG_SEQUENCE = 1 << 0,
    OT_OPLOG_MEMORY = 1 << 1,
    OT_OPLOG_SHAPES = 1 << 2,
    OT_OPLOG_RING = 1 << 3, /* old chunks are used again when the size limit is met */
};

/* Why a process stopped recording before it ended; beside these: an errno of the system. */
enum { OT_OPLOG_STOP_SIZE = 1 << 16 /* the recording's size limit */ };

struct ot_oplog_header {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;
    uint32_t chunk_bytes;
    uint32_t clock;   /* enum ot_oplog_clock_kind */
    uint64_t options; /* enum ot_oplog_options */
    int64_t pid;      /* in the process's own PID namespace, as LTTng's vpid */
    int64_t parent_pid;
    char host_name[72];
    char boot_id[40]; /* /proc/sys/kernel/random/boot_id: files with the same share their clock */
    char torch_version[64];
    struct ot_oplog_moment loaded; /* when the tracer came into the process, before PyTorch */
    struct ot_oplog_moment opened; /* when this file was made */

    /* From here on it changes while the process runs; each is one aligned store. */
    uint64_t n_chunks;    /* handed out so far; the file may end before */
    uint64_t lost_events; /* that found no room; exact */
    uint64_t lost_names;  /* names that found no room: their events carry OT_OPLOG_NO_NAME */
    uint64_t lost_shapes; /* calls whose shapes were not kept */
    uint64_t n_exits_of;  /* records OT_OPLOG_EXIT_OF so far */
    uint32_t stop_reason; /* 0, an errno, or OT_OPLOG_STOP_SIZE */
    uint32_t reserved;
    struct ot_oplog_moment closed; /* when the process ended in an orderly way */
    uint64_t overwritten_events;   /* entries and exits in chunks that a ring has used again */
};
_Static_assert(sizeof(struct ot_oplog_header) <= 4096, "the header fits in the smallest page");

enum ot_oplog_chunk_kind {
    OT_OPLOG_CHUNK_UNUSED = 0, /* what a fresh file has; also while a chunk is made ready again */
    OT_OPLOG_CHUNK_EVENTS = 1,
    OT_OPLOG_CHUNK_NAMES = 2,
};

/* In front of each chunk. Chunks of names are never used again. `generation` counts how often a
 * ring has used the chunk again; who reads a file that is being written copies a chunk and looks
 * whether it is still the same. */
struct ot_oplog_chunk {
    uint32_t kind; /* stored last */
    uint32_t generation;
    uint64_t reserved[7];
};
_Static_assert(sizeof(struct ot_oplog_chunk) == 64, "a cache line");

enum { OT_OPLOG_CHUNK_WORDS = (OT_OPLOG_CHUNK_BYTES - 64) / 8 };

/* --- events -------------------------------------------------------------------------------------
 *
 * Behind the chunk's head lie records of 64-bit words. The first word of each holds
 *
 *     bits  0..39  ticks since the base of time
 *     bits 40..59  id of a name, of shapes, or 0
 *     bits 60..63  enum ot_oplog_record
 *
 * A chunk begins with a SEGMENT, which says whose events follow and sets the base. A thread's
 * segments, in the order of their numbers, are all that it did. A record lies in one chunk. */
enum ot_oplog_record {
    OT_OPLOG_END = 0,     /* nothing yet; the whole word is 0 */
    OT_OPLOG_ENTRY = 1,   /* id: of the name */
    OT_OPLOG_EXIT = 2,    /* id: of the name; ends the newest open entry of that name */
    OT_OPLOG_EXIT_OF = 3, /* 2 more words: thread and ticks of the entry that it ends, wherever that
                             is; for a call that ends out of order or on another thread */
    OT_OPLOG_SEQUENCE_OF = 4,  /* belongs to the entry right before it, has no ticks; 2 more words:
                                  sequence number (signed, autograd's), forward thread (PyTorch's
                                  own number, 0 none) */
    OT_OPLOG_SHAPES_OF = 5,    /* belongs to the entry before it, has no ticks; id: of the shapes */
    OT_OPLOG_MEMORY_EVENT = 6, /* 3 more words: bytes (signed; negative: freed), total allocated
                                  on the device after it (signed), device: type in bits 0..31,
                                  index in bits 32..63, both signed */
    OT_OPLOG_REBASE = 7,  /* 1 more word: the new base of time, in ticks; the first word has none */
    OT_OPLOG_SEGMENT = 8, /* 8 more words: struct ot_oplog_segment; the first word has no ticks */
};

enum { OT_OPLOG_TICK_BITS = 40, OT_OPLOG_ID_BITS = 20 };
enum {
    OT_OPLOG_ID_MAX = (1 << OT_OPLOG_ID_BITS) - 3,        /* ids count up from 1 */
    OT_OPLOG_NO_ANNOTATION = (1 << OT_OPLOG_ID_BITS) - 2, /* an annotation's name that was not kept,
                                                             and */
    OT_OPLOG_NO_NAME = (1 << OT_OPLOG_ID_BITS) - 1        /* an operator's */
};

struct ot_oplog_segment {
    uint32_t thread; /* of the process, from 1, in the order of their first events */
    uint32_t number; /* of the thread's segments, from 0 */
    uint64_t tid;    /* as LTTng's vtid */
    uint64_t base_ticks;
    uint64_t events_before; /* entries and exits of the thread in segments before this one */
    uint32_t open_calls;    /* of the thread when the segment begins */
    uint32_t torch_thread;  /* at::RecordFunction::currentThreadId(), 0 unknown */
    char thread_name[16];   /* comm(5), NUL-terminated if shorter */
    int64_t monotonic_ns;   /* CLOCK_MONOTONIC at base_ticks: one more moment of it, 0 none */
};
_Static_assert(sizeof(struct ot_oplog_segment) == 8 * 8, "SEGMENT has 8 words behind its first");
enum { OT_OPLOG_SEGMENT_WORDS = 1 + sizeof(struct ot_oplog_segment) / 8 };

#define OT_OPLOG_WORD(record, id, ticks)                                                           \
    ((uint64_t)(record) << 60 | (uint64_t)(id) << OT_OPLOG_TICK_BITS | (uint64_t)(ticks))

static inline unsigned ot_oplog_record_of(uint64_t word)
{
    return (unsigned)(word >> 60);
}

static inline uint32_t ot_oplog_id_of(uint64_t word)
{
    return (uint32_t)(word >> OT_OPLOG_TICK_BITS) & ((1u << OT_OPLOG_ID_BITS) - 1);
}

static inline uint64_t ot_oplog_ticks_of(uint64_t word)
{
    return word & ((UINT64_C(1) << OT_OPLOG_TICK_BITS) - 1);
}

/* Words of the record that begins with `word`, its first one included; 0: there is no such record.
 */
static inline size_t ot_oplog_record_words(uint64_t word)
{
    static const unsigned char n_words[16] = {
        [OT_OPLOG_ENTRY] = 1,     [OT_OPLOG_EXIT] = 1,
        [OT_OPLOG_EXIT_OF] = 3,   [OT_OPLOG_SEQUENCE_OF] = 3,
        [OT_OPLOG_SHAPES_OF] = 1, [OT_OPLOG_MEMORY_EVENT] = 4,
        [OT_OPLOG_REBASE] = 2,    [OT_OPLOG_SEGMENT] = OT_OPLOG_SEGMENT_WORDS,
    };
    return n_words[ot_oplog_record_of(word)];
}

/* Entries and exits of a chunk of events that nobody is writing; `words` are all of it. */
static inline uint64_t ot_oplog_count_events(const uint64_t *words)
{
    uint64_t n_events = 0;
    for (size_t at = 0; at < OT_OPLOG_CHUNK_WORDS && ot_oplog_record_words(words[at]) != 0;
         at += ot_oplog_record_words(words[at])) {
        unsigned record = ot_oplog_record_of(words[at]);
        n_events +=
            record == OT_OPLOG_ENTRY || record == OT_OPLOG_EXIT || record == OT_OPLOG_EXIT_OF;
    }
    return n_events;
}

/* `word` is the record's first. */
static inline struct ot_oplog_segment ot_oplog_segment_at(const uint64_t *word)
{
    struct ot_oplog_segment segment;
    memcpy(&segment, word + 1, sizeof(segment));
    return segment;
}

/* --- names --------------------------------------------------------------------------------------
 *
 * Chunks of names hold entries one behind the other, each padded to 8 bytes. Names and shapes have
 * ids of their own, each counting up from 1. */
enum ot_oplog_name_kind {
    OT_OPLOG_NAME_OPERATOR = 1,
    OT_OPLOG_NAME_ANNOTATION = 2, /* a user's scope */
    OT_OPLOG_NAME_SHAPES = 3,     /* `first`: shapes of the inputs, `[[64, 3], []]`; `second`: their
                                     types, `["float", "Scalar"]`; both as torch.profiler has them */
};

enum { OT_OPLOG_NAME_IS_CUT = 1, OT_OPLOG_TEXT_MAX = 1 << 14 /* bytes; longer ones are cut */ };

/* The first 8 bytes are stored last. */
struct ot_oplog_name {
    uint32_t id; /* never 0 */
    uint8_t kind;
    uint8_t flags;
    uint16_t reserved;
    uint32_t first_len;  /* bytes of the name, without NUL */
    uint32_t second_len; /* bytes of the overload name, behind it */
    /* first, second, padding */
};

/* --- beside the logs ----------------------------------------------------------------------------
 *
 * optally.clock, text, written by `record` while it lives: more moments of the same clock.
 *
 *     optally clock 1
 *     boot BOOT-ID
 *     clock KIND                (enum ot_oplog_clock_kind, decimal)
 *     TICKS MONOTONIC_NS REALTIME_NS
 *     ...
 */
#define OT_OPLOG_CLOCK_FILE "optally.clock"

/* optally.budget, only with a size limit: mapped by every process, so that the limit holds for all
 * of them together. */
#define OT_OPLOG_BUDGET_FILE "optally.budget"

struct ot_oplog_budget {
    uint64_t max_chunks;  /* headers of files count as one */
    uint64_t used_chunks; /* atomic: add, look, and give back what is too much */
    uint64_t is_ring;
};

#endif
