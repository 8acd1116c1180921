#include "test.h"

#include <stdlib.h>

#include "emit/analysis/report.h"

/* The text of a report; the caller frees it. */
static char *written(const struct ot_analysis *analysis, const char *const *inputs, size_t n_inputs,
                     size_t width)
{
    struct ot_analysis_report report = {
        .analysis = analysis, .format = "kineto", .inputs = inputs, .n_inputs = n_inputs};
    const struct ot_look look = {.width = width};
    struct ot_err err;
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    assert_int_equal(ot_analysis_write_text(&report, &look, out, &err), OT_OK);
    fclose(out);
    return text;
}

static void assert_has(const char *text, const char *expected)
{
    if (!strstr(text, expected))
        fail_msg("no '%s' in\n%s", expected, text);
}

static const char *const one_input[] = {"a.json"};

static void an_input_cannot_break_a_line(void **state)
{
    (void)state;
    struct ot_session session = {.path = ot_text_of("a\nb\x1b"), .host = ot_text_of("h\n")};
    struct ot_analysis analysis = {.sessions = &session, .n_sessions = 1};
    char *text = written(&analysis, one_input, 1, 100);
    assert_has(text, "torch.profiler trace a\xef\xbf\xbd"
                     "b\xef\xbf\xbd, host h\xef\xbf\xbd\n");
    free(text);
}

/* The lines beside an analysis of two operators, one of them shown; the caller frees them. */
static char *notes_of(enum ot_analysis_format format)
{
    struct ot_analysis analysis = {.counts = {.discarded_events = 3},
                                   .operators = {.n_total = 2, .n_rows = 1}};
    analysis.warnings.of[OT_WARN_CLAMPED] = (struct ot_warning_count){2, "event\n7"};
    analysis.warnings.of[OT_WARN_BAD_MEMORY_EVENT] = (struct ot_warning_count){1, ""};
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    const struct ot_look look = {0};
    ot_analysis_write_notes(&analysis, format, &look, out);
    fclose(out);
    return text;
}

#define WARNINGS                                                                                   \
    "optally analyze: warning: bad_memory_event: 1 memory event without a usable size\n"           \
    "optally analyze: warning: clamped: 2 calls outlive the ones around them; first: "             \
    "event\xef\xbf\xbd"                                                                            \
    "7\n"
#define REASONS "optally analyze: warning: lower bounds: 3 events were discarded by the tracer\n"

static void a_format_that_does_not_say_something_has_it_said_beside_it(void **state)
{
    (void)state;
    static const char *const expected[] = {
        [OT_ANALYSIS_TEXT] = WARNINGS,
        [OT_ANALYSIS_JSON] = WARNINGS REASONS,
        [OT_ANALYSIS_CSV] = WARNINGS REASONS "optally analyze: 1 of 2 operators shown\n",
    };
    for (int i = 0; i < 3; i++) {
        char *text = notes_of((enum ot_analysis_format)i);
        assert_string_equal(text, expected[i]);
        free(text);
    }
}

static void what_is_lost_is_said_before_any_number(void **state)
{
    (void)state;
    struct ot_session session = {.path = ot_text_of("a")};
    struct ot_aggregate busy = {
        .name = ot_text_of("host_busy_time"), .unit = ot_text_of("ns"), .value = 7};
    struct ot_analysis analysis = {.sessions = &session,
                                   .n_sessions = 1,
                                   .aggregates = &busy,
                                   .n_aggregates = 1,
                                   .counts = {.discarded_events = 3, .truncated_inputs = 1}};
    char *text = written(&analysis, one_input, 1, 40);
    assert_has(text, "Lower bounds: 3 events were discarded by\n"
                     "              the tracer; 1 input could\n"
                     "              not be read to its end\n"
                     "\n"
                     "Host busy  7ns\n");
    free(text);
}

static void of_many_ranks_the_first_are_listed(void **state)
{
    (void)state;
    struct ot_session sessions[20];
    const char *inputs[20];
    for (int i = 0; i < 20; i++) {
        inputs[i] = "r";
        sessions[i] = (struct ot_session){.path = ot_text_of("r"), .has_rank = true, .rank = i};
    }
    struct ot_analysis analysis = {.sessions = sessions, .n_sessions = 20};
    char *text = written(&analysis, inputs, 20, 100);
    assert_has(text, "20 torch.profiler traces, the parts of one job\n  #0 r, rank 0\n");
    assert_has(text, "  #15 r, rank 15\n  and 4 more\n");
    assert_null(strstr(text, "#16"));
    free(text);
}

static void the_largest_and_the_oddest_numbers_are_shown(void **state)
{
    (void)state;
    struct ot_session session = {.path = ot_text_of("a")};
    struct ot_aggregate aggregates[] = {
        {.name = ot_text_of("host_busy_time"), .unit = ot_text_of("ns"), .value = INT64_MAX},
        {.name = ot_text_of("peak_allocated_bytes"), .unit = ot_text_of("bytes"), .value = -5},
    };
    struct ot_operator_row row = {.name = ot_text_of("op"),
                                  .kind = ot_text_of("op"),
                                  .n_calls = UINT64_MAX,
                                  .self_ns = INT64_MAX,
                                  .inclusive_ns = INT64_MAX,
                                  .max_ns = INT64_MAX};
    struct ot_analysis analysis = {
        .sessions = &session,
        .n_sessions = 1,
        .n_operators = 1,
        .n_events = UINT64_MAX,
        .has_times = true,
        .start_ns = INT64_MIN,
        .end_ns = INT64_MAX,
        .aggregates = aggregates,
        .n_aggregates = 2,
        .operators = {.n_total = UINT64_MAX, .rows = &row, .n_rows = 1},
        .has_threshold = true,
        .threshold_is_absolute = true,
        .threshold_ns = INT64_MAX,
    };
    char *text = written(&analysis, one_input, 1, 100);
    assert_has(text, "over 5124095.58h\n");
    assert_has(text, "Host busy       2562047.79h\n");
    assert_has(text, "Peak allocated           0B\n");
    assert_has(text, "Operators by inclusive time, 1 of 18446744073709551615 shown\n");
    assert_has(text, "(3 calls or more of 2562047.79h or less on average)\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_input_cannot_break_a_line),
        cmocka_unit_test(a_format_that_does_not_say_something_has_it_said_beside_it),
        cmocka_unit_test(what_is_lost_is_said_before_any_number),
        cmocka_unit_test(of_many_ranks_the_first_are_listed),
        cmocka_unit_test(the_largest_and_the_oddest_numbers_are_shown),
    };
    return RUN(tests);
}
