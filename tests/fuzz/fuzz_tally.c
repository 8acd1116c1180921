/* fuzz_tally.c: slices with any names and times through stats/ and emit/tally/.
 *
 * Three bytes choose the format and the view. Then each slice is a byte of flags and thread, a byte
 * for the length of its name, the name, and eight bytes of duration.
 */
#include "fuzz.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"
#include "emit/tally/tally.h"

struct input {
    const uint8_t *data;
    size_t len;
};

static const uint8_t *take(struct input *input, size_t len)
{
    if (input->len < len)
        return NULL;
    input->data += len;
    input->len -= len;
    return input->data - len;
}

/* --- is it JSON? (RFC 8259) ---------------------------------------------------------------- */

static const char *skip_value(const char *at);

static const char *skip_string(const char *at)
{
    OT_FUZZ_CHECK(*at == '"');
    for (at++; *at != '"'; at++) {
        OT_FUZZ_CHECK((unsigned char)*at >= 0x20);
        if (*at != '\\')
            continue;
        at++;
        OT_FUZZ_CHECK(*at && strchr("\"\\/bfnrtu", *at));
        for (int i = 0; *at == 'u' && i < 4; i++)
            OT_FUZZ_CHECK(isxdigit((unsigned char)at[1 + i]));
    }
    return at + 1;
}

static const char *skip_number(const char *at)
{
    at += *at == '-';
    size_t n_whole = strspn(at, "0123456789");
    OT_FUZZ_CHECK(n_whole == 1 || (n_whole > 1 && *at != '0'));
    at += n_whole;
    if (*at == '.') {
        size_t n_decimals = strspn(at + 1, "0123456789");
        OT_FUZZ_CHECK(n_decimals > 0);
        at += 1 + n_decimals;
    }
    return at;
}

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *skip_members(const char *at, char close)
{
    at = skip_space(at + 1);
    if (*at == close)
        return at + 1;
    for (;; at++) {
        if (close == '}') {
            at = skip_space(skip_string(skip_space(at)));
            OT_FUZZ_CHECK(*at == ':');
            at++;
        }
        at = skip_space(skip_value(skip_space(at)));
        if (*at == close)
            return at + 1;
        OT_FUZZ_CHECK(*at == ',');
    }
}

static const char *skip_value(const char *at)
{
    static const char *const words[] = {"null", "true", "false"};
    for (size_t i = 0; i < 3; i++) {
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    }
    switch (*at) {
    case '{':
        return skip_members(at, '}');
    case '[':
        return skip_members(at, ']');
    case '"':
        return skip_string(at);
    default:
        return skip_number(at);
    }
}

/* --- what was written ----------------------------------------------------------------------- */

static void check_text(struct ot_text text)
{
    OT_FUZZ_CHECK(text.len == 0 || text.bytes[text.len - 1] == '\n');
    OT_FUZZ_CHECK(strlen(text.bytes) == text.len);
    for (struct ot_text rest = text; rest.len;) {
        uint32_t c;
        size_t len = ot_utf8_next(rest, &c);
        OT_FUZZ_CHECK(c != OT_UTF8_REPLACEMENT || len == 3);
        OT_FUZZ_CHECK(c >= 0x20 || c == '\n');
        rest = (struct ot_text){rest.bytes + len, rest.len - len};
    }
}

/* RFC 4180, with the bytes of names as they are: every record has the fields of the first. */
static void check_csv(struct ot_text text)
{
    size_t n_columns = 0;
    size_t n_fields = 0;
    for (size_t at = 0; at < text.len; at++) {
        n_fields++;
        if (text.bytes[at] == '"') {
            for (at++; text.bytes[at] != '"' || text.bytes[at + 1] == '"'; at++) {
                at += text.bytes[at] == '"';
                OT_FUZZ_CHECK(at < text.len);
            }
            at++;
        }
        while (text.bytes[at] != ',' && text.bytes[at] != '\r') {
            OT_FUZZ_CHECK(at < text.len && text.bytes[at] != '"' && text.bytes[at] != '\n');
            at++;
        }
        if (text.bytes[at] == ',')
            continue;
        at++;
        OT_FUZZ_CHECK(text.bytes[at] == '\n');
        n_columns = n_columns ? n_columns : n_fields;
        OT_FUZZ_CHECK(n_fields == n_columns);
        n_fields = 0;
    }
    OT_FUZZ_CHECK(n_columns > 1 && n_fields == 0);
}

static void check_written(const struct ot_population *pop, const struct ot_tally_opts *opts)
{
    char *bytes = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&bytes, &len);
    FILE *diag = fopen("/dev/null", "w");
    OT_FUZZ_CHECK(out && diag);
    struct ot_err err;
    OT_FUZZ_CHECK(ot_tally_write(pop, opts, out, diag, &err) == OT_OK);
    fclose(diag);
    fclose(out);
    if (opts->format == OT_TALLY_CSV)
        check_csv((struct ot_text){bytes, len});
    else
        check_text((struct ot_text){bytes, len});
    if (opts->format == OT_TALLY_JSON)
        OT_FUZZ_CHECK(*skip_space(skip_value(skip_space(bytes))) == '\0');
    free(bytes);
}

static void check_view(const struct ot_population *pop, const struct ot_view_opts *opts)
{
    uint64_t n_calls = 0;
    uint64_t n_errors = 0;
    for (size_t i = 0; i < pop->n_rows; i++) {
        n_calls += pop->rows[i].totals.n_calls;
        n_errors += pop->rows[i].totals.n_errors;
    }

    struct ot_view view = {0};
    OT_FUZZ_CHECK(ot_view_build(&view, pop, opts, NULL) == OT_OK);
    for (int i = 0; i < OT_BACKEND_COUNT; i++)
        n_calls -= view.left_out[i];
    for (size_t t = 0; t < view.n_tables; t++) {
        const struct ot_view_table *table = &view.tables[t];
        n_calls -= table->totals.n_calls;
        n_errors -= table->totals.n_errors;
        OT_FUZZ_CHECK(table->n_shown <= table->n_rows);
        for (size_t r = 0; r < table->n_rows; r++) {
            const struct ot_totals *row = &table->rows[r].totals;
            OT_FUZZ_CHECK(row->n_errors <= row->n_calls && row->self_ns <= row->inclusive_ns);
            if (row->n_calls > row->n_errors)
                OT_FUZZ_CHECK(row->min_ns <= row->max_ns && row->max_ns <= row->inclusive_ns);
        }
    }
    /* Every call is in one table or left out; errors of those left out are not told apart. */
    OT_FUZZ_CHECK(n_calls == 0 && (int64_t)n_errors >= 0);
    ot_view_release(&view);
}

/* --- what goes in --------------------------------------------------------------------------- */

static bool add_slice(struct ot_population *pop, struct input *input)
{
    const uint8_t *head = take(input, 2);
    const uint8_t *name = head ? take(input, head[1]) : NULL;
    const uint8_t *dur = name ? take(input, 8) : NULL;
    if (!dur)
        return false;
    struct ot_slice slice = {
        .backend = head[0] & 1 ? OT_BACKEND_PYTORCH : head[0] >> 4 & 7,
        .err = (head[0] & 6) == 6,
        .vtid = head[0] >> 3 & 1,
        .vpid = head[0] >> 7,
    };
    struct ot_text text = {(const char *)name, head[1]};
    OT_FUZZ_CHECK(ot_names_intern(&pop->names, text, &slice.name, NULL) == OT_OK);
    struct ot_text host = ot_text_of(head[0] & 8 ? "node1" : "");
    OT_FUZZ_CHECK(ot_names_intern(&pop->names, host, &slice.host, NULL) == OT_OK);
    memcpy(&slice.dur_ns, dur, 8);
    slice.dur_ns = slice.err ? 0 : slice.dur_ns & INT64_MAX;
    slice.self_ns = slice.dur_ns / 3;
    bool unclosed = (head[0] & 6) == 4;
    int code = unclosed ? ot_population_add_unclosed(pop, &slice, NULL)
                        : ot_population_add(pop, &slice, NULL);
    OT_FUZZ_CHECK(code == OT_OK);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct input input = {data, len};
    const uint8_t *head = take(&input, 3);
    if (!head)
        return 0;
    struct ot_tally_opts opts;
    ot_tally_opts_init(&opts);
    opts.format = head[0] % 3;
    opts.thapi = head[0] & 0x80;
    opts.max_name_size = head[1] & 0x40 ? -1 : head[1] & 0x3f;
    opts.view.sort = head[1] >> 4 & 7;
    opts.view.by = head[2] % 3;
    opts.view.extended = head[2] & 0x40;
    opts.view.top = head[2] & 0x20 ? head[2] >> 2 & 7 : -1;
    if (ot_tally_opts_check(&opts, NULL) < 0)
        return 0;

    struct ot_population pop = {0};
    while (add_slice(&pop, &input)) {
    }
    check_view(&pop, &opts.view);
    check_written(&pop, &opts);
    ot_population_release(&pop);
    return 0;
}
