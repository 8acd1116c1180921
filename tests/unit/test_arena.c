#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static void allocations_are_aligned_and_stay_in_place(void **state)
{
    (void)state;
    struct ot_arena arena = {0};
    char *first = ot_arena_copy(&arena, "first", 5);
    for (size_t size = 0; size < 5000; size += 7) {
        void *memory = ot_arena_alloc(&arena, size);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % _Alignof(max_align_t), 0);
        memset(memory, 0xff, size);
    }
    assert_string_equal(first, "first");
    ot_arena_release(&arena);
}

static void more_than_a_block_is_one_allocation(void **state)
{
    (void)state;
    struct ot_arena arena = {0};
    size_t size = 1 << 20;
    char *memory = ot_arena_alloc(&arena, size);
    assert_non_null(memory);
    memset(memory, 1, size);
    ot_arena_release(&arena);
}

static void an_absurd_size_is_refused(void **state)
{
    (void)state;
    struct ot_arena arena = {0};
    assert_null(ot_arena_alloc(&arena, SIZE_MAX));
    assert_null(ot_arena_copy(&arena, NULL, SIZE_MAX));
    ot_arena_release(&arena);
}

static void release_takes_null_and_twice(void **state)
{
    (void)state;
    struct ot_arena arena = {0};
    ot_arena_release(NULL);
    ot_arena_alloc(&arena, 1);
    ot_arena_release(&arena);
    ot_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_aligned_and_stay_in_place),
        cmocka_unit_test(more_than_a_block_is_one_allocation),
        cmocka_unit_test(an_absurd_size_is_refused),
        cmocka_unit_test(release_takes_null_and_twice),
    };
    return RUN(tests);
}
