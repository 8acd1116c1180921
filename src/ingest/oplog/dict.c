#include "ingest/oplog/dict.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "model/backend.h"

enum { HEAD_WORDS = sizeof(struct ot_oplog_name) / 8 };

/* The same words that the LTTng writer has for what is empty. */
static const char no_name[] = "(no name)";
static const char not_kept[] = "(name not kept)";
static const char cut_here[] = "[...]";

static int keep(struct ot_names *texts, struct ot_text text, struct ot_text *ret, uint32_t *ret_id,
                struct ot_err *err)
{
    uint32_t id = 0;
    int code = ot_names_intern(texts, text, &id, err);
    if (code < 0)
        return code;
    *ret = ot_names_text(texts, id);
    if (ret_id)
        *ret_id = id;
    return OT_OK;
}

static int join(struct ot_names *texts, struct ot_oplog_call *call, struct ot_err *err)
{
    if (call->overload.len == 0)
        return keep(texts, call->first, &call->name, &call->name_id, err);
    struct ot_str joined = {0};
    ot_str_add_text(&joined, call->first);
    ot_str_add(&joined, ".", 1);
    ot_str_add_text(&joined, call->overload);
    int code = joined.failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for a name")
                             : keep(texts, (struct ot_text){joined.bytes, joined.len}, &call->name,
                                    &call->name_id, err);
    ot_str_release(&joined);
    return code;
}

/* What was cut says so, since another name may begin alike. */
static int keep_cut(struct ot_names *texts, struct ot_text text, struct ot_text *ret,
                    struct ot_err *err)
{
    struct ot_str marked = {0};
    ot_str_add_text(&marked, text);
    ot_str_add_text(&marked, ot_text_of(cut_here));
    int code = marked.failed
                   ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for a name")
                   : keep(texts, (struct ot_text){marked.bytes, marked.len}, ret, NULL, err);
    ot_str_release(&marked);
    return code;
}

static int make_call(struct ot_names *texts, struct ot_text first, struct ot_text overload,
                     int backend, struct ot_oplog_call *ret, struct ot_err *err)
{
    struct ot_oplog_call call = {.backend = backend};
    if (first.len == 0)
        first = ot_text_of(no_name);
    if (ot_text_same(overload, ot_text_of("default")))
        overload = (struct ot_text){"", 0};
    int code = keep(texts, first, &call.first, NULL, err);
    if (code == OT_OK)
        code = keep(texts, overload, &call.overload, NULL, err);
    if (code == OT_OK)
        code = join(texts, &call, err);
    if (code == OT_OK)
        *ret = call;
    return code;
}

int ot_oplog_dict_unknown(struct ot_names *texts, int backend, struct ot_oplog_call *ret_call,
                          struct ot_err *err)
{
    return make_call(texts, ot_text_of(not_kept), ot_text_of(""), backend, ret_call, err);
}

/* Ids count up from 1, so that a table by id is no larger than the log, whatever an id says. */
static bool can_be(const struct ot_oplog_dict *dict, uint32_t id)
{
    return id && id <= OT_OPLOG_ID_MAX &&
           id <= dict->n_chunks * (OT_OPLOG_CHUNK_WORDS / HEAD_WORDS);
}

static int take_call(struct ot_oplog_dict *dict, const struct ot_oplog_name *name,
                     struct ot_text first, struct ot_text second, struct ot_err *err)
{
    if (!ot_vec_reserve(&dict->calls, &dict->calls_cap, (size_t)name->id + 1, sizeof(*dict->calls)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for names");
    while (dict->n_calls <= name->id)
        dict->calls[dict->n_calls++] = (struct ot_oplog_call){0};
    if (dict->calls[name->id].name.bytes)
        return ot_err_set(err, OT_ERR_DAMAGED, "a second name with the id %u", name->id);
    /* Of two texts the longer one is the one that was too long. */
    if (name->flags & OT_OPLOG_NAME_IS_CUT) {
        struct ot_text *text = first.len < second.len ? &second : &first;
        int code = keep_cut(dict->texts, *text, text, err);
        if (code < 0)
            return code;
    }
    bool is_operator = name->kind == OT_OPLOG_NAME_OPERATOR;
    return make_call(dict->texts, first, second,
                     is_operator ? OT_BACKEND_PYTORCH : OT_BACKEND_ANNOTATION,
                     &dict->calls[name->id], err);
}

static int take_shapes(struct ot_oplog_dict *dict, const struct ot_oplog_name *name,
                       struct ot_text first, struct ot_text second, struct ot_err *err)
{
    if (!ot_vec_reserve(&dict->shapes, &dict->shapes_cap, (size_t)name->id + 1,
                        sizeof(*dict->shapes)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for shapes");
    while (dict->n_shapes <= name->id)
        dict->shapes[dict->n_shapes++] = (struct ot_oplog_shapes){0};
    struct ot_oplog_shapes *shapes = &dict->shapes[name->id];
    if (shapes->shapes.bytes)
        return ot_err_set(err, OT_ERR_DAMAGED, "second shapes with the id %u", name->id);
    struct ot_text kept = {0};
    int code = keep(dict->texts, second, &shapes->types, NULL, err);
    if (code == OT_OK)
        code = keep(dict->texts, first, &kept, NULL, err);
    if (code == OT_OK)
        shapes->shapes = kept;
    return code;
}

static int (*const takers[])(struct ot_oplog_dict *, const struct ot_oplog_name *, struct ot_text,
                             struct ot_text, struct ot_err *) = {
    [OT_OPLOG_NAME_OPERATOR] = take_call,
    [OT_OPLOG_NAME_ANNOTATION] = take_call,
    [OT_OPLOG_NAME_SHAPES] = take_shapes,
};

/* The entry at word `at`, whose first word is not 0. */
static int take_one(struct ot_oplog_dict *dict, const struct ot_oplog_buffer *chunk, size_t at,
                    size_t *ret_words, struct ot_err *err)
{
    struct ot_oplog_name name;
    size_t n_left = chunk->n_words - at;
    if (n_left < HEAD_WORDS)
        return n_left + at < OT_OPLOG_CHUNK_WORDS
                   ? OT_END
                   : ot_err_set(err, OT_ERR_DAMAGED, "a name goes beyond its chunk");
    memcpy(&name, &chunk->words[at], sizeof(name));
    if (name.first_len > OT_OPLOG_TEXT_MAX || name.second_len > OT_OPLOG_TEXT_MAX)
        return ot_err_set(err, OT_ERR_DAMAGED, "a name of %u and %u bytes", name.first_len,
                          name.second_len);
    size_t n_words = HEAD_WORDS + ((size_t)name.first_len + name.second_len + 7) / 8;
    if (n_words > OT_OPLOG_CHUNK_WORDS - at)
        return ot_err_set(err, OT_ERR_DAMAGED, "a name goes beyond its chunk");
    if (n_words > n_left)
        return OT_END;
    if (!can_be(dict, name.id))
        return ot_err_set(err, OT_ERR_DAMAGED, "a name with the id %u", name.id);
    if (name.kind >= sizeof(takers) / sizeof(takers[0]) || !takers[name.kind])
        return ot_err_set(err, OT_ERR_DAMAGED, "a name of kind %u", name.kind);
    const char *bytes = (const char *)&chunk->words[at + HEAD_WORDS];
    int code = takers[name.kind](dict, &name, (struct ot_text){bytes, name.first_len},
                                 (struct ot_text){bytes + name.first_len, name.second_len}, err);
    if (code == OT_OK)
        *ret_words = n_words;
    return code;
}

int ot_oplog_dict_take(struct ot_oplog_dict *dict, const struct ot_oplog_buffer *chunk, size_t *at,
                       struct ot_err *err)
{
    while (*at < chunk->n_words && chunk->words[*at] != 0) {
        size_t n_words = 0;
        int code = take_one(dict, chunk, *at, &n_words, err);
        if (code != OT_OK)
            return code == OT_END ? OT_OK : code;
        *at += n_words;
    }
    return OT_OK;
}

void ot_oplog_dict_release(struct ot_oplog_dict *dict)
{
    if (!dict)
        return;
    free(dict->calls);
    free(dict->shapes);
    *dict = (struct ot_oplog_dict){0};
}
