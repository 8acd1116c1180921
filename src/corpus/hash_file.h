/* hash_file.h: the SHA-256 of a file of any size. */
#ifndef OT_CORPUS_HASH_FILE_H
#define OT_CORPUS_HASH_FILE_H

#include <stdint.h>

#include "base/err.h"
#include "corpus/corpus.h"
#include "store/store.h"

/* OT_ERR_IO: errno and the message say why. */
int ot_hash_file(const struct ot_store_api *store, const char *path,
                 char ret_hex[OT_CORPUS_ID_BYTES], uint64_t *ret_bytes, struct ot_err *err);

/* Whether all the files of a session's tables are what their manifest says. OT_OK, or the first
 * that is not: OT_ERR_DAMAGED, OT_ERR_IO. */
int ot_hash_check_tables(const struct ot_store_api *store, const struct ot_corpus_session *session,
                         struct ot_err *err);

#endif
