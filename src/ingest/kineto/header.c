#include "ingest/kineto/header.h"

#include "base/str.h"
#include "ingest/kineto/decimal.h"
#include "ingest/kineto/skip.h"
#include "ingest/kineto/unescape.h"

static const struct {
    const char *name;
    enum ot_kineto_member member;
} members[] = {
    {"traceEvents", OT_MEMBER_EVENTS},       {"baseTimeNanoseconds", OT_MEMBER_BASE},
    {"host_name", OT_MEMBER_HOST},           {"distributedInfo", OT_MEMBER_DISTRIBUTED},
    {"deviceProperties", OT_MEMBER_DEVICES}, {"optally", OT_MEMBER_LOSSES},
};

enum ot_kineto_member ot_kineto_member_of(const struct ot_json_value *key)
{
    char plain[OT_PLAIN_BYTES];
    struct ot_text text = ot_kineto_plain(key, plain);
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (ot_text_same(text, ot_text_of(members[i].name)))
            return members[i].member;
    }
    return OT_MEMBER_OTHER;
}

static int take_base(const struct ot_json_value *value, struct ot_session *session,
                     struct ot_err *err)
{
    struct ot_text text = ot_json_text(value);
    if (value->type == OT_JSON_WORD && ot_text_same(text, ot_text_of("null"))) {
        session->has_base = false;
        return OT_OK;
    }
    bool is_number = value->type == OT_JSON_NUMBER ||
                     (value->type == OT_JSON_STRING && ot_decimal_is_number(text));
    if (!is_number || ot_decimal_scaled(text, 0, &session->base_ns) != OT_DECIMAL_OK)
        return ot_err_set(err, OT_ERR_INPUT,
                          "baseTimeNanoseconds: not a whole number of nanoseconds");
    session->has_base = true;
    return OT_OK;
}

static int keep(struct ot_str *str, struct ot_arena *arena, struct ot_text *ret_text,
                struct ot_err *err)
{
    char *copy = str->failed ? NULL : ot_arena_copy(arena, ot_str_borrow(str), str->len);
    if (copy)
        *ret_text = (struct ot_text){copy, str->len};
    ot_str_release(str);
    return copy ? OT_OK : ot_err_set(err, OT_ERR_NOMEM, "out of memory for a trace's header");
}

static int take_host(const struct ot_json_value *value, struct ot_session *session,
                     struct ot_arena *arena, struct ot_err *err)
{
    session->host = (struct ot_text){"", 0};
    if (value->type != OT_JSON_STRING)
        return OT_OK;
    struct ot_str str = {0};
    bool replaced;
    ot_kineto_unescape(value, &str, &replaced);
    return keep(&str, arena, &session->host, err);
}

/* --- values whose grammar has been checked ------------------------------------------------------
 */

/* Of an object or array from behind its bracket on. */
static bool next_item(struct ot_json_cursor *cur, struct ot_json_value *item)
{
    if (lex_space(cur) == ',')
        cur->at++;
    unsigned char c = lex_space(cur);
    return c != ']' && c != '}' && lex_value(cur, item, 1) == OT_JSON_OK;
}

static bool next_member(struct ot_json_cursor *cur, struct ot_json_value *key,
                        struct ot_json_value *member)
{
    if (!next_item(cur, key) || lex_space(cur) != ':')
        return false;
    cur->at++;
    lex_space(cur);
    return lex_value(cur, member, 1) == OT_JSON_OK;
}

static struct ot_json_cursor inside(const struct ot_json_value *value)
{
    return (struct ot_json_cursor){.at = value->at + 1, .end = value->at + value->len};
}

static bool is_key(const struct ot_json_value *key, const char *name)
{
    char plain[OT_PLAIN_BYTES];
    return ot_text_same(ot_kineto_plain(key, plain), ot_text_of(name));
}

static void take_number(const struct ot_json_value *value, bool *has, int64_t *number,
                        bool *repeats)
{
    *repeats |= *has;
    *has = value->type == OT_JSON_NUMBER && ot_decimal_int(ot_json_text(value), number);
}

/* {"backend": "nccl", "rank": 0, "world_size": 2, ...} */
static int take_distributed(const struct ot_json_value *value, struct ot_session *session,
                            bool *ret_repeats)
{
    session->has_rank = false;
    session->has_world_size = false;
    if (value->type != OT_JSON_OBJECT)
        return OT_OK;
    struct ot_json_cursor cur = inside(value);
    for (struct ot_json_value key, member; next_member(&cur, &key, &member);) {
        if (is_key(&key, "rank"))
            take_number(&member, &session->has_rank, &session->rank, ret_repeats);
        else if (is_key(&key, "world_size"))
            take_number(&member, &session->has_world_size, &session->world_size, ret_repeats);
    }
    return OT_OK;
}

static void add_device(struct ot_str *lines, const struct ot_json_value *device)
{
    struct ot_json_cursor cur = inside(device);
    bool replaced;
    for (struct ot_json_value key, member; next_member(&cur, &key, &member);) {
        if (member.type != OT_JSON_STRING || !is_key(&key, "name"))
            continue;
        ot_str_addf(lines, "%s", lines->len ? "\n" : "");
        ot_kineto_unescape(&member, lines, &replaced);
        return;
    }
}

/* [{"id": 0, "name": "Tesla V100-SXM2-32GB", ...}, ...] */
static int take_devices(const struct ot_json_value *value, struct ot_session *session,
                        struct ot_arena *arena, struct ot_err *err)
{
    session->devices = (struct ot_text){"", 0};
    if (value->type != OT_JSON_ARRAY)
        return OT_OK;
    struct ot_str lines = {0};
    struct ot_json_cursor cur = inside(value);
    for (struct ot_json_value device; next_item(&cur, &device);) {
        if (device.type == OT_JSON_OBJECT)
            add_device(&lines, &device);
    }
    return keep(&lines, arena, &session->devices, err);
}

static void add_loss(const struct ot_json_value *key, const struct ot_json_value *value,
                     struct ot_counts *counts)
{
    int64_t n = 0;
    if (value->type != OT_JSON_NUMBER || !ot_decimal_int(ot_json_text(value), &n) || n < 0)
        return;
    for (size_t i = 0; i < OT_TOLD_LOSSES; i++) {
        if (is_key(key, ot_told_losses[i].name))
            ot_told_loss_add(counts, &ot_told_losses[i], (uint64_t)n);
    }
}

void ot_kineto_take_losses(const struct ot_json_value *value, struct ot_counts *counts)
{
    if (value->type != OT_JSON_OBJECT)
        return;
    struct ot_json_cursor cur = inside(value);
    for (struct ot_json_value key, member; next_member(&cur, &key, &member);)
        add_loss(&key, &member, counts);
}

int ot_kineto_take_member(enum ot_kineto_member member, const struct ot_json_value *value,
                          struct ot_session *session, struct ot_arena *arena, bool *ret_repeats,
                          struct ot_err *err)
{
    *ret_repeats = false;
    if (member == OT_MEMBER_BASE)
        return take_base(value, session, err);
    if (member == OT_MEMBER_HOST)
        return take_host(value, session, arena, err);
    if (member == OT_MEMBER_DEVICES)
        return take_devices(value, session, arena, err);
    return take_distributed(value, session, ret_repeats);
}
