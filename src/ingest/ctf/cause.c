#include "ingest/ctf/cause.h"

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <string.h>

/* What libbabeltrace2 2.0's source.ctf.fs says in its causes, and what it means for people. The
 * first row that any cause holds decides. */
static const struct {
    const char *symptom;
    const char *meaning;
} meanings[] = {
    {"Invalid CTF magic number",
     "damaged: no packet begins where one should; copy it again, or move it away to read the rest"},
    {"returned EOF",
     "cut short: its last packet is not complete; copy it again, or move it away to "
     "read the rest"},
    {"mmap", "cut short: it ends before its index does; copy it again, or move it away to read the "
             "rest"},
    {"Failed to index CTF stream file",
     "cut short: its last packet is not complete; copy it again, or move it away to read the rest"},
    {"timestamp is less than", "damaged: its events are not in the order of time"},
    {"Cannot create trace for",
     "the file 'metadata' is no CTF 1.8 metadata, or cut short; copy the trace again"},
};

/* The longest path that a trace can name here; a longer one is not shown. */
enum { MAX_PATH_SHOWN = 512 };

static const char *cause_text(const bt_error *error, uint64_t i)
{
    return bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, i));
}

static const char *find_meaning(const bt_error *error)
{
    for (size_t row = 0; row < sizeof(meanings) / sizeof(meanings[0]); row++) {
        for (uint64_t i = 0; i < bt_error_get_cause_count(error); i++) {
            if (strstr(cause_text(error, i), meanings[row].symptom))
                return meanings[row].meaning;
        }
    }
    return NULL;
}

/* Copies the file that a cause quotes: "... stream file `/path`"; the quotes vary. */
static bool find_file(const bt_error *error, char ret_path[MAX_PATH_SHOWN])
{
    for (uint64_t i = 0; i < bt_error_get_cause_count(error); i++) {
        const char *at = strstr(cause_text(error, i), "stream file");
        const char *start = at ? strchr(at, '/') : NULL;
        size_t len = start ? strcspn(start, "`'") : 0;
        if (len == 0 || len >= MAX_PATH_SHOWN)
            continue;
        memcpy(ret_path, start, len);
        ret_path[len] = '\0';
        return true;
    }
    return false;
}

/* The part of a cause in front of its list of addresses and numbers. */
static int sentence_len(const char *cause)
{
    const char *equals = strchr(cause, '=');
    size_t len = strlen(cause);
    if (equals) {
        while (equals > cause && *equals != ':')
            equals--;
        if (equals > cause)
            len = (size_t)(equals - cause);
    }
    return (int)len;
}

int ot_ctf_take_cause(struct ot_err *err, int code, const char *where)
{
    const bt_error *error = bt_current_thread_take_error();
    if (!error)
        return ot_err_set(err, code, "%s: cannot be read", where);
    char file[MAX_PATH_SHOWN];
    const char *meaning = find_meaning(error);
    const char *innermost = cause_text(error, 0);
    if (find_file(error, file))
        where = file;
    if (meaning)
        ot_err_set(err, code, "%s: %s", where, meaning);
    else
        ot_err_set(err, code, "%s: %.*s", where, sentence_len(innermost), innermost);
    bt_error_release(error);
    return code;
}
