#include "ingest/strangers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/utf8.h"
#include "ingest/bytes/source.h"

#define WHAT_WORKS                                                                                 \
    "give a trace that torch.profiler exported, or the folder that `optally record -o` or "        \
    "`lttng create` made"

#define PACK_ANEW "or pack it with gzip or zstd instead"

/* --- files ---------------------------------------------------------------------------------- */

/* The first bytes of a file or stream, unpacked. */
struct look {
    const char *path;                           /* "" if it has none */
    unsigned char bytes[OT_STRANGER_BYTES + 1]; /* and a NUL */
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

static bool is_packed_nothing(const struct look *look)
{
    return look->is_packed && is_empty(look);
}

static bool is_xz(const struct look *look)
{
    return HAS_AT(look, 0,
                  "\xfd"
                  "7zXZ\0");
}

static bool is_bzip2(const struct look *look)
{
    return HAS_AT(look, 0, "BZh") && (HAS_AT(look, 4, "1AY&SY") || HAS_AT(look, 4, "\x17rE8P\x90"));
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
            return look->len == OT_STRANGER_BYTES && n > 0;
    }
    return look->len > 0;
}

static bool is_plain_text(const struct look *look)
{
    struct ot_text rest = {(const char *)look->bytes, look->len};
    while (rest.len) {
        uint32_t c;
        size_t len = ot_utf8_next(rest, &c);
        bool is_cut = look->len == OT_STRANGER_BYTES && rest.len < 4;
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
    {is_packed_nothing, "nothing is packed in it; " WHAT_WORKS},
    {is_empty, "the file is empty: nothing was written into it; " WHAT_WORKS},
    {is_packed_tar, "a packed tar archive: unpack it (`tar xf`), and give the traces in it"},
    {is_tar, "a tar archive: unpack it (`tar xf`), and give the traces in it"},
    {is_xz, "xz data, which is not read here: unpack it (`xz -d`), " PACK_ANEW},
    {is_bzip2, "bzip2 data, which is not read here: unpack it (`bunzip2`), " PACK_ANEW},
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

static const char *describe(const struct look *look)
{
    for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++) {
        if (strangers[i].is(look))
            return strangers[i].what;
    }
    return "not a trace that can be read here; " WHAT_WORKS;
}

static int describe_file(const char *path, struct ot_err *err)
{
    struct look look = {.path = path};
    enum ot_packing packing = OT_PACKING_NONE;
    int code = ot_source_peek(path, look.bytes, OT_STRANGER_BYTES, &look.len, &packing, err);
    if (code < 0)
        return code;
    look.is_packed = packing != OT_PACKING_NONE;
    return ot_err_set(err, OT_ERR_INPUT, "%s: %s", path, describe(&look));
}

int ot_describe_bytes(const unsigned char *bytes, size_t len, bool is_packed, struct ot_err *err)
{
    struct look look = {.path = "", .is_packed = is_packed};
    look.len = len < OT_STRANGER_BYTES ? len : OT_STRANGER_BYTES;
    memcpy(look.bytes, bytes, look.len);
    return ot_err_set(err, OT_ERR_INPUT, "%s", describe(&look));
}

/* --- folders -------------------------------------------------------------------------------- */

static bool looks_like_json(const char *name)
{
    return ends_in(name, ".json") || ends_in(name, ".json.gz") || ends_in(name, ".json.zst");
}

enum { MAX_ENTRIES = 100000 };

/* What lies in a folder. */
struct tally {
    size_t n_entries;
    size_t n_json;
    size_t n_deeper_json; /* in its folders */
};

/* NULL: it is none, or cannot be opened. */
static DIR *open_folder_in(DIR *dir, const char *name)
{
    int fd = openat(dirfd(dir), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *found = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !found)
        close(fd);
    return found;
}

/* Counts what lies in `dir`, which it closes; NULL is an empty one. */
static void count_entries(DIR *dir, bool is_deeper, struct tally *tally)
{
    const struct dirent *entry;
    while (dir && tally->n_entries < MAX_ENTRIES && (entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        tally->n_entries++;
        if (looks_like_json(entry->d_name)) {
            *(is_deeper ? &tally->n_deeper_json : &tally->n_json) += 1;
        } else if (!is_deeper) {
            count_entries(open_folder_in(dir, entry->d_name), true, tally);
        }
    }
    if (dir)
        closedir(dir);
}

static int describe_folder(const char *path, struct ot_err *err)
{
    DIR *dir = opendir(path);
    if (!dir)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    struct tally tally = {0};
    count_entries(dir, false, &tally);
    if (tally.n_entries == 0)
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s: the folder is empty: nothing was recorded into it", path);
    if (tally.n_json)
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s: a folder of JSON files: give the files themselves (%s/*.json*)",
                          path, path);
    if (tally.n_deeper_json)
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s: a folder of folders of JSON files: give the files themselves "
                          "(%s/*/*.json*)",
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
