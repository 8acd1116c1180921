/* marker.h: lines that come into the file optally.recording (base/recording.h) after its first. */
#ifndef OT_CAPTURE_MARKER_H
#define OT_CAPTURE_MARKER_H

#include <stdbool.h>

/* Adds a line to the marker of the folder `dir`, or nothing. False: the disk refused. */
bool ot_marker_add(const char *dir, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
