#include <jansson.h>
#include <string.h>

#include "corpus/disk.h"
#include "corpus/manifest.h"

/* A file that is being taken apart. Its hash was checked, so what is wrong here was written so: by
 * a newer version, as a rule. */
struct reading {
    struct ot_arena *arena;
    const char *root;
    const char *path;
    const char *fault; /* the first member that is not what it should be */
    bool out_of_memory;
};

static void fail(struct reading *reading, const char *key)
{
    if (!reading->fault)
        reading->fault = key;
}

static void *room(struct reading *reading, size_t n, size_t item_bytes)
{
    void *items = ot_arena_alloc(reading->arena, n ? n * item_bytes : 1);
    if (items)
        memset(items, 0, n ? n * item_bytes : 1);
    else
        reading->out_of_memory = true;
    return items;
}

/* Texts with a NUL in them are none of ours. */
static const char *text_of(struct reading *reading, const json_t *value, const char *key)
{
    if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value)) {
        fail(reading, key);
        return "";
    }
    const char *copy =
        ot_arena_copy(reading->arena, json_string_value(value), json_string_length(value));
    reading->out_of_memory |= !copy;
    return copy ? copy : "";
}

static const char *text(struct reading *reading, const json_t *object, const char *key)
{
    return text_of(reading, json_object_get(object, key), key);
}

static const char *text_if(struct reading *reading, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? "" : text_of(reading, value, key);
}

static int64_t number(struct reading *reading, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value))
        fail(reading, key);
    return (int64_t)json_integer_value(value);
}

static uint64_t amount(struct reading *reading, const json_t *object, const char *key)
{
    int64_t value = number(reading, object, key);
    if (value < 0)
        fail(reading, key);
    return (uint64_t)value;
}

static bool number_if(struct reading *reading, const json_t *object, const char *key,
                      int64_t *ret_value)
{
    if (json_is_null(json_object_get(object, key)))
        return false;
    *ret_value = number(reading, object, key);
    return true;
}

static bool truth(struct reading *reading, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_boolean(value))
        fail(reading, key);
    return json_is_true(value);
}

static const json_t *inner(struct reading *reading, const json_t *object, const char *key,
                           bool is_array)
{
    const json_t *value = json_object_get(object, key);
    if (is_array ? !json_is_array(value) : !json_is_object(value))
        fail(reading, key);
    return value;
}

/* An id or a hash: it becomes part of a path. */
static const char *hex(struct reading *reading, const char *string, const char *key)
{
    if (strlen(string) != OT_STORE_SHA256_HEX || !ot_corpus_is_prefix(string))
        fail(reading, key);
    return string;
}

/* The name of a file in its folder, and of nothing else. */
static const char *file_name(struct reading *reading, const char *string, const char *key)
{
    if (string[0] == '\0' || strchr(string, '/') || strcmp(string, ".") == 0 ||
        strcmp(string, "..") == 0)
        fail(reading, key);
    return string;
}

static const char *below_root(struct reading *reading, const char *folder, const char *id,
                              const char *name)
{
    char path[PATH_MAX];
    if (ot_disk_path(path, NULL, "%s/%s%s%s%s", reading->root, folder, id, name ? "/" : "",
                     name ? name : "") < 0) {
        fail(reading, "id");
        return "";
    }
    const char *copy = ot_arena_copy(reading->arena, path, strlen(path));
    reading->out_of_memory |= !copy;
    return copy ? copy : "";
}

static void read_files(struct reading *reading, const json_t *object,
                       struct ot_corpus_session *session)
{
    const json_t *array = inner(reading, object, "files", true);
    session->n_files = json_array_size(array);
    struct ot_corpus_file *files = room(reading, session->n_files, sizeof(*files));
    session->files = files;
    for (size_t i = 0; files && i < session->n_files; i++) {
        const json_t *file = json_array_get(array, i);
        files[i] = (struct ot_corpus_file){
            .name = file_name(reading, text(reading, file, "name"), "name"),
            .sha256 = hex(reading, text(reading, file, "sha256"), "sha256"),
            .n_bytes = amount(reading, file, "bytes"),
            .n_rows = amount(reading, file, "rows"),
        };
    }
}

static void read_figures(struct reading *reading, const json_t *session, struct ot_figures *figures)
{
    const json_t *object = inner(reading, session, "figures", false);
    figures->n_operators = amount(reading, object, "operators");
    figures->n_events = amount(reading, object, "events");
    figures->host_busy_ns = number(reading, object, "host_busy_ns");
    figures->has_device = number_if(reading, object, "device_busy_ns", &figures->device_busy_ns);
    figures->is_exact = truth(reading, object, "exact");
}

/* Where its artifact is: in the store, or where it was. */
static void read_place(struct reading *reading, const json_t *object,
                       struct ot_corpus_session *session)
{
    session->is_linked = json_is_null(json_object_get(object, "kept"));
    const json_t *place = inner(reading, object, session->is_linked ? "linked" : "kept", false);
    if (session->is_linked) {
        session->input = text(reading, place, "path");
        session->linked_mtime_ns = number(reading, place, "mtime_ns");
        return;
    }
    session->kept_name = file_name(reading, text(reading, place, "name"), "name");
    session->kept_bytes = amount(reading, place, "bytes");
    session->is_packed = truth(reading, place, "packed");
    session->input = below_root(reading, "artifacts/", session->artifact, session->kept_name);
}

static void read_session(struct reading *reading, const json_t *object,
                         struct ot_corpus_session *session)
{
    session->id = hex(reading, text(reading, object, "id"), "id");
    session->artifact = hex(reading, text(reading, object, "artifact"), "artifact");
    session->folder = below_root(reading, "sessions/session=", session->id, NULL);
    session->path = text(reading, object, "path");
    session->format = text(reading, object, "format");
    session->extractor = text(reading, object, "extractor");
    session->imported_ns = number(reading, object, "imported_ns");
    session->is_folder = truth(reading, object, "folder");
    session->recovered = truth(reading, object, "recovered");
    session->has_rank = number_if(reading, object, "rank", &session->rank);
    session->has_world_size = number_if(reading, object, "world_size", &session->world_size);
    session->artifact_bytes = amount(reading, object, "artifact_bytes");
    session->torch = text_if(reading, object, "torch");
    session->devices = text_if(reading, object, "devices");
    read_place(reading, object, session);
    read_figures(reading, object, &session->figures);
    read_files(reading, object, session);
}

static void read_labels(struct reading *reading, json_t *root, struct ot_corpus_run *run)
{
    const json_t *object = inner(reading, root, "labels", false);
    struct ot_corpus_label *labels = room(reading, json_object_size(object), sizeof(*labels));
    run->labels = labels;
    const char *key = NULL;
    json_t *value = NULL;
    if (!labels || !object)
        return;
    /* Members stand in the file, and so here, in the order of their keys. */
    json_object_foreach ((json_t *)object, key, value) {
        const char *copy = ot_arena_copy(reading->arena, key, strlen(key));
        reading->out_of_memory |= !copy;
        labels[run->n_labels++] =
            (struct ot_corpus_label){copy ? copy : "", text_of(reading, value, "labels")};
    }
}

static int end(const struct reading *reading, struct ot_err *err)
{
    if (reading->out_of_memory)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for %s", reading->path);
    if (reading->fault)
        return ot_err_set(
            err, OT_ERR_INPUT,
            "%s is damaged: its \"%s\" is missing or of another kind" OT_MANIFEST_HINT,
            reading->path, reading->fault);
    return OT_OK;
}

/* The caller releases the root. */
static int parse(const char *path, const char *bytes, size_t len, const char *schema,
                 json_t **ret_root, struct ot_err *err)
{
    json_error_t error;
    json_t *root = json_loadb(bytes, len, JSON_REJECT_DUPLICATES, &error);
    const char *found = json_string_value(json_object_get(root, "schema"));
    int code = OT_OK;
    if (!found)
        code = ot_err_set(err, OT_ERR_INPUT, "%s is damaged: it is no manifest" OT_MANIFEST_HINT,
                          path);
    else if (strcmp(found, schema) != 0)
        code = ot_err_set(err, OT_ERR_INPUT,
                          "%s: of version '%.40s'; this optally knows %s: use a newer optally",
                          path, found, schema);
    if (code == OT_OK)
        *ret_root = root;
    else
        json_decref(root);
    return code;
}

int ot_manifest_read_run(struct ot_arena *arena, const char *root, const char *path,
                         const char *bytes, size_t len, struct ot_corpus_run *ret_run,
                         struct ot_err *err)
{
    json_t *json = NULL;
    int code = parse(path, bytes, len, OT_CORPUS_RUN_SCHEMA, &json, err);
    if (code < 0)
        return code;
    struct reading reading = {.arena = arena, .root = root, .path = path};
    struct ot_corpus_run run = {
        .id = hex(&reading, text(&reading, json, "id"), "id"),
        .name = text(&reading, json, "name"),
        .imported_ns = number(&reading, json, "imported_ns"),
    };
    read_labels(&reading, json, &run);
    const json_t *array = inner(&reading, json, "sessions", true);
    run.n_sessions = json_array_size(array);
    struct ot_corpus_session *sessions = room(&reading, run.n_sessions, sizeof(*sessions));
    run.sessions = sessions;
    if (run.n_sessions == 0)
        fail(&reading, "sessions");
    for (size_t i = 0; sessions && i < run.n_sessions; i++)
        read_session(&reading, json_array_get(array, i), &sessions[i]);
    json_decref(json);
    code = end(&reading, err);
    if (code == OT_OK)
        *ret_run = run;
    return code;
}

int ot_manifest_read_commit(struct ot_arena *arena, const char *path, const char *bytes, size_t len,
                            struct ot_commit_text *ret_commit, struct ot_err *err)
{
    json_t *json = NULL;
    int code = parse(path, bytes, len, OT_CORPUS_COMMIT_SCHEMA, &json, err);
    if (code < 0)
        return code;
    struct reading reading = {.arena = arena, .path = path};
    struct ot_commit_text commit = {
        .parent = text_if(&reading, json, "parent"),
        .message = text(&reading, json, "message"),
        .time_ns = number(&reading, json, "time_ns"),
    };
    if (commit.parent[0] != '\0')
        hex(&reading, commit.parent, "parent");
    const json_t *array = inner(&reading, json, "runs", true);
    commit.n_manifests = json_array_size(array);
    const char **manifests = room(&reading, commit.n_manifests, sizeof(*manifests));
    commit.manifests = manifests;
    for (size_t i = 0; manifests && i < commit.n_manifests; i++)
        manifests[i] = hex(&reading, text_of(&reading, json_array_get(array, i), "runs"), "runs");
    json_decref(json);
    code = end(&reading, err);
    if (code == OT_OK)
        *ret_commit = commit;
    return code;
}
