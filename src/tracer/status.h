/* status.h: the tracer's only voice: one line in the file that `record` named (tracer_env.h).
 *
 * A line is one write() to a file opened for appending, so lines of many processes do not mix.
 * Without such a file nothing is said. Nothing here allocates. The environment, which a program may
 * be changing, is read once.
 */
#ifndef OT_TRACER_STATUS_H
#define OT_TRACER_STATUS_H

/* Reads the environment. The first line does it otherwise. */
void ot_status_open(void);

void ot_status_line(const char *word, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
