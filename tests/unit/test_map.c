#include "test.h"

#include "base/hash.h"
#include "base/map.h"

enum { N_KEYS = 5000 };
static uint64_t keys[N_KEYS];

static bool same_key(const void *owner, size_t index, const void *key)
{
    return ((const uint64_t *)owner)[index] == *(const uint64_t *)key;
}

static void every_key_is_found_again(void **state)
{
    (void)state;
    struct ot_map map = {0};
    for (size_t i = 0; i < N_KEYS; i++) {
        keys[i] = i * 3;
        assert_true(ot_map_put(&map, ot_hash_mix(0, keys[i]), i));
    }
    for (size_t i = 0; i < N_KEYS; i++)
        assert_int_equal(ot_map_find(&map, ot_hash_mix(0, keys[i]), same_key, keys, &keys[i]), i);
    uint64_t absent = 1;
    assert_int_equal(ot_map_find(&map, ot_hash_mix(0, absent), same_key, keys, &absent),
                     OT_MAP_NONE);
    ot_map_release(&map);
}

static void one_hash_for_all_keys_still_finds_them(void **state)
{
    (void)state;
    struct ot_map map = {0};
    for (size_t i = 0; i < 200; i++) {
        keys[i] = i;
        assert_true(ot_map_put(&map, 42, i));
    }
    for (size_t i = 0; i < 200; i++)
        assert_int_equal(ot_map_find(&map, 42, same_key, keys, &keys[i]), i);
    ot_map_release(&map);
}

static void an_empty_map_finds_nothing(void **state)
{
    (void)state;
    struct ot_map map = {0};
    uint64_t key = 7;
    assert_int_equal(ot_map_find(&map, 7, same_key, keys, &key), OT_MAP_NONE);
    ot_map_release(&map);
    ot_map_release(NULL);
}

static void hashes_of_bytes_tell_lengths_and_tails_apart(void **state)
{
    (void)state;
    assert_int_not_equal(ot_hash_bytes("", 0), ot_hash_bytes("\0", 1));
    assert_int_not_equal(ot_hash_bytes("12345678", 8), ot_hash_bytes("12345678\0", 9));
    assert_int_not_equal(ot_hash_bytes("aten::abs", 9), ot_hash_bytes("aten::abt", 9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_found_again),
        cmocka_unit_test(one_hash_for_all_keys_still_finds_them),
        cmocka_unit_test(an_empty_map_finds_nothing),
        cmocka_unit_test(hashes_of_bytes_tell_lengths_and_tails_apart),
    };
    return RUN(tests);
}
