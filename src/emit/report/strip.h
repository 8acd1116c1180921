/* strip.h: values over time, drawn as one small filled line. Private to this folder. */
#ifndef OT_EMIT_REPORT_STRIP_H
#define OT_EMIT_REPORT_STRIP_H

#include <stdint.h>

#include "emit/report/page.h"
#include "stats/activity.h"

/* The shape of the drawing: as wide as there are bins, as high as this. */
enum { OT_STRIP_HEIGHT = 100 };

/* "<svg ... aria-label=": the caller writes in words what there is to see, in markup, and ends the
 * strip with the share of its height that each bin has; one that is not 0 can be seen. */
void ot_page_begin_strip(struct ot_page *page, const char *class,
                         const struct ot_activity_span *span);
void ot_page_end_strip(struct ot_page *page, const double *shares,
                       const struct ot_activity_span *span);

/* Where in the span bin `bin` begins, as a time since its start. */
void ot_page_put_moment(struct ot_page *page, const struct ot_activity_span *span, uint32_t bin);

/* The ends of the axis of time, and some moments between. */
void ot_page_put_axis(struct ot_page *page, const struct ot_activity_span *span);

#endif
