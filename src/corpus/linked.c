#include "corpus/linked.h"

#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#include "corpus/corpus.h"

enum { NS_PER_S = 1000000000 };

static int64_t mtime_of(const struct stat *status)
{
    return (int64_t)status->st_mtim.tv_sec * NS_PER_S + status->st_mtim.tv_nsec;
}

int ot_linked_look(const char *path, uint64_t *ret_bytes, int64_t *ret_mtime_ns, struct ot_err *err)
{
    char *roots[] = {(char *)path, NULL};
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    if (!tree)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    uint64_t n_bytes = 0;
    int64_t newest_ns = INT64_MIN;
    int code = OT_OK;
    for (FTSENT *entry; code == OT_OK && (entry = fts_read(tree));) {
        if (entry->fts_info == FTS_NS || entry->fts_info == FTS_ERR || entry->fts_info == FTS_DNR) {
            errno = entry->fts_errno;
            code = ot_err_sys(err, OT_ERR_IO, "%s", entry->fts_path);
        } else if (entry->fts_info == FTS_F) {
            int64_t mtime_ns = mtime_of(entry->fts_statp);
            n_bytes += (uint64_t)entry->fts_statp->st_size;
            newest_ns = mtime_ns > newest_ns ? mtime_ns : newest_ns;
        }
    }
    fts_close(tree);
    if (code == OT_OK) {
        *ret_bytes = n_bytes;
        *ret_mtime_ns = newest_ns;
    }
    return code;
}

int ot_corpus_check_input(const struct ot_corpus_session *session, struct ot_err *err)
{
    uint64_t n_bytes = 0;
    int64_t mtime_ns = 0;
    if (!session->is_linked)
        return OT_OK;
    if (ot_linked_look(session->input, &n_bytes, &mtime_ns, err) < 0)
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s cannot be read any more, which was imported with --link: put it back "
                          "(analyze, diff and sql do without it)",
                          session->input);
    if (n_bytes != session->artifact_bytes || mtime_ns != session->linked_mtime_ns)
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s has changed since it was imported with --link: put back what it was, "
                          "or import it again (analyze, diff and sql still know the old one)",
                          session->input);
    return OT_OK;
}

int ot_corpus_check_tables(const struct ot_corpus_session *session, struct ot_err *err)
{
    if (strcmp(session->extractor, OT_STORE_EXTRACTOR) == 0)
        return OT_OK;
    return ot_err_set(err, OT_ERR_INPUT,
                      "%s (session %.*s): its tables are of version '%.40s', but this optally "
                      "reads " OT_STORE_EXTRACTOR
                      ": import it again; optally rm takes out a run that still "
                      "has the old ones",
                      session->path, OT_CORPUS_SHORT_ID, session->id, session->extractor);
}
