#include "tracer/memory/blocks.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static const void *block(uintptr_t number)
{
    return (const void *)(0x7f0000000000 + 64 * number);
}

static int64_t size_of(uintptr_t number)
{
    return (int64_t)(1 + number % 1000);
}

static void a_released_block_has_the_size_it_was_put_with(void **state)
{
    (void)state;
    struct ot_blocks *blocks = ot_blocks_new();
    int64_t total = -1;
    assert_non_null(blocks);
    assert_true(ot_blocks_put(blocks, block(1), 100, &total));
    assert_int_equal(total, 100);
    assert_true(ot_blocks_put(blocks, block(2), 11, &total));
    assert_int_equal(total, 111);
    assert_int_equal(ot_blocks_take(blocks, block(1), &total), 100);
    assert_int_equal(total, 11);
    ot_blocks_free(blocks);
}

static void what_was_never_put_or_is_gone_has_no_size(void **state)
{
    (void)state;
    struct ot_blocks *blocks = ot_blocks_new();
    int64_t total = -1;
    assert_int_equal(ot_blocks_take(blocks, block(1), &total), 0);
    assert_true(ot_blocks_put(blocks, block(1), 100, &total));
    assert_int_equal(ot_blocks_take(blocks, block(1), &total), 100);
    total = -1;
    assert_int_equal(ot_blocks_take(blocks, block(1), &total), 0);
    assert_int_equal(ot_blocks_take(blocks, block(2), &total), 0);
    assert_int_equal(total, -1);
    ot_blocks_free(blocks);
}

static void a_block_that_was_released_unseen_is_replaced(void **state)
{
    (void)state;
    struct ot_blocks *blocks = ot_blocks_new();
    int64_t total;
    assert_true(ot_blocks_put(blocks, block(1), 100, &total));
    assert_true(ot_blocks_put(blocks, block(1), 30, &total));
    assert_int_equal(total, 130);
    assert_int_equal(ot_blocks_take(blocks, block(1), &total), 30);
    assert_int_equal(ot_blocks_take(blocks, block(1), &total), 0);
    ot_blocks_free(blocks);
}

/* A walk through puts and takes in an order of its own, beside an array that knows better. */
static void many_blocks_come_and_go_without_a_mistake(void **state)
{
    (void)state;
    enum { BLOCKS = 20000, STEPS = 400000 };
    struct ot_blocks *blocks = ot_blocks_new();
    int64_t *sizes = calloc(BLOCKS, sizeof(*sizes));
    int64_t expected = 0;
    uint64_t random = 12345;
    for (int step = 0; step < STEPS; step++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uintptr_t number = (random >> 33) % BLOCKS;
        int64_t total = expected;
        if (sizes[number] == 0) {
            assert_true(ot_blocks_put(blocks, block(number), size_of(number), &total));
            sizes[number] = size_of(number);
            expected += sizes[number];
        } else {
            assert_int_equal(ot_blocks_take(blocks, block(number), &total), sizes[number]);
            expected -= sizes[number];
            sizes[number] = 0;
        }
        assert_int_equal(total, expected);
    }
    free(sizes);
    ot_blocks_free(blocks);
}

enum { THREADS = 4, ROUNDS = 20, EACH = 2000 };

struct worker {
    pthread_t thread;
    struct ot_blocks *blocks;
    uintptr_t first;
    int wrong;
};

static void *put_and_take(void *arg)
{
    struct worker *worker = arg;
    int64_t total;
    for (int round = 0; round < ROUNDS; round++) {
        for (uintptr_t i = 0; i < EACH; i++)
            worker->wrong += !ot_blocks_put(worker->blocks, block(worker->first + i),
                                            size_of(worker->first + i), &total);
        for (uintptr_t i = 0; i < EACH; i++)
            worker->wrong += ot_blocks_take(worker->blocks, block(worker->first + i), &total) !=
                             size_of(worker->first + i);
    }
    return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    struct ot_blocks *blocks = ot_blocks_new();
    struct worker workers[THREADS];
    int64_t total;
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.blocks = blocks, .first = (uintptr_t)i * EACH};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, put_and_take, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].wrong, 0);
    }
    assert_true(ot_blocks_put(blocks, block(0), 5, &total));
    assert_int_equal(total, 5);
    ot_blocks_free(blocks);
}

/* Forked while others hold the locks, again and again. ThreadSanitizer keeps an account of locks of
 * its own, which it hands on to the child. */
static void a_forked_child_finds_it_empty_and_unlocked(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip();
#endif
    enum { CHILDREN = 20 };
    struct ot_blocks *blocks = ot_blocks_new();
    struct worker worker = {.blocks = blocks};
    int64_t total;
    assert_true(ot_blocks_put(blocks, block(EACH), 1000, &total));
    assert_int_equal(pthread_create(&worker.thread, NULL, put_and_take, &worker), 0);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            int wrong = 0;
            alarm(20);
            for (uintptr_t number = 0; number <= EACH; number++)
                wrong += ot_blocks_take(blocks, block(number), &total) != 0;
            for (uintptr_t number = 0; number <= EACH; number++)
                wrong += !ot_blocks_put(blocks, block(number), 1, &total);
            wrong += total != EACH + 1;
            _exit(wrong != 0);
        }
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
    pthread_join(worker.thread, NULL);
    assert_int_equal(worker.wrong, 0);
    assert_int_equal(ot_blocks_take(blocks, block(EACH), &total), 1000);
    assert_int_equal(total, 0);
    ot_blocks_free(blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_released_block_has_the_size_it_was_put_with),
        cmocka_unit_test(what_was_never_put_or_is_gone_has_no_size),
        cmocka_unit_test(a_block_that_was_released_unseen_is_replaced),
        cmocka_unit_test(many_blocks_come_and_go_without_a_mistake),
        cmocka_unit_test(threads_do_not_disturb_each_other),
        cmocka_unit_test(a_forked_child_finds_it_empty_and_unlocked),
    };
    return RUN(tests);
}
