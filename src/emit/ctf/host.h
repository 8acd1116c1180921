/* host.h: the trace of one host: its folder, and what stands in it beside the streams of threads.
 */
#ifndef OT_EMIT_CTF_HOST_H
#define OT_EMIT_CTF_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "emit/ctf/packet.h"

struct ot_ctf_host {
    char *name; /* as the recording has it */
    size_t name_len;
    char *folder;
    size_t n_streams;
    uint64_t first_ns; /* of its events */
    uint64_t last_ns;
    uint64_t n_lost;       /* events, or at least that many */
    bool has_unknown_loss; /* once at least nobody could say how many */
};

/* Makes the folder below `parent`: called as the host, as far as a file may be. */
int ot_ctf_host_init(struct ot_ctf_host *host, const char *parent, struct ot_text name,
                     struct ot_err *err);

/* Adds a packet to stream file PREFIX_NUMBER of the host. OT_ERR_IO: the disk refused. */
int ot_ctf_host_append(const struct ot_ctf_host *host, const char *prefix, size_t number,
                       const struct ot_ctf_packet *packet, struct ot_err *err);

/* Writes the losses, through the buffer `scratch`, and the metadata. */
int ot_ctf_host_finish(struct ot_ctf_host *host, struct ot_ctf_packet *scratch, struct ot_err *err);

void ot_ctf_host_release(struct ot_ctf_host *host);

#endif
