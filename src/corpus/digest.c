#include "corpus/digest.h"

#include <nettle/sha2.h>
#include <stdio.h>

void ot_digest(const void *bytes, size_t len, char ret_hex[OT_DIGEST_HEX + 1])
{
    struct sha256_ctx context;
    unsigned char hash[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    sha256_update(&context, len, bytes);
    sha256_digest(&context, sizeof(hash), hash);
    for (size_t i = 0; i < sizeof(hash); i++)
        snprintf(&ret_hex[2 * i], 3, "%02x", hash[i]);
}
