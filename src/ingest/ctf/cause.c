#include "ingest/ctf/cause.h"

#include <babeltrace2/babeltrace.h>
#include <stdio.h>
#include <string.h>

int ot_ctf_take_cause(struct ot_err *err, int code, const char *where)
{
    const bt_error *error = bt_current_thread_take_error();
    if (!error)
        return ot_err_set(err, code, "%s: cannot be read", where);
    for (uint64_t i = 0; i < bt_error_get_cause_count(error); i++)
    fprintf(stderr, "CAUSE %d %s\n", (int)i, bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, i)));
    const bt_error_cause *innermost = bt_error_borrow_cause_by_index(error, 0);
    ot_err_set(err, code, "%s: %s", where, bt_error_cause_get_message(innermost));
    bt_error_release(error);
    return code;
}
