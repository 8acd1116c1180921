#include <inttypes.h>

#include "base/utf8.h"
#include "emit/tally/format.h"

void ot_tally_add_process(struct ot_str *str, const struct ot_population *pop, int64_t vpid)
{
    uint32_t id;
    if (ot_vpid_is_name(&pop->names, vpid, &id))
        ot_utf8_add_printable(str, ot_names_text(&pop->names, id));
    else
        ot_str_addf(str, "%" PRId64, vpid);
}

void ot_tally_add_thread(struct ot_str *str, const struct ot_population *pop, uint64_t vtid)
{
    uint32_t id;
    if (ot_vtid_is_name(&pop->names, vtid, &id))
        ot_utf8_add_printable(str, ot_names_text(&pop->names, id));
    else
        ot_str_addf(str, "%" PRId64, ot_vtid_number(vtid));
}

void ot_tally_add_rank(struct ot_str *str, const struct ot_session *session)
{
    if (session && session->has_rank)
        ot_str_addf(str, "%" PRId64, session->rank);
    else if (session)
        ot_utf8_add_printable(str, session->path);
}
