#include "fold/forward.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"
#include "model/backend.h"

/* A thread, and a stretch of its numbers. */
struct key {
    uint32_t host; /* id of a name */
    int64_t vpid;
    int64_t vtid;
    int64_t stretch;
};

struct ot_forward_page {
    struct key key;
    uint32_t names[OT_FORWARD_PAGE_NUMBERS]; /* 1 + id of the operator that began last; 0: none */
};

static bool is_of(const struct ot_forward_page *page, const struct key *key)
{
    return page->key.stretch == key->stretch && page->key.vtid == key->vtid &&
           page->key.vpid == key->vpid && page->key.host == key->host;
}

static bool same_page(const void *owner, size_t index, const void *key)
{
    return is_of(((const struct ot_forward *)owner)->pages[index], key);
}

static uint64_t hash_of(const struct key *key)
{
    uint64_t hash = ot_hash_mix(ot_hash_mix(0, (uint64_t)key->vtid), (uint64_t)key->vpid);
    return ot_hash_mix(ot_hash_mix(hash, (uint64_t)key->stretch), key->host);
}

static struct ot_forward_page *find_page(struct ot_forward *forward, const struct key *key)
{
    if (forward->n_pages && is_of(forward->pages[forward->last_page], key))
        return forward->pages[forward->last_page];
    int64_t found = ot_map_find(&forward->map, hash_of(key), same_page, forward, key);
    if (found == OT_MAP_NONE)
        return NULL;
    forward->last_page = (size_t)found;
    return forward->pages[found];
}

static struct ot_forward_page *add_page(struct ot_forward *forward, const struct key *key,
                                        struct ot_err *err)
{
    if (forward->n_pages >= OT_FORWARD_PAGES_MAX) {
        ot_err_set(err, OT_ERR_NOMEM, "too many sequence numbers to hold at once");
        return NULL;
    }
    struct ot_forward_page *page = calloc(1, sizeof(*page));
    if (!page ||
        !ot_vec_reserve(&forward->pages, &forward->cap, forward->n_pages + 1,
                        sizeof(struct ot_forward_page *)) ||
        !ot_map_put(&forward->map, hash_of(key), forward->n_pages)) {
        free(page);
        ot_err_set(err, OT_ERR_NOMEM, "out of memory for sequence numbers");
        return NULL;
    }
    page->key = *key;
    forward->last_page = forward->n_pages;
    forward->pages[forward->n_pages++] = page;
    return page;
}

static int note_forward(struct ot_forward *forward, struct ot_names *names,
                        const struct ot_event *event, const struct key *key, size_t at,
                        struct ot_err *err)
{
    struct ot_forward_page *page = find_page(forward, key);
    if (!page)
        page = add_page(forward, key, err);
    if (!page)
        return OT_ERR_NOMEM;
    int code = ot_names_intern(names, event->name, &page->names[at], err);
    if (code == OT_OK)
        page->names[at]++;
    return code;
}

static int name_backward(struct ot_forward *forward, const struct ot_names *names,
                         struct ot_event *event, const struct key *key, size_t at,
                         struct ot_err *err)
{
    const struct ot_forward_page *page = find_page(forward, key);
    uint32_t name = page ? page->names[at] : 0;
    ot_str_clear(&forward->name);
    ot_str_add_text(&forward->name, event->name);
    ot_str_addf(&forward->name, " <- ");
    ot_str_add_text(&forward->name,
                    name ? ot_names_text(names, name - 1) : ot_text_of("(not seen)"));
    if (forward->name.failed)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a name");
    event->shown_as = (struct ot_text){forward->name.bytes, forward->name.len};
    return OT_OK;
}

int ot_forward_see(struct ot_forward *forward, struct ot_names *names, struct ot_event *event,
                   struct ot_err *err)
{
    if (event->kind != OT_EVENT_ENTRY || event->backend != OT_BACKEND_PYTORCH)
        return OT_OK;
    forward->n_entries++;
    if (!event->args || !event->args->has_sequence)
        return OT_OK;
    forward->n_numbered++;
    if (event->args->sequence < 0)
        return OT_OK;
    int64_t forward_thread = event->args->forward_thread;
    struct key key = {
        .vpid = event->vpid,
        .vtid = forward_thread ? forward_thread : (int64_t)event->vtid,
        .stretch = event->args->sequence / OT_FORWARD_PAGE_NUMBERS,
    };
    size_t at = (size_t)(event->args->sequence % OT_FORWARD_PAGE_NUMBERS);
    int code = ot_names_intern(names, event->host, &key.host, err);
    if (code < 0)
        return code;
    return forward_thread ? name_backward(forward, names, event, &key, at, err)
                          : note_forward(forward, names, event, &key, at, err);
}

void ot_forward_release(struct ot_forward *forward)
{
    for (size_t i = 0; i < forward->n_pages; i++)
        free(forward->pages[i]);
    free(forward->pages);
    ot_map_release(&forward->map);
    ot_str_release(&forward->name);
    *forward = (struct ot_forward){0};
}
