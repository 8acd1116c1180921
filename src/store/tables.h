/* tables.h: the tables of store.h: writing, loading and checking them. */
#ifndef OT_STORE_TABLES_H
#define OT_STORE_TABLES_H

#include "store/store.h"

int ot_tables_open(const struct ot_tables_opts *opts, struct ot_tables **ret_tables,
                   struct ot_err *err);
int ot_tables_slice(struct ot_tables *tables, const struct ot_table_slice *slice,
                    struct ot_err *err);
int ot_tables_memory(struct ot_tables *tables, const struct ot_table_memory *memory,
                     struct ot_err *err);
int ot_tables_end(struct ot_tables *tables, const struct ot_population *pop,
                  const struct ot_provenance *provenance, const struct ot_table_file **ret_files,
                  size_t *ret_n_files, struct ot_err *err);
void ot_tables_free(struct ot_tables *tables);

int ot_tables_load(const char *const *folders, size_t n_folders, struct ot_population *pop,
                   const char **ret_format, struct ot_err *err);

int ot_tables_checker_open(const char *folder, struct ot_tables_checker **ret_checker,
                           struct ot_err *err);
int ot_tables_check(struct ot_tables_checker *checker, const char *file, uint64_t *ret_n_rows,
                    struct ot_err *err);
void ot_tables_checker_close(struct ot_tables_checker *checker);

#endif
