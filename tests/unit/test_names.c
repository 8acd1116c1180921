#include "test.h"

#include <stdio.h>

#include "model/names.h"

static uint32_t intern(struct ot_names *names, struct ot_text text)
{
    uint32_t id;
    struct ot_err err;
    assert_int_equal(ot_names_intern(names, text, &id, &err), OT_OK);
    return id;
}

static void the_same_bytes_have_the_same_id(void **state)
{
    (void)state;
    struct ot_names names = {0};
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 3000; i++) {
            char name[32];
            int len = snprintf(name, sizeof(name), "aten::op%u", i);
            assert_int_equal(intern(&names, (struct ot_text){name, (size_t)len}), i);
        }
    }
    assert_string_equal(ot_names_text(&names, 2999).bytes, "aten::op2999");
    ot_names_release(&names);
    ot_names_release(NULL);
}

static void empty_and_nul_bytes_are_names_of_their_own(void **state)
{
    (void)state;
    struct ot_names names = {0};
    uint32_t empty = intern(&names, (struct ot_text){NULL, 0});
    uint32_t nul = intern(&names, (struct ot_text){"\0", 1});
    uint32_t two = intern(&names, (struct ot_text){"\0\0", 2});
    assert_int_not_equal(empty, nul);
    assert_int_not_equal(nul, two);
    assert_int_equal(ot_names_text(&names, two).len, 2);
    ot_names_release(&names);
}

static void a_name_beyond_the_limit_is_an_error(void **state)
{
    (void)state;
    struct ot_names names = {.total_bytes = OT_NAMES_MAX_BYTES};
    uint32_t id = 7;
    struct ot_err err;
    assert_int_equal(ot_names_intern(&names, ot_text_of("x"), &id, &err), OT_ERR_NOMEM);
    assert_int_equal(id, 7);
    ot_names_release(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_bytes_have_the_same_id),
        cmocka_unit_test(empty_and_nul_bytes_are_names_of_their_own),
        cmocka_unit_test(a_name_beyond_the_limit_is_an_error),
    };
    return RUN(tests);
}
