/* fuzz_utf8.c: any bytes through base/utf8.h. */
#include "fuzz.h"

#include <string.h>

#include "base/utf8.h"

static size_t encode(uint32_t c, char ret[4])
{
    if (c < 0x80) {
        ret[0] = (char)c;
        return 1;
    }
    size_t len = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = len - 1; i > 0; i--, c >>= 6)
        ret[i] = (char)(0x80 | (c & 0x3f));
    ret[0] = (char)(leads[len] | c);
    return len;
}

/* What is read as a code point is its one encoding; what is none takes one byte. */
static size_t check_next(struct ot_text text, uint32_t *ret_code_point)
{
    uint32_t c = UINT32_MAX;
    size_t len = ot_utf8_next(text, &c);
    OT_FUZZ_CHECK(len >= 1 && len <= text.len);
    OT_FUZZ_CHECK(c <= 0x10ffff && (c < 0xd800 || c > 0xdfff));
    char again[4];
    if (c != OT_UTF8_REPLACEMENT || len != 1)
        OT_FUZZ_CHECK(encode(c, again) == len && memcmp(again, text.bytes, len) == 0);
    *ret_code_point = c;
    return len;
}

static void check_printable(struct ot_text text)
{
    struct ot_str once = {0};
    ot_utf8_add_printable(&once, text);
    struct ot_text printable = {once.bytes, once.len};
    OT_FUZZ_CHECK(!once.failed && ot_utf8_count(printable) == ot_utf8_count(text));

    for (struct ot_text rest = printable; rest.len;) {
        uint32_t c;
        size_t len = check_next(rest, &c);
        OT_FUZZ_CHECK(c != OT_UTF8_REPLACEMENT || len == 3);
        OT_FUZZ_CHECK(c >= 0x20 && (c < 0x7f || c > 0x9f) && c != 0x2028 && c != 0x2029);
        rest = (struct ot_text){rest.bytes + len, rest.len - len};
    }

    struct ot_str twice = {0};
    ot_utf8_add_printable(&twice, printable);
    OT_FUZZ_CHECK(ot_text_same((struct ot_text){twice.bytes, twice.len}, printable));
    ot_str_release(&once);
    ot_str_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct ot_text text = {(const char *)data, len};
    size_t n = 0;
    for (struct ot_text rest = text; rest.len; n++) {
        uint32_t c;
        size_t taken = check_next(rest, &c);
        rest = (struct ot_text){rest.bytes + taken, rest.len - taken};
    }
    OT_FUZZ_CHECK(ot_utf8_count(text) == n);
    check_printable(text);
    return 0;
}
