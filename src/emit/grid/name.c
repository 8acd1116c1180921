#include "emit/grid/name.h"

#include "base/utf8.h"

static const char cut_mark[] = "[...]";
enum { CUT_MARK_LEN = sizeof(cut_mark) - 1 };

/* The byte where code point number `n` starts. */
static size_t offset_of(struct ot_text text, size_t n)
{
    size_t offset = 0;
    while (n-- && offset < text.len) {
        uint32_t code_point;
        offset +=
            ot_utf8_next((struct ot_text){text.bytes + offset, text.len - offset}, &code_point);
    }
    return offset;
}

static void add_cut(struct ot_str *str, struct ot_text text, size_t len, size_t max_size)
{
    if (max_size <= CUT_MARK_LEN) {
        ot_str_add(str, cut_mark, max_size);
        return;
    }
    size_t kept = max_size - CUT_MARK_LEN;
    size_t head = kept / 2;
    size_t tail = kept - head;
    size_t tail_offset = offset_of(text, len - tail);
    ot_str_add(str, text.bytes, offset_of(text, head));
    ot_str_add(str, cut_mark, CUT_MARK_LEN);
    ot_str_add(str, text.bytes + tail_offset, text.len - tail_offset);
}

void ot_name_add(struct ot_str *str, struct ot_text name, int64_t max_size)
{
    struct ot_str printable = {0};
    ot_utf8_add_printable(&printable, name);
    struct ot_text text = {ot_str_borrow(&printable), printable.len};
    size_t len = ot_utf8_count(text);
    if (max_size < 0 || (uint64_t)max_size >= len)
        ot_str_add_text(str, text);
    else
        add_cut(str, text, len, (size_t)max_size);
    str->failed |= printable.failed;
    ot_str_release(&printable);
}
