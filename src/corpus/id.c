#include <string.h>

#include "base/str.h"
#include "corpus/corpus.h"
#include "corpus/digest.h"

/* Of a text that is released. */
static int hash_text(struct ot_str *text, char ret_id[OT_CORPUS_ID_BYTES], struct ot_err *err)
{
    int code = text->failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for an id") : OT_OK;
    if (code == OT_OK)
        ot_digest(ot_str_borrow(text), text->len, ret_id);
    ot_str_release(text);
    return code;
}

int ot_corpus_session_id(const char *artifact, const char *extractor, bool recovered,
                         char ret_id[OT_CORPUS_ID_BYTES], struct ot_err *err)
{
    struct ot_str text = {0};
    ot_str_addf(&text, "%s\n%s\n%s\n", artifact, extractor, recovered ? "recovered" : "whole");
    return hash_text(&text, ret_id, err);
}

int ot_corpus_run_id(const struct ot_corpus_session *sessions, size_t n_sessions,
                     char ret_id[OT_CORPUS_ID_BYTES], struct ot_err *err)
{
    struct ot_str text = {0};
    for (size_t i = 0; i < n_sessions; i++)
        ot_str_addf(&text, "%s\n", sessions[i].id);
    return hash_text(&text, ret_id, err);
}

bool ot_corpus_is_prefix(const char *text)
{
    size_t len = strspn(text, "0123456789abcdef");
    return len >= OT_CORPUS_MIN_PREFIX && len <= OT_STORE_SHA256_HEX && text[len] == '\0';
}
