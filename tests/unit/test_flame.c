#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/flame/flame.h"
#include "emit/flame/fold_name.h"
#include "emit/flame/picture.h"
#include "emit/markup/markup.h"
#include "model/backend.h"

/* --- names --------------------------------------------------------------------------------------
 */

static void no_name_can_break_a_line_of_folded_stacks(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *folded;
    } cases[] = {
        {"aten::add", "aten::add"},
        {"", "(no name)"},
        {"a;b", "a:b"},
        {"a\nb\rc\td", "a\ufffdb\ufffdc\ufffdd"},
        {"\xff\xc0\x80", "\ufffd\ufffd\ufffd"},
        {"step 12", "step_12"}, /* else flamegraph.pl takes it for a difference */
        {"step 1 2 3.5", "step 1 2_3.5"},
        {"step 12.", "step_12."},
        {" 7", "_7"},
        {"7", "7"},
        {"a b", "a b"},
        {"a 1b", "a 1b"},
        {"a .5", "a .5"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ot_str str = {0};
        flame_fold_name(&str, ot_text_of(cases[i].name));
        assert_string_equal(ot_str_borrow(&str), cases[i].folded);
        ot_str_release(&str);
    }
}

static void markup_is_escaped_and_cut(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t max_size;
        const char *markup;
    } cases[] = {
        {"a<b>&\"c\"'", -1, "a&lt;b&gt;&amp;&quot;c&quot;&#39;"},
        {"\x01\xff\u2028\uffff\ufffe", -1, "\ufffd\ufffd\ufffd\ufffd\ufffd"},
        {"]]>", -1, "]]&gt;"},
        {"<<<<<<<<<<", 7, "&lt;[...]&lt;"},
        {"é", 1, "é"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ot_str str = {0};
        ot_markup_add(&str, ot_text_of(cases[i].text), cases[i].max_size);
        assert_string_equal(ot_str_borrow(&str), cases[i].markup);
        ot_str_release(&str);
    }
}

/* --- stacks by hand -----------------------------------------------------------------------------
 */

struct side {
    struct ot_population pop;
    struct ot_stacks stacks;
};

static void open_side(struct side *side, bool by_track)
{
    *side = (struct side){.stacks = {.opts = {.by_track = by_track}}};
    uint32_t id = 0;
    assert_int_equal(ot_names_intern(&side->pop.names, ot_text_of(""), &id, NULL), OT_OK);
    assert_int_equal(ot_stacks_init(&side->stacks, NULL), OT_OK);
}

static uint32_t add(struct side *side, uint32_t parent, const char *name, int64_t self_ns)
{
    uint32_t id = 0;
    uint32_t frame = 0;
    assert_int_equal(ot_names_intern(&side->pop.names, ot_text_of(name), &id, NULL), OT_OK);
    assert_int_equal(ot_stacks_enter(&side->stacks, parent, OT_BACKEND_PYTORCH, id, &frame, NULL),
                     OT_OK);
    side->stacks.frames[frame].self_ns += self_ns;
    side->stacks.frames[frame].n_calls++;
    return frame;
}

static uint32_t enter_thread(struct side *side, uint32_t session, uint64_t vtid)
{
    const struct ot_stack_track track = {.session = session, .vpid = 10, .vtid = vtid};
    uint32_t frame = 0;
    assert_int_equal(ot_stacks_enter_track(&side->stacks, &track, &frame, NULL), OT_OK);
    return frame;
}

static void close_side(struct side *side)
{
    ot_stacks_release(&side->stacks);
    ot_population_release(&side->pop);
}

static struct ot_flame flame_of(const struct side *now, const struct side *before)
{
    struct ot_flame flame = {.now = {&now->stacks, &now->pop}};
    if (before)
        flame.before = (struct ot_flame_source){&before->stacks, &before->pop};
    return flame;
}

static void assert_folded(const struct ot_flame *flame, const char *expected)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    assert_int_equal(ot_flame_write_folded(flame, out, NULL), OT_OK);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, expected);
    free(text);
}

/* --- folded -------------------------------------------------------------------------------------
 */

static void folded_lines_have_own_weights_and_are_sorted(void **state)
{
    (void)state;
    struct side side;
    open_side(&side, false);
    uint32_t b = add(&side, OT_STACKS_ROOT, "b", 5);
    add(&side, b, "z", 3);
    add(&side, add(&side, b, "a", 0), "x", 2);
    add(&side, OT_STACKS_ROOT, "a", 1);
    side.stacks.frames[OT_STACKS_ROOT].device_ns = 7;
    struct ot_flame flame = flame_of(&side, NULL);
    assert_folded(&flame, "a 1\nb 5\nb;a;x 2\nb;z 3\n");
    flame.weight = OT_FLAME_CALLS;
    assert_folded(&flame, "a 1\nb 1\nb;a 1\nb;a;x 1\nb;z 1\n");
    flame.weight = OT_FLAME_DEVICE;
    assert_folded(&flame, "(no operator) 7\n");
    close_side(&side);
}

static void names_that_become_the_same_share_a_line(void **state)
{
    (void)state;
    struct side side;
    open_side(&side, false);
    add(&side, add(&side, OT_STACKS_ROOT, "a;b", 1), "c", 10);
    add(&side, add(&side, OT_STACKS_ROOT, "a:b", 2), "c", 20);
    struct ot_flame flame = flame_of(&side, NULL);
    assert_folded(&flame, "a:b 3\na:b;c 30\n");
    close_side(&side);
}

static void a_difference_has_both_weights_before_comes_first(void **state)
{
    (void)state;
    struct side now;
    struct side before;
    open_side(&now, false);
    open_side(&before, false);
    add(&before, OT_STACKS_ROOT, "gone", 4);
    add(&before, add(&before, OT_STACKS_ROOT, "same", 1), "less", 10);
    add(&now, add(&now, OT_STACKS_ROOT, "same", 1), "less", 2);
    add(&now, OT_STACKS_ROOT, "new", 6);
    struct ot_flame flame = flame_of(&now, &before);
    assert_folded(&flame, "gone 4 0\nnew 0 6\nsame 1 1\nsame;less 10 2\n");
    close_side(&now);
    close_side(&before);
}

static void threads_are_named_by_what_tells_them_apart(void **state)
{
    (void)state;
    struct side side;
    open_side(&side, true);
    struct ot_session_totals session = {.session = {.has_rank = true, .rank = 3}};
    side.pop.sessions = &session;
    side.pop.n_sessions = 1;
    add(&side, enter_thread(&side, 0, 12), "a", 5);
    struct ot_flame flame = flame_of(&side, NULL);
    assert_folded(&flame, "rank 3, thread 12 (process 10);a 5\n");
    side.pop.sessions = NULL;
    side.pop.n_sessions = 0;
    close_side(&side);
}

static void ranks_that_are_not_unique_are_told_apart_by_their_paths(void **state)
{
    (void)state;
    struct side side;
    open_side(&side, true);
    struct ot_session_totals sessions[] = {
        {.session = {.has_rank = true, .path = ot_text_of("a.json")}},
        {.session = {.has_rank = true, .path = ot_text_of("b.json")}},
        {.session = {.has_rank = true, .rank = 1, .path = ot_text_of("c.json")}},
    };
    side.pop.sessions = sessions;
    side.pop.n_sessions = 3;
    for (uint32_t i = 0; i < 3; i++)
        add(&side, enter_thread(&side, i, 12), "a", 5);
    struct ot_flame flame = flame_of(&side, NULL);
    assert_folded(&flame, "rank 0, a.json, thread 12 (process 10);a 5\n"
                          "rank 0, b.json, thread 12 (process 10);a 5\n"
                          "rank 1, thread 12 (process 10);a 5\n");
    side.pop.sessions = NULL;
    side.pop.n_sessions = 0;
    close_side(&side);
}

static void numbers_of_threads_are_those_of_the_trace(void **state)
{
    (void)state;
    struct side side;
    open_side(&side, true);
    add(&side, enter_thread(&side, 0, (uint64_t)INT64_C(-1029147072)), "a", 5);
    struct ot_flame flame = flame_of(&side, NULL);
    assert_folded(&flame, "thread -1029147072 (process 10);a 5\n");
    close_side(&side);
}

static void what_no_operator_owns_and_what_has_no_frame_are_told_apart(void **state)
{
    (void)state;
    struct side side;
    open_side(&side, true);
    side.stacks.opts.max_frames = 3;
    uint32_t thread = enter_thread(&side, 0, 12);
    add(&side, thread, "a", 5);
    side.stacks.frames[add(&side, thread, "b", 7)].device_ns = 1;
    side.stacks.frames[thread].device_ns = 2;
    side.stacks.frames[OT_STACKS_ROOT].device_ns = 3;
    struct ot_flame flame = flame_of(&side, NULL);
    assert_folded(&flame, "thread 12 (process 10);(more stacks) 7\n"
                          "thread 12 (process 10);a 5\n");
    flame.weight = OT_FLAME_DEVICE;
    assert_folded(&flame, "(no operator) 3\n"
                          "thread 12 (process 10);(no operator) 2\n"
                          "thread 12 (process 10);(more stacks) 1\n");
    close_side(&side);
}

/* --- the picture --------------------------------------------------------------------------------
 */

static void choose(struct flame_picture *picture, const struct ot_flame *flame, size_t max_frames)
{
    const struct ot_flame_svg_opts opts = {.max_frames = max_frames};
    *picture = (struct flame_picture){.flame = flame, .is_diff = flame->before.stacks != NULL};
    assert_int_equal(flame_tree_init(&picture->tree, flame, NULL), OT_OK);
    assert_int_equal(flame_picture_choose(picture, &opts, NULL), OT_OK);
}

static void assert_notes(const struct flame_picture *picture, const char *expected)
{
    struct ot_str notes = {0};
    flame_picture_add_notes(&notes, picture);
    assert_string_equal(ot_str_borrow(&notes), expected);
    ot_str_release(&notes);
}

static void the_heaviest_are_drawn_and_the_rest_is_counted(void **state)
{
    (void)state;
    struct side side;
    open_side(&side, false);
    add(&side, add(&side, OT_STACKS_ROOT, "heavy", 10), "inside", 50);
    add(&side, add(&side, OT_STACKS_ROOT, "light", 3), "inside", 2);
    add(&side, OT_STACKS_ROOT, "nothing", 0);
    struct ot_flame flame = flame_of(&side, NULL);
    struct flame_picture picture;
    choose(&picture, &flame, 3);
    assert_int_equal(picture.n_drawn, 3);
    assert_int_equal(picture.n_small, 2);
    assert_int_equal(picture.small, 5);
    assert_notes(&picture, "Self time: 65ns in 5 calls (exact).\n"
                           "Not drawn: 2 frames, which are too small: 5ns, 7.69% of all.\n"
                           "Not drawn: 1 frame that weighs nothing.");
    flame_tree_release(&picture.tree);
    choose(&picture, &flame, 100);
    assert_int_equal(picture.n_drawn, 5);
    flame_tree_release(&picture.tree);
    close_side(&side);
}

static void callers_of_a_frame_that_is_drawn_are_drawn(void **state)
{
    (void)state;
    struct side side;
    open_side(&side, false);
    uint32_t frame = OT_STACKS_ROOT;
    for (int i = 0; i < 9; i++)
        frame = add(&side, frame, "same", 0); /* all weigh the same */
    add(&side, frame, "leaf", 7);
    struct ot_flame flame = flame_of(&side, NULL);
    struct flame_picture picture;
    choose(&picture, &flame, 5);
    for (uint32_t i = FLAME_ROOT; i != FLAME_NONE; i = flame_tree_next(&picture.tree, i))
        assert_int_equal(picture.tree.nodes[i].is_drawn, picture.tree.nodes[i].depth < 5);
    flame_tree_release(&picture.tree);
    close_side(&side);
}

static void what_is_gone_is_told(void **state)
{
    (void)state;
    struct side now;
    struct side before;
    open_side(&now, false);
    open_side(&before, false);
    add(&now, OT_STACKS_ROOT, "stays", 6);
    uint32_t stays = add(&before, OT_STACKS_ROOT, "stays", 5);
    add(&before, add(&before, stays, "gone", 1), "inside", 2);
    struct ot_flame flame = flame_of(&now, &before);
    struct flame_picture picture;
    choose(&picture, &flame, 0);
    assert_int_equal(picture.n_faded, 2);
    assert_int_equal(picture.faded, 3);
    assert_notes(&picture,
                 "Self time: 6ns in 1 call (exact).\n"
                 "Before: 8ns in 3 calls (exact). Change: -2ns (-25.00%). Widths are those of now, "
                 "and nothing is scaled; a colour is the change of a frame with all inside it.\n"
                 "Gone since before: 2 frames, 3ns, most of it gone in stays (3ns).");
    assert_string_equal(flame_colour(&picture, 1), "d3");
    flame_tree_release(&picture.tree);
    close_side(&now);
    close_side(&before);
}

static void what_is_called_but_weighs_nothing_any_more_is_not_gone(void **state)
{
    (void)state;
    struct side now;
    struct side before;
    open_side(&now, false);
    open_side(&before, false);
    add(&now, OT_STACKS_ROOT, "stays", 6);
    add(&now, OT_STACKS_ROOT, "fast", 0);
    add(&before, OT_STACKS_ROOT, "stays", 6);
    add(&before, OT_STACKS_ROOT, "fast", 2);
    add(&before, OT_STACKS_ROOT, "gone", 1);
    struct ot_flame flame = flame_of(&now, &before);
    struct flame_picture picture;
    choose(&picture, &flame, 0);
    struct ot_str notes = {0};
    flame_picture_add_notes(&notes, &picture);
    assert_non_null(strstr(ot_str_borrow(&notes),
                           "Weighing nothing any more: 2 frames (1 of them still called), 3ns, "
                           "most of it fast (2ns); gone (1ns)."));
    ot_str_release(&notes);
    flame_tree_release(&picture.tree);
    close_side(&now);
    close_side(&before);
}

static void lower_bounds_and_merged_calls_are_told(void **state)
{
    (void)state;
    struct side side;
    open_side(&side, false);
    add(&side, OT_STACKS_ROOT, "a", 6);
    side.pop.counts.unclosed_entries = 1;
    side.stacks.n_merged_calls = 2;
    struct ot_flame flame = flame_of(&side, NULL);
    struct flame_picture picture;
    choose(&picture, &flame, 0);
    assert_notes(
        &picture,
        "Self time: 6ns in 1 call (at least: 1 call began that was never seen to end).\n"
        "2 calls have no frame of their own, since stacks are too deep (512) or too many: counted "
        "for the call around, or where there is none as (more stacks).");
    flame_tree_release(&picture.tree);
    close_side(&side);
}

static void sums_at_their_limit_can_be_drawn(void **state)
{
    (void)state;
    struct side side;
    open_side(&side, true);
    const struct ot_stack_track track = {.vtid = 1};
    uint32_t thread = 0;
    assert_int_equal(ot_stacks_enter_track(&side.stacks, &track, &thread, NULL), OT_OK);
    add(&side, thread, "a", INT64_MAX);
    add(&side, thread, "b", INT64_MAX);
    add(&side, OT_STACKS_ROOT, "c", INT64_MAX);
    struct ot_flame flame = flame_of(&side, NULL);
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    const struct ot_flame_svg_opts opts = {.title = ot_text_of("t")};
    assert_int_equal(ot_flame_write_svg(&flame, &opts, out, NULL), OT_OK);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "x=\"0%\" y=\"0\" width=\"100%\""));
    assert_non_null(strstr(text, "(at least: 2 sums were too large to hold)"));
    assert_null(strstr(text, "nan"));
    free(text);
    close_side(&side);
}

static void what_was_not_recorded_cannot_be_drawn(void **state)
{
    (void)state;
    struct side side;
    struct ot_err err;
    open_side(&side, false);
    struct ot_flame_source source = {&side.stacks, &side.pop};
    assert_int_equal(ot_flame_check(&source, OT_FLAME_SELF, &err), OT_ERR_INPUT);
    add(&side, OT_STACKS_ROOT, "a", 0);
    assert_int_equal(ot_flame_check(&source, OT_FLAME_CALLS, &err), OT_OK);
    assert_int_equal(ot_flame_check(&source, OT_FLAME_SELF, &err), OT_ERR_INPUT);
    assert_string_equal(err.msg, "all calls together took no time: choose --weight calls");
    assert_int_equal(ot_flame_check(&source, OT_FLAME_ALLOCATED, &err), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "profile_memory=True"));
    assert_int_equal(ot_flame_check(&source, OT_FLAME_DEVICE, &err), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "ProfilerActivity.CUDA"));
    close_side(&side);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_name_can_break_a_line_of_folded_stacks),
        cmocka_unit_test(markup_is_escaped_and_cut),
        cmocka_unit_test(folded_lines_have_own_weights_and_are_sorted),
        cmocka_unit_test(names_that_become_the_same_share_a_line),
        cmocka_unit_test(a_difference_has_both_weights_before_comes_first),
        cmocka_unit_test(threads_are_named_by_what_tells_them_apart),
        cmocka_unit_test(ranks_that_are_not_unique_are_told_apart_by_their_paths),
        cmocka_unit_test(numbers_of_threads_are_those_of_the_trace),
        cmocka_unit_test(what_no_operator_owns_and_what_has_no_frame_are_told_apart),
        cmocka_unit_test(the_heaviest_are_drawn_and_the_rest_is_counted),
        cmocka_unit_test(callers_of_a_frame_that_is_drawn_are_drawn),
        cmocka_unit_test(what_is_gone_is_told),
        cmocka_unit_test(what_is_called_but_weighs_nothing_any_more_is_not_gone),
        cmocka_unit_test(lower_bounds_and_merged_calls_are_told),
        cmocka_unit_test(sums_at_their_limit_can_be_drawn),
        cmocka_unit_test(what_was_not_recorded_cannot_be_drawn),
    };
    return RUN(tests);
}
