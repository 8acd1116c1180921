/* artifact_check.h: whether an artifact of the store has the hash that names it. */
#ifndef OT_CLI_ARTIFACT_CHECK_H
#define OT_CLI_ARTIFACT_CHECK_H

#include "base/err.h"
#include "corpus/corpus.h"
#include "store/store.h"

/* Reads all of it, unpacked if it was packed when it was imported. OT_ERR_DAMAGED, OT_ERR_INPUT,
 * OT_ERR_IO: it has not, or cannot be read; `err` names it. */
int ot_artifact_check(const struct ot_store_api *store, const struct ot_corpus_session *session,
                      struct ot_err *err);

#endif
