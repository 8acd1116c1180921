#include "emit/tally/tally.h"

#include <inttypes.h>

#include "emit/notes/notes.h"
#include "emit/tally/format.h"

static const char verb[] = "optally tally: ";

/* By format, then by whether it is THAPI's. opts.c refuses THAPI's CSV. */
static const struct form {
    void (*write)(const struct ot_tally *tally, FILE *out);
    bool has_notes; /* says itself what is cut and incomplete, in words */
} forms[][2] = {
    [OT_TALLY_TABLE] = {{ot_tally_write_table, true}, {ot_tally_write_thapi_table, false}},
    [OT_TALLY_JSON] = {{ot_tally_write_json, false}, {ot_tally_write_thapi_json, false}},
    [OT_TALLY_CSV] = {{ot_tally_write_csv, false}, {ot_tally_write_csv, false}},
};

static void write_emptiness(const struct ot_tally *tally, FILE *diag)
{
    bool is_empty = tally->view->n_tables == 0;
    for (int i = 0; i < OT_BACKEND_COUNT; i++)
        is_empty &= tally->view->left_out[i] == 0;
    if (!is_empty)
        return;
    if (tally->counts.events_read == 0)
        fputs("optally tally: nothing to tally: the trace holds no events\n", diag);
    else
        fprintf(diag,
                "optally tally: nothing to tally: %" PRIu64 " %s read, but no complete call\n",
                tally->counts.events_read, tally->counts.events_read == 1 ? "event" : "events");
}

static void write_notes(const struct ot_tally *tally, bool has_notes, FILE *diag)
{
    char prefix[OT_NOTES_PREFIX_BYTES];
    ot_notes_warning_prefix(prefix, verb, &tally->opts->diag_look);
    write_emptiness(tally, diag);
    ot_tally_write_left_out(tally, "optally tally: left out: ", diag);
    ot_notes_write_warnings(&tally->pop->warnings, prefix, diag);
    if (has_notes)
        return;
    for (size_t i = 0; i < tally->view->n_tables; i++)
        ot_tally_write_cut(&tally->view->tables[i], verb, diag);
    struct ot_str reasons = {0};
    ot_tally_add_completeness(&reasons, tally);
    if (reasons.len)
        fprintf(diag, "%slower bounds: %s\n", prefix, ot_str_borrow(&reasons));
    ot_str_release(&reasons);
}

int ot_tally_write(const struct ot_population *pop, const struct ot_tally_opts *opts, FILE *out,
                   FILE *diag, struct ot_err *err)
{
    struct ot_view view = {0};
    int code = ot_view_build(&view, pop, &opts->view, err);
    if (code == OT_OK) {
        struct ot_tally tally = {.pop = pop, .opts = opts, .view = &view, .counts = pop->counts};
        tally.counts.overflowed_sums += view.n_overflowed;
        const struct form *form = &forms[opts->format][opts->thapi];
        form->write(&tally, out);
        write_notes(&tally, form->has_notes, diag);
        if (fflush(out) != 0 || ferror(out))
            code = ot_err_sys(err, OT_ERR_IO, "cannot write the tally");
    }
    ot_view_release(&view);
    return code;
}
