/* recording.h: the small file that marks a folder as a recording of ours.
 *
 *     optally recording 1
 *     writer lttng
 *     command python3 train.py
 *     cut No space left on device     (only if the trace ends before the program did)
 */
#ifndef OT_BASE_RECORDING_H
#define OT_BASE_RECORDING_H

#define OT_RECORDING_FILE "optally.recording"
#define OT_RECORDING_CUT  "cut "

#endif
