#include "test.h"

#include "model/backend.h"

static void a_backend_stands_at_its_number(void **state)
{
    (void)state;
    for (int i = 0; i < OT_BACKEND_COUNT; i++) {
        assert_int_equal(ot_backends[i].id, i);
        assert_ptr_equal(ot_backend_by_name(ot_text_of(ot_backends[i].name)), &ot_backends[i]);
    }
}

static void providers_lead_to_their_backends(void **state)
{
    (void)state;
    static const struct {
        const char *provider;
        const char *call;
        int id;
    } cases[] = {
        {"lttng_ust_pytorch", "op", OT_BACKEND_PYTORCH},
        {"lttng_ust_pytorch", "annotation", OT_BACKEND_ANNOTATION},
        {"lttng_ust_cuda", "annotation", 3},
        {"lttng_ust_cudart", "cudaMalloc", 3},
        {"lttng_ust_opencl", "clFinish", 2},
        {"lttng_ust_ompt", "ompt_target", 5},
        {"lttng_ust_cudax", "call", OT_BACKEND_UNKNOWN},
        {"", "call", OT_BACKEND_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct ot_backend *backend =
            ot_backend_of_event(ot_text_of(cases[i].provider), ot_text_of(cases[i].call));
        assert_int_equal(backend->id, cases[i].id);
    }
}

static void numbers_outside_the_table_are_unknown(void **state)
{
    (void)state;
    assert_int_equal(ot_backend_clamp(-1), 0);
    assert_int_equal(ot_backend_clamp(OT_BACKEND_COUNT), 0);
    assert_int_equal(ot_backend_clamp(10), 10);
    assert_null(ot_backend_by_name(ot_text_of("quda")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_backend_stands_at_its_number),
        cmocka_unit_test(providers_lead_to_their_backends),
        cmocka_unit_test(numbers_outside_the_table_are_unknown),
    };
    return RUN(tests);
}
