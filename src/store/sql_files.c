#include "store/sql_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "store/quote.h"

void ot_sql_files_release(struct ot_sql_files *files)
{
    for (size_t i = 0; i < files->n; i++)
        free(files->names[i]);
    free(files->names);
    *files = (struct ot_sql_files){0};
}

static bool add_name(struct ot_sql_files *files, const char *name)
{
    if (!ot_vec_reserve(&files->names, &files->cap, files->n + 1, sizeof(*files->names)))
        return false;
    files->names[files->n] = strdup(name);
    return files->names[files->n++] != NULL;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "slices-0000.parquet" is a part of the table `slices`. */
static bool is_part(const char *file, const char *table)
{
    size_t len = strlen(table);
    return strncmp(file, table, len) == 0 && file[len] == '-' &&
           ot_text_ends_in(ot_text_of(file), ".parquet");
}

int ot_sql_files_list(const char *folder, const char *table, struct ot_sql_files *ret_files,
                      struct ot_err *err)
{
    struct ot_sql_files files = {0};
    int code = OT_OK;
    DIR *dir = opendir(folder);
    if (!dir)
        return ot_err_sys(err, OT_ERR_INPUT, "%s (optally fsck says what is damaged)", folder);
    for (struct dirent *entry; code == OT_OK && (entry = readdir(dir));) {
        if (is_part(entry->d_name, table) && !add_name(&files, entry->d_name))
            code = ot_err_set(err, OT_ERR_NOMEM, "out of memory for a query");
    }
    closedir(dir);
    if (code == OT_OK && files.n == 0)
        code =
            ot_err_set(err, OT_ERR_INPUT,
                       "%s: no %s-0000.parquet (optally fsck says what is damaged)", folder, table);
    if (code < 0 || !files.names) {
        ot_sql_files_release(&files);
        return code;
    }
    qsort(files.names, files.n, sizeof(*files.names), compare_names);
    *ret_files = files;
    return OT_OK;
}

void ot_sql_files_add_path(struct ot_str *sql, const char *folder, const char *name,
                           void (*quote)(struct ot_str *sql, const char *text))
{
    struct ot_str path = {0};
    ot_str_addf(&path, "%s/%s", folder, name);
    quote(sql, ot_str_borrow(&path));
    sql->failed |= path.failed;
    ot_str_release(&path);
}

/* --- what may be reached ------------------------------------------------------------------------
 */

/* DuckDB would take one that is not there for a folder. */
static int check_file(const char *folder, const char *name, struct ot_err *err)
{
    struct ot_str path = {0};
    int code = OT_OK;
    ot_str_addf(&path, "%s/%s", folder, name);
    if (access(ot_str_borrow(&path), R_OK) < 0)
        code = ot_err_set(err, OT_ERR_INPUT, "%s: %s (optally fsck says what is damaged)",
                          ot_str_borrow(&path), strerror(errno));
    ot_str_release(&path);
    return code;
}

/* DuckDB asks for the pattern, then for the name. */
static void allow_file(struct ot_str *sql, const char *folder, const char *name)
{
    ot_sql_files_add_path(sql, folder, name, ot_quote);
    ot_str_addf(sql, ", ");
    if (strpbrk(folder, "[]*?")) {
        ot_sql_files_add_path(sql, folder, name, ot_quote_path);
        ot_str_addf(sql, ", ");
    }
}

static int allow_small(struct ot_str *sql, const char *folder, const char *table,
                       struct ot_err *err)
{
    char name[64];
    snprintf(name, sizeof(name), "%s.parquet", table);
    int code = check_file(folder, name, err);
    if (code == OT_OK)
        allow_file(sql, folder, name);
    return code;
}

static int allow_many(struct ot_str *sql, const char *folder, const char *table, struct ot_err *err)
{
    struct ot_sql_files files = {0};
    int code = ot_sql_files_list(folder, table, &files, err);
    for (size_t i = 0; code == OT_OK && i < files.n; i++)
        allow_file(sql, folder, files.names[i]);
    ot_sql_files_release(&files);
    return code;
}

static int allow_session(struct ot_str *sql, const char *folder, struct ot_err *err)
{
    int code = OT_OK;
    for (size_t kind = 0; code == OT_OK && kind < OT_TABLES_COUNT; kind++) {
        const char *table = ot_tables_of[kind].name;
        code = ot_sql_files_are_many(kind) ? allow_many(sql, folder, table, err)
                                           : allow_small(sql, folder, table, err);
    }
    return code;
}

int ot_sql_files_allow(struct ot_str *sql, const struct ot_sql_view *view, const char *writable,
                       struct ot_err *err)
{
    int code = OT_OK;
    ot_str_addf(sql, "SET allowed_paths = [");
    for (size_t i = 0; code == OT_OK && i < view->n_sessions; i++)
        code = allow_session(sql, view->sessions[i].folder, err);
    if (writable)
        ot_quote(sql, writable);
    ot_str_addf(sql, "]; SET enable_external_access = false");
    return code;
}
