#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "corpus/manifest.h"

#define REPLACEMENT "\xef\xbf\xbd"

static void add_text(struct ot_str *str, struct ot_text text)
{
    while (text.len) {
        uint32_t code_point = 0;
        size_t len = ot_utf8_next(text, &code_point);
        if (code_point == OT_UTF8_REPLACEMENT)
            ot_str_add(str, REPLACEMENT, sizeof(REPLACEMENT) - 1);
        else
            ot_str_add(str, text.bytes, len);
        text.bytes += len;
        text.len -= len;
    }
}

char *ot_manifest_text(struct ot_arena *arena, const char *bytes, size_t len)
{
    struct ot_str str = {0};
    add_text(&str, (struct ot_text){bytes, len});
    char *copy = str.failed ? NULL : ot_arena_copy(arena, ot_str_borrow(&str), str.len);
    ot_str_release(&str);
    return copy;
}

/* NULL when memory is out, which the end finds: jansson takes NULL for a value as a failure. */
static json_t *text(const char *string)
{
    struct ot_str str = {0};
    add_text(&str, ot_text_of(string));
    json_t *json = str.failed ? NULL : json_stringn(ot_str_borrow(&str), str.len);
    ot_str_release(&str);
    return json;
}

static json_t *number(int64_t value)
{
    return json_integer((json_int_t)value);
}

/* JSON's readers have 63 bits. */
static json_t *amount(uint64_t value)
{
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

static json_t *number_if(bool is_there, int64_t value)
{
    return is_there ? number(value) : json_null();
}

static json_t *text_if(const char *string)
{
    return string && string[0] != '\0' ? text(string) : json_null();
}

struct member {
    const char *key;
    json_t *value; /* is taken */
};

static json_t *object_of(const struct member *members, size_t n)
{
    json_t *object = json_object();
    bool failed = !object;
    for (size_t i = 0; i < n; i++)
        failed |= json_object_set_new(object, members[i].key, members[i].value) != 0;
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

#define OBJECT(...)                                                                                \
    object_of((const struct member[]){__VA_ARGS__},                                                \
              sizeof((const struct member[]){__VA_ARGS__}) / sizeof(struct member))

static json_t *array_of(size_t n, json_t *(*item)(const void *context, size_t i),
                        const void *context)
{
    json_t *array = json_array();
    bool failed = !array;
    for (size_t i = 0; i < n && !failed; i++)
        failed = json_array_append_new(array, item(context, i)) != 0;
    if (!failed)
        return array;
    json_decref(array);
    return NULL;
}

static json_t *file_item(const void *context, size_t i)
{
    const struct ot_corpus_file *file = &((const struct ot_corpus_session *)context)->files[i];
    return OBJECT({"bytes", amount(file->n_bytes)}, {"name", text(file->name)},
                  {"rows", amount(file->n_rows)}, {"sha256", text(file->sha256)});
}

static json_t *figures_of(const struct ot_figures *figures)
{
    return OBJECT({"device_busy_ns", number_if(figures->has_device, figures->device_busy_ns)},
                  {"events", amount(figures->n_events)}, {"exact", json_boolean(figures->is_exact)},
                  {"host_busy_ns", number(figures->host_busy_ns)},
                  {"operators", amount(figures->n_operators)});
}

static json_t *kept_of(const struct ot_corpus_session *session)
{
    if (session->is_linked)
        return json_null();
    return OBJECT({"bytes", amount(session->kept_bytes)}, {"name", text(session->kept_name)},
                  {"packed", json_boolean(session->is_packed)});
}

static json_t *linked_of(const struct ot_corpus_session *session)
{
    if (!session->is_linked)
        return json_null();
    return OBJECT({"mtime_ns", number(session->linked_mtime_ns)}, {"path", text(session->input)});
}

static json_t *session_item(const void *context, size_t i)
{
    const struct ot_corpus_session *session = &((const struct ot_corpus_run *)context)->sessions[i];
    return OBJECT(
        {"artifact", text(session->artifact)}, {"artifact_bytes", amount(session->artifact_bytes)},
        {"devices", text_if(session->devices)}, {"extractor", text(session->extractor)},
        {"figures", figures_of(&session->figures)},
        {"files", array_of(session->n_files, file_item, session)},
        {"folder", json_boolean(session->is_folder)}, {"format", text(session->format)},
        {"id", text(session->id)}, {"imported_ns", number(session->imported_ns)},
        {"kept", kept_of(session)}, {"linked", linked_of(session)}, {"path", text(session->path)},
        {"rank", number_if(session->has_rank, session->rank)},
        {"recovered", json_boolean(session->recovered)}, {"torch", text_if(session->torch)},
        {"world_size", number_if(session->has_world_size, session->world_size)});
}

static json_t *labels_of(const struct ot_corpus_run *run)
{
    json_t *object = json_object();
    bool failed = !object;
    for (size_t i = 0; i < run->n_labels && !failed; i++) {
        struct ot_arena arena = {0};
        const char *key = ot_manifest_text(&arena, run->labels[i].key, strlen(run->labels[i].key));
        failed = !key || json_object_set_new(object, key, text(run->labels[i].value)) != 0;
        ot_arena_release(&arena);
    }
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

/* Takes `root`. */
static int dump(struct ot_str *str, json_t *root, struct ot_err *err)
{
    char *bytes = root ? json_dumps(root, JSON_SORT_KEYS | JSON_COMPACT) : NULL;
    json_decref(root);
    if (bytes) {
        ot_str_add(str, bytes, strlen(bytes));
        ot_str_add(str, "\n", 1);
    }
    free(bytes);
    return bytes && !str->failed ? OT_OK
                                 : ot_err_set(err, OT_ERR_NOMEM, "out of memory for a manifest");
}

int ot_manifest_write_run(struct ot_str *str, const struct ot_corpus_run *run, struct ot_err *err)
{
    return dump(str,
                OBJECT({"id", text(run->id)}, {"imported_ns", number(run->imported_ns)},
                       {"labels", labels_of(run)}, {"name", text(run->name)},
                       {"schema", text(OT_CORPUS_RUN_SCHEMA)},
                       {"sessions", array_of(run->n_sessions, session_item, run)}),
                err);
}

static json_t *manifest_item(const void *context, size_t i)
{
    return text(((const struct ot_commit_text *)context)->manifests[i]);
}

int ot_manifest_write_commit(struct ot_str *str, const struct ot_commit_text *commit,
                             struct ot_err *err)
{
    return dump(str,
                OBJECT({"message", text(commit->message)}, {"parent", text_if(commit->parent)},
                       {"runs", array_of(commit->n_manifests, manifest_item, commit)},
                       {"schema", text(OT_CORPUS_COMMIT_SCHEMA)},
                       {"time_ns", number(commit->time_ns)}),
                err);
}
