#include "emit/grid/fit.h"

#include <stdint.h>
#include <wchar.h>

#include "base/utf8.h"

static const char cut_mark[] = "[...]";
enum { CUT_MARK_CELLS = sizeof(cut_mark) - 1 };

static size_t cells_of(uint32_t code_point)
{
    int cells = wcwidth((wchar_t)code_point);
    return cells < 0 ? 1 : (size_t)cells;
}

static size_t next_cells(struct ot_text *text)
{
    uint32_t code_point;
    size_t len = ot_utf8_next(*text, &code_point);
    *text = (struct ot_text){text->bytes + len, text->len - len};
    return cells_of(code_point);
}

size_t ot_fit_cells(struct ot_text text)
{
    size_t cells = 0;
    while (text.len)
        cells += next_cells(&text);
    return cells;
}

/* The first bytes that take at most `width` cells. */
static struct ot_text head_of(struct ot_text text, size_t width)
{
    struct ot_text rest = text;
    size_t taken = 0;
    while (rest.len) {
        struct ot_text before = rest;
        taken += next_cells(&rest);
        if (taken > width)
            return (struct ot_text){text.bytes, text.len - before.len};
    }
    return text;
}

/* The last bytes that take at most `width` cells. A mark that takes no cell of its own goes with
 * the character before it, so it never begins what is kept. */
static struct ot_text tail_of(struct ot_text text, size_t width)
{
    size_t over = ot_fit_cells(text);
    while (text.len && over > width)
        over -= next_cells(&text);
    for (struct ot_text rest = text; rest.len && next_cells(&rest) == 0;)
        text = rest;
    return text;
}

static size_t add_cut(struct ot_str *str, struct ot_text text, size_t width)
{
    if (width <= CUT_MARK_CELLS) {
        struct ot_text head = head_of(text, width);
        ot_str_add_text(str, head);
        return ot_fit_cells(head);
    }
    size_t kept = width - CUT_MARK_CELLS;
    struct ot_text head = head_of(text, kept / 2);
    struct ot_text tail = tail_of(text, kept - kept / 2);
    ot_str_add_text(str, head);
    ot_str_add(str, cut_mark, CUT_MARK_CELLS);
    ot_str_add_text(str, tail);
    return ot_fit_cells(head) + CUT_MARK_CELLS + ot_fit_cells(tail);
}

size_t ot_fit_add(struct ot_str *str, struct ot_text text, size_t width, bool ascii)
{
    struct ot_str printable = {0};
    struct ot_str shown = {0};
    ot_utf8_add_printable(&printable, text);
    struct ot_text all = {ot_str_borrow(&printable), printable.len};
    if (ascii) {
        ot_utf8_add_ascii(&shown, all);
        all = (struct ot_text){ot_str_borrow(&shown), shown.len};
    }
    size_t cells = ot_fit_cells(all);
    if (width == OT_FIT_ANY || cells <= width)
        ot_str_add_text(str, all);
    else
        cells = add_cut(str, all, width);
    str->failed |= printable.failed || shown.failed;
    ot_str_release(&shown);
    ot_str_release(&printable);
    return cells;
}
