#include "store/tables.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "store/tables_file.h"
#include "store/tables_make.h"

/* Rows of one file, which are also what is held in memory: some 40 MB. */
enum { SLICES_PER_FILE = 1 << 20, MEMORY_PER_FILE = 1 << 18 };

/* Rows that are not in a file yet. */
struct batch {
    char *rows;
    size_t n;
    size_t cap;
    unsigned n_files;
};

struct ot_tables {
    struct ot_db db;
    char folder[PATH_MAX];
    enum ot_tables_format format;
    struct ot_tables_make make;
    struct batch slices;
    struct batch memory;
    struct ot_table_file *files;
    size_t n_files;
    size_t files_cap;
};

static int open_tables(struct ot_tables *tables, const struct ot_tables_opts *opts,
                       struct ot_err *err)
{
    tables->format = opts->format;
    tables->make.names = opts->names;
    if (!realpath(opts->folder, tables->folder))
        return ot_err_sys(err, OT_ERR_IO, "%s", opts->folder);
    const char *folder = tables->folder;
    const struct ot_db_opts db_opts = {.folders = &folder, .n_folders = 1, .n_threads = 2};
    return ot_db_open_files(&tables->db, &db_opts, err);
}

int ot_tables_open(const struct ot_tables_opts *opts, struct ot_tables **ret_tables,
                   struct ot_err *err)
{
    struct ot_tables *tables = calloc(1, sizeof(*tables));
    int code = tables ? open_tables(tables, opts, err)
                      : ot_err_set(err, OT_ERR_NOMEM, "out of memory for tables");
    if (code == OT_OK)
        *ret_tables = tables;
    else
        ot_tables_free(tables);
    return code;
}

/* --- files --------------------------------------------------------------------------------------
 */

static int write_file(struct ot_tables *tables, enum ot_tables_kind kind, const char *name,
                      const void *rows, size_t n, struct ot_err *err)
{
    char path[PATH_MAX + sizeof(tables->files->name) + 1];
    if (!ot_vec_reserve(&tables->files, &tables->files_cap, tables->n_files + 1,
                        sizeof(*tables->files)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for tables");
    struct ot_table_file *file = &tables->files[tables->n_files];
    snprintf(file->name, sizeof(file->name), "%s.%s", name, ot_tables_suffix(tables->format));
    snprintf(path, sizeof(path), "%s/%s", tables->folder, file->name);
    file->n_rows = n;
    int code =
        ot_tables_write_file(&tables->db, path, tables->format, &ot_tables_of[kind], rows, n, err);
    tables->n_files += code == OT_OK;
    return code;
}

static int flush(struct ot_tables *tables, enum ot_tables_kind kind, struct batch *batch,
                 struct ot_err *err)
{
    char name[sizeof(tables->files->name)];
    snprintf(name, sizeof(name), "%s-%04u", ot_tables_of[kind].name, batch->n_files++);
    int code = write_file(tables, kind, name, batch->rows, batch->n, err);
    batch->n = 0;
    return code;
}

static int add(struct ot_tables *tables, enum ot_tables_kind kind, struct batch *batch,
               size_t per_file, const void *row, struct ot_err *err)
{
    size_t row_bytes = ot_tables_of[kind].stride_bytes;
    if (batch->n == per_file) {
        int code = flush(tables, kind, batch, err);
        if (code < 0)
            return code;
    }
    if (!ot_vec_reserve(&batch->rows, &batch->cap, batch->n + 1, row_bytes))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for tables");
    memcpy(batch->rows + batch->n++ * row_bytes, row, row_bytes);
    return OT_OK;
}

int ot_tables_slice(struct ot_tables *tables, const struct ot_table_slice *slice,
                    struct ot_err *err)
{
    return add(tables, OT_TABLES_SLICES, &tables->slices, SLICES_PER_FILE, slice, err);
}

int ot_tables_memory(struct ot_tables *tables, const struct ot_table_memory *memory,
                     struct ot_err *err)
{
    const struct ot_memory_record record = {
        .event = *memory,
        .thread = ot_tables_make_thread(&tables->make, memory->vpid, memory->vtid),
    };
    if (tables->make.failed)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for tables");
    return add(tables, OT_TABLES_MEMORY, &tables->memory, MEMORY_PER_FILE, &record, err);
}

/* --- the end ------------------------------------------------------------------------------------
 */

/* A kind without rows has one file, which says what its columns are. */
static int flush_last(struct ot_tables *tables, struct ot_err *err)
{
    int code = OT_OK;
    if (tables->slices.n || tables->slices.n_files == 0)
        code = flush(tables, OT_TABLES_SLICES, &tables->slices, err);
    if (code == OT_OK && (tables->memory.n || tables->memory.n_files == 0))
        code = flush(tables, OT_TABLES_MEMORY, &tables->memory, err);
    return code;
}

static int write_small(struct ot_tables *tables, enum ot_tables_kind kind, struct ot_err *err)
{
    void *rows = NULL;
    size_t n = 0;
    int code = ot_tables_make(&tables->make, kind, &rows, &n, err);
    if (code == OT_OK)
        code = write_file(tables, kind, ot_tables_of[kind].name, rows, n, err);
    free(rows);
    return code;
}

int ot_tables_end(struct ot_tables *tables, const struct ot_population *pop,
                  const struct ot_provenance *provenance, const struct ot_table_file **ret_files,
                  size_t *ret_n_files, struct ot_err *err)
{
    tables->make.names = &pop->names;
    tables->make.pop = pop;
    tables->make.provenance = provenance;
    int code = flush_last(tables, err);
    for (int kind = 0; kind < OT_TABLES_SMALL && code == OT_OK; kind++)
        code = write_small(tables, (enum ot_tables_kind)kind, err);
    if (code < 0)
        return code;
    *ret_files = tables->files;
    *ret_n_files = tables->n_files;
    return OT_OK;
}

void ot_tables_free(struct ot_tables *tables)
{
    if (!tables)
        return;
    ot_db_close(&tables->db);
    ot_arena_release(&tables->make.arena);
    free(tables->slices.rows);
    free(tables->memory.rows);
    free(tables->files);
    free(tables);
}
