/* flame.c: the stacks of calls as flame graphs, one per weight that there is. */
#include "emit/flame/flame.h"
#include "emit/report/page.h"

static const struct weight {
    enum ot_flame_weight weight;
    const char *id;
    const char *label;
    size_t max_frames;
    size_t max_bytes;
} weights[] = {
    {OT_FLAME_SELF, "self", "self time", 4000, 450000},
    {OT_FLAME_CALLS, "calls", "calls", 2000, 200000},
    {OT_FLAME_DEVICE, "device", "device time", 2000, 200000},
    {OT_FLAME_ALLOCATED, "allocated", "allocated bytes", 2000, 200000},
};
enum { N_WEIGHTS = sizeof(weights) / sizeof(weights[0]) };

static bool is_there(const struct ot_flame_source *source, const struct weight *weight)
{
    struct ot_err err;
    return ot_flame_check(source, weight->weight, &err) == OT_OK;
}

/* Which one is seen: the script hides the others. */
static void put_choice(struct ot_page *page, const struct ot_flame_source *source)
{
    ot_html_put(&page->html,
                "<fieldset class=controls id=weights><legend>Width of a frame</legend>\n");
    for (size_t i = 0; i < N_WEIGHTS; i++) {
        if (is_there(source, &weights[i]))
            ot_html_putf(&page->html, "<label><input type=radio name=weight value=%s> %s</label>\n",
                         weights[i].id, weights[i].label);
    }
    ot_html_put(&page->html, "</fieldset>\n");
}

static int put_graph(struct ot_page *page, const struct ot_flame_source *source,
                     const struct weight *weight, struct ot_err *err)
{
    struct ot_flame flame = {.now = *source, .weight = weight->weight};
    struct ot_flame_svg_opts opts = {
        .title = ot_text_of(weight->label),
        .is_embedded = true,
        .max_frames = weight->max_frames,
        .max_bytes = weight->max_bytes,
    };
    ot_html_putf(&page->html, "<div class=graph id=flame-%s>\n", weight->id);
    int code = ot_flame_write_svg(&flame, &opts, page->html.out, err);
    ot_html_put(&page->html, "</div>\n");
    return code;
}

int ot_page_flame(struct ot_page *page, struct ot_err *err)
{
    struct ot_flame_source source = {.stacks = page->report->stacks, .pop = page->report->pop};
    size_t n = 0;
    int code = OT_OK;
    ot_page_begin_section(page, "flame", "Flame graph");
    for (size_t i = 0; i < N_WEIGHTS; i++)
        n += is_there(&source, &weights[i]);
    if (n == 0)
        ot_html_put(&page->html, "<p class=absences>No call ran.</p>\n");
    if (n > 1)
        put_choice(page, &source);
    for (size_t i = 0; i < N_WEIGHTS && code == OT_OK; i++) {
        if (is_there(&source, &weights[i]))
            code = put_graph(page, &source, &weights[i], err);
    }
    ot_html_put(&page->html, "</section>\n");
    return code;
}
