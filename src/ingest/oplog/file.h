/* file.h: one operator log (base/oplog.h), also while its process is writing it.
 *
 * Only ever copied from, never mapped: a file that somebody cuts short must not be a SIGBUS. No
 * descriptor is kept, so that a recording may have more logs than a process may have descriptors;
 * a file that was put in the place of the one that was opened is noticed. One thread.
 */
#ifndef OT_INGEST_OPLOG_FILE_H
#define OT_INGEST_OPLOG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/oplog.h"

struct ot_oplog_file {
    char *path;
    struct ot_oplog_header header; /* as of the last look; its texts may lack a NUL */
    uint64_t n_bytes;              /* of the file, likewise */
    dev_t device;
    ino_t inode;
};

/* A chunk, or some words of one. One that was allocated shorter will do for fewer words. */
struct ot_oplog_buffer {
    size_t n_words; /* that were copied */
    struct ot_oplog_chunk head;
    uint64_t words[OT_OPLOG_CHUNK_WORDS];
};

/* True for a regular file that begins as a log of any version. */
bool ot_oplog_is_log(const char *path);

/* Opens, reads the header and checks it. OT_ERR_INPUT: no log, or one of another version, with one
 * sentence that names the file. A zeroed struct may be closed. */
int ot_oplog_file_open(struct ot_oplog_file *file, const char *path, struct ot_err *err);

/* Reads the header and the size again. OT_ERR_IO: the file is gone, or is another one. */
int ot_oplog_file_look(struct ot_oplog_file *file, struct ot_err *err);

/* Chunks of which at least the head is there, as of the last look. */
uint64_t ot_oplog_file_chunks(const struct ot_oplog_file *file);

/* True for a last chunk that is there in part. */
bool ot_oplog_file_is_cut(const struct ot_oplog_file *file);

/* Copies words [from, from + n) of chunk `number`, or as many as there are, to the start of
 * ret->words. A chunk that is unused, not there or was made ready for other use meanwhile has kind
 * OT_OPLOG_CHUNK_UNUSED and no words; so has every chunk of a log that was removed. */
int ot_oplog_file_read(const struct ot_oplog_file *file, uint64_t number, size_t from, size_t n,
                       struct ot_oplog_buffer *ret, struct ot_err *err);

/* The head of a chunk alone. */
int ot_oplog_file_head(const struct ot_oplog_file *file, uint64_t number,
                       struct ot_oplog_chunk *ret, struct ot_err *err);

/* Takes a zeroed one, too. */
void ot_oplog_file_close(struct ot_oplog_file *file);

#endif
