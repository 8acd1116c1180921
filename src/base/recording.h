/* recording.h: the small file that marks a folder as a recording of ours.
 *
 *     optally recording 1
 *     writer builtin
 *     command python3 train.py
 *     cut No space left on device     (only if the trace ends before the program did)
 *     overwritten 812                 (events that a size limit has cost; several lines add up)
 */
#ifndef OT_BASE_RECORDING_H
#define OT_BASE_RECORDING_H

#define OT_RECORDING_FILE        "optally.recording"
#define OT_RECORDING_CUT         "cut "
#define OT_RECORDING_OVERWRITTEN "overwritten "

#endif
