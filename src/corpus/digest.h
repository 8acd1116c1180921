/* digest.h: the SHA-256 of a small text, which ids are made of. Any thread.
 *
 * By nettle, since loading libcrypto, which hashes traces in the store's module, takes longer than
 * all else that the command does to start.
 */
#ifndef OT_CORPUS_DIGEST_H
#define OT_CORPUS_DIGEST_H

#include <stddef.h>

enum { OT_DIGEST_HEX = 64 };

/* Writes lower-case digits and a NUL. */
void ot_digest(const void *bytes, size_t len, char ret_hex[OT_DIGEST_HEX + 1]);

#endif
