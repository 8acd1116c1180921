#include "cli/export_tables.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/paths.h"
#include "cli/artifacts.h"
#include "cli/extract.h"
#include "cli/output.h"
#include "cli/store_module.h"
#include "cli/verb.h"
#include "corpus/corpus.h"

/* What one extraction needs to know, and what it tells. */
struct one {
    const struct ot_export_tables *opts;
    const struct ot_input *input;
    struct ot_artifacts artifacts;
    char session[OT_CORPUS_ID_BYTES];
    char artifact[OT_ARTIFACT_NAME_BYTES];
};

static void tap(void *context, uint32_t session, const void *bytes, size_t len)
{
    struct one *one = context;
    ot_artifacts_tap(&one->artifacts, session, bytes, len);
}

/* Of a run, what was imported: the store may have packed it. */
static void name_artifact(struct one *one)
{
    const struct ot_corpus_session *session = one->input->session;
    if (session)
        snprintf(one->artifact, sizeof(one->artifact), "sha256:%s", session->artifact);
    else
        snprintf(one->artifact, sizeof(one->artifact), "%s", ot_artifacts_name(&one->artifacts, 0));
}

static int identify(void *context, const struct ot_population *pop,
                    struct ot_provenance *provenance, struct ot_err *err)
{
    struct one *one = context;
    int code = ot_artifacts_end(&one->artifacts, pop->n_sessions, &one->input->path, 1, err);
    if (code < 0)
        return code;
    name_artifact(one);
    provenance->artifact = one->artifact;
    provenance->session = one->session;
    return ot_corpus_session_id(strchr(one->artifact, ':') + 1, OT_STORE_EXTRACTOR,
                                provenance->recovered, one->session, err);
}

static int extract_one(struct one *one, const struct ot_store_api *store, const char *folder,
                       struct ot_err *err)
{
    const struct ot_export_tables *opts = one->opts;
    struct ot_extract extract = {0};
    const struct ot_extract_opts extract_opts = {
        .store = store,
        .input = one->input->path,
        .path = one->input->shown,
        .folder = folder,
        .format = opts->format,
        .recover = opts->recover || (one->input->session && one->input->session->recovered),
        .read_bytes = opts->read_bytes,
        .tap = tap,
        .tap_context = one,
        .identify = identify,
        .identify_context = one,
    };
    int code = ot_artifacts_init(&one->artifacts, store, 1, err);
    if (code == OT_OK)
        code = ot_extract(&extract, &extract_opts, err);
    if (code == OT_OK)
        ot_tell_incomplete(opts->verb, opts->inputs->n > 1 ? one->input->shown : NULL,
                           &extract.pop.warnings, &extract.pop.counts);
    ot_extract_release(&extract);
    ot_artifacts_release(&one->artifacts);
    return code;
}

/* The folder's name is known only when the trace was read. */
static int extract_below(struct one *one, const struct ot_store_api *store, struct ot_err *err)
{
    const struct ot_export_tables *opts = one->opts;
    char work[PATH_MAX + sizeof("/new")];
    char target[PATH_MAX + sizeof("/session=") + OT_CORPUS_ID_BYTES];
    snprintf(work, sizeof(work), "%s/new", opts->folder);
    if (mkdir(work, 0777) < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", work);
    int code = extract_one(one, store, work, err);
    if (code < 0)
        return code;
    snprintf(target, sizeof(target), "%s/session=%s", opts->folder, one->session);
    if (rename(work, target) == 0)
        return OT_OK;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return ot_err_sys(err, OT_ERR_IO, "%s", target);
    ot_complain(opts->verb, "warning: %s is the same trace as one before it; it is written once",
                one->input->shown);
    ot_paths_remove_tree(work);
    return OT_OK;
}

int ot_export_tables(const struct ot_export_tables *opts, struct ot_err *err)
{
    const struct ot_store_api *store = NULL;
    int code = ot_store_module_load(&store, err);
    for (size_t i = 0; i < opts->inputs->n && code == OT_OK; i++) {
        struct one one = {.opts = opts,
                          .input = ot_inputs_find(opts->given, opts->inputs->inputs[i])};
        code = opts->inputs->n == 1 ? extract_one(&one, store, opts->folder, err)
                                    : extract_below(&one, store, err);
    }
    return code;
}
