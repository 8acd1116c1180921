/* metadata.h: what describes the streams of packet.h to whoever reads them (CTF 1.8, TSDL). */
#ifndef OT_EMIT_CTF_METADATA_H
#define OT_EMIT_CTF_METADATA_H

#include "base/str.h"
#include "base/text.h"

/* Adds the whole text. `host` may be empty: not known. */
void ot_ctf_add_metadata(struct ot_str *str, struct ot_text host);

#endif
