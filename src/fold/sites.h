/* sites.h: what many slices share, so that each need not have it.
 *
 * A *site* is the row of the population that a slice counts in, and the *group* that it is ordered
 * and nested in: a lane of a thread, or a device. Private to this folder. One thread.
 */
#ifndef OT_FOLD_SITES_H
#define OT_FOLD_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "model/backend.h"
#include "stats/population.h"

struct ot_site {
    uint32_t row;
    uint32_t group;
    int64_t device; /* of a device's slice: what tells the devices apart; else 0 */
    bool names_phase;
    bool is_graph_launch;
};

/* A lane of a thread {session, host, process, thread}; or with OT_LANE_FLAT a device, whose number
 * stands in vpid. */
struct ot_group {
    uint32_t session;
    uint32_t host;
    int64_t vpid;
    uint64_t vtid;
    enum ot_lane lane;
    size_t n_slices;
    size_t first; /* of its slices, once they are ordered (order.h) */
};

/* What tells the site of a slice. */
struct ot_site_key {
    struct ot_text name;
    struct ot_text category;
    struct ot_text host;
    int64_t vpid;
    uint64_t vtid;
    int64_t device;
    uint32_t session;
    int backend;
};

/* Zeroed but for `pop`, which is borrowed. */
struct ot_sites {
    struct ot_population *pop;
    struct ot_site *of;
    size_t n_sites;
    size_t sites_cap;
    struct ot_map site_map;
    struct ot_group *groups;
    size_t n_groups;
    size_t groups_cap;
    struct ot_map group_map;
};

/* Each finds or makes it. OT_ERR_NOMEM: memory, or too many. */
int ot_sites_group(struct ot_sites *sites, const struct ot_group *key, uint32_t *ret_group,
                   struct ot_err *err);
int ot_sites_find(struct ot_sites *sites, const struct ot_site_key *key, uint32_t *ret_site,
                  struct ot_err *err);

void ot_sites_release(struct ot_sites *sites);

#endif
