/* launches.h: which call into a runtime launched how much device work.
 *
 * The two are joined by the correlation that both carry, within a session. Of several calls with
 * one correlation the earliest launched it; of two that start together the one that was added
 * first. A zeroed struct is empty. One thread.
 */
#ifndef OT_FOLD_LAUNCHES_H
#define OT_FOLD_LAUNCHES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"

enum { OT_LAUNCH_NO_CALL = UINT32_MAX };

struct ot_launch {
    uint64_t correlation;
    int64_t device_ns; /* of all that was launched */
    int64_t call_ts_ns;
    uint32_t call; /* the caller's number for the launching call; OT_LAUNCH_NO_CALL: not seen */
    uint32_t session;
    uint32_t n_events;     /* launched; saturates */
    uint32_t owner_plus_1; /* row of the operator that the call was made in; 0: none, or not known
                              yet */
};

struct ot_launches {
    struct ot_launch *items;
    size_t n_items;
    size_t cap;
    struct ot_map map;
};

/* Each gives the launch's index. `call` counts up from call to call. */
int ot_launches_add_call(struct ot_launches *launches, uint32_t session, uint64_t correlation,
                         uint32_t call, int64_t ts_ns, uint32_t *ret_launch, struct ot_err *err);
int ot_launches_add_work(struct ot_launches *launches, uint32_t session, uint64_t correlation,
                         int64_t dur_ns, uint32_t *ret_launch, struct ot_err *err);

void ot_launches_release(struct ot_launches *launches);

#endif
