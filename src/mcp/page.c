#include "mcp/page.h"

#include <stdlib.h>
#include <string.h>

/* Of one result; `tally` has a list per programming model, and there are few. */
enum { MAX_LISTS = 32 };

struct lists {
    json_t *items[MAX_LISTS];
    size_t n;
};

struct extent {
    json_int_t total; /* -1: a list does not say */
    json_int_t returned;
    json_int_t longest; /* of the lists that have more */
    bool is_truncated;
};

static json_t *rows_of(const json_t *list)
{
    json_t *rows = json_object_get(list, "rows");
    return json_is_array(rows) ? rows : json_object_get(list, "runs");
}

static void add_list(struct lists *lists, json_t *list)
{
    if (lists->n < MAX_LISTS && json_is_array(rows_of(list)))
        lists->items[lists->n++] = list;
}

/* The tool's lists. */
static struct lists main_lists(const struct ot_mcp_answer *answer)
{
    struct lists lists = {0};
    for (size_t i = 0; i < OT_MCP_MAX_LISTS && answer->tool->lists[i]; i++) {
        const char *name = answer->tool->lists[i];
        json_t *value = *name ? json_object_get(answer->result, name) : answer->result;
        size_t k;
        json_t *item;
        json_array_foreach (value, k, item) {
            add_list(&lists, item);
        }
        add_list(&lists, value);
    }
    return lists;
}

/* All other members of the result that are lists and say how much they show. */
static struct lists side_lists(const struct ot_mcp_answer *answer)
{
    struct lists mains = main_lists(answer);
    struct lists lists = {0};
    const char *name;
    json_t *value;
    json_object_foreach (answer->result, name, value) {
        bool is_main = false;
        for (size_t i = 0; i < mains.n; i++)
            is_main |= mains.items[i] == value;
        if (!is_main && json_object_get(value, "returned"))
            add_list(&lists, value);
    }
    return lists;
}

static json_int_t argument(const struct ot_mcp_answer *answer, const char *name,
                           json_int_t otherwise)
{
    const json_t *value = json_object_get(answer->arguments, name);
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

/* -1: it does not say. */
static json_int_t total_of(const json_t *list)
{
    const json_t *total = json_object_get(list, "total");
    if (!json_is_integer(total))
        total = json_object_get(list, "total_rows");
    return json_is_integer(total) ? json_integer_value(total) : -1;
}

static void put(json_t *list, const char *name, json_t *value)
{
    if (json_object_get(list, name))
        json_object_set_new(list, name, value);
    else
        json_decref(value);
}

static void keep_rows(json_t *list, size_t n)
{
    json_t *rows = rows_of(list);
    while (json_array_size(rows) > n)
        json_array_remove(rows, json_array_size(rows) - 1);
}

/* What the list says of itself, once rows have gone. `offset` rows before these were passed by. */
static void restate(json_t *list, json_int_t offset)
{
    json_int_t returned = (json_int_t)json_array_size(rows_of(list));
    json_int_t total = total_of(list);
    put(list, "returned", json_integer(returned));
    if (total >= 0)
        put(list, "truncated", json_boolean(offset + returned < total));
}

/* All that was said to be there, where the command prints all and says nothing of a total. */
static void state_total(json_t *list, json_int_t limit)
{
    if (total_of(list) < 0 && !json_object_get(list, "truncated") && limit >= 0)
        json_object_set_new(list, "total",
                            json_integer((json_int_t)json_array_size(rows_of(list))));
}

static void drop_first(json_t *list, json_int_t offset)
{
    json_t *rows = rows_of(list);
    json_t *kept = json_array();
    for (size_t i = (size_t)offset; i < json_array_size(rows); i++)
        json_array_append(kept, json_array_get(rows, i));
    json_array_clear(rows);
    json_array_extend(rows, kept);
    json_decref(kept);
}

void ot_mcp_page_take(const struct ot_mcp_answer *answer)
{
    struct lists lists = main_lists(answer);
    json_int_t offset = argument(answer, "offset", 0);
    json_int_t limit = argument(answer, "limit", -1);
    for (size_t i = 0; i < lists.n; i++) {
        json_t *list = lists.items[i];
        state_total(list, limit);
        if (!answer->tool->is_paged && offset > 0)
            drop_first(list, offset);
        if (limit >= 0)
            keep_rows(list, (size_t)limit);
        put(list, "limit", json_integer(limit));
        restate(list, offset);
    }
}

static struct extent measure(const struct ot_mcp_answer *answer)
{
    struct lists lists = main_lists(answer);
    struct extent extent = {0};
    json_int_t offset = argument(answer, "offset", 0);
    for (size_t i = 0; i < lists.n; i++) {
        json_int_t returned = (json_int_t)json_array_size(rows_of(lists.items[i]));
        json_int_t total = total_of(lists.items[i]);
        bool has_more = total >= 0 ? offset + returned < total
                                   : json_is_true(json_object_get(lists.items[i], "truncated"));
        extent.returned += returned;
        extent.total = total < 0 || extent.total < 0 ? -1 : extent.total + total;
        extent.is_truncated |= has_more;
        if (has_more && returned > extent.longest)
            extent.longest = returned;
    }
    return extent;
}

static size_t longest_of(const struct lists *lists)
{
    size_t longest = 0;
    for (size_t i = 0; i < lists->n; i++) {
        size_t n = json_array_size(rows_of(lists->items[i]));
        longest = n > longest ? n : longest;
    }
    return longest;
}

static void cut(const struct lists *lists, size_t n, json_int_t offset)
{
    for (size_t i = 0; i < lists->n; i++) {
        keep_rows(lists->items[i], n);
        restate(lists->items[i], offset);
    }
}

/* All lists get down to the same number of rows, so that one offset goes on behind all of them. */
bool ot_mcp_page_shrink(const struct ot_mcp_answer *answer, size_t bytes, size_t max_bytes)
{
    struct lists mains = main_lists(answer);
    struct lists sides = side_lists(answer);
    size_t longest = longest_of(&mains);
    if (longest > 1) {
        size_t n = (size_t)((double)longest * (double)max_bytes / (double)bytes * 0.95);
        cut(&mains, n < 1 ? 1 : n < longest ? n : longest - 1, argument(answer, "offset", 0));
        return true;
    }
    if (longest_of(&sides) == 0)
        return false;
    cut(&sides, longest_of(&sides) / 2, 0);
    return true;
}

/* The same call, from behind what was returned on, and of the same commit. */
static json_t *next_call(const struct ot_mcp_answer *answer, json_int_t offset)
{
    json_t *arguments = json_copy(answer->arguments);
    json_object_set_new(arguments, "offset", json_integer(offset));
    if (*answer->commit)
        json_object_set_new(arguments, "commit", json_string(answer->commit));
    return json_pack("{s:s, s:o}", "tool", answer->tool->name, "arguments", arguments);
}

static void add_rest(const struct ot_mcp_answer *answer, const struct extent *extent,
                     bool was_shrunk, json_t *page)
{
    json_int_t next = argument(answer, "offset", 0) + extent->longest;
    if (!extent->is_truncated)
        return;
    if (extent->longest == 0) { /* a limit of 0, or none that fits */
        json_object_set_new(page, "how", json_string("Call again with a larger limit."));
        return;
    }
    json_object_set_new(
        page, "how",
        json_sprintf("There are more rows%s; what was counted is complete. For the rest call %s "
                     "again with the arguments in next (offset %" JSON_INTEGER_FORMAT ").%s",
                     was_shrunk ? " than fit into one answer" : " behind these", answer->tool->name,
                     next, answer->tool->order ? answer->tool->order : ""));
    json_object_set_new(page, "next", next_call(answer, next));
}

json_t *ot_mcp_page_describe(const struct ot_mcp_answer *answer, bool was_shrunk)
{
    struct extent extent = measure(answer);
    json_t *total = extent.total < 0 ? json_null() : json_integer(extent.total);
    json_t *page = json_pack("{s:o, s:I, s:I, s:b, s:b}", "total", total, "returned",
                             extent.returned, "offset", argument(answer, "offset", 0), "truncated",
                             (int)extent.is_truncated, "cut_to_size", (int)was_shrunk);
    if (page && *answer->commit)
        json_object_set_new(page, "commit", json_string(answer->commit));
    if (page)
        add_rest(answer, &extent, was_shrunk, page);
    return page;
}
