/* cause.h: one sentence out of libbabeltrace2's error. Private to this folder. */
#ifndef OT_INGEST_CTF_CAUSE_H
#define OT_INGEST_CTF_CAUSE_H

#include "base/err.h"

/* Takes the current thread's error, if there is one, and writes its innermost cause and the remedy
 * behind `where`. Returns `code`. */
int ot_ctf_take_cause(struct ot_err *err, int code, const char *where);

#endif
