/* sha256.h: the hash that names an artifact; see store.h. */
#ifndef OT_STORE_SHA256_H
#define OT_STORE_SHA256_H

#include "store/store.h"

struct ot_sha256 *ot_sha256_new(void);
void ot_sha256_add(struct ot_sha256 *sha256, const void *bytes, size_t len);
void ot_sha256_end(struct ot_sha256 *sha256, char ret_hex[OT_STORE_SHA256_HEX + 1]);
void ot_sha256_free(struct ot_sha256 *sha256);

#endif
