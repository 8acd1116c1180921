#include "emit/chrome/mend.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"

static const char replacement[] = "\xef\xbf\xbd";

/* What of a text has been looked at, and what of that has been written. */
struct mending {
    const char *at;
    const char *end;
    const char *unwritten;
    uint64_t n_replaced;
    FILE *out;
};

/* What is inside a string and needs no look. */
static inline bool is_plain(char c)
{
    unsigned char u = (unsigned char)c;
    return u >= 0x20 && u < 0x80 && u != '"' && u != '\\';
}

/* The next `len` bytes become `text`. */
static void replace(struct mending *mending, size_t len, const char *text)
{
    fwrite(mending->unwritten, 1, (size_t)(mending->at - mending->unwritten), mending->out);
    fputs(text, mending->out);
    mending->at += len;
    mending->unwritten = mending->at;
    mending->n_replaced++;
}

/* The four digits behind `\u`, or -1. */
static int unit_at(const char *at, const char *end)
{
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return -1;
    int unit = 0;
    for (int i = 2; i < 6; i++) {
        int c = at[i] | 0x20;
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

static void mend_escape(struct mending *mending)
{
    int unit = unit_at(mending->at, mending->end);
    if (unit < 0xd800 || unit > 0xdfff) {
        mending->at += mending->end - mending->at < 2 ? 1 : 2;
        return;
    }
    int low = unit <= 0xdbff ? unit_at(mending->at + 6, mending->end) : -1;
    if (low >= 0xdc00 && low <= 0xdfff)
        mending->at += 12;
    else
        replace(mending, 6, "\\ufffd");
}

static void mend_byte(struct mending *mending)
{
    struct ot_text rest = {mending->at, (size_t)(mending->end - mending->at)};
    uint32_t code_point;
    size_t len = ot_utf8_next(rest, &code_point);
    bool is_text = code_point >= 0x20 && !(code_point == OT_UTF8_REPLACEMENT && len == 1);
    if (is_text)
        mending->at += len;
    else
        replace(mending, len, replacement);
}

/* From behind a quote to behind the one that ends the string. */
static void mend_string(struct mending *mending)
{
    while (mending->at < mending->end) {
        char c = *mending->at;
        if (is_plain(c)) {
            mending->at++;
        } else if (c == '"') {
            mending->at++;
            return;
        } else if (c == '\\') {
            mend_escape(mending);
        } else {
            mend_byte(mending);
        }
    }
}

uint64_t ot_chrome_write_mended(struct ot_text json, FILE *out)
{
    struct mending mending = {
        .at = json.bytes, .end = json.bytes + json.len, .unwritten = json.bytes, .out = out};
    while (mending.at < mending.end) {
        const char *quote = memchr(mending.at, '"', (size_t)(mending.end - mending.at));
        if (!quote)
            break;
        mending.at = quote + 1;
        mend_string(&mending);
    }
    fwrite(mending.unwritten, 1, (size_t)(mending.end - mending.unwritten), out);
    return mending.n_replaced;
}

/* --- lists ------------------------------------------------------------------------------------ */

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

/* `at` is behind a quote. NULL: no string that can be copied as it is. */
static const char *skip_string(const char *at, const char *end)
{
    while (at < end && *at != '"') {
        bool is_escape = *at == '\\' && end - at > 1 && strchr("\"\\/bfnrt", at[1]) && at[1];
        if (!is_escape && !is_plain(*at))
            return NULL;
        at += is_escape ? 2 : 1;
    }
    return at < end ? at + 1 : NULL;
}

static const char *skip_number(const char *at, const char *end)
{
    at += at < end && *at == '-';
    const char *first = at;
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at == first || (*first == '0' && at - first > 1) ? NULL : at;
}

/* A value that is no list; NULL: it is none. */
static const char *skip_scalar(const char *at, const char *end)
{
    if (at < end && *at == '"')
        return skip_string(at + 1, end);
    return skip_number(at, end);
}

bool ot_chrome_is_list(struct ot_text text)
{
    enum { MAX_DEPTH = 64 };
    const char *at = text.bytes;
    const char *end = at + text.len;
    int depth = 0;
    bool may_close = false; /* right behind a bracket that opens */
    for (;;) {
        at = skip_space(at, end);
        if (at < end && *at == '[' && depth < MAX_DEPTH) {
            depth++;
            may_close = true;
            at++;
            continue;
        }
        bool closes = may_close && at < end && *at == ']';
        if (!closes) {
            at = skip_scalar(at, end);
            if (!at || depth == 0)
                return false;
            at = skip_space(at, end);
        }
        while (at < end && *at == ']' && depth > 0) {
            depth--;
            at = skip_space(at + 1, end);
        }
        if (depth == 0)
            return at == end;
        if (at == end || *at != ',')
            return false;
        at++;
        may_close = false;
    }
}

/* --- strings ---------------------------------------------------------------------------------- */

void ot_chrome_add_string(struct ot_str *str, struct ot_text text)
{
    ot_str_add(str, "\"", 1);
    while (text.len) {
        size_t len = 0;
        while (len < text.len && is_plain(text.bytes[len]) && text.bytes[len] != 0x7f)
            len++;
        if (len) {
            ot_str_add(str, text.bytes, len);
        } else {
            uint32_t code_point;
            len = ot_utf8_next(text, &code_point);
            if (code_point == '"' || code_point == '\\')
                ot_str_addf(str, "\\%c", (char)code_point);
            else if (code_point < 0x20 || code_point == 0x7f)
                ot_str_addf(str, "\\u%04" PRIx32, code_point);
            else if (code_point == OT_UTF8_REPLACEMENT)
                ot_str_add(str, replacement, sizeof(replacement) - 1);
            else
                ot_str_add(str, text.bytes, len);
        }
        text = (struct ot_text){text.bytes + len, text.len - len};
    }
    ot_str_add(str, "\"", 1);
}
