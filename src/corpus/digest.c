#include "corpus/digest.h"

#include <openssl/evp.h>
#include <stdio.h>

int ot_digest(const void *bytes, size_t len, char ret_hex[OT_DIGEST_HEX + 1], struct ot_err *err)
{
    unsigned char hash[OT_DIGEST_HEX / 2];
    if (EVP_Digest(bytes, len, hash, NULL, EVP_sha256(), NULL) != 1)
        return ot_err_set(err, OT_ERR_NOMEM, "libcrypto cannot hash");
    for (size_t i = 0; i < sizeof(hash); i++)
        snprintf(&ret_hex[2 * i], 3, "%02x", hash[i]);
    return OT_OK;
}
