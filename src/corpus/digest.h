/* digest.h: the SHA-256 of a small file that is in memory (FIPS 180-4).
 *
 * The ids of commits, runs and sessions come from here, so that looking at a store needs no module.
 * What can be large is hashed by the store's module, which uses the processor's instructions.
 */
#ifndef OT_CORPUS_DIGEST_H
#define OT_CORPUS_DIGEST_H

#include <stddef.h>

enum { OT_DIGEST_HEX = 64 };

/* Writes lower-case digits and a NUL. */
void ot_digest(const void *bytes, size_t len, char ret_hex[OT_DIGEST_HEX + 1]);

#endif
