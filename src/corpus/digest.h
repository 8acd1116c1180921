/* digest.h: the SHA-256 of a small text, which ids are made of. Any thread. */
#ifndef OT_CORPUS_DIGEST_H
#define OT_CORPUS_DIGEST_H

#include <stddef.h>

#include "base/err.h"

enum { OT_DIGEST_HEX = 64 };

/* Writes lower-case digits and a NUL. OT_ERR_NOMEM. */
int ot_digest(const void *bytes, size_t len, char ret_hex[OT_DIGEST_HEX + 1], struct ot_err *err);

#endif
