#include "test.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"

static void control_characters_stay_out_of_the_one_line(void **state)
{
    (void)state;
    struct ot_err err;
    assert_int_equal(ot_err_set(&err, OT_ERR_INPUT, "a\nb\x1b%s", "\x7f"), OT_ERR_INPUT);
    assert_string_equal(err.msg, "a?b??");
}

static void context_goes_in_front(void **state)
{
    (void)state;
    struct ot_err err;
    ot_err_set(&err, OT_ERR_INPUT, "not a number");
    ot_err_context(&err, "%s: event %d", "a.json", 812);
    assert_string_equal(err.msg, "a.json: event 812: not a number");
}

static void errno_is_told_and_kept(void **state)
{
    (void)state;
    struct ot_err err;
    errno = ENOENT;
    ot_err_sys(&err, OT_ERR_IO, "x");
    assert_int_equal(errno, ENOENT);
    assert_string_equal(err.msg, "x: No such file or directory");
}

static void a_long_sentence_is_cut_and_ends(void **state)
{
    (void)state;
    struct ot_err err;
    char text[2 * sizeof(err.msg)];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    ot_err_set(&err, OT_ERR_INPUT, "%s", text);
    ot_err_context(&err, "%s", text);
    assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
}

static void nobody_has_to_ask_for_the_sentence(void **state)
{
    (void)state;
    assert_int_equal(ot_err_set(NULL, OT_ERR_IO, "x"), OT_ERR_IO);
    assert_int_equal(ot_err_sys(NULL, OT_ERR_IO, "x"), OT_ERR_IO);
    ot_err_context(NULL, "x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_stay_out_of_the_one_line),
        cmocka_unit_test(context_goes_in_front),
        cmocka_unit_test(errno_is_told_and_kept),
        cmocka_unit_test(a_long_sentence_is_cut_and_ends),
        cmocka_unit_test(nobody_has_to_ask_for_the_sentence),
    };
    return RUN(tests);
}
