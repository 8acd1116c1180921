#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "emit/flame/picture.h"
#include "emit/markup/markup.h"

/* The script lays out anew what depends on the width of the window; without it the picture is as if
 * that were 1200 pixels. Heights are in pixels. The root is on top, as whatever shows a picture
 * shows its top first, and most stacks of operators are short. */
enum {
    WIDTH = 1200,
    ROW = 17,
    FRAME_HEIGHT = 16,
    NOTE_ROW = 17,
    TITLE_ROW = 30,
    BAR_ROW = 34,
    MARGIN = 8,
    MIN_TEXT_PX = 24,
    LETTER = 7, /* of text that is not measured */
    LEGEND_GAP = 12,
};

struct svg {
    const struct flame_picture *picture;
    const struct ot_flame_svg_opts *opts;
    FILE *out;
    struct ot_str notes;
    struct ot_str text;   /* of a frame */
    struct ot_str markup; /* what is put now, escaped */
    bool failed;
};

static void put_text(struct svg *svg, struct ot_text text, int64_t max_size)
{
    ot_str_clear(&svg->markup);
    ot_markup_add(&svg->markup, text, max_size);
    svg->failed |= svg->markup.failed;
    fputs(ot_str_borrow(&svg->markup), svg->out);
}

/* Without zeros at its end. */
static void put_percent(FILE *out, int64_t part, int64_t whole)
{
    char text[OT_UNITS_BYTES];
    ot_units_fixed(text, 100. * ((double)part / (double)whole), 7);
    size_t len = strlen(text);
    while (text[len - 1] == '0')
        len--;
    len -= text[len - 1] == '.';
    fprintf(out, "%.*s%%", (int)len, text);
}

/* The line of the text that begins at `from`; the next one begins behind its line break. */
static struct ot_text line_at(const struct ot_str *text, size_t from)
{
    const char *line = ot_str_borrow(text) + from;
    return (struct ot_text){line, strcspn(line, "\n")};
}

/* Line breaks stay: they are those of the text, not of a name in it. */
static void put_lines(struct svg *svg)
{
    for (size_t from = 0; from < svg->text.len;) {
        struct ot_text line = line_at(&svg->text, from);
        fputs(from ? "\n" : "", svg->out);
        put_text(svg, line, -1);
        from += line.len + 1;
    }
}

static void put_frame(struct svg *svg, uint32_t number)
{
    const struct flame_tree *tree = &svg->picture->tree;
    const struct flame_node *node = &tree->nodes[number];
    int64_t whole = tree->nodes[FLAME_ROOT].of[FLAME_NOW].total;
    int64_t total = node->of[FLAME_NOW].total;
    fprintf(svg->out, "<svg class=\"f %s\" x=\"", flame_colour(svg->picture, number));
    put_percent(svg->out, node->start, whole);
    fprintf(svg->out, "\" y=\"%" PRIu32 "\" width=\"", node->depth * ROW);
    put_percent(svg->out, total, whole);
    fprintf(svg->out, "\" height=\"%d\"><title>", FRAME_HEIGHT);
    ot_str_clear(&svg->text);
    flame_picture_add_frame(&svg->text, svg->picture, number);
    put_lines(svg);
    fputs("</title><rect width=\"100%\" height=\"100%\"/>", svg->out);
    if ((double)total / (double)whole * WIDTH >= MIN_TEXT_PX) {
        fputs("<text x=\"3\" y=\"12\">", svg->out);
        put_text(svg, flame_tree_name(tree, number), FLAME_NAME_SIZE);
        fputs("</text>", svg->out);
    }
    fputs("</svg>\n", svg->out);
}

static void put_frames(struct svg *svg, int y)
{
    const struct flame_tree *tree = &svg->picture->tree;
    fprintf(svg->out,
            "<svg class=\"ot-plane\" x=\"0\" y=\"%d\" width=\"100%%\" height=\"%" PRIu32 "\">\n", y,
            (svg->picture->depth + 1) * ROW);
    for (uint32_t i = 0; i != FLAME_NONE; i = flame_tree_next(tree, i)) {
        if (tree->nodes[i].is_drawn)
            put_frame(svg, i);
    }
    fputs("</svg>\n", svg->out);
}

/* Some frame that is drawn has this colour, or a tint of it. */
static bool occurs(const struct flame_picture *picture, const char *class)
{
    for (uint32_t i = 0; i < picture->tree.n_nodes; i++) {
        if (picture->tree.nodes[i].is_drawn && flame_colour(picture, i)[0] == class[0])
            return true;
    }
    return false;
}

static void put_legend(struct svg *svg, int y)
{
    const struct flame_picture *picture = svg->picture;
    const struct flame_colour_meaning *meaning = flame_colour_meanings(picture->is_diff);
    int x = MARGIN;
    for (; meaning->class; meaning++) {
        if (!picture->is_diff && !occurs(picture, meaning->class))
            continue;
        fprintf(svg->out,
                "<text class=\"ot-legend\" x=\"%d\" y=\"%d\"><tspan class=\"%s\">\u25a0</tspan> "
                "%s</text>\n",
                x, y, meaning->class, meaning->means);
        x += LEGEND_GAP + LETTER * ((int)strlen(meaning->means) + 2);
    }
}

/* Controls are shown where the script runs. */
static void put_bar(struct svg *svg, int y)
{
    fprintf(svg->out,
            "<foreignObject class=\"ot-bar\" x=\"0\" y=\"%d\" width=\"100%%\" height=\"%d\">"
            "<div xmlns=\"http://www.w3.org/1999/xhtml\">"
            "<input type=\"search\" placeholder=\"Search frames\" aria-label=\"Search frames\" "
            "autocomplete=\"off\" spellcheck=\"false\"/>"
            "<button type=\"button\" disabled=\"disabled\">Show all</button>"
            "<output aria-live=\"polite\"></output></div></foreignObject>\n",
            y, BAR_ROW);
}

static void put_header(struct svg *svg, int *ret_y)
{
    int y = MARGIN / 2;
    if (!svg->opts->is_embedded) {
        fprintf(svg->out, "<text class=\"ot-title\" x=\"%d\" y=\"%d\">", MARGIN, y + 18);
        put_text(svg, svg->opts->title, FLAME_NAME_SIZE);
        fputs("</text>\n", svg->out);
        y += TITLE_ROW;
    }
    for (size_t from = 0; from < svg->notes.len;) {
        struct ot_text line = line_at(&svg->notes, from);
        fprintf(svg->out, "<text class=\"ot-note\" x=\"%d\" y=\"%d\">", MARGIN, y + 13);
        put_text(svg, line, -1);
        fputs("</text>\n", svg->out);
        from += line.len + 1;
        y += NOTE_ROW;
    }
    put_legend(svg, y + 13);
    y += NOTE_ROW;
    put_bar(svg, y);
    *ret_y = y + BAR_ROW;
}

/* Without what XML takes for the end of it. */
static void put_script_and_style(struct svg *svg)
{
    fprintf(svg->out, "<style><![CDATA[\n%s]]></style>\n", ot_asset_flame_css);
    fprintf(svg->out, "<script><![CDATA[\n%s]]></script>\n", ot_asset_flame_js);
}

static int height_of_header(const struct svg *svg)
{
    int n_rows = 2; /* the last note, the legend */
    for (size_t i = 0; i < svg->notes.len; i++)
        n_rows += svg->notes.bytes[i] == '\n';
    return MARGIN / 2 + (svg->opts->is_embedded ? 0 : TITLE_ROW) + n_rows * NOTE_ROW + BAR_ROW;
}

static void put_picture(struct svg *svg)
{
    int height = height_of_header(svg) + (int)(svg->picture->depth + 1) * ROW + MARGIN;
    fprintf(svg->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ot-flame\" width=\"");
    if (svg->opts->is_embedded)
        fprintf(svg->out, "100%%\" height=\"%d\"", height);
    else
        fprintf(svg->out, "%d\" height=\"%d\" data-alone=\"\"", WIDTH, height);
    fprintf(svg->out, " data-undrawn=\"%zu\" role=\"group\" aria-label=\"", svg->picture->n_small);
    put_text(svg, svg->opts->title, FLAME_NAME_SIZE);
    fputs("\">\n", svg->out);
    if (!svg->opts->is_embedded) {
        fputs("<title>", svg->out);
        put_text(svg, svg->opts->title, FLAME_NAME_SIZE);
        fputs("</title>\n", svg->out);
        fputs("<rect class=\"ot-ground\" width=\"100%\" height=\"100%\"/>\n", svg->out);
    }
    int y = 0;
    put_header(svg, &y);
    put_frames(svg, y);
    if (!svg->opts->is_embedded)
        put_script_and_style(svg);
    fputs("</svg>\n", svg->out);
}

int ot_flame_write_svg(const struct ot_flame *flame, const struct ot_flame_svg_opts *opts,
                       FILE *out, struct ot_err *err)
{
    struct flame_picture picture = {.flame = flame, .is_diff = flame->before.stacks != NULL};
    struct svg svg = {.picture = &picture, .opts = opts, .out = out};
    int code = flame_tree_init(&picture.tree, flame, err);
    if (code == OT_OK)
        code = flame_picture_choose(&picture, opts, err);
    if (code == OT_OK) {
        flame_picture_add_notes(&svg.notes, &picture);
        put_picture(&svg);
    }
    if (code == OT_OK && (svg.failed || svg.text.failed || svg.notes.failed))
        code = ot_err_set(err, OT_ERR_NOMEM, "out of memory for the picture");
    ot_str_release(&svg.notes);
    ot_str_release(&svg.text);
    ot_str_release(&svg.markup);
    flame_tree_release(&picture.tree);
    return code;
}
