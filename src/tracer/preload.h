/* preload.h: what the rest of the tracer may ask of the interposed functions.
 */
#ifndef OT_TRACER_PRELOAD_H
#define OT_TRACER_PRELOAD_H

#include <stdbool.h>

/* From now on close(fd) succeeds without doing anything while `spares` says so. It is asked at
 * every close(), by any thread, also in signal handlers. */
void ot_preload_spare(bool (*spares)(int fd));

#endif
