/* metadata.h: whether a file `metadata` is whole.
 *
 * libbabeltrace2 2.0.4 never returns from a packetized metadata file that ends inside a packet, so
 * this has to be known before.
 */
#ifndef OT_INGEST_CTF_METADATA_H
#define OT_INGEST_CTF_METADATA_H

#include "base/err.h"

/* `folder` holds the file. OT_ERR_INPUT or OT_ERR_IO with one sentence that names it. */
int ot_ctf_check_metadata(const char *folder, struct ot_err *err);

#endif
