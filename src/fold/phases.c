#include "fold/phases.h"

#include <stdlib.h>

#include "base/vec.h"
#include "slice/ns.h"
#include "stats/rules.h"

/* An annotation that names a phase. */
struct phase {
    uint32_t group;
    uint32_t number; /* in the order of the trace */
    int64_t ts_ns;
    int64_t end_ns;
    bool is_warm;
};

static int compare_processes(const struct ot_group *a, const struct ot_group *b)
{
    if (a->session != b->session)
        return a->session < b->session ? -1 : 1;
    if (a->host != b->host)
        return a->host < b->host ? -1 : 1;
    return (a->vpid > b->vpid) - (a->vpid < b->vpid);
}

/* By process, and there the one that wins over those before it last. */
static int compare_phases(const void *a, const void *b, void *arg)
{
    const struct phase *phase_a = a;
    const struct phase *phase_b = b;
    const struct ot_group *groups = arg;
    int by_process = compare_processes(&groups[phase_a->group], &groups[phase_b->group]);
    if (by_process)
        return by_process;
    if (phase_a->ts_ns != phase_b->ts_ns)
        return phase_a->ts_ns < phase_b->ts_ns ? -1 : 1;
    if (phase_a->end_ns != phase_b->end_ns)
        return phase_a->end_ns > phase_b->end_ns ? -1 : 1;
    return (phase_a->number > phase_b->number) - (phase_a->number < phase_b->number);
}

static bool is_warm_phase(const struct ot_population *pop, const struct ot_site *site)
{
    struct ot_text phase = {0};
    return ot_rules_phase(ot_names_text(&pop->names, pop->rows[site->row].name), &phase) &&
           ot_rules_is_warm(phase);
}

static int collect(struct ot_intake *intake, struct phase **phases, size_t *n_phases,
                   struct ot_err *err)
{
    size_t cap = 0;
    for (size_t i = 0; i < intake->n_kept; i++) {
        const struct ot_kept *kept = &intake->kept[i];
        const struct ot_site *site = &intake->sites.of[kept->site];
        if (!site->names_phase)
            continue;
        if (!ot_vec_reserve(phases, &cap, *n_phases + 1, sizeof(**phases)))
            return ot_err_set(err, OT_ERR_NOMEM, "out of memory for phases");
        size_t number = kept->comes_last ? intake->n_kept - 1 - i : i;
        (*phases)[(*n_phases)++] = (struct phase){
            .group = site->group,
            .number = (uint32_t)number,
            .ts_ns = kept->ts_ns,
            .end_ns = ot_ns_add(kept->ts_ns, kept->dur_ns),
            .is_warm = is_warm_phase(intake->pop, site),
        };
        struct ot_session_totals *session =
            ot_intake_session(intake, intake->sites.groups[site->group].session, err);
        if (!session)
            return OT_ERR_NOMEM;
        session->has_phases = true;
    }
    return OT_OK;
}

static void add_span(struct ot_phase_process *process, int64_t ts_ns, bool is_warm)
{
    if (process->n_spans && process->spans[process->n_spans - 1].ts_ns == ts_ns)
        process->n_spans--; /* what began and ended at once */
    bool was_warm = process->n_spans && process->spans[process->n_spans - 1].is_warm;
    if (was_warm != is_warm)
        process->spans[process->n_spans++] = (struct ot_phase_span){ts_ns, is_warm};
}

/* Takes the phases that hold no time from `ts_ns` on from the top of the stack, and adds where each
 * of them gives way to the one below. What lies below and has ended is no matter: it is passed by
 * when it comes up. */
static size_t close_phases(struct ot_phase_process *process, const struct phase *phases,
                           const size_t *stack, size_t depth, int64_t ts_ns)
{
    while (depth && phases[stack[depth - 1]].end_ns <= ts_ns) {
        int64_t end_ns = phases[stack[--depth]].end_ns;
        while (depth && phases[stack[depth - 1]].end_ns <= end_ns)
            depth--;
        add_span(process, end_ns, depth && phases[stack[depth - 1]].is_warm);
    }
    return depth;
}

static int sweep(struct ot_phase_process *process, const struct phase *phases, size_t n,
                 struct ot_err *err)
{
    size_t *stack = malloc(n * sizeof(*stack));
    process->spans = malloc(2 * n * sizeof(*process->spans));
    if (!stack || !process->spans) {
        free(stack);
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for phases");
    }
    size_t depth = 0;
    for (size_t i = 0; i < n; i++) {
        depth = close_phases(process, phases, stack, depth, phases[i].ts_ns);
        if (phases[i].end_ns == phases[i].ts_ns)
            continue; /* holds no time at all */
        stack[depth++] = i;
        add_span(process, phases[i].ts_ns, phases[i].is_warm);
    }
    close_phases(process, phases, stack, depth, INT64_MAX);
    free(stack);
    return OT_OK;
}

static int divide(struct ot_phases *ret, const struct ot_group *groups, const struct phase *phases,
                  size_t n_phases, struct ot_err *err)
{
    size_t cap = 0;
    int code = OT_OK;
    for (size_t first = 0, end; first < n_phases && code == OT_OK; first = end) {
        const struct ot_group *group = &groups[phases[first].group];
        for (end = first + 1;
             end < n_phases && compare_processes(group, &groups[phases[end].group]) == 0;)
            end++;
        if (!ot_vec_reserve(&ret->processes, &cap, ret->n_processes + 1, sizeof(*ret->processes)))
            return ot_err_set(err, OT_ERR_NOMEM, "out of memory for phases");
        struct ot_phase_process *process = &ret->processes[ret->n_processes++];
        *process = (struct ot_phase_process){
            .session = group->session, .host = group->host, .vpid = group->vpid};
        code = sweep(process, &phases[first], end - first, err);
    }
    return code;
}

int ot_phases_init(struct ot_phases *phases, struct ot_intake *intake, struct ot_err *err)
{
    struct phase *found = NULL;
    size_t n_found = 0;
    int code = collect(intake, &found, &n_found, err);
    if (code == OT_OK && n_found) {
        qsort_r(found, n_found, sizeof(*found), compare_phases, intake->sites.groups);
        code = divide(phases, intake->sites.groups, found, n_found, err);
    }
    free(found);
    return code;
}

static int compare_with_process(const void *key, const void *item)
{
    const struct ot_phase_process *process = item;
    struct ot_group group = {
        .session = process->session, .host = process->host, .vpid = process->vpid};
    return compare_processes(key, &group);
}

const struct ot_phase_process *ot_phases_find(const struct ot_phases *phases,
                                              const struct ot_group *group)
{
    if (phases->n_processes == 0)
        return NULL;
    return bsearch(group, phases->processes, phases->n_processes, sizeof(*phases->processes),
                   compare_with_process);
}

bool ot_phases_is_warm(const struct ot_phase_process *process, int64_t ts_ns)
{
    size_t low = 0;
    size_t high = process->n_spans; /* spans below `low` begin by ts_ns, those from `high` later */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (process->spans[middle].ts_ns <= ts_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low && process->spans[low - 1].is_warm;
}

void ot_phases_release(struct ot_phases *phases)
{
    for (size_t i = 0; i < phases->n_processes; i++)
        free(phases->processes[i].spans);
    free(phases->processes);
    *phases = (struct ot_phases){0};
}
