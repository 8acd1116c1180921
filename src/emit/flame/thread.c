#include <inttypes.h>

#include "base/utf8.h"
#include "emit/flame/tree.h"
#include "model/label.h"

/* What is no rank of its own is told apart by its path. */
static bool has_own_rank(const struct ot_population *pop, uint32_t session)
{
    const struct ot_session *is = &pop->sessions[session].session;
    for (size_t i = 0; i < pop->n_sessions && is->has_rank; i++) {
        const struct ot_session *other = &pop->sessions[i].session;
        if (i != session && other->has_rank && other->rank == is->rank)
            return false;
    }
    return is->has_rank;
}

static void add_session(struct ot_str *str, const struct ot_population *pop, uint32_t session)
{
    if (session >= pop->n_sessions)
        return;
    const struct ot_session *is = &pop->sessions[session].session;
    if (is->has_rank)
        ot_str_addf(str, "rank %" PRId64 ", ", is->rank);
    if (pop->n_sessions > 1 && !has_own_rank(pop, session)) {
        ot_utf8_add_printable(str, is->path);
        ot_str_addf(str, ", ");
    }
}

/* What tells it from its neighbours comes first, since there may be no room for all. The end is no
 * number, which lines of text could not have there (fold_name.h). */
void flame_add_thread(struct ot_str *str, const struct ot_flame_source *source,
                      const struct ot_stack_track *track)
{
    const struct ot_population *pop = source->pop;
    uint32_t name = 0;
    add_session(str, pop, track->session);
    if (ot_vtid_is_name(&pop->names, track->vtid, &name))
        ot_utf8_add_printable(str, ot_names_text(&pop->names, name));
    else
        ot_str_addf(str, "thread %" PRId64, ot_vtid_number(track->vtid));
    ot_str_addf(str, " (");
    if (ot_vpid_is_name(&pop->names, track->vpid, &name))
        ot_utf8_add_printable(str, ot_names_text(&pop->names, name));
    else
        ot_str_addf(str, "process %" PRId64, track->vpid);
    struct ot_text host = ot_names_text(&pop->names, track->host);
    if (host.len) {
        ot_str_addf(str, ", ");
        ot_utf8_add_printable(str, host);
    }
    ot_str_addf(str, ")");
}
