#include "store/store.h"

#include "store/analyze.h"
#include "store/sha256.h"
#include "store/sql_lex.h"
#include "store/sql_session.h"
#include "store/tables.h"

extern const struct ot_store_api ot_store_api;

__attribute__((visibility("default"))) const struct ot_store_api ot_store_api = {
    .version = OT_STORE_VERSION,
    .analyze = ot_analyze,
    .sha256_new = ot_sha256_new,
    .sha256_add = ot_sha256_add,
    .sha256_end = ot_sha256_end,
    .sha256_free = ot_sha256_free,
    .tables_open = ot_tables_open,
    .tables_slice = ot_tables_slice,
    .tables_memory = ot_tables_memory,
    .tables_end = ot_tables_end,
    .tables_free = ot_tables_free,
    .tables_load = ot_tables_load,
    .tables_checker_open = ot_tables_checker_open,
    .tables_check = ot_tables_check,
    .tables_checker_close = ot_tables_checker_close,
    .sql_open = ot_sql_open,
    .sql_run = ot_sql_run,
    .sql_interrupt = ot_sql_interrupt,
    .sql_close = ot_sql_close,
    .sql_statement_end = ot_sql_statement_end,
};
