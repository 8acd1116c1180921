#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/quote.h"
#include "store/tables.h"
#include "store/tables_file.h"
#include "store/tables_take.h"

struct loading {
    struct ot_db db;
    struct ot_tables_take take;
    char (*folders)[PATH_MAX]; /* absolute */
    const char **borrowed;     /* the same */
    size_t n_folders;
    struct ot_err *err;
};

static int no_memory(struct loading *loading)
{
    return ot_err_set(loading->err, OT_ERR_NOMEM, "out of memory for tables");
}

static void path_of(const struct loading *loading, enum ot_tables_kind kind, size_t session,
                    struct ot_str *path)
{
    ot_str_clear(path);
    ot_str_addf(path, "%s/%s.parquet", loading->folders[session], ot_tables_of[kind].name);
}

/* The files of the sessions from `first` on, in their order, with the number of each. */
static int query(struct loading *loading, enum ot_tables_kind kind, size_t first, size_t n,
                 struct ot_rows *ret_rows)
{
    const struct ot_table *table = &ot_tables_of[kind];
    struct ot_str sql = {0};
    struct ot_str path = {0};
    ot_str_addf(&sql, "SELECT ");
    for (size_t i = 0; i < table->n_columns; i++)
        ot_str_addf(&sql, "%s, ", table->columns[i].name);
    ot_str_addf(&sql, "file_index::BIGINT FROM read_parquet([");
    for (size_t i = first; i < first + n; i++) {
        path_of(loading, kind, i, &path);
        ot_str_addf(&sql, i > first ? ", " : "");
        ot_quote_path(&sql, ot_str_borrow(&path));
    }
    ot_str_addf(&sql, "], hive_partitioning = false)");
    int code = sql.failed || path.failed
                   ? no_memory(loading)
                   : ot_db_query(&loading->db, ot_str_borrow(&sql), ret_rows, loading->err);
    ot_str_release(&path);
    ot_str_release(&sql);
    return code;
}

/* Where one has got to. */
struct place {
    enum ot_tables_kind kind;
    size_t session;
};

/* --- what is wrong ------------------------------------------------------------------------------
 */

/* False unless the tables are another extractor's, which have other columns. */
static bool is_other_version(struct loading *loading, size_t session)
{
    struct ot_str sql = {0};
    struct ot_str path = {0};
    struct ot_err ignored;
    struct ot_rows rows;
    bool is_other = false;
    path_of(loading, OT_TABLES_SESSIONS, session, &path);
    ot_str_addf(&sql, "SELECT extractor::VARCHAR FROM read_parquet(");
    ot_quote_path(&sql, ot_str_borrow(&path));
    ot_str_addf(&sql, ", hive_partitioning = false)");
    if (!sql.failed && ot_db_query(&loading->db, ot_str_borrow(&sql), &rows, &ignored) == OT_OK) {
        is_other = ot_rows_next(&rows) &&
                   ot_tables_take_version(&loading->take, ot_rows_text(&rows, 0)) < 0;
        ot_rows_release(&rows);
    }
    ot_str_release(&path);
    ot_str_release(&sql);
    return is_other;
}

static void add_remedy(struct ot_err *err)
{
    const struct ot_err said = *err;
    ot_err_set(err, OT_ERR_INPUT, "%s (the store is damaged: optally fsck says where)", said.msg);
}

static int name_file(struct loading *loading, const struct place *place, int code)
{
    struct ot_str path = {0};
    path_of(loading, place->kind, place->session, &path);
    if (code != OT_ERR_NOMEM) {
        code = OT_ERR_INPUT;
        if (access(ot_str_borrow(&path), R_OK) < 0)
            ot_err_sys(loading->err, code, "%s", ot_str_borrow(&path));
        else
            ot_tables_file_error(loading->err, code, ot_str_borrow(&path));
        if (!loading->take.is_other_version)
            add_remedy(loading->err);
    }
    ot_str_release(&path);
    return code;
}

/* What DuckDB refuses is in one of the files: the first that it refuses alone. */
static int name_culprit(struct loading *loading, struct place *place, int code)
{
    for (place->session = 0; place->session < loading->n_folders; place->session++) {
        struct ot_rows rows;
        int alone = query(loading, place->kind, place->session, 1, &rows);
        if (alone == OT_OK) {
            ot_rows_release(&rows);
            continue;
        }
        if (is_other_version(loading, place->session))
            place->kind = OT_TABLES_SESSIONS;
        return name_file(loading, place, alone);
    }
    return code;
}

/* --- all of it ----------------------------------------------------------------------------------
 */

static int load_table(struct loading *loading, enum ot_tables_kind kind)
{
    struct place place = {.kind = kind};
    struct ot_rows rows;
    int code = query(loading, kind, 0, loading->n_folders, &rows);
    if (code < 0)
        return name_culprit(loading, &place, code);
    code = ot_tables_take_rows(&loading->take, kind, &rows, &place.session);
    ot_rows_release(&rows);
    if (code == OT_OK && loading->take.pop->n_sessions < loading->n_folders) {
        place.session = loading->take.pop->n_sessions;
        code = ot_err_set(loading->err, OT_ERR_INPUT, "no session in it");
    }
    return code < 0 ? name_file(loading, &place, code) : code;
}

static int find_folders(struct loading *loading, const char *const *folders)
{
    size_t n = loading->n_folders;
    loading->folders = calloc(n, sizeof(*loading->folders));
    loading->borrowed = calloc(n, sizeof(*loading->borrowed));
    loading->take.first_rows = calloc(n + 1, sizeof(*loading->take.first_rows));
    if (!loading->folders || !loading->borrowed || !loading->take.first_rows)
        return no_memory(loading);
    for (size_t i = 0; i < n; i++) {
        loading->borrowed[i] = loading->folders[i];
        if (!realpath(folders[i], loading->folders[i]))
            return ot_err_sys(loading->err, OT_ERR_INPUT, "%s", folders[i]);
    }
    return OT_OK;
}

static int load(struct loading *loading, const char *const *folders)
{
    uint32_t empty = 0;
    int code = find_folders(loading, folders);
    if (code == OT_OK) {
        const struct ot_db_opts opts = {
            .folders = loading->borrowed, .n_folders = loading->n_folders, .n_threads = 1};
        code = ot_db_open_files(&loading->db, &opts, loading->err);
    }
    if (code == OT_OK)
        code = ot_names_intern(&loading->take.pop->names, ot_text_of(""), &empty, loading->err);
    for (int kind = 0; kind < OT_TABLES_SMALL && code == OT_OK; kind++)
        code = load_table(loading, (enum ot_tables_kind)kind);
    return code;
}

int ot_tables_load(const char *const *folders, size_t n_folders, struct ot_population *pop,
                   const char **ret_format, struct ot_err *err)
{
    struct loading loading = {.take = {.pop = pop, .n_sessions = n_folders, .err = err},
                              .n_folders = n_folders,
                              .err = err};
    int code = load(&loading, folders);
    if (code == OT_OK)
        *ret_format = ot_names_text(&pop->names, loading.take.format).bytes;
    ot_db_close(&loading.db);
    free(loading.folders);
    free(loading.borrowed);
    free(loading.take.first_rows);
    return code;
}
