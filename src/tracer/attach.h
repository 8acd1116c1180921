/* attach.h: finds libtorch in this process and sets the hooks.
 */
#ifndef OT_TRACER_ATTACH_H
#define OT_TRACER_ATTACH_H

/* Looks through the loaded libraries, if any came since the last look, and attaches to the first
 * libtorch_cpu that is allowed. Cheap when there is nothing new, free once attached or refused.
 * Any thread may call it, outside the dynamic linker's lock. `dlopen_fn` is the real dlopen. */
void ot_attach_if_torch(void *(*dlopen_fn)(const char *, int));

#endif
