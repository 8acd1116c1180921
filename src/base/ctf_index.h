/* ctf_index.h: the packet index that LTTng writes beside each stream file (index/NAME.idx).
 *
 * The recorder trusts it to find the end of the last whole packet, the reader checks it, because
 * libbabeltrace2 2.0 believes it and aborts on one that points beyond its stream.
 */
#ifndef OT_BASE_CTF_INDEX_H
#define OT_BASE_CTF_INDEX_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ot_ctf_index {
    FILE *file;
    uint32_t entry_bytes;
};

/* The name of the stream file that belongs to an index: "DIR/NAME" for "DIR/index/NAME.idx". False
 * if `index_path` is no such path, or too long for `size`. */
bool ot_ctf_index_stream(const char *index_path, char *ret_stream, size_t size);

/* False if the file cannot be read or is no index. */
bool ot_ctf_index_open(struct ot_ctf_index *index, const char *path);

/* The next packet: its first byte and the one after its last, UINT64_MAX for a nonsensical size.
 * False after the last. */
bool ot_ctf_index_next(struct ot_ctf_index *index, uint64_t *ret_begin, uint64_t *ret_end);

void ot_ctf_index_close(struct ot_ctf_index *index);

#endif
