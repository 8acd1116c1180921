/* The hooks against a PyTorch made of functions here: what reaches the writer, and what does not
 * change around it. Many threads run them at once in the build with ThreadSanitizer. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/tracer_env.h"
#include "tracer/hooks.h"

enum { N_THREADS = 8, N_CALLS = 20000, N_OPERATORS = 300 };

/* Stands for at::RecordFunction: the accessors below read it. */
struct record_function {
    const char *name;
    const char *overload;
};

typedef void *(*start_fn)(void **, const void *);
typedef void (*end_fn)(const void *, void *);

static struct ot_torch_callback registered[2];
static int n_registered;
static _Atomic int n_entries;
static _Atomic int n_exits;
static _Atomic int n_wrong;
static struct {
    enum ot_op_kind kind;
    char name[64];
    char overload[64];
} last;
static bool writer_reenters;

static uint64_t keep_callback(struct ot_torch_callback callback)
{
    registered[n_registered] = callback;
    return (uint64_t)++n_registered;
}

static const char *name_of(const void *rf)
{
    return ((const struct record_function *)rf)->name;
}

static const char *overload_of(const void *rf)
{
    return ((const struct record_function *)rf)->overload;
}

static start_fn operator_start(void)
{
    return (start_fn)registered[0].start;
}

static void take_entry(enum ot_op_kind kind, const struct ot_op *op)
{
    n_entries++;
    last.kind = kind;
    strncpy(last.name, op->name, sizeof(last.name) - 1);
    strncpy(last.overload, op->overload, sizeof(last.overload) - 1);
    errno = EBADF;
    if (writer_reenters) {
        static const struct record_function inner = {"aten::inner", ""};
        void *context;
        operator_start()(&context, &inner);
    }
}

static void take_exit(enum ot_op_kind kind, const struct ot_op *op)
{
    (void)kind;
    (void)op;
    n_exits++;
    errno = EBADF;
}

static const struct ot_writer writer = {
    .abi = OT_WRITER_ABI, .entry = take_entry, .exit = take_exit};
static const struct ot_torch new_torch = {
    .add_global_callback = keep_callback, .name = name_of, .overload_name = overload_of};

static int register_hooks(void **state)
{
    (void)state;
    n_registered = 0;
    n_entries = 0;
    n_exits = 0;
    writer_reenters = false;
    ot_hooks_register(&new_torch, &writer, OT_SCOPES_DEFAULT);
    return 0;
}

static void operators_and_user_scopes_have_callbacks_of_their_own(void **state)
{
    (void)state;
    assert_int_equal(n_registered, 2);
    for (int scope = 0; scope < OT_SCOPE_COUNT; scope++) {
        bool is_default = OT_SCOPES_DEFAULT >> scope & 1;
        assert_int_equal(registered[0].scopes[scope], is_default && scope != OT_SCOPE_USER);
        assert_int_equal(registered[1].scopes[scope], scope == OT_SCOPE_USER);
    }
}

static void no_scopes_is_not_all_scopes(void **state)
{
    (void)state;
    n_registered = 0;
    ot_hooks_register(&new_torch, &writer, 1u << OT_SCOPE_USER);
    assert_int_equal(n_registered, 1);
}

static void the_writer_gets_name_and_overload(void **state)
{
    (void)state;
    const struct record_function rf = {"aten::abs", "out"};
    void *context = (void *)&rf;
    operator_start()(&context, &rf);
    assert_null(context);
    assert_int_equal(last.kind, OT_OP_OPERATOR);
    assert_string_equal(last.name, "aten::abs");
    assert_string_equal(last.overload, "out");
    ((end_fn)registered[0].end)(&rf, NULL);
    assert_int_equal(n_exits, 1);
}

static void errno_is_kept(void **state)
{
    (void)state;
    const struct record_function rf = {"aten::abs", ""};
    void *context;
    errno = EAGAIN;
    operator_start()(&context, &rf);
    assert_int_equal(errno, EAGAIN);
    ((end_fn)registered[0].end)(&rf, NULL);
    assert_int_equal(errno, EAGAIN);
}

static void an_operator_inside_a_hook_is_not_recorded(void **state)
{
    (void)state;
    const struct record_function rf = {"aten::outer", ""};
    void *context;
    writer_reenters = true;
    operator_start()(&context, &rf);
    assert_int_equal(n_entries, 1);
    assert_string_equal(last.name, "aten::outer");
}

/* std::optional<c10::OperatorName> of PyTorch before 2.7, in libstdc++'s new string ABI. */
struct cxx11_string {
    const char *data;
    size_t length;
    char local[16];
};

static void *operator_name_in_place(void *ret, const void *rf)
{
    const struct record_function *function = rf;
    struct cxx11_string *strings = ret;
    const char *texts[2] = {function->name, function->overload};
    for (int i = 0; i < 2; i++) {
        strings[i].length = strlen(texts[i]);
        if (strings[i].length < sizeof(strings[i].local)) {
            strings[i].data = strings[i].local;
            memcpy(strings[i].local, texts[i], strings[i].length + 1);
        } else {
            strings[i].data = strdup(texts[i]);
        }
    }
    return ret;
}

/* c10::optional of 1.x has its flag first. */
static void *operator_name_after_flag(void *ret, const void *rf)
{
    *(bool *)ret = true;
    operator_name_in_place((char *)ret + 8, rf);
    return ret;
}

/* The old ABI: a pointer to characters behind {length, capacity, references}. */
static void *operator_name_copy_on_write(void *ret, const void *rf)
{
    const struct record_function *function = rf;
    const char **strings = ret;
    const char *texts[2] = {function->name, function->overload};
    static struct {
        size_t length;
        size_t capacity;
        size_t references;
        char text[64];
    } kept[2];
    for (int i = 0; i < 2; i++) {
        kept[i].length = strlen(texts[i]);
        strcpy(kept[i].text, texts[i]);
        strings[i] = kept[i].text;
    }
    return ret;
}

static void *no_operator_name(void *ret, const void *rf)
{
    (void)rf;
    return ret;
}

static void release_string(void *ptr)
{
    free(ptr);
}

static void overloads_are_read_in_every_layout(void **state)
{
    (void)state;
    static const struct {
        void *(*operator_name)(void *, const void *);
        const char *expected;
    } layouts[] = {
        {operator_name_in_place, "Tensor_Scalar_with_a_long_name"},
        {operator_name_after_flag, "Tensor_Scalar_with_a_long_name"},
        {operator_name_copy_on_write, "Tensor_Scalar_with_a_long_name"},
        {no_operator_name, ""},
    };
    /* The table keeps what it has seen, so each layout gets a name that it has not. */
    static char names[4][32];
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        struct ot_torch old_torch = {
            .add_global_callback = keep_callback,
            .name = name_of,
            .operator_name = (void *)layouts[i].operator_name,
            .operator_delete = release_string,
        };
        snprintf(names[i], sizeof(names[i]), "aten::layout_%zu", i);
        const struct record_function rf = {names[i], "Tensor_Scalar_with_a_long_name"};
        void *context;
        n_registered = 0;
        ot_hooks_register(&old_torch, &writer, 1u << OT_SCOPE_FUNCTION);
        for (int again = 0; again < 2; again++) {
            operator_start()(&context, &rf);
            assert_string_equal(last.name, names[i]);
            assert_string_equal(last.overload, layouts[i].expected);
        }
    }
}

static void a_reused_address_is_not_taken_for_the_old_name(void **state)
{
    (void)state;
    struct ot_torch old_torch = {
        .add_global_callback = keep_callback,
        .name = name_of,
        .operator_name = (void *)operator_name_in_place,
        .operator_delete = release_string,
    };
    static char storage[32];
    struct record_function rf = {storage, "first"};
    void *context;
    n_registered = 0;
    ot_hooks_register(&old_torch, &writer, 1u << OT_SCOPE_FUNCTION);
    strcpy(storage, "aten::before");
    operator_start()(&context, &rf);
    assert_string_equal(last.overload, "first");
    strcpy(storage, "aten::after");
    rf.overload = "second";
    operator_start()(&context, &rf);
    assert_string_equal(last.overload, "second");
}

static struct record_function operators[N_OPERATORS];
static char operator_texts[N_OPERATORS][2][32];

static void check_entry(enum ot_op_kind kind, const struct ot_op *op)
{
    (void)kind;
    const char *number = strrchr(op->name, '_');
    n_entries++;
    if (!number || strcmp(number, strrchr(op->overload, '_')) != 0)
        n_wrong++;
}

static void *run_operators(void *data)
{
    for (int i = 0; i < N_CALLS; i++) {
        const struct record_function *rf = &operators[(i * 7 + (int)(intptr_t)data) % N_OPERATORS];
        void *context;
        operator_start()(&context, rf);
        ((end_fn)registered[0].end)(rf, NULL);
    }
    return NULL;
}

static void threads_never_get_each_others_overloads(void **state)
{
    (void)state;
    static const struct ot_writer checking = {
        .abi = OT_WRITER_ABI, .entry = check_entry, .exit = check_entry};
    struct ot_torch old_torch = {
        .add_global_callback = keep_callback,
        .name = name_of,
        .operator_name = (void *)operator_name_in_place,
        .operator_delete = release_string,
    };
    for (int i = 0; i < N_OPERATORS; i++) {
        snprintf(operator_texts[i][0], sizeof(operator_texts[i][0]), "aten::threaded_%d", i);
        snprintf(operator_texts[i][1], sizeof(operator_texts[i][1]), "overload_%d", i);
        operators[i] = (struct record_function){operator_texts[i][0], operator_texts[i][1]};
    }
    n_registered = 0;
    n_wrong = 0;
    ot_hooks_register(&old_torch, &checking, 1u << OT_SCOPE_FUNCTION);
    pthread_t threads[N_THREADS];
    for (intptr_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_operators, (void *)i), 0);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(n_wrong, 0);
    assert_int_equal(n_entries, 2 * N_THREADS * N_CALLS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(operators_and_user_scopes_have_callbacks_of_their_own,
                               register_hooks),
        cmocka_unit_test_setup(no_scopes_is_not_all_scopes, register_hooks),
        cmocka_unit_test_setup(the_writer_gets_name_and_overload, register_hooks),
        cmocka_unit_test_setup(errno_is_kept, register_hooks),
        cmocka_unit_test_setup(an_operator_inside_a_hook_is_not_recorded, register_hooks),
        cmocka_unit_test_setup(overloads_are_read_in_every_layout, register_hooks),
        cmocka_unit_test_setup(a_reused_address_is_not_taken_for_the_old_name, register_hooks),
        cmocka_unit_test_setup(threads_never_get_each_others_overloads, register_hooks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
