/* descriptors.h: LTTng-UST's file descriptors in a forked child.
 *
 * A child that waits (writer.c) may close all descriptors and open files of its own before its
 * first event. LTTng-UST would then close those, and abort where there is nothing to close. So the
 * numbers that are LTTng-UST's are noted before a fork, and while it cleans up in the child those
 * that have become something else are spared.
 *
 * The callers are serialised: fork handlers by LTTng-UST's lock, the rest by writer.c.
 */
#ifndef OT_TRACER_LTTNG_DESCRIPTORS_H
#define OT_TRACER_LTTNG_DESCRIPTORS_H

#include <stdbool.h>

/* Once, before the others. Without the function that knows them none is ever noted. */
void ot_descriptors_init(void);

/* In the parent, before LTTng-UST is told of the fork. */
void ot_descriptors_note(void);

/* In the child, around LTTng-UST's clean-up. */
void ot_descriptors_begin_sparing(void);
void ot_descriptors_end_sparing(void);

/* Whether close(fd) must not happen: between the two, for what is LTTng-UST's no more. Any thread,
 * any time. */
bool ot_descriptors_spare(int fd);

#endif
