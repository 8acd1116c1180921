/* sql_cap.h: how much memory the process may have, so that malloc() fails and not the machine.
 *
 * DuckDB counts its own buffers; what one function makes of one value (repeat(), range()) it does
 * not. One at a time; one thread.
 */
#ifndef OT_STORE_SQL_CAP_H
#define OT_STORE_SQL_CAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/err.h"

struct ot_sql_cap {
    struct rlimit before;
    bool is_on;
};

/* From here on the process gets `bytes` more than it has, but no more than before. OT_ERR_IO: it
 * cannot be told what it has. */
int ot_sql_cap_begin(struct ot_sql_cap *cap, int64_t bytes, struct ot_err *err);

/* As before; nothing if it has not begun. Any thread. */
void ot_sql_cap_end(struct ot_sql_cap *cap);

#endif
