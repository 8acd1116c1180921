#include <string.h>

#include "base/vec.h"
#include "ingest/oplog/dict.h"
#include "ingest/oplog/follow_parts.h"

static int out_of_memory(struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_NOMEM, "out of memory for names");
}

enum { NAME_WORDS = sizeof(struct ot_oplog_name) / 8 };

int ot_follow_make_sums(struct ot_follow_log *log, size_t n, struct ot_err *err)
{
    struct ot_follow_sums *sums = &log->sums;
    if (!ot_vec_reserve(&sums->items, &sums->cap, n, sizeof(*sums->items)) ||
        !ot_vec_reserve(&sums->touched, &sums->touched_cap, n, sizeof(*sums->touched)))
        return out_of_memory(err);
    while (sums->n_items < n)
        sums->items[sums->n_items++] = (struct ot_follow_sum){0};
    sums->items[OT_FOLLOW_NO_NAME].is_known = true;
    sums->items[OT_FOLLOW_NO_ANNOTATION].is_known = true;
    sums->items[OT_FOLLOW_NO_ANNOTATION].lane = OT_FOLLOW_ANNOTATIONS;
    return OT_OK;
}

int ot_follow_add_name_chunk(struct ot_follow_log *log, uint64_t chunk, struct ot_err *err)
{
    for (size_t i = log->n_names; i-- > 0;) {
        if (log->names[i].chunk == chunk)
            return OT_OK;
    }
    if (!ot_vec_reserve(&log->names, &log->names_cap, log->n_names + 1, sizeof(*log->names)))
        return out_of_memory(err);
    log->names[log->n_names++] = (struct ot_follow_name_chunk){.chunk = chunk};
    return OT_OK;
}

/* Notes where the entry stands that begins with `words`, which is as much of it as there is.
 * OT_END: not all of it. */
static int take_name(struct ot_follow_log *log, uint64_t chunk, size_t at, const uint64_t *words,
                     size_t n_words, size_t *ret_words, struct ot_err *err)
{
    struct ot_oplog_name name;
    if (n_words < NAME_WORDS)
        return OT_END;
    memcpy(&name, words, sizeof(name));
    bool is_short = name.first_len <= OT_OPLOG_TEXT_MAX && name.second_len <= OT_OPLOG_TEXT_MAX;
    /* Ids count up from 1, so that a table by id is no larger than the log, whatever an id says. */
    bool can_be = name.id && name.id <= OT_OPLOG_ID_MAX &&
                  name.id <= log->n_names * (OT_OPLOG_CHUNK_WORDS / NAME_WORDS);
    if (!is_short || !can_be)
        return ot_err_set(err, OT_ERR_DAMAGED, "word %zu: no name", at);
    *ret_words = NAME_WORDS + ((size_t)name.first_len + name.second_len + 7) / 8;
    if (*ret_words > n_words)
        return OT_END;
    if (name.kind != OT_OPLOG_NAME_OPERATOR && name.kind != OT_OPLOG_NAME_ANNOTATION)
        return OT_OK;
    uint32_t place = ot_follow_place_of(name.id);
    if (place >= log->sums.n_items && ot_follow_make_sums(log, (size_t)place + 1, err) < 0)
        return OT_ERR_NOMEM;
    struct ot_follow_sum *sum = &log->sums.items[place];
    if (sum->is_known)
        return ot_err_set(err, OT_ERR_DAMAGED, "word %zu: a second name with the id %u", at,
                          name.id);
    sum->is_known = true;
    sum->lane = name.kind == OT_OPLOG_NAME_ANNOTATION ? OT_FOLLOW_ANNOTATIONS : OT_FOLLOW_OPERATORS;
    sum->name_chunk = (uint32_t)chunk;
    sum->name_at = (uint16_t)at;
    return OT_OK;
}

static int take_names(struct ot_follow_log *log, size_t i, struct ot_oplog_buffer *buffer,
                      struct ot_err *err)
{
    struct ot_follow_name_chunk *names = &log->names[i];
    /* Who writes names goes on to the next chunk only when one is full. */
    bool is_full = i + 1 < log->n_names && log->names[i + 1].at > 0;
    int code =
        ot_oplog_file_read(&log->file, names->chunk, names->at, OT_OPLOG_CHUNK_WORDS, buffer, err);
    for (size_t at = 0; code == OT_OK && at < buffer->n_words && buffer->words[at];) {
        size_t n_words = 0;
        code = take_name(log, names->chunk, names->at, &buffer->words[at], buffer->n_words - at,
                         &n_words, err);
        if (code == OT_OK) {
            at += n_words;
            names->at += n_words;
        }
    }
    /* What cannot be is not read again. */
    if (is_full || code < 0)
        names->at = OT_OPLOG_CHUNK_WORDS;
    if (code < 0)
        ot_err_context(err, "%s: chunk %llu", log->file.path, (unsigned long long)names->chunk);
    return code == OT_END ? OT_OK : code;
}

static int find_name_chunks(struct ot_follow_log *log, struct ot_err *err)
{
    int code = ot_oplog_file_look(&log->file, err);
    if (code < 0)
        return code;
    uint64_t n_chunks = ot_oplog_file_chunks(&log->file);
    for (; log->n_chunks_for_names < n_chunks; log->n_chunks_for_names++) {
        struct ot_oplog_chunk head;
        code = ot_oplog_file_head(&log->file, log->n_chunks_for_names, &head, err);
        if (code == OT_OK && head.kind == OT_OPLOG_CHUNK_NAMES)
            code = ot_follow_add_name_chunk(log, log->n_chunks_for_names, err);
        if (code < 0)
            return code;
        if (head.kind == OT_OPLOG_CHUNK_UNUSED)
            break;
    }
    return OT_OK;
}

/* Looks at the names that have come since. */
static int refresh_names(struct ot_follow_log *log, struct ot_oplog_buffer *buffer,
                         struct ot_err *err)
{
    int code = find_name_chunks(log, err);
    for (size_t i = 0; i < log->n_names && code == OT_OK; i++) {
        if (log->names[i].at < OT_OPLOG_CHUNK_WORDS)
            code = take_names(log, i, buffer, err);
    }
    return code;
}

int ot_follow_learn(struct ot_follow_log *log, uint32_t *place, struct ot_oplog_buffer *buffer,
                    struct ot_err *err)
{
    enum { MAX_REFRESHES = 256 }; /* in a log whose names are gone there would be no end of it */
    bool has_no_name = *place > ot_follow_place_of(OT_OPLOG_ID_MAX);
    bool is_annotation = *place == ot_follow_place_of(OT_OPLOG_NO_ANNOTATION);
    if (!has_no_name && log->n_refreshes++ < MAX_REFRESHES) {
        int code = refresh_names(log, buffer, err);
        if (code == OT_ERR_IO)
            return code;
        if (code < 0) /* damaged, or more than can be held: one can do without names */
            ot_follow_note_damage(log, err);
    }
    if (!ot_follow_knows(log, *place))
        *place = is_annotation ? OT_FOLLOW_NO_ANNOTATION : OT_FOLLOW_NO_NAME;
    return OT_OK;
}

/* --- texts -------------------------------------------------------------------------------------
 */

/* Reads the entry and has it understood by who understands it in whole recordings, too. */
static int read_text(struct ot_follow_log *log, const struct ot_follow_sum *sum,
                     struct ot_oplog_buffer *buffer, struct ot_text *ret_text, struct ot_err *err)
{
    struct ot_oplog_name name;
    struct ot_oplog_dict dict = {.texts = &log->texts, .n_chunks = 1};
    enum { MOST_WORDS = NAME_WORDS + 2 * OT_OPLOG_TEXT_MAX / 8 };
    size_t at = 0;
    int code =
        ot_oplog_file_read(&log->file, sum->name_chunk, sum->name_at, MOST_WORDS, buffer, err);
    if (code < 0 || buffer->n_words < NAME_WORDS)
        return code < 0 ? code : OT_END;
    memcpy(&name, buffer->words, sizeof(name));
    name.id = 1;
    memcpy(buffer->words, &name, sizeof(name));
    size_t n_words = NAME_WORDS + ((size_t)name.first_len + name.second_len + 7) / 8;
    if (n_words > buffer->n_words)
        return OT_END;
    buffer->n_words = n_words;
    code = ot_oplog_dict_take(&dict, buffer, &at, err);
    const struct ot_oplog_call *call = ot_oplog_dict_call(&dict, name.id);
    if (call)
        *ret_text = call->name;
    ot_oplog_dict_release(&dict);
    return code == OT_OK && !call ? OT_END : code;
}

struct ot_text ot_follow_name(struct ot_follow_log *log, uint32_t place,
                              struct ot_oplog_buffer *buffer)
{
    struct ot_follow_sum *sum = &log->sums.items[place];
    struct ot_err ignored;
    if (place < OT_FOLLOW_NAMES)
        return ot_text_of("(name not kept)");
    if (!sum->text.bytes && read_text(log, sum, buffer, &sum->text, &ignored) != OT_OK)
        return ot_text_of("(name not kept)");
    return sum->text;
}

void ot_follow_forget_texts(struct ot_follow_log *log)
{
    enum { MANY = 1 << 13 };
    if (log->texts.n_texts < MANY)
        return;
    ot_names_release(&log->texts);
    for (size_t place = 0; place < log->sums.n_items; place++)
        log->sums.items[place].text = (struct ot_text){0};
}
