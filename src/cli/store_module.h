/* store_module.h: the module with DuckDB, for the verbs that need it. */
#ifndef OT_CLI_STORE_MODULE_H
#define OT_CLI_STORE_MODULE_H

#include "base/err.h"
#include "store/store.h"

/* Loads the module, which stays until the process ends. OT_ERR_MISSING: it is not there, or not
 * what belongs to this command. */
int ot_store_module_load(const struct ot_store_api **ret_store, struct ot_err *err);

#endif
