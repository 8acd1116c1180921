#include "fold/fold.h"

#include "fold/forward.h"
#include "fold/intake.h"
#include "fold/tables.h"
#include "ingest/detect.h"
#include "ingest/reader.h"
#include "slice/pair.h"
#include "stats/completeness.h"

struct fold {
    struct ot_intake intake;
    struct ot_pair *pair;
    bool keeps_pairs; /* pairs are nested again, with all else; or they are only counted */
    bool by_forward;
    struct ot_forward forward;
};

static int take_paired(struct fold *fold, struct ot_err *err)
{
    struct ot_population *pop = fold->intake.pop;
    struct ot_paired paired;
    int code = OT_OK;
    while (code == OT_OK && ot_pair_next(fold->pair, &paired) == OT_OK) {
        if (paired.kind == OT_PAIRED_UNCLOSED)
            code = ot_population_add_unclosed(pop, &paired.slice, err);
        else if (!fold->keeps_pairs)
            code = ot_population_add(pop, &paired.slice, err);
        else if (!paired.slice.err) /* a call that failed has no time to analyse; it is counted */
            code = ot_intake_add_paired(&fold->intake, &paired.slice, err);
    }
    return code;
}

/* Kineto's slices have numbers of threads that are not those of its tracks. */
static int refuse_slices(struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_INPUT,
                      "--by forward needs a recording made with optally record --seq; a trace of "
                      "torch.profiler does not say on which of its threads a forward operator ran");
}

static int take_event(struct fold *fold, struct ot_event *event, struct ot_err *err)
{
    if (fold->by_forward && event->kind == OT_EVENT_SLICE)
        return refuse_slices(err);
    if (fold->by_forward) {
        int code = ot_forward_see(&fold->forward, &fold->intake.pop->names, event, err);
        if (code < 0)
            return code;
    }
    if (event->kind == OT_EVENT_SLICE || event->kind == OT_EVENT_MEMORY) {
        fold->intake.pop->counts.events_read++;
        return event->kind == OT_EVENT_SLICE ? ot_intake_add_slice(&fold->intake, event, err)
                                             : ot_intake_add_memory(&fold->intake, event, err);
    }
    int code = ot_pair_feed(fold->pair, event, err);
    return code == OT_OK ? take_paired(fold, err) : code;
}

/* A reader's errors name the input. */
static int read_events(struct fold *fold, const struct ot_reader_class *class,
                       struct ot_reader *reader, bool *ret_is_readers, struct ot_err *err)
{
    struct ot_event event;
    int code = OT_OK;
    while ((code = class->next(reader, &event, err)) == OT_OK) {
        code = take_event(fold, &event, err);
        if (code < 0)
            return code;
    }
    *ret_is_readers = code < 0;
    return code == OT_END ? OT_OK : code;
}

static int end_events(struct fold *fold, struct ot_err *err)
{
    if (fold->by_forward && fold->forward.n_entries && fold->forward.n_numbered == 0)
        return ot_err_set(err, OT_ERR_INPUT,
                          "no sequence numbers were recorded, which tell what a backward operator "
                          "works for: record with optally record --seq");
    ot_pair_end(fold->pair);
    int code = take_paired(fold, err);
    ot_counts_add(&fold->intake.pop->counts, ot_pair_counts(fold->pair));
    return code;
}

static int copy_session(struct ot_intake *intake, uint32_t number, const struct ot_session *session,
                        struct ot_err *err)
{
    struct ot_names *names = &intake->pop->names;
    struct ot_session_totals *totals = ot_intake_session(intake, number, err);
    if (!totals)
        return OT_ERR_NOMEM;
    totals->session = *session;
    int code = ot_names_intern(names, session->host, &totals->host, err);
    if (code == OT_OK)
        totals->session.host = ot_names_text(names, totals->host);
    struct ot_text *const texts[] = {&totals->session.path, &totals->session.torch,
                                     &totals->session.devices};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && code == OT_OK; i++) {
        uint32_t id = 0;
        code = ot_names_intern(names, *texts[i], &id, err);
        if (code == OT_OK)
            *texts[i] = ot_names_text(names, id);
    }
    return code;
}

/* A session may say only at its end where it ran. */
static void name_hosts(struct ot_population *pop, struct ot_stacks *stacks)
{
    for (size_t i = 0; stacks && i < stacks->n_tracks; i++) {
        const struct ot_session_totals *totals = &pop->sessions[stacks->tracks[i].session];
        if (totals->session.host.len)
            stacks->tracks[i].host = totals->host;
    }
    for (size_t i = 0; i < pop->n_rows; i++) {
        const struct ot_session_totals *totals = &pop->sessions[pop->rows[i].session];
        if (totals->session.host.len)
            pop->rows[i].host = totals->host;
    }
    for (size_t i = 0; i < pop->n_tracks; i++) {
        const struct ot_session_totals *totals = &pop->sessions[pop->tracks[i].session];
        if (totals->session.host.len)
            pop->tracks[i].host = totals->host;
    }
}

/* And from when its times count. */
static void add_bases(struct ot_population *pop)
{
    for (size_t i = 0; i < pop->n_sessions; i++) {
        struct ot_session_totals *totals = &pop->sessions[i];
        if (!totals->has_times || !totals->session.has_base)
            continue;
        int64_t base_ns = totals->session.base_ns;
        totals->has_times = !__builtin_add_overflow(totals->start_ns, base_ns, &totals->start_ns) &&
                            !__builtin_add_overflow(totals->end_ns, base_ns, &totals->end_ns);
    }
}

static int take_report(struct ot_intake *intake, const struct ot_reader_class *class,
                       const struct ot_reader *reader, const char *first_input, struct ot_err *err)
{
    struct ot_population *pop = intake->pop;
    if (!class->report) {
        struct ot_session session = {.path = ot_text_of(first_input)};
        return copy_session(intake, 0, &session, err);
    }
    struct ot_reader_report report = {0};
    class->report(reader, &report);
    int code = OT_OK;
    for (size_t i = 0; i < report.n_sessions && code == OT_OK; i++)
        code = copy_session(intake, (uint32_t)i, &report.sessions[i], err);
    ot_counts_add(&pop->counts, &report.counts);
    for (int i = 0; i < OT_WARNING_COUNT; i++)
        ot_warnings_add(&pop->warnings, (enum ot_warning)i, report.warnings.of[i].n,
                        report.warnings.of[i].first);
    return code;
}

static int fold_reader(struct fold *fold, const struct ot_reader_class *class,
                       struct ot_reader *reader, const char *const *inputs, size_t n_inputs,
                       struct ot_err *err)
{
    bool is_readers = false;
    int code = ot_intake_init(&fold->intake, err);
    if (code == OT_OK)
        code = read_events(fold, class, reader, &is_readers, err);
    if (code == OT_OK)
        code = end_events(fold, err);
    if (code == OT_OK)
        code = take_report(&fold->intake, class, reader, inputs[0], err);
    if (code == OT_OK && fold->intake.depth != OT_FOLD_SUMS)
        code = ot_tables_fill(&fold->intake, err);
    if (code == OT_OK) {
        name_hosts(fold->intake.pop, fold->intake.stacks);
        add_bases(fold->intake.pop);
    }
    if (code < 0 && !is_readers && n_inputs == 1)
        ot_err_context(err, "%s", inputs[0]);
    return code;
}

int ot_fold(const char *const *inputs, size_t n_inputs, const struct ot_fold_opts *opts,
            struct ot_population *pop, const char **ret_format, struct ot_err *err)
{
    const struct ot_reader_class *class = NULL;
    struct ot_reader *reader = NULL;
    struct ot_reader_opts reader_opts = {.recover = opts->recover,
                                         .in_order = opts->by_forward,
                                         .read_bytes = opts->read_bytes,
                                         .tap = opts->tap,
                                         .tap_context = opts->tap_context};
    int code = ot_detect(inputs, n_inputs, &class, err);
    if (code == OT_OK)
        code = class->open(inputs, n_inputs, &reader_opts, &reader, err);
    if (code < 0)
        return code;
    struct fold fold = {
        .intake = {.pop = pop,
                   .depth = opts->depth,
                   .stacks = opts->stacks,
                   .activity = opts->activity,
                   .sink = opts->depth == OT_FOLD_ANALYSIS ? opts->sink : NULL},
        .pair = ot_pair_new(&pop->names),
        .keeps_pairs = opts->depth == OT_FOLD_ANALYSIS,
        .by_forward = opts->by_forward,
    };
    code = fold.pair ? fold_reader(&fold, class, reader, inputs, n_inputs, err)
                     : ot_err_set(err, OT_ERR_NOMEM, "out of memory for pairing");
    *ret_format = class->format;
    ot_forward_release(&fold.forward);
    ot_pair_free(fold.pair);
    ot_intake_release(&fold.intake);
    class->close(reader);
    return code;
}
