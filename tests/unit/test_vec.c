#include "test.h"

#include <stdlib.h>

#include "base/vec.h"

static void room_is_made_and_items_are_kept(void **state)
{
    (void)state;
    int *items = NULL;
    size_t cap = 0;
    for (size_t i = 0; i < 1000; i++) {
        assert_true(ot_vec_reserve(&items, &cap, i + 1, sizeof(*items)));
        assert_true(cap > i);
        items[i] = (int)i;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    free(items);
}

static void an_absurd_size_changes_nothing(void **state)
{
    (void)state;
    int *items = NULL;
    size_t cap = 0;
    assert_false(ot_vec_reserve(&items, &cap, SIZE_MAX / 2, sizeof(*items)));
    assert_null(items);
    assert_int_equal(cap, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_is_made_and_items_are_kept),
        cmocka_unit_test(an_absurd_size_changes_nothing),
    };
    return RUN(tests);
}
