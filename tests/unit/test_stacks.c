#include "test.h"

#include "fold/intake.h"
#include "fold/tables.h"
#include "stats/stacks.h"

enum { OP = OT_BACKEND_PYTORCH, CALL = OT_BACKEND_RUNTIME, KERNEL = OT_BACKEND_DEVICE };

/* --- the tree alone -----------------------------------------------------------------------------
 */

static uint32_t enter(struct ot_stacks *stacks, uint32_t parent, uint32_t name)
{
    uint32_t frame = 0;
    assert_int_equal(ot_stacks_enter(stacks, parent, OP, name, &frame, NULL), OT_OK);
    return frame;
}

static uint32_t enter_thread(struct ot_stacks *stacks, uint64_t vtid)
{
    const struct ot_stack_track track = {.vpid = 1, .vtid = vtid};
    uint32_t frame = 0;
    assert_int_equal(ot_stacks_enter_track(stacks, &track, &frame, NULL), OT_OK);
    return frame;
}

static void the_same_callers_and_name_are_one_frame(void **state)
{
    (void)state;
    struct ot_stacks stacks = {0};
    assert_int_equal(ot_stacks_init(&stacks, NULL), OT_OK);
    uint32_t a = enter(&stacks, OT_STACKS_ROOT, 1);
    uint32_t b = enter(&stacks, a, 2);
    assert_int_equal(enter(&stacks, OT_STACKS_ROOT, 1), a);
    assert_int_equal(enter(&stacks, a, 2), b);
    assert_int_not_equal(enter(&stacks, OT_STACKS_ROOT, 2), b);
    assert_int_not_equal(enter(&stacks, b, 2), b); /* that calls itself */
    assert_int_equal(stacks.n_frames, 5);
    assert_int_equal(stacks.frames[b].depth, 2);
    uint32_t other = 0;
    assert_int_equal(ot_stacks_enter(&stacks, a, CALL, 2, &other, NULL), OT_OK);
    assert_int_not_equal(other, b);
    ot_stacks_release(&stacks);
    ot_stacks_release(NULL);
}

static void threads_are_frames_only_if_asked_for(void **state)
{
    (void)state;
    struct ot_stacks stacks = {0};
    assert_int_equal(ot_stacks_init(&stacks, NULL), OT_OK);
    assert_int_equal(enter_thread(&stacks, 7), OT_STACKS_ROOT);
    ot_stacks_release(&stacks);

    stacks = (struct ot_stacks){.opts = {.by_track = true}};
    assert_int_equal(ot_stacks_init(&stacks, NULL), OT_OK);
    uint32_t seven = enter_thread(&stacks, 7);
    uint32_t eight = enter_thread(&stacks, 8);
    assert_int_equal(enter_thread(&stacks, 7), seven);
    assert_int_not_equal(enter(&stacks, seven, 1), enter(&stacks, eight, 1));
    assert_int_equal(stacks.n_tracks, 2);
    assert_int_equal(stacks.tracks[stacks.frames[enter(&stacks, eight, 1)].track - 1].vtid, 8);
    ot_stacks_release(&stacks);
}

static void calls_too_deep_count_for_what_is_around_them(void **state)
{
    (void)state;
    struct ot_stacks stacks = {0};
    assert_int_equal(ot_stacks_init(&stacks, NULL), OT_OK);
    uint32_t frame = OT_STACKS_ROOT;
    for (int i = 0; i < OT_STACKS_MAX_DEPTH + 3; i++)
        frame = enter(&stacks, frame, 1);
    assert_int_equal(stacks.n_frames, OT_STACKS_MAX_DEPTH + 1);
    assert_int_equal(stacks.frames[frame].depth, OT_STACKS_MAX_DEPTH);
    assert_int_equal(stacks.n_merged_calls, 3);
    ot_stacks_release(&stacks);
}

static void calls_past_the_limit_of_frames_are_told_from_what_no_operator_owns(void **state)
{
    (void)state;
    struct ot_stacks stacks = {.opts = {.max_frames = 3}};
    assert_int_equal(ot_stacks_init(&stacks, NULL), OT_OK);
    uint32_t a = enter(&stacks, OT_STACKS_ROOT, 1);
    uint32_t b = enter(&stacks, a, 2);
    assert_int_equal(enter(&stacks, a, 3), a);
    uint32_t more = enter(&stacks, OT_STACKS_ROOT, 3);
    assert_int_equal(stacks.frames[more].backend, OT_STACKS_MORE);
    assert_int_equal(stacks.frames[more].parent, OT_STACKS_ROOT);
    assert_int_equal(enter(&stacks, OT_STACKS_ROOT, 4), more);
    assert_int_equal(enter(&stacks, more, 1), more);
    assert_int_equal(enter(&stacks, a, 2), b);
    assert_int_equal(stacks.n_frames, 4);
    assert_int_equal(stacks.n_merged_calls, 4);
    ot_stacks_release(&stacks);
}

static void threads_have_frames_also_past_the_limit(void **state)
{
    (void)state;
    struct ot_stacks stacks = {.opts = {.by_track = true, .max_frames = 3}};
    assert_int_equal(ot_stacks_init(&stacks, NULL), OT_OK);
    enter(&stacks, enter_thread(&stacks, 7), 1);
    uint32_t eight = enter_thread(&stacks, 8);
    assert_int_equal(stacks.tracks[stacks.frames[eight].track - 1].vtid, 8);
    uint32_t more = enter(&stacks, eight, 1);
    assert_int_equal(stacks.frames[more].backend, OT_STACKS_MORE);
    assert_int_equal(stacks.frames[more].parent, eight);
    assert_int_equal(enter_thread(&stacks, 8), eight);
    ot_stacks_release(&stacks);
}

/* --- filled from slices -------------------------------------------------------------------------
 */

struct given {
    int backend;
    const char *name;
    int64_t ts_ns;
    int64_t dur_ns;
    uint64_t correlation; /* 0: none */
    uint64_t vtid;
};

struct world {
    struct ot_population pop;
    struct ot_stacks stacks;
    struct ot_intake intake;
};

static void open_world(struct world *world, bool by_track)
{
    *world = (struct world){.stacks = {.opts = {.by_track = by_track}}};
    world->intake.pop = &world->pop;
    world->intake.depth = OT_FOLD_ANALYSIS;
    world->intake.stacks = &world->stacks;
    assert_int_equal(ot_intake_init(&world->intake, NULL), OT_OK);
}

static void give(struct world *world, const struct given *given)
{
    struct ot_event_args args = {.has_correlation = given->correlation != 0,
                                 .correlation = given->correlation};
    struct ot_event event = {
        .kind = OT_EVENT_SLICE,
        .backend = given->backend,
        .name = ot_text_of(given->name),
        .ts_ns = given->ts_ns,
        .dur_ns = given->dur_ns,
        .vpid = 1,
        .vtid = given->vtid,
        .args = &args,
    };
    assert_int_equal(ot_intake_add_slice(&world->intake, &event, NULL), OT_OK);
}

static void give_memory(struct world *world, int64_t ts_ns, int64_t bytes)
{
    struct ot_event_args args = {.bytes = bytes};
    struct ot_event event = {.kind = OT_EVENT_MEMORY, .ts_ns = ts_ns, .vpid = 1, .args = &args};
    assert_int_equal(ot_intake_add_memory(&world->intake, &event, NULL), OT_OK);
}

static void fill(struct world *world)
{
    assert_int_equal(ot_tables_fill(&world->intake, NULL), OT_OK);
    ot_intake_release(&world->intake);
}

static void close_world(struct world *world)
{
    ot_stacks_release(&world->stacks);
    ot_population_release(&world->pop);
}

static uint32_t child(const struct world *world, uint32_t parent, const char *name)
{
    for (uint32_t i = 1; i < world->stacks.n_frames; i++) {
        const struct ot_stack_frame *frame = &world->stacks.frames[i];
        struct ot_text found = ot_names_text(&world->pop.names, frame->name);
        if (frame->parent == parent && ot_text_same(found, ot_text_of(name)))
            return i;
    }
    fail_msg("no frame %s", name);
    return 0;
}

static const struct given training[] = {
    {OP, "outer", 0, 100, 0, 0},   {OP, "inner", 10, 50, 0, 0},  {CALL, "launch", 20, 5, 1, 0},
    {OP, "outer", 200, 30, 0, 0},  {OP, "outer", 0, 40, 0, 7},   {CALL, "launch", 300, 5, 2, 0},
    {KERNEL, "k", 400, 11, 1, 99}, {KERNEL, "k", 420, 7, 2, 99}, {KERNEL, "k", 430, 3, 3, 99},
    {KERNEL, "k", 440, 2, 0, 99},
};
enum { N_TRAINING = sizeof(training) / sizeof(training[0]) };

static void train(struct world *world, bool by_track)
{
    open_world(world, by_track);
    for (size_t i = 0; i < N_TRAINING; i++)
        give(world, &training[i]);
    give_memory(world, 15, 64);
    give_memory(world, 15, -64);
    give_memory(world, 70, 8);
    give_memory(world, 150, 1);
    fill(world);
}

static void calls_times_bytes_and_device_work_go_to_the_frame(void **state)
{
    (void)state;
    struct world world;
    train(&world, false);
    const struct ot_stack_frame *frames = world.stacks.frames;
    uint32_t outer = child(&world, OT_STACKS_ROOT, "outer");
    uint32_t inner = child(&world, outer, "inner");
    uint32_t launch = child(&world, inner, "launch");
    assert_int_equal(frames[outer].n_calls, 3);
    assert_int_equal(frames[outer].self_ns, 50 + 30 + 40);
    assert_int_equal(frames[outer].allocated_bytes, 8);
    assert_int_equal(frames[inner].self_ns, 45);
    assert_int_equal(frames[inner].allocated_bytes, 64);
    assert_int_equal(frames[inner].device_ns, 11); /* the operator's, not the launching call's */
    assert_int_equal(frames[launch].device_ns, 0);
    assert_int_equal(frames[launch].self_ns, 5);
    assert_int_equal(frames[OT_STACKS_ROOT].device_ns, 7 + 3 + 2);
    assert_int_equal(frames[OT_STACKS_ROOT].allocated_bytes, 1);
    assert_int_equal(frames[child(&world, OT_STACKS_ROOT, "launch")].n_calls, 1);
    close_world(&world);
}

static void by_thread_what_no_operator_owns_is_the_threads(void **state)
{
    (void)state;
    struct world world;
    train(&world, true);
    const struct ot_stack_frame *frames = world.stacks.frames;
    assert_int_equal(world.stacks.n_tracks, 2);
    assert_int_equal(frames[1].backend, OT_STACKS_NO_CALL);
    assert_int_equal(frames[1].device_ns, 7);
    assert_int_equal(frames[1].allocated_bytes, 1);
    assert_int_equal(frames[OT_STACKS_ROOT].device_ns, 3 + 2); /* no thread is known to launch it */
    assert_int_equal(frames[child(&world, 1, "outer")].self_ns, 80);
    close_world(&world);
}

static void annotations_are_no_frames(void **state)
{
    (void)state;
    static const struct given given[] = {{OT_BACKEND_ANNOTATION, "range", 0, 100, 0, 0},
                                         {OT_BACKEND_PYTHON, "f", 0, 100, 0, 0},
                                         {OP, "op", 10, 20, 0, 0}};
    struct world world;
    open_world(&world, false);
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
        give(&world, &given[i]);
    fill(&world);
    assert_int_equal(world.stacks.n_frames, 2);
    assert_int_equal(world.stacks.frames[child(&world, OT_STACKS_ROOT, "op")].self_ns, 20);
    close_world(&world);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_callers_and_name_are_one_frame),
        cmocka_unit_test(threads_are_frames_only_if_asked_for),
        cmocka_unit_test(calls_too_deep_count_for_what_is_around_them),
        cmocka_unit_test(calls_past_the_limit_of_frames_are_told_from_what_no_operator_owns),
        cmocka_unit_test(threads_have_frames_also_past_the_limit),
        cmocka_unit_test(calls_times_bytes_and_device_work_go_to_the_frame),
        cmocka_unit_test(by_thread_what_no_operator_owns_is_the_threads),
        cmocka_unit_test(annotations_are_no_frames),
    };
    return RUN(tests);
}
