#include "ingest/oplog/follow_thread.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* As deep as the reader of whole recordings goes, and as far back as it looks for a partner. */
enum { MAX_DEPTH = 1 << 16, MAX_RESYNC = 1024 };

struct ot_follow_thread_state *ot_follow_thread_new(const struct ot_oplog_segment *segment,
                                                    uint64_t since)
{
    struct ot_follow_thread_state *thread = calloc(1, sizeof(*thread));
    if (!thread)
        return NULL;
    thread->ordinal = segment->thread;
    thread->since = since;
    for (size_t i = 0; i < OT_FOLLOW_LANES; i++)
        thread->lanes[i].last = since;
    return thread;
}

void ot_follow_thread_free(struct ot_follow_thread_state *thread)
{
    if (!thread)
        return;
    for (size_t i = 0; i < OT_FOLLOW_LANES; i++)
        free(thread->lanes[i].stack);
    free(thread);
}

void ot_follow_thread_forget(struct ot_follow_thread_state *thread)
{
    for (size_t i = 0; i < OT_FOLLOW_LANES; i++)
        thread->lanes[i].n = thread->lanes[i].n_ending = thread->lanes[i].n_too_deep = 0;
}

/* --- sums --------------------------------------------------------------------------------------
 */

/* Room for it was made when the name became known. */
static struct ot_follow_sum *touch(struct ot_follow_sums *sums, uint32_t place)
{
    struct ot_follow_sum *sum = &sums->items[place];
    if (!sum->is_touched) {
        sum->is_touched = true;
        sums->touched[sums->n_touched++] = place;
    }
    return sum;
}

static void give(struct ot_follow_thread_state *thread, struct ot_follow_lane *lane,
                 struct ot_follow_sums *sums, uint64_t ticks)
{
    if (ticks <= lane->last)
        return;
    if (lane->n) {
        uint64_t passed = ticks - lane->last;
        touch(sums, lane->stack[lane->n - 1].place)->self_ticks += passed;
        if (lane == &thread->lanes[OT_FOLLOW_OPERATORS])
            thread->busy_ticks += passed;
    }
    lane->last = ticks;
}

static void count(struct ot_follow_thread_state *thread, struct ot_follow_sums *sums,
                  const struct ot_follow_open_call *call, uint64_t ticks)
{
    if (ticks < thread->since)
        return;
    struct ot_follow_sum *sum = touch(sums, call->place);
    sum->inclusive_ticks += ticks > call->entry ? ticks - call->entry : 0;
    sum->n_calls++;
    thread->n_calls += sum->lane == OT_FOLLOW_OPERATORS;
}

/* --- calls that another thread has ended -------------------------------------------------------
 */

static void take_out(struct ot_follow_lane *lane, size_t at)
{
    lane->n_ending -= lane->stack[at].ends_at != 0;
    memmove(&lane->stack[at], &lane->stack[at + 1], (lane->n - at - 1) * sizeof(*lane->stack));
    lane->n--;
}

static bool find_first_ending(const struct ot_follow_lane *lane, uint64_t until, size_t *ret_at)
{
    bool found = false;
    for (size_t i = 0; i < lane->n; i++) {
        uint64_t ends_at = lane->stack[i].ends_at;
        if (ends_at == 0 || ends_at > until || (found && ends_at >= lane->stack[*ret_at].ends_at))
            continue;
        *ret_at = i;
        found = true;
    }
    return found;
}

static void end_those_until(struct ot_follow_thread_state *thread, struct ot_follow_lane *lane,
                            struct ot_follow_sums *sums, uint64_t until)
{
    size_t at = 0;
    while (lane->n_ending && find_first_ending(lane, until, &at)) {
        uint64_t ends_at = lane->stack[at].ends_at;
        give(thread, lane, sums, ends_at);
        count(thread, sums, &lane->stack[at], ends_at);
        take_out(lane, at);
    }
}

static inline void pass(struct ot_follow_thread_state *thread, struct ot_follow_lane *lane,
                        struct ot_follow_sums *sums, uint64_t ticks)
{
    if (lane->n_ending)
        end_those_until(thread, lane, sums, ticks);
    give(thread, lane, sums, ticks);
}

bool ot_follow_thread_leave_exactly(struct ot_follow_thread_state *thread,
                                    struct ot_follow_sums *sums, uint64_t entry, uint64_t ticks)
{
    for (size_t i = 0; i < OT_FOLLOW_LANES; i++) {
        struct ot_follow_lane *lane = &thread->lanes[i];
        for (size_t at = lane->n; at-- > 0;) {
            struct ot_follow_open_call *call = &lane->stack[at];
            if (call->entry != entry || call->ends_at)
                continue;
            if (ticks > lane->last) {
                call->ends_at = ticks;
                lane->n_ending++;
            } else {
                count(thread, sums, call, ticks);
                take_out(lane, at);
            }
            return true;
        }
    }
    return false;
}

/* --- events ------------------------------------------------------------------------------------
 */

bool ot_follow_thread_enter(struct ot_follow_thread_state *thread, struct ot_follow_sums *sums,
                            uint32_t place, uint64_t ticks, uint64_t ends_at)
{
    struct ot_follow_lane *lane = &thread->lanes[sums->items[place].lane];
    pass(thread, lane, sums, ticks);
    if (lane->n >= MAX_DEPTH) {
        lane->n_too_deep++;
        return true;
    }
    if (!ot_vec_reserve(&lane->stack, &lane->cap, lane->n + 1, sizeof(*lane->stack)))
        return false;
    lane->stack[lane->n++] =
        (struct ot_follow_open_call){.entry = ticks, .ends_at = ends_at, .place = place};
    lane->n_ending += ends_at != 0;
    return true;
}

/* Those above are not there any more: their ends were lost. */
static void leave_below(struct ot_follow_lane *lane, uint32_t place)
{
    size_t lowest = lane->n > MAX_RESYNC ? lane->n - MAX_RESYNC : 0;
    for (size_t at = lane->n; at-- > lowest;) {
        if (lane->stack[at].place != place)
            continue;
        while (lane->n > at + 1)
            take_out(lane, lane->n - 1);
        return;
    }
}

void ot_follow_thread_leave(struct ot_follow_thread_state *thread, struct ot_follow_sums *sums,
                            uint32_t place, uint64_t ticks)
{
    struct ot_follow_lane *lane = &thread->lanes[sums->items[place].lane];
    pass(thread, lane, sums, ticks);
    if (lane->n_too_deep) {
        lane->n_too_deep--;
        return;
    }
    if (lane->n && lane->stack[lane->n - 1].place != place)
        leave_below(lane, place);
    if (!lane->n || lane->stack[lane->n - 1].place != place)
        return; /* it was open when we began to look */
    count(thread, sums, &lane->stack[lane->n - 1], ticks);
    take_out(lane, lane->n - 1);
}

void ot_follow_thread_pass(struct ot_follow_thread_state *thread, struct ot_follow_sums *sums,
                           uint64_t now)
{
    for (size_t i = 0; i < OT_FOLLOW_LANES; i++)
        pass(thread, &thread->lanes[i], sums, now);
}
