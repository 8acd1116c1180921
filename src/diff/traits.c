#include <inttypes.h>
#include <stdlib.h>

#include "base/str.h"
#include "diff/gather.h"

/* What a run is like, that makes its numbers what they are. */
struct traits {
    struct ot_diff_gather *gather;
    struct ot_diff_trait *of; /* of the side, by fact */
    const struct ot_diff_input *input;
    struct ot_err *err;
    int code;
};

static const struct {
    const char *format;
    const char *words;
} formats[] = {
    {"kineto", "torch.profiler"},
    {"oplog", "optally"},
    {"ctf", "LTTng/CTF"},
};

static const struct {
    enum ot_diff_fact_kind fact;
    const char *coverage;
} recorded[] = {
    {OT_DIFF_HAS_DEVICE_WORK, "device_time"},   {OT_DIFF_HAS_MEMORY, "memory_allocations"},
    {OT_DIFF_HAS_INPUT_SHAPES, "input_shapes"}, {OT_DIFF_HAS_PYTHON_STACKS, "python_stacks"},
    {OT_DIFF_HAS_PHASES, "phase_annotations"},  {OT_DIFF_HAS_OVERLOADS, "overload_names"},
};

/* No words: it is not known. */
static void add(struct traits *traits, enum ot_diff_fact_kind fact, struct ot_text words)
{
    uint32_t id = 0;
    if (traits->code < 0)
        return;
    if (words.len == 0) {
        traits->of[fact].has_unknown = true;
        return;
    }
    traits->code = ot_names_intern(&traits->gather->names, words, &id, traits->err);
    if (traits->code == OT_OK)
        traits->code = ot_diff_ids_add(&traits->of[fact].words, id, traits->err);
}

static void add_str(struct traits *traits, enum ot_diff_fact_kind fact, struct ot_str *str)
{
    if (str->failed && traits->code == OT_OK)
        traits->code = ot_err_set(traits->err, OT_ERR_NOMEM, "out of memory for comparing runs");
    add(traits, fact, (struct ot_text){ot_str_borrow(str), str->len});
    ot_str_release(str);
}

static void add_number(struct traits *traits, enum ot_diff_fact_kind fact, bool is_there, int64_t n)
{
    struct ot_str str = {0};
    if (is_there)
        ot_str_addf(&str, "%" PRId64, n);
    add_str(traits, fact, &str);
}

static bool next_line(struct ot_text *rest, struct ot_text *ret_line)
{
    if (rest->len == 0)
        return false;
    const char *end = memchr(rest->bytes, '\n', rest->len);
    ret_line->bytes = rest->bytes;
    ret_line->len = end ? (size_t)(end - rest->bytes) : rest->len;
    size_t taken = ret_line->len + (end != NULL);
    rest->bytes += taken;
    rest->len -= taken;
    return true;
}

/* How often `line` is among the lines, and whether it was before `line` itself. */
static size_t count_line(struct ot_text lines, struct ot_text line, bool *ret_is_first)
{
    size_t n = 0;
    struct ot_text other;
    while (next_line(&lines, &other)) {
        if (!ot_text_same(other, line))
            continue;
        if (n++ == 0)
            *ret_is_first = other.bytes == line.bytes;
    }
    return n;
}

/* "8 x NVIDIA A100, 1 x Tesla V100" */
static void add_devices(struct traits *traits, const struct ot_session *session)
{
    struct ot_str str = {0};
    struct ot_text rest = session->devices;
    struct ot_text line;
    while (next_line(&rest, &line)) {
        bool is_first = false;
        size_t n = count_line(session->devices, line, &is_first);
        if (!is_first)
            continue;
        ot_str_addf(&str, "%s%zu x ", str.len ? ", " : "", n);
        ot_str_add_text(&str, line);
    }
    add_str(traits, OT_DIFF_DEVICES, &str);
}

static int by_rank(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Of all sessions of the run together: "0, 1, 2". */
static void add_ranks(struct traits *traits)
{
    const struct ot_analysis *analysis = traits->input->analysis;
    struct ot_str str = {0};
    int64_t *ranks = calloc(analysis->n_sessions + 1, sizeof(*ranks));
    size_t n = 0;
    for (size_t i = 0; ranks && i < analysis->n_sessions; i++) {
        if (analysis->sessions[i].has_rank)
            ranks[n++] = analysis->sessions[i].rank;
    }
    if (n)
        qsort(ranks, n, sizeof(*ranks), by_rank);
    for (size_t i = 0; i < n; i++)
        ot_str_addf(&str, "%s%" PRId64, i ? ", " : "", ranks[i]);
    str.failed |= !ranks;
    free(ranks);
    add_str(traits, OT_DIFF_RANKS, &str);
}

static void add_format(struct traits *traits)
{
    struct ot_text words = ot_text_of(traits->input->format);
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (strcmp(formats[i].format, traits->input->format) == 0)
            words = ot_text_of(formats[i].words);
    }
    add(traits, OT_DIFF_RECORDING, words);
}

static void add_coverage(struct traits *traits)
{
    const struct ot_analysis *analysis = traits->input->analysis;
    for (size_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++) {
        for (size_t k = 0; k < analysis->n_coverage; k++) {
            const struct ot_coverage *coverage = &analysis->coverage[k];
            if (ot_text_same(coverage->name, ot_text_of(recorded[i].coverage)))
                add(traits, recorded[i].fact,
                    ot_text_of(coverage->is_there ? "recorded" : "not recorded"));
        }
    }
}

int ot_diff_gather_traits(struct ot_diff_gather *gather, enum ot_diff_side side,
                          const struct ot_diff_input *input, struct ot_err *err)
{
    const struct ot_analysis *analysis = input->analysis;
    struct traits traits = {
        .gather = gather, .of = gather->traits[side], .input = input, .err = err};
    add_format(&traits);
    for (size_t i = 0; i < analysis->n_sessions; i++) {
        const struct ot_session *session = &analysis->sessions[i];
        add_devices(&traits, session);
        add(&traits, OT_DIFF_TORCH, session->torch);
        add(&traits, OT_DIFF_HOST, session->host);
        add_number(&traits, OT_DIFF_WORLD_SIZE, session->has_world_size, session->world_size);
    }
    add_number(&traits, OT_DIFF_SESSIONS, true, (int64_t)analysis->n_sessions);
    add_ranks(&traits);
    add_coverage(&traits);
    return traits.code;
}
