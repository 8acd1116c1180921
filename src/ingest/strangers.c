#include "ingest/strangers.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/text.h"
#include "base/utf8.h"
#include "ingest/bytes/source.h"

#define WHAT_WORKS                                                                                 \
    "give a trace that torch.profiler exported, or the folder that `optally record -o` or "        \
    "`lttng create` made"

/* --- files ---------------------------------------------------------------------------------- */

enum { PEEK_LEN = 4096 };

/* The first bytes of a file, unpacked. */
struct look {
    const char *path;
    unsigned char bytes[PEEK_LEN + 1]; /* and a NUL */
    size_t len;
    bool is_packed;
};

static bool has_at(const struct look *look, size_t at, const char *bytes, size_t len)
{
    return look->len >= at + len && memcmp(look->bytes + at, bytes, len) == 0;
}

#define HAS_AT(look, at, literal) has_at(look, at, literal, sizeof(literal) - 1)

static bool is_empty(const struct look *look)
{
    return look->len == 0;
}

static bool is_tar(const struct look *look)
{
    return HAS_AT(look, 257, "ustar");
}

static bool is_packed_tar(const struct look *look)
{
    return look->is_packed && is_tar(look);
}

static bool is_zip(const struct look *look)
{
    return HAS_AT(look, 0, "PK\3\4") || HAS_AT(look, 0, "PK\5\6");
}

/* What torch.save() writes is a zip whose first member is NAME/data.pkl. */
static bool is_torch_zip(const struct look *look)
{
    return is_zip(look) && memmem(look->bytes, look->len, "/data.pkl", 9);
}

static bool is_pickle(const struct look *look)
{
    return look->len > 2 && look->bytes[0] == 0x80 && look->bytes[1] >= 2 && look->bytes[1] <= 5;
}

static bool is_sqlite(const struct look *look)
{
    return HAS_AT(look, 0, "SQLite format 3");
}

static bool ends_in(const char *path, const char *end)
{
    size_t len = strlen(path);
    size_t end_len = strlen(end);
    return len >= end_len && strcasecmp(path + len - end_len, end) == 0;
}

/* Its format is not published, so only the name tells. */
static bool is_nsys(const struct look *look)
{
    return ends_in(look->path, ".nsys-rep") || ends_in(look->path, ".qdrep");
}

static bool is_utf16(const struct look *look)
{
    return HAS_AT(look, 0, "\xff\xfe") || HAS_AT(look, 0, "\xfe\xff") || HAS_AT(look, 0, "{\0") ||
           HAS_AT(look, 0, "[\0") || HAS_AT(look, 0, "\0{") || HAS_AT(look, 0, "\0[");
}

static bool is_html(const struct look *look)
{
    const char *text = (const char *)look->bytes;
    text += strspn(text, " \t\r\n");
    return strncasecmp(text, "<!doctype html", 14) == 0 || strncasecmp(text, "<html", 5) == 0;
}

/* A Perfetto trace is one long protobuf message: packets, each with tag 0x0a and a length. Two of
 * them, or one that is the whole file. */
static bool is_perfetto(const struct look *look)
{
    size_t at = 0;
    for (int n = 0; n < 2 && at < look->len; n++) {
        if (look->bytes[at] != 0x0a)
            return false;
        size_t len = 0;
        unsigned char byte = 0x80;
        at++;
        for (unsigned shift = 0; byte & 0x80 && shift < 28 && at < look->len; shift += 7) {
            byte = look->bytes[at++];
            len |= (size_t)(byte & 0x7f) << shift;
        }
        if (byte & 0x80 || len == 0)
            return false;
        at += len;
        if (at > look->len)
            return look->len == PEEK_LEN && n > 0;
    }
    return look->len > 0;
}

static bool is_plain_text(const struct look *look)
{
    struct ot_text rest = {(const char *)look->bytes, look->len};
    while (rest.len) {
        uint32_t c;
        size_t len = ot_utf8_next(rest, &c);
        bool is_cut = look->len == PEEK_LEN && rest.len < 4;
        if ((c < 0x20 && !strchr("\t\r\n\f\033", (int)c)) || c == 0 ||
            (c == OT_UTF8_REPLACEMENT && len == 1 && !is_cut))
            return false;
        rest = (struct ot_text){rest.bytes + len, rest.len - len};
    }
    return true;
}

/* The first row that fits says it. */
static const struct stranger {
    bool (*is)(const struct look *look);
    const char *what;
} strangers[] = {
    {is_empty, "the file is empty: nothing was written into it; " WHAT_WORKS},
    {is_packed_tar, "a packed tar archive: unpack it (`tar xf`), and give the traces in it"},
    {is_tar, "a tar archive: unpack it (`tar xf`), and give the traces in it"},
    {is_torch_zip, "what torch.save() wrote, not a trace; " WHAT_WORKS},
    {is_zip, "a zip archive: unpack it (`unzip`), and give the traces in it"},
    {is_pickle, "a Python pickle (a model, or a snapshot of memory), not a trace; " WHAT_WORKS},
    {is_sqlite, "an SQLite database (as nsys exports one), not a trace; " WHAT_WORKS},
    {is_nsys, "a report of Nsight Systems, which only nsys can read; " WHAT_WORKS},
    {is_utf16, "text in UTF-16: convert it first (`iconv -f UTF-16 -t UTF-8`)"},
    {is_html, "an HTML page, perhaps of an error or a login in place of a download; " WHAT_WORKS},
    {is_perfetto, "a Perfetto trace, which cannot be read here; " WHAT_WORKS},
    {is_plain_text, "a text file, not a trace; " WHAT_WORKS},
};

static int describe_file(const char *path, struct ot_err *err)
{
    struct look look = {.path = path};
    enum ot_packing packing = OT_PACKING_NONE;
    int code = ot_source_peek(path, look.bytes, PEEK_LEN, &look.len, &packing, err);
    if (code < 0)
        return code;
    look.is_packed = packing != OT_PACKING_NONE;
    const char *what = "not a trace that can be read here; " WHAT_WORKS;
    for (size_t i = sizeof(strangers) / sizeof(strangers[0]); i-- > 0;)
        what = strangers[i].is(&look) ? strangers[i].what : what;
    return ot_err_set(err, OT_ERR_INPUT, "%s: %s", path, what);
}

/* --- folders -------------------------------------------------------------------------------- */

static bool looks_like_json(const char *name)
{
    return ends_in(name, ".json") || ends_in(name, ".json.gz") || ends_in(name, ".json.zst");
}

static int describe_folder(const char *path, struct ot_err *err)
{
    DIR *dir = opendir(path);
    if (!dir)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    enum { MAX_ENTRIES = 100000 };
    size_t n_entries = 0;
    size_t n_json = 0;
    const struct dirent *entry;
    while (n_entries < MAX_ENTRIES && (entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        n_entries++;
        n_json += looks_like_json(entry->d_name);
    }
    closedir(dir);
    if (n_entries == 0)
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s: the folder is empty: nothing was recorded into it", path);
    if (n_json)
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s: a folder of JSON files: give the files themselves (%s/*.json*)",
                          path, path);
    return ot_err_set(err, OT_ERR_INPUT,
                      "%s: no trace in this folder or below: no file named 'metadata'; give the "
                      "folder that `optally record -o` or `lttng create` made",
                      path);
}

int ot_describe_stranger(const char *path, struct ot_err *err)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    return S_ISDIR(status.st_mode) ? describe_folder(path, err) : describe_file(path, err);
}
