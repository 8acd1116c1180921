#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tracer/torch.h"

static void versions_are_compared_part_by_part(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool known;
    } cases[] = {
        {"1.13.1", true},       {"1.13.0a0", true}, {"2.0.0", true},   {"2.13.0+cpu", true},
        {"2.14.1+cu130", true}, {"2.9.1", true},    {"1.12.1", false}, {"1.9", false},
        {"2.15.0", false},      {"3.0.0", false},   {"2", false},      {"", false},
        {"unknown", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(ot_torch_version_known(cases[i].text), cases[i].known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_are_compared_part_by_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
