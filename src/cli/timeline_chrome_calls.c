#include "cli/timeline_chrome_calls.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/vec.h"
#include "emit/chrome/events.h"
#include "emit/chrome/mend.h"
#include "model/names.h"
#include "slice/pair.h"

/* The arguments of an open call. */
struct open_args {
    struct ot_str text;
    size_t next_free; /* index + 1 of the next one that is unused, or 0 */
};

/* The latest slice of a thread, and those inside it that have the same times. */
struct held {
    struct ot_str text;
    uint64_t n;
    int64_t ts_ns;
    int64_t dur_ns;
};

struct ot_chrome_calls {
    struct ot_chrome_writer *writer;
    struct ot_names names;
    struct ot_pair *pair;
    struct open_args *open;
    size_t n_open;
    size_t open_cap;
    size_t free;       /* index + 1, or 0 */
    struct held *held; /* by the track of struct ot_paired */
    size_t n_held;
    size_t held_cap;
    struct ot_str line;
    bool has_base;
    int64_t base_ns;
    uint32_t first_host;
    bool has_host;
    uint64_t n_slices;
    uint64_t n_unfinished;
    uint64_t n_left_out;
};

struct ot_chrome_calls *ot_chrome_calls_new(struct ot_chrome_writer *writer)
{
    struct ot_chrome_calls *calls = calloc(1, sizeof(*calls));
    if (!calls)
        return NULL;
    calls->writer = writer;
    calls->pair = ot_pair_new(&calls->names);
    if (!calls->pair) {
        ot_chrome_calls_free(calls);
        return NULL;
    }
    ot_pair_want_begins(calls->pair);
    return calls;
}

static int out_of_memory(struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_NOMEM, "out of memory for calls");
}

/* --- what stands before the events ------------------------------------------------------------ */

static int add_header(struct ot_chrome_calls *calls, struct ot_err *err)
{
    char base[64];
    snprintf(base, sizeof(base), "\"baseTimeNanoseconds\": %" PRId64, calls->base_ns);
    const char *const members[] = {"\"schemaVersion\": 1", "\"deviceProperties\": []",
                                   "\"displayTimeUnit\": \"ms\"", base};
    int code = OT_OK;
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]) && code == OT_OK; i++)
        code = ot_chrome_add_member(calls->writer, ot_text_of(members[i]), err);
    return code;
}

/* A whole second before everything, so that the numbers are short and positive. */
static int find_base(struct ot_chrome_calls *calls, int64_t ts_ns, struct ot_err *err)
{
    enum { SECOND_NS = 1000000000 };
    calls->base_ns = ts_ns - ts_ns % SECOND_NS;
    calls->has_base = true;
    return add_header(calls, err);
}

/* --- places ----------------------------------------------------------------------------------- */

static struct ot_chrome_place place_of(struct ot_chrome_calls *calls, uint32_t host, int64_t vpid,
                                       uint64_t vtid)
{
    if (!calls->has_host)
        calls->first_host = host;
    calls->has_host = true;
    struct ot_chrome_place place = {.vpid = vpid, .vtid = vtid, .base_ns = calls->base_ns};
    if (host != calls->first_host)
        place.host = ot_names_text(&calls->names, host);
    return place;
}

/* The place of an event, which need not be a call's. */
static int place_of_event(struct ot_chrome_calls *calls, const struct ot_event *event,
                          struct ot_chrome_place *ret_place, struct ot_err *err)
{
    uint32_t host = 0;
    int code = ot_names_intern(&calls->names, event->host, &host, err);
    if (code == OT_OK)
        *ret_place = place_of(calls, host, event->vpid, event->vtid);
    return code;
}

/* --- arguments of open calls ------------------------------------------------------------------ */

/* The tag of an entry with these arguments: 0 if there are none. */
static int keep_args(struct ot_chrome_calls *calls, const struct ot_event_args *args,
                     uint64_t *ret_tag, struct ot_err *err)
{
    struct ot_str *line = &calls->line;
    ot_str_clear(line);
    ot_chrome_add_args(line, args);
    *ret_tag = 0;
    if (line->len == 0 && !line->failed)
        return OT_OK;
    size_t at = calls->free;
    if (at == 0) {
        if (!ot_vec_reserve(&calls->open, &calls->open_cap, calls->n_open + 1,
                            sizeof(*calls->open)))
            return out_of_memory(err);
        calls->open[calls->n_open++] = (struct open_args){0};
        at = calls->n_open;
        calls->open[at - 1].next_free = 0;
    }
    struct open_args *open = &calls->open[at - 1];
    calls->free = open->next_free;
    ot_str_clear(&open->text);
    ot_str_add(&open->text, ot_str_borrow(line), line->len);
    *ret_tag = at;
    return open->text.failed || line->failed ? out_of_memory(err) : OT_OK;
}

static struct ot_text args_of(const struct ot_chrome_calls *calls, uint64_t tag)
{
    if (tag == 0)
        return (struct ot_text){"", 0};
    const struct ot_str *text = &calls->open[tag - 1].text;
    return (struct ot_text){ot_str_borrow(text), text->len};
}

static void drop_args(struct ot_chrome_calls *calls, uint64_t tag)
{
    if (tag == 0)
        return;
    calls->open[tag - 1].next_free = calls->free;
    calls->free = tag;
}

/* --- calls ------------------------------------------------------------------------------------ */

/* NULL when memory is out. */
static struct held *find_held(struct ot_chrome_calls *calls, size_t track, struct ot_err *err)
{
    if (!ot_vec_reserve(&calls->held, &calls->held_cap, track + 1, sizeof(*calls->held))) {
        out_of_memory(err);
        return NULL;
    }
    while (calls->n_held <= track)
        calls->held[calls->n_held++] = (struct held){0};
    return &calls->held[track];
}

static int put_held(struct ot_chrome_calls *calls, struct held *held, struct ot_err *err)
{
    if (held->n == 0)
        return OT_OK;
    if (held->text.failed)
        return out_of_memory(err);
    ot_chrome_put_event(calls->writer,
                        (struct ot_text){ot_str_borrow(&held->text), held->text.len});
    calls->writer->n_events += held->n - 1;
    ot_str_clear(&held->text);
    held->n = 0;
    return OT_OK;
}

static void add_line(struct ot_chrome_calls *calls, const struct ot_paired *paired, int64_t dur_ns)
{
    const struct ot_slice *slice = &paired->slice;
    const struct ot_chrome_place place = place_of(calls, slice->host, slice->vpid, slice->vtid);
    ot_str_clear(&calls->line);
    ot_chrome_add_call(&calls->line, &place, ot_chrome_category(slice->backend),
                       ot_names_text(&calls->names, slice->name), slice->ts_ns, dur_ns,
                       args_of(calls, paired->tag));
}

/* A slice that has the times of those held is around them. */
static int add_slice(struct ot_chrome_calls *calls, const struct ot_paired *paired,
                     struct ot_err *err)
{
    const struct ot_slice *slice = &paired->slice;
    struct held *held = find_held(calls, paired->track, err);
    if (!held)
        return OT_ERR_NOMEM;
    int code = OT_OK;
    bool is_around = held->n && held->ts_ns == slice->ts_ns && held->dur_ns == slice->dur_ns;
    if (!is_around)
        code = put_held(calls, held, err);
    add_line(calls, paired, slice->dur_ns);
    if (is_around) {
        ot_str_addf(&calls->line, ",\n");
        ot_str_add(&calls->line, ot_str_borrow(&held->text), held->text.len);
        ot_str_clear(&held->text);
    }
    ot_str_add(&held->text, ot_str_borrow(&calls->line), calls->line.len);
    held->text.failed |= calls->line.failed;
    held->ts_ns = slice->ts_ns;
    held->dur_ns = slice->dur_ns;
    held->n++;
    calls->n_slices++;
    return code;
}

static int put_line(struct ot_chrome_calls *calls, struct ot_err *err)
{
    if (calls->line.failed)
        return out_of_memory(err);
    if (calls->line.len)
        ot_chrome_put_event(calls->writer,
                            (struct ot_text){ot_str_borrow(&calls->line), calls->line.len});
    return OT_OK;
}

static int begin(struct ot_chrome_calls *calls, const struct ot_paired *paired,
                 const struct ot_event_args *args, struct ot_err *err)
{
    struct held *held = find_held(calls, paired->track, err);
    if (!held)
        return OT_ERR_NOMEM;
    uint64_t tag = 0;
    int code = put_held(calls, held, err);
    if (code == OT_OK)
        code = keep_args(calls, args, &tag, err);
    if (code == OT_OK)
        ot_pair_tag(calls->pair, tag);
    return code;
}

/* `args`: those of the event that was fed. */
static int take(struct ot_chrome_calls *calls, const struct ot_paired *paired,
                const struct ot_event_args *args, struct ot_err *err)
{
    int code = OT_OK;
    if (paired->kind == OT_PAIRED_BEGIN)
        return begin(calls, paired, args, err);
    if (paired->kind == OT_PAIRED_SLICE && !paired->slice.err) {
        code = add_slice(calls, paired, err);
    } else if (paired->kind == OT_PAIRED_UNCLOSED && paired->cause == OT_PAIRED_BY_END) {
        add_line(calls, paired, -1);
        code = put_line(calls, err);
        calls->n_unfinished++;
    } else {
        calls->n_left_out++;
    }
    drop_args(calls, paired->tag);
    return code;
}

static int take_all(struct ot_chrome_calls *calls, const struct ot_event_args *args,
                    struct ot_err *err)
{
    struct ot_paired paired;
    int code = OT_OK;
    while (code == OT_OK && ot_pair_next(calls->pair, &paired) == OT_OK)
        code = take(calls, &paired, args, err);
    return code;
}

/* --- events ----------------------------------------------------------------------------------- */

static int add_beside(struct ot_chrome_calls *calls, const struct ot_event *event,
                      struct ot_err *err)
{
    struct ot_chrome_place place;
    int code = place_of_event(calls, event, &place, err);
    if (code < 0)
        return code;
    ot_str_clear(&calls->line);
    if (event->kind == OT_EVENT_MEMORY)
        ot_chrome_add_memory(&calls->line, &place, event->ts_ns, event->args);
    else
        ot_chrome_add_label(&calls->line, &place, event->args);
    return put_line(calls, err);
}

int ot_chrome_calls_feed(struct ot_chrome_calls *calls, const struct ot_event *event,
                         struct ot_err *err)
{
    bool is_call = event->kind == OT_EVENT_ENTRY || event->kind == OT_EVENT_EXIT;
    bool has_time = is_call || event->kind == OT_EVENT_MEMORY;
    int code = OT_OK;
    if (!calls->has_base && has_time)
        code = find_base(calls, event->ts_ns, err);
    if (code < 0)
        return code;
    if (event->kind == OT_EVENT_MEMORY || event->kind == OT_EVENT_LABEL)
        return add_beside(calls, event, err);
    code = ot_pair_feed(calls->pair, event, err);
    return code == OT_OK ? take_all(calls, event->args, err) : code;
}

static void add_session(struct ot_str *str, const char *key, bool has, int64_t value)
{
    if (has)
        ot_str_addf(str, "%s\"%s\": %" PRId64, str->len ? ", " : "", key, value);
}

/* Which rank it is, and of which host: known at the end alone. */
static int add_tail(struct ot_chrome_calls *calls, const struct ot_session *session,
                    struct ot_err *err)
{
    struct ot_str *line = &calls->line;
    ot_str_clear(line);
    add_session(line, "rank", session->has_rank, session->rank);
    add_session(line, "world_size", session->has_world_size, session->world_size);
    int code = OT_OK;
    if (line->len) {
        struct ot_str member = {0};
        ot_str_addf(&member, "\"distributedInfo\": {%s}", ot_str_borrow(line));
        code = ot_chrome_add_member(calls->writer,
                                    (struct ot_text){ot_str_borrow(&member), member.len}, err);
        ot_str_release(&member);
    }
    if (code < 0 || !calls->has_host)
        return code;
    ot_str_clear(line);
    ot_str_addf(line, "\"host_name\": ");
    ot_chrome_add_string(line, ot_names_text(&calls->names, calls->first_host));
    return ot_chrome_add_member(calls->writer, (struct ot_text){ot_str_borrow(line), line->len},
                                err);
}

int ot_chrome_calls_end(struct ot_chrome_calls *calls, const struct ot_session *session,
                        struct ot_timeline_chrome_totals *totals, struct ot_err *err)
{
    int code = calls->has_base ? OT_OK : add_header(calls, err);
    for (size_t i = 0; i < calls->n_held && code == OT_OK; i++)
        code = put_held(calls, &calls->held[i], err);
    ot_pair_end(calls->pair);
    if (code == OT_OK)
        code = take_all(calls, NULL, err);
    if (code == OT_OK)
        code = add_tail(calls, session, err);
    totals->n_slices += calls->n_slices;
    totals->n_unfinished += calls->n_unfinished;
    totals->n_left_out += calls->n_left_out;
    totals->counts = *ot_pair_counts(calls->pair);
    return code;
}

void ot_chrome_calls_free(struct ot_chrome_calls *calls)
{
    if (!calls)
        return;
    for (size_t i = 0; i < calls->n_open; i++)
        ot_str_release(&calls->open[i].text);
    for (size_t i = 0; i < calls->n_held; i++)
        ot_str_release(&calls->held[i].text);
    free(calls->open);
    free(calls->held);
    ot_str_release(&calls->line);
    ot_pair_free(calls->pair);
    ot_names_release(&calls->names);
    free(calls);
}
