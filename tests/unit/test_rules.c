#include "test.h"

#include "stats/rules.h"

typedef bool (*rule)(struct ot_text text);

struct verdict {
    const char *name;
    bool holds;
};

static void assert_verdicts(rule holds, const struct verdict *verdicts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (holds(ot_text_of(verdicts[i].name)) != verdicts[i].holds)
            fail_msg("'%s' is %s", verdicts[i].name, verdicts[i].holds ? "not seen" : "seen");
    }
}

#define ASSERT_VERDICTS(holds, verdicts)                                                           \
    assert_verdicts(holds, verdicts, sizeof(verdicts) / sizeof((verdicts)[0]))

static void waits_are_told_by_one_word(void **state)
{
    (void)state;
    static const struct verdict verdicts[] = {
        {"cudaDeviceSynchronize", true},
        {"cudaStreamSynchronize", true},
        {"SYNCHRONIZE", true},
        {"synchronize", true},
        {"xsynchronizex", true},
        {"synchroniz", false},
        {"sync", false},
        {"cudaStreamWaitEvent", false},
        {"", false},
    };
    ASSERT_VERDICTS(ot_rules_synchronizes, verdicts);
}

static void compilation_is_told_from_running_what_was_compiled(void **state)
{
    (void)state;
    static const struct verdict verdicts[] = {
        {"torch.compile", true},
        {"inductor.codegen", true},
        {"OutputGraph.call_user_compiler (DYNAMO)", true},
        {"prim::Graph_Executor", true},
        {"COMPILE", true},
        {"compil", false},
        {"aten::mm", false},
        {"Torch-Compiled Region: 0/0", false},
        {"torch-compiled region: 0/0", true},
        {"CompiledFunction", false},
        {"CompiledFunctionBackward", false},
        {"## Call CompiledFxGraph abc ##", false},
        {"# # Call CompiledFxGraph abc", false},
        {"autograd::engine::evaluate_function: CompiledFunctionBackward", false},
        {" #autograd::engine::evaluate_function: CompiledFunctionBackward", false},
        {"autograd::engine::evaluate_function: compile", true},
        {"TorchDynamo Cache Lookup", false},
        {"inductor::_mm_plus_mm", false},
        {"my inductor::_mm_plus_mm", true},
        {"#", false},
    };
    ASSERT_VERDICTS(ot_rules_compiles, verdicts);
}

static void an_annotation_names_a_phase_or_does_not(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *phase; /* NULL: none */
    } rows[] = {
        {"phase:train", "train"},
        {"phase:", ""},
        {"phase:Warm-up", "Warm-up"},
        {"Phase:train", NULL},
        {"my phase:train", NULL},
        {"Warmup", "Warmup"},
        {"the warm-up steps", "the warm-up steps"},
        {"WARM UP", "WARM UP"},
        {"warm", NULL},
        {"ProfilerStep#3", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ot_text phase = {0};
        bool names_one = ot_rules_phase(ot_text_of(rows[i].name), &phase);
        assert_int_equal(names_one, rows[i].phase != NULL);
        if (names_one)
            assert_true(ot_text_same(phase, ot_text_of(rows[i].phase)));
    }
}

static void a_phase_is_warm_or_not(void **state)
{
    (void)state;
    static const struct verdict verdicts[] = {
        {"warm", true}, {"WarmUp", true}, {"lukewarm", true}, {"train", false}, {"", false},
    };
    ASSERT_VERDICTS(ot_rules_is_warm, verdicts);
}

static void graph_launches_are_told_by_one_word(void **state)
{
    (void)state;
    static const struct verdict verdicts[] = {
        {"cudaGraphLaunch", true},   {"hipGraphLaunch", true},        {"cudagraphlaunch_v2", true},
        {"cudaLaunchKernel", false}, {"cudaGraphInstantiate", false},
    };
    ASSERT_VERDICTS(ot_rules_is_graph_launch, verdicts);
}

static void only_an_operator_has_an_overload(void **state)
{
    (void)state;
    static const struct verdict verdicts[] = {
        {"aten::add.Tensor", true},
        {"aten::abs.out", true},
        {"a::b::c.d_1", true},
        {"aten::add", false},
        {"aten::add.", false},
        {"aten::add.a.b", false},
        {"aten::add.a b", false},
        {"torch.compile", false},
        {"a:b.c", false},
        {"void at::native::f<float>(int).x", false},
        {"aten::add.Tens\xc3\xb6r", false},
        {"", false},
        {".", false},
    };
    ASSERT_VERDICTS(ot_rules_has_overload, verdicts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_are_told_by_one_word),
        cmocka_unit_test(compilation_is_told_from_running_what_was_compiled),
        cmocka_unit_test(an_annotation_names_a_phase_or_does_not),
        cmocka_unit_test(a_phase_is_warm_or_not),
        cmocka_unit_test(graph_launches_are_told_by_one_word),
        cmocka_unit_test(only_an_operator_has_an_overload),
    };
    return RUN(tests);
}
