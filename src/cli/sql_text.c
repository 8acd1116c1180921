#include "cli/sql_text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MAX_BYTES = 1 << 20 };

static int read_all(FILE *in, const char *name, struct ot_str *text, struct ot_err *err)
{
    char buffer[8192];
    size_t n;
    errno = 0;
    while ((n = fread(buffer, 1, sizeof(buffer), in)) > 0 && text->len <= MAX_BYTES)
        ot_str_add(text, buffer, n);
    if (ferror(in))
        return ot_err_sys(err, OT_ERR_IO, "%s", name);
    if (text->failed)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for the query");
    if (text->len > MAX_BYTES)
        return ot_err_set(err, OT_ERR_INPUT, "%s: longer than 1 MiB, which no query is", name);
    if (memchr(ot_str_borrow(text), '\0', text->len))
        return ot_err_set(err, OT_ERR_INPUT, "%s: not a text (it has a NUL byte)", name);
    return OT_OK;
}

int ot_sql_text_read(const char *name, struct ot_str *ret_text, struct ot_err *err)
{
    struct ot_str text = {0};
    bool is_stdin = strcmp(name, "-") == 0;
    FILE *in = is_stdin ? stdin : fopen(name, "re");
    if (!in)
        return ot_err_sys(err, OT_ERR_INPUT, "%s", name);
    int code = read_all(in, is_stdin ? "standard input" : name, &text, err);
    if (!is_stdin)
        fclose(in);
    if (code == OT_OK)
        *ret_text = text;
    else
        ot_str_release(&text);
    return code;
}
