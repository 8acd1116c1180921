/* ctf_trim.h: makes a trace readable whose last packets did not fit on the disk.
 *
 * A reader rejects a stream file that ends within a packet. LTTng writes a packet's entry into the
 * stream's index (index/NAME.idx) after the packet itself, so the end of the last packet that is
 * indexed and there is where the file is whole.
 */
#ifndef OT_CAPTURE_CTF_TRIM_H
#define OT_CAPTURE_CTF_TRIM_H

#include <stdint.h>

#include "base/err.h"

/* Cuts every indexed stream file below `dir`. *ret_bytes is how much was cut. OT_ERR_INPUT: the
 * metadata did not get onto the disk, so nothing of the trace can be read. */
int ot_ctf_trim(const char *dir, uint64_t *ret_bytes, struct ot_err *err);

#endif
