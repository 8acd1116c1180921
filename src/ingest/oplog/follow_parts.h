/* follow_parts.h: what the files share that follow one log.
 *
 *     follow_log.c    the log itself, its clock, one look at it
 *     follow_find.c   which chunks are worth looking into
 *     follow_take.c   what the records of a chunk mean
 *     follow_early.c  calls that end on another thread
 *     follow_names.c  what the ids stand for
 */
#ifndef OT_INGEST_OPLOG_FOLLOW_PARTS_H
#define OT_INGEST_OPLOG_FOLLOW_PARTS_H

#include "ingest/oplog/follow_log.h"

/* Places in the sums. What has no name, or none that is to be found, is in the first ones. */
enum { OT_FOLLOW_NO_NAME, OT_FOLLOW_NO_ANNOTATION, OT_FOLLOW_NAMES };

/* That of a name. */
static inline uint32_t ot_follow_place_of(uint32_t id)
{
    return OT_FOLLOW_NAMES + id;
}

/* Something in the log cannot be: the rest of it is looked at all the same. */
void ot_follow_note_damage(struct ot_follow_log *log, const struct ot_err *err);

/* A moment on the log's clock. */
void ot_follow_note_moment(struct ot_follow_log *log, uint64_t ticks, int64_t monotonic_ns);

/* NULL: it is not known. */
struct ot_follow_thread_state *ot_follow_find_thread(const struct ot_follow_log *log,
                                                     uint32_t ordinal);

/* OT_END: there are too many. */
int ot_follow_add_thread(struct ot_follow_log *log, const struct ot_oplog_segment *segment,
                         struct ot_follow_thread_state **ret, struct ot_err *err);

/* --- names ---- */

int ot_follow_add_name_chunk(struct ot_follow_log *log, uint64_t chunk, struct ot_err *err);

/* Room in the sums for the places below `n`, at least OT_FOLLOW_NAMES. */
int ot_follow_make_sums(struct ot_follow_log *log, size_t n, struct ot_err *err);

/* Of those that have been read, if they are many: names with a number in them are new for ever. */
void ot_follow_forget_texts(struct ot_follow_log *log);

/* True if events may be counted there. */
static inline bool ot_follow_knows(const struct ot_follow_log *log, uint32_t place)
{
    return place < log->sums.n_items && log->sums.items[place].is_known;
}

/* Looks for the name whose place is not known; another place if there is none. */
int ot_follow_learn(struct ot_follow_log *log, uint32_t *place, struct ot_oplog_buffer *buffer,
                    struct ot_err *err);

/* --- chunks ---- */

int ot_follow_add_cursor(struct ot_follow_log *log, uint64_t chunk, struct ot_err *err);

/* A chunk that a ring may use again; nothing in a log that is none. */
int ot_follow_note_old_chunk(struct ot_follow_log *log, uint64_t chunk, uint32_t generation,
                             struct ot_err *err);

/* Cursors for chunks that are new, or used again, as far as they are worth it. */
int ot_follow_discover(struct ot_follow_log *log, size_t max_chunks, struct ot_oplog_buffer *buffer,
                       struct ot_err *err);

/* Goes on in one chunk. Sets *ret_moved if others may have waited for that. `is_forced`: takes the
 * segment that it waits at although it is not its turn. */
int ot_follow_look_into(struct ot_follow_log *log, size_t index, bool is_forced,
                        struct ot_follow_room *room, bool *ret_moved, struct ot_err *err);

/* --- calls that end on another thread ---- */

/* The call that began at `entry` on that thread ends, or will have ended when it is seen. */
int ot_follow_end_elsewhere(struct ot_follow_log *log, uint32_t ordinal, uint64_t entry,
                            uint64_t ticks, struct ot_err *err);

/* When the call that begins there ends; 0: nobody has said so. */
uint64_t ot_follow_take_early_exit(struct ot_follow_log *log, uint32_t ordinal, uint64_t entry);

/* Finds, if there are any, the ends on other threads before the threads are looked at one by one:
 * otherwise what comes after a call on its own thread would be taken for a part of it. */
int ot_follow_look_ahead(struct ot_follow_log *log, struct ot_oplog_buffer *buffer,
                         struct ot_err *err);

/* Calls whose ends came early, and that have not come themselves by the next look, do not come. */
void ot_follow_forget_early_exits(struct ot_follow_log *log);

#endif
