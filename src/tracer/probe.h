/* probe.h: tries the ABI before trusting it.
 *
 * A callback is registered, a range with a known name and sequence number is begun and ended
 * through PyTorch's own exported functions, twice, and the callback is removed again. Takes about
 * 20 microseconds. Runs once per process, before any hook is registered.
 */
#ifndef OT_TRACER_PROBE_H
#define OT_TRACER_PROBE_H

#include "tracer/torch.h"

/* OT_OK: the starts and ends arrived with the right name, and torch's fields under "What probe.h
 * found out" are set. OT_ERR_INPUT: they did not, and nothing is left registered. */
int ot_probe_run(struct ot_torch *torch, struct ot_err *err);

#endif
