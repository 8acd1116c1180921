#include "cli/import_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/artifact_check.h"
#include "cli/artifacts.h"
#include "cli/extract.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/top_find.h"
#include "corpus/copy.h"
#include "corpus/disk.h"
#include "corpus/hash_file.h"
#include "corpus/keep.h"
#include "corpus/linked.h"
#include "corpus/manifest.h"
#include "stats/figures.h"

/* A trace while it is read. */
struct reading {
    const struct ot_import *import;
    struct ot_import_trace *trace;
    const char *input;       /* what is opened: the argument, or the copy of a folder */
    char copy[PATH_MAX];     /* of a folder */
    uint64_t n_copied_bytes; /* of it */
    struct ot_artifacts artifacts;
    struct ot_keep *keep; /* of a file that is kept; or NULL */
    uint64_t n_tapped_bytes;
    struct ot_progress progress;
    bool is_known; /* some manifest has described its session before: */
    struct ot_corpus_session known;
    char artifact_name[sizeof("sha256:") + OT_STORE_SHA256_HEX];
    char id[OT_CORPUS_ID_BYTES];
};

static int out_of_memory(struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a session");
}

static const char *keep_text(const struct ot_import *import, const char *bytes, size_t len)
{
    return ot_manifest_text(import->arena, bytes, len);
}

static void tap(void *context, uint32_t session, const void *bytes, size_t len)
{
    struct reading *reading = context;
    reading->n_tapped_bytes += len;
    ot_artifacts_tap(&reading->artifacts, session, bytes, len);
    if (reading->keep)
        ot_keep_add(reading->keep, bytes, len);
}

/* The hash is known, and so is the session; and whether the store has it. */
static int identify(void *context, const struct ot_population *pop,
                    struct ot_provenance *provenance, struct ot_err *err)
{
    struct reading *reading = context;
    const struct ot_import *import = reading->import;
    (void)pop;
    if (reading->n_tapped_bytes == 0 && !reading->trace->session.is_folder &&
        strcmp(reading->input, "-") != 0)
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s is a part of a recording: import the folder that it is in",
                          reading->input);
    ot_progress_phase(&reading->progress, "writing", 0);
    int code = ot_artifacts_end(&reading->artifacts, 1, &reading->input, 1, err);
    if (code < 0)
        return code;
    snprintf(reading->artifact_name, sizeof(reading->artifact_name), "%s",
             ot_artifacts_name(&reading->artifacts, 0));
    code = ot_corpus_session_id(reading->artifact_name + strlen("sha256:"), OT_STORE_EXTRACTOR,
                                import->recover, reading->id, err);
    if (code == OT_OK)
        code = ot_writer_find_session(import->writer, reading->id, &reading->known, err);
    if (code < 0)
        return code;
    reading->is_known = code == OT_OK;
    provenance->session = reading->id;
    provenance->artifact = reading->artifact_name;
    /* The same session made again is the same bytes, and so mends what was damaged. */
    provenance->imported_ns = reading->is_known ? reading->known.imported_ns : import->now_ns;
    return OT_OK;
}

static int make_folders(struct reading *reading, size_t number, struct ot_err *err)
{
    struct ot_import_trace *trace = reading->trace;
    const char *work = reading->import->writer->work;
    char folder[PATH_MAX];
    int code = ot_disk_path(folder, err, "%s/%zu", work, number);
    if (code == OT_OK)
        code = ot_disk_path(trace->tables, err, "%s/%zu/tables", work, number);
    if (code == OT_OK)
        code = ot_disk_path(trace->artifact, err, "%s/%zu/artifact", work, number);
    const char *const folders[] = {folder, trace->tables, trace->artifact};
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && code == OT_OK; i++)
        code = ot_disk_make_folder(folders[i], err);
    return code;
}

/* A folder cannot be copied into itself. */
static int check_outside(const struct reading *reading, struct ot_err *err)
{
    const char *root = reading->import->writer->corpus.root;
    char *real = realpath(reading->trace->arg, NULL);
    size_t len = real ? strlen(real) : 0;
    bool is_around = real && strncmp(root, real, len) == 0 && (len == 1 || root[len] == '/');
    free(real);
    return is_around ? ot_err_set(err, OT_ERR_INPUT,
                                  "%s: the store %s is in it: make the store elsewhere",
                                  reading->trace->arg, root)
                     : OT_OK;
}

static int copy_folder(struct reading *reading, const char *name, struct ot_err *err)
{
    struct ot_progress progress;
    int code = check_outside(reading, err);
    if (code == OT_OK)
        code = ot_disk_path(reading->copy, err, "%s/%s", reading->trace->artifact, name);
    if (code < 0)
        return code;
    ot_progress_start(&progress, "copying", NULL, 0);
    code = ot_copy_tree(reading->trace->arg, reading->copy, &reading->n_copied_bytes, err);
    ot_progress_stop(&progress);
    reading->input = reading->copy;
    return code;
}

/* Makes ready to keep it: a folder is copied before it is read, a file while it is. */
static int begin(struct reading *reading, struct ot_err *err)
{
    struct ot_import_trace *trace = reading->trace;
    char name[NAME_MAX + 1];
    struct stat status = {0};
    reading->input = trace->arg;
    if (strcmp(trace->arg, "-") != 0 && stat(trace->arg, &status) < 0)
        return ot_err_sys(err, OT_ERR_INPUT, "%s", trace->arg);
    trace->session.is_folder = strcmp(trace->arg, "-") != 0 && S_ISDIR(status.st_mode);
    /* Its bytes would be of one moment, what was counted of another one, and both without an end.
     */
    if (trace->session.is_folder && ot_top_is_written(trace->arg))
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s is still being recorded: import it when its program has ended",
                          trace->arg);
    if (reading->import->link)
        return OT_OK;
    char *real = strcmp(trace->arg, "-") == 0 ? NULL : realpath(trace->arg, NULL);
    ot_keep_name(real && trace->session.is_folder ? real : trace->arg, name);
    free(real);
    return trace->session.is_folder ? copy_folder(reading, name, err)
                                    : ot_keep_new(trace->artifact, name, &reading->keep, err);
}

static int take_files(const struct reading *reading, const struct ot_extract *extract,
                      struct ot_corpus_session *session, struct ot_err *err)
{
    const struct ot_import *import = reading->import;
    struct ot_corpus_file *files =
        ot_arena_alloc(import->arena, (extract->n_files + 1) * sizeof(*files));
    int code = files ? OT_OK : out_of_memory(err);
    for (size_t i = 0; files && i < extract->n_files && code == OT_OK; i++) {
        const struct ot_table_file *table = &extract->files[i];
        char path[PATH_MAX];
        char hex[OT_CORPUS_ID_BYTES];
        files[i].n_rows = table->n_rows;
        code = ot_disk_path(path, err, "%s/%s", reading->trace->tables, table->name);
        if (code == OT_OK)
            code = ot_hash_file(import->store, path, hex, &files[i].n_bytes, err);
        if (code < 0)
            return code;
        files[i].name = keep_text(import, table->name, strlen(table->name));
        files[i].sha256 = keep_text(import, hex, strlen(hex));
        if (!files[i].name || !files[i].sha256)
            code = out_of_memory(err);
    }
    if (code == OT_OK) {
        session->files = files;
        session->n_files = extract->n_files;
    }
    return code;
}

static int describe(const struct reading *reading, const struct ot_extract *extract,
                    struct ot_corpus_session *session, struct ot_err *err)
{
    const struct ot_import *import = reading->import;
    const struct ot_session *read = &extract->pop.sessions[0].session;
    const char *artifact = reading->artifact_name + strlen("sha256:");
    session->id = keep_text(import, reading->id, strlen(reading->id));
    session->artifact = keep_text(import, artifact, strlen(artifact));
    session->path = keep_text(import, reading->trace->arg, strlen(reading->trace->arg));
    session->torch = keep_text(import, read->torch.bytes, read->torch.len);
    session->devices = keep_text(import, read->devices.bytes, read->devices.len);
    if (!session->id || !session->artifact || !session->path || !session->torch ||
        !session->devices)
        return out_of_memory(err);
    session->format = extract->format;
    session->extractor = OT_STORE_EXTRACTOR;
    session->imported_ns = import->now_ns;
    session->recovered = import->recover;
    session->has_rank = read->has_rank;
    session->rank = read->rank;
    session->has_world_size = read->has_world_size;
    session->world_size = read->world_size;
    session->artifact_bytes =
        session->is_folder ? reading->n_copied_bytes : reading->n_tapped_bytes;
    int code = take_files(reading, extract, session, err);
    return code == OT_OK ? ot_figures_of(&extract->pop, &session->figures, err) : code;
}

/* What is known of the tables stays as it is, as long as they are what they were. */
static bool use_known(struct reading *reading, struct ot_corpus_session *session)
{
    struct ot_err ignored;
    const struct ot_corpus_session *known = &reading->known;
    if (ot_hash_check_tables(reading->import->store, known, &ignored) < 0) {
        session->imported_ns = known->imported_ns;
        session->path = known->path;
        return true;
    }
    bool is_folder = session->is_folder;
    *session = *known;
    session->is_folder = is_folder;
    return false;
}

/* Whoever gave a folder has never heard of its copy. */
static void name_the_original(const struct reading *reading, struct ot_err *err)
{
    char *copy = reading->copy[0] != '\0' ? strstr(err->msg, reading->copy) : NULL;
    if (!copy)
        return;
    struct ot_err said = *err;
    size_t before = (size_t)(copy - err->msg);
    snprintf(err->msg, sizeof(err->msg), "%.*s%s%s", (int)before, said.msg, reading->trace->arg,
             said.msg + before + strlen(reading->copy));
}

/* The path has to be read back from a manifest, which is UTF-8. */
static int link_input(struct reading *reading, struct ot_corpus_session *session,
                      struct ot_err *err)
{
    const struct ot_import *import = reading->import;
    const char *arg = reading->trace->arg;
    uint64_t n_bytes = 0;
    int64_t mtime_ns = 0;
    char *real = realpath(arg, NULL);
    if (!real)
        return ot_err_sys(err, OT_ERR_IO, "%s", arg);
    const char *path = keep_text(import, real, strlen(real));
    bool is_utf8 = path && strcmp(path, real) == 0;
    free(real);
    if (!path)
        return out_of_memory(err);
    if (!is_utf8)
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s: its name is not UTF-8, so it cannot be linked: import it without "
                          "--link",
                          arg);
    int code = ot_linked_look(path, &n_bytes, &mtime_ns, err);
    if (code < 0)
        return code;
    if (!session->is_folder && n_bytes != reading->n_tapped_bytes)
        return ot_err_set(err, OT_ERR_INPUT, "%s has changed while it was read: import it again",
                          arg);
    session->is_linked = true;
    session->input = path;
    session->artifact_bytes = n_bytes;
    session->linked_mtime_ns = mtime_ns;
    session->kept_name = NULL;
    session->kept_bytes = 0;
    return OT_OK;
}

static int note_kept(struct reading *reading, struct ot_corpus_session *session, struct ot_err *err)
{
    struct ot_kept kept = {.n_kept = reading->n_copied_bytes};
    if (reading->keep) {
        int code = ot_keep_end(reading->keep, &kept, err);
        if (code < 0)
            return code;
    } else {
        snprintf(kept.name, sizeof(kept.name), "%s", strrchr(reading->copy, '/') + 1);
    }
    session->is_linked = false;
    session->is_packed = kept.is_packed;
    session->kept_bytes = kept.n_kept;
    session->kept_name = keep_text(reading->import, kept.name, strlen(kept.name));
    return session->kept_name ? OT_OK : out_of_memory(err);
}

static int finish(struct reading *reading, const struct ot_extract *extract, struct ot_err *err)
{
    struct ot_import_trace *trace = reading->trace;
    struct ot_corpus_session *session = &trace->session;
    int code = describe(reading, extract, session, err);
    if (code < 0)
        return code;
    trace->has_new_tables = !reading->is_known || use_known(reading, session);
    if (!reading->import->link)
        return note_kept(reading, session, err);
    trace->artifact[0] = '\0';
    bool is_kept = reading->is_known && !reading->known.is_linked;
    if (!is_kept)
        return link_input(reading, session, err);
    session->is_packed = reading->known.is_packed;
    session->kept_bytes = reading->known.kept_bytes;
    session->kept_name = reading->known.kept_name;
    return OT_OK;
}

static int read_trace(struct reading *reading, struct ot_err *err)
{
    const struct ot_import *import = reading->import;
    struct ot_extract extract = {0};
    int code = ot_artifacts_init(&reading->artifacts, import->store, 1, err);
    if (code == OT_OK)
        code = begin(reading, err);
    if (code < 0)
        return code;
    ot_progress_start(&reading->progress, "importing", &reading->trace->arg, 1);
    struct ot_extract_opts opts = {
        .store = import->store,
        .input = reading->input,
        .path = reading->trace->arg,
        .folder = reading->trace->tables,
        .format = OT_TABLES_PARQUET,
        .recover = import->recover,
        .read_bytes = &reading->progress.read_bytes,
        .tap = tap,
        .tap_context = reading,
        .identify = identify,
        .identify_context = reading,
    };
    code = ot_extract(&extract, &opts, err);
    if (code == OT_OK)
        code = finish(reading, &extract, err);
    ot_progress_stop(&reading->progress);
    if (code == OT_OK)
        ot_tell_incomplete(import->verb, reading->trace->arg, &extract.pop.warnings,
                           &extract.pop.counts);
    ot_extract_release(&extract);
    return code;
}

static bool has_one_of_size(const struct ot_import *import, uint64_t n_bytes)
{
    const struct ot_corpus_state *state = &import->writer->state;
    for (size_t i = 0; i < state->n_runs; i++) {
        for (size_t k = 0; k < state->runs[i].n_sessions; k++) {
            const struct ot_corpus_session *session = &state->runs[i].sessions[k];
            if (session->artifact_bytes == n_bytes && !session->is_folder && !session->is_linked)
                return true;
        }
    }
    return false;
}

/* Whether the store has all of a file already, whole and kept: then a hash is all there is to do.
 * Whatever speaks against it means that the file is read as any other. */
static bool is_all_there(const struct ot_import *import, const char *arg,
                         struct ot_corpus_session *ret_session)
{
    struct ot_err ignored;
    struct stat status;
    char hex[OT_CORPUS_ID_BYTES];
    char id[OT_CORPUS_ID_BYTES];
    uint64_t n_bytes = 0;
    if (strcmp(arg, "-") == 0 || stat(arg, &status) < 0 || !S_ISREG(status.st_mode) ||
        !has_one_of_size(import, (uint64_t)status.st_size) ||
        ot_hash_file(import->store, arg, hex, &n_bytes, &ignored) < 0)
        return false;
    return ot_corpus_session_id(hex, OT_STORE_EXTRACTOR, import->recover, id, &ignored) == OT_OK &&
           ot_writer_find_session(import->writer, id, ret_session, &ignored) == OT_OK &&
           !ret_session->is_linked &&
           ot_hash_check_tables(import->store, ret_session, &ignored) == OT_OK &&
           ot_artifact_check(import->store, ret_session, &ignored) == OT_OK;
}

int ot_import_read(const struct ot_import *import, const char *arg, size_t number,
                   struct ot_import_trace *ret_trace, struct ot_err *err)
{
    *ret_trace = (struct ot_import_trace){.arg = arg};
    struct reading reading = {.import = import, .trace = ret_trace};
    if (is_all_there(import, arg, &ret_trace->session))
        return OT_OK;
    int code = make_folders(&reading, number, err);
    if (code == OT_OK)
        code = read_trace(&reading, err);
    if (code < 0)
        name_the_original(&reading, err);
    ot_keep_free(reading.keep);
    ot_artifacts_release(&reading.artifacts);
    return code;
}

struct only {
    char name[NAME_MAX + 1];
    size_t n;
};

static int take_only(void *context, const char *name, struct ot_err *err)
{
    struct only *only = context;
    (void)err;
    if (only->n++ == 0)
        snprintf(only->name, sizeof(only->name), "%s", name);
    return OT_OK;
}

/* What is there keeps its name, which other manifests know it by, and its bytes, if they are what
 * they should be. */
static int yield_to(const struct ot_import *import, struct ot_import_trace *trace,
                    const char *target, bool *ret_is_same, struct ot_err *err)
{
    struct only only = {0};
    char from[PATH_MAX];
    char to[PATH_MAX];
    int code = ot_disk_list(target, take_only, &only, err);
    if (code < 0 || only.n != 1)
        return code;
    code = ot_disk_path(from, err, "%s/%s", trace->artifact, trace->session.kept_name);
    if (code == OT_OK)
        code = ot_disk_path(to, err, "%s/%s", trace->artifact, only.name);
    if (code == OT_OK && rename(from, to) < 0)
        code = ot_err_sys(err, OT_ERR_IO, "%s", to);
    if (code < 0)
        return code;
    trace->session.kept_name = keep_text(import, only.name, strlen(only.name));
    *ret_is_same = ot_copy_is_same(trace->artifact, target);
    return trace->session.kept_name ? OT_OK : out_of_memory(err);
}

static int place_artifact(const struct ot_import *import, struct ot_import_trace *trace,
                          struct ot_err *err)
{
    char target[PATH_MAX];
    bool is_same = false;
    int code = ot_disk_path(target, err, "%s/artifacts/%s", import->writer->corpus.root,
                            trace->session.artifact);
    if (code == OT_OK && ot_disk_is_there(target))
        code = yield_to(import, trace, target, &is_same, err);
    if (code < 0 || is_same)
        return code;
    return ot_disk_place(trace->artifact, target, err);
}

static int place_tables(const struct ot_import *import, struct ot_import_trace *trace,
                        struct ot_err *err)
{
    char target[PATH_MAX];
    int code = ot_disk_path(target, err, "%s/sessions/session=%s", import->writer->corpus.root,
                            trace->session.id);
    if (code == OT_OK)
        code = ot_disk_place(trace->tables, target, err);
    return code;
}

int ot_import_place(const struct ot_import *import, struct ot_import_trace *trace,
                    struct ot_err *err)
{
    int code = OT_OK;
    if (trace->artifact[0] != '\0')
        code = place_artifact(import, trace, err);
    if (code == OT_OK && trace->has_new_tables)
        code = place_tables(import, trace, err);
    return code;
}
