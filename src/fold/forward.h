/* forward.h: which forward operator a backward operator works for.
 *
 * Autograd numbers what it will have to go back through: a forward operator bears the number of its
 * thread's next node, and the backward operators of that node bear the number and the thread. An
 * operator that calls others shares its number with them; of all with one number the one that began
 * last made the node. That is the rule by which torch.profiler draws its arrows, too.
 *
 * Entries have to come in the order of time. Memory: 4 bytes per number. Private to this folder.
 * One thread.
 */
#ifndef OT_FOLD_FORWARD_H
#define OT_FOLD_FORWARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/str.h"
#include "model/event.h"
#include "model/names.h"

/* What an input can make us hold: 2^27 numbers of neighbouring operators. */
enum { OT_FORWARD_PAGES_MAX = 1 << 18, OT_FORWARD_PAGE_NUMBERS = 1 << 9 };

struct ot_forward_page;

/* A zeroed struct is empty. */
struct ot_forward {
    struct ot_map map;
    struct ot_forward_page **pages;
    size_t n_pages;
    size_t cap;
    size_t last_page;
    uint64_t n_entries;  /* of operators that were seen */
    uint64_t n_numbered; /* of these, with a number */
    struct ot_str name;
};

/* Takes note of an entry, and gives that of a backward operator the name `NAME <- FORWARD` to be
 * shown by; the text is valid until the next call. Other events are passed by. */
int ot_forward_see(struct ot_forward *forward, struct ot_names *names, struct ot_event *event,
                   struct ot_err *err);

void ot_forward_release(struct ot_forward *forward);

#endif
