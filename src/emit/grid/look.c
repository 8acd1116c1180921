#include "emit/grid/look.h"

#include "base/utf8.h"
#include "emit/grid/fit.h"
#include "emit/grid/name.h"

static const char *const begins[] = {
    [OT_STYLE_PLAIN] = "",
    [OT_STYLE_HEAD] = "\033[1m",
    [OT_STYLE_WARM] = "\033[31m",
    [OT_STYLE_HOT] = "\033[1;31m",
    [OT_STYLE_WARNING] = "\033[1;35m",
    [OT_STYLE_ERROR] = "\033[1;31m",
};

const char *ot_look_begin(const struct ot_look *look, enum ot_style style)
{
    return look->color ? begins[style] : "";
}

const char *ot_look_end(const struct ot_look *look, enum ot_style style)
{
    return look->color && style != OT_STYLE_PLAIN ? "\033[m" : "";
}

enum ot_style ot_style_of_share(int64_t part, int64_t whole)
{
    double share = whole > 0 ? (double)part / (double)whole : 0;
    if (share >= 0.25)
        return OT_STYLE_HOT;
    return share >= 0.1 ? OT_STYLE_WARM : OT_STYLE_PLAIN;
}

/* What becomes `?` takes one cell, whatever the locale says of it. */
static bool has_cells(const struct ot_look *look)
{
    return look->is_terminal && !look->ascii;
}

size_t ot_look_cells(const struct ot_look *look, struct ot_text text)
{
    return has_cells(look) ? ot_fit_cells(text) : ot_utf8_count(text);
}

size_t ot_look_add(const struct ot_look *look, struct ot_str *str, struct ot_text text,
                   size_t width)
{
    if (look->is_terminal)
        return ot_fit_add(str, text, width, look->ascii);
    struct ot_str cut = {0};
    ot_name_add(&cut, text, (int64_t)width);
    struct ot_text shown = {ot_str_borrow(&cut), cut.len};
    size_t cells = ot_utf8_count(shown);
    ot_str_add_text(str, shown);
    str->failed |= cut.failed;
    ot_str_release(&cut);
    return cells;
}

void ot_look_write(const struct ot_look *look, struct ot_text text, FILE *out)
{
    if (!look->ascii) {
        fwrite(text.bytes, 1, text.len, out);
        return;
    }
    struct ot_str shown = {0};
    ot_utf8_add_ascii(&shown, text);
    fputs(ot_str_borrow(&shown), out);
    ot_str_release(&shown);
}

static struct ot_text next_word(struct ot_text *words)
{
    const char *blank = memchr(words->bytes, ' ', words->len);
    size_t len = blank ? (size_t)(blank - words->bytes) : words->len;
    struct ot_text word = {words->bytes, len};
    len += blank != NULL;
    *words = (struct ot_text){words->bytes + len, words->len - len};
    return word;
}

/* Behind a label of more than half a line there is no room. */
enum { LONG_LABEL_INDENT = 2 };

void ot_look_write_words(const struct ot_look *look, enum ot_style style, const char *label,
                         struct ot_text words, FILE *out)
{
    size_t column = strlen(label);
    size_t indent = look->width && column > look->width / 2 ? LONG_LABEL_INDENT : column;
    bool is_first = true;
    fprintf(out, "%s%s%s", ot_look_begin(look, style), label, ot_look_end(look, style));
    while (words.len) {
        struct ot_text word = next_word(&words);
        size_t cells = ot_look_cells(look, word);
        if (look->width && column > indent && column + !is_first + cells > look->width) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!is_first) {
            putc(' ', out);
            column++;
        }
        ot_look_write(look, word, out);
        column += cells;
        is_first = false;
    }
    putc('\n', out);
}
