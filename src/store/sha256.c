#include "store/sha256.h"

#include <openssl/evp.h>
#include <stdlib.h>

struct ot_sha256 {
    EVP_MD_CTX *context;
};

struct ot_sha256 *ot_sha256_new(void)
{
    struct ot_sha256 *sha256 = calloc(1, sizeof(*sha256));
    if (!sha256)
        return NULL;
    sha256->context = EVP_MD_CTX_new();
    if (!sha256->context || EVP_DigestInit_ex(sha256->context, EVP_sha256(), NULL) != 1) {
        ot_sha256_free(sha256);
        return NULL;
    }
    return sha256;
}

void ot_sha256_add(struct ot_sha256 *sha256, const void *bytes, size_t len)
{
    EVP_DigestUpdate(sha256->context, bytes, len);
}

void ot_sha256_end(struct ot_sha256 *sha256, char ret_hex[OT_STORE_SHA256_HEX + 1])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char hash[OT_STORE_SHA256_HEX / 2] = {0};
    EVP_DigestFinal_ex(sha256->context, hash, NULL);
    for (size_t i = 0; i < sizeof(hash); i++) {
        ret_hex[2 * i] = digits[hash[i] >> 4];
        ret_hex[2 * i + 1] = digits[hash[i] & 15];
    }
    ret_hex[OT_STORE_SHA256_HEX] = '\0';
}

void ot_sha256_free(struct ot_sha256 *sha256)
{
    if (!sha256)
        return;
    EVP_MD_CTX_free(sha256->context);
    free(sha256);
}
