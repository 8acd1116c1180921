/* totals.c: below the operators, what everything that ran adds up to, whatever is shown.
 *
 * What hosts and devices did at the same time does not add up: each has its own.
 */
#include <inttypes.h>

#include "emit/report/columns.h"

void ot_page_name_total(struct ot_page *page, bool is_device)
{
    ot_html_putf(&page->html, "<th scope=row>All %s</th>",
                 is_device ? "device work" : "calls on hosts");
}

static void put_number_total(struct ot_page *page, int64_t value,
                             void (*put)(struct ot_html *html, int64_t value))
{
    ot_html_putf(&page->html, "<td class=n data-v=%" PRId64 ">", value);
    ot_page_put_at_least(page);
    put(&page->html, value);
    ot_html_put(&page->html, "</td>");
}

static void put_count(struct ot_html *html, int64_t n)
{
    ot_html_count(html, (uint64_t)n);
}

void ot_page_calls_total(struct ot_page *page, bool is_device)
{
    const struct ot_population *pop = page->report->pop;
    uint64_t n_device = 0;
    for (size_t i = 0; i < pop->n_devices; i++)
        n_device += pop->devices[i].n_events;
    uint64_t n = is_device ? n_device : page->report->analysis->n_events - n_device;
    put_number_total(page, (int64_t)n, put_count);
}

void ot_page_self_total(struct ot_page *page, bool is_device)
{
    put_number_total(page, ot_page_value(page, is_device ? "device_time_sum" : "host_busy_time"),
                     ot_html_ns);
}

void ot_page_share_total(struct ot_page *page, bool is_device)
{
    int64_t host_busy_ns = is_device ? 0 : ot_page_value(page, "host_busy_time");
    ot_html_put(&page->html, "<td class=n>");
    ot_html_percent(&page->html, host_busy_ns, host_busy_ns);
    ot_html_put(&page->html, "</td>");
}

void ot_page_device_total(struct ot_page *page, bool is_device)
{
    if (is_device)
        ot_html_put(&page->html, "<td></td>");
    else
        put_number_total(page,
                         ot_page_value(page, "device_time_sum") -
                             ot_page_value(page, "unattributed_device_time"),
                         ot_html_ns);
}

void ot_page_allocated_total(struct ot_page *page, bool is_device)
{
    if (is_device)
        ot_html_put(&page->html, "<td></td>");
    else
        put_number_total(page,
                         ot_page_value(page, "allocation_bytes") -
                             ot_page_value(page, "unattributed_allocation_bytes"),
                         ot_html_bytes);
}
