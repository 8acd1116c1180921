#include "tracer/builtin/names.h"

#include <string.h>

#include "base/hash.h"
#include "tracer/builtin/process.h"
#include "tracer/builtin/region.h"
#include "tracer/builtin/short_name.h"
#include "tracer/inputs.h"

/* A program with a million names of its own making shall not take all the memory there is. */
enum { BYTES_MAX = 128 << 20, BLOCK_BYTES = 1 << 16, FIRST_SLOTS = 2048, ALIGNMENT = 16 };

struct ot_name_table {
    size_t count;
    size_t mask;
    const struct ot_name *_Atomic slots[];
};

/* What is left for operators where names of a user's making would take all there is. */
enum { IDS_FOR_OPERATORS = 1 << 16, SHARE_FOR_OPERATORS = 4 };

static const struct ot_name not_kept[] = {
    [OT_OPLOG_NAME_OPERATOR] = {.entry_word = OT_OPLOG_WORD(OT_OPLOG_ENTRY, OT_OPLOG_NO_NAME, 0),
                                .exit_word = OT_OPLOG_WORD(OT_OPLOG_EXIT, OT_OPLOG_NO_NAME, 0)},
    [OT_OPLOG_NAME_ANNOTATION] = {.entry_word =
                                      OT_OPLOG_WORD(OT_OPLOG_ENTRY, OT_OPLOG_NO_ANNOTATION, 0),
                                  .exit_word =
                                      OT_OPLOG_WORD(OT_OPLOG_EXIT, OT_OPLOG_NO_ANNOTATION, 0)},
    [OT_OPLOG_NAME_SHAPES] = {.entry_word = 0},
};

/* No character of UTF-8 is cut in two. */
static struct ot_text cut(const char *text)
{
    size_t len = strnlen(text, OT_OPLOG_TEXT_MAX + 1);
    if (len > OT_OPLOG_TEXT_MAX) {
        len = OT_OPLOG_TEXT_MAX;
        while (len > OT_OPLOG_TEXT_MAX - 4 && ((unsigned char)text[len] & 0xc0) == 0x80)
            len--;
    }
    return (struct ot_text){text, len};
}

static uint64_t hash_of(const struct ot_name_key *key)
{
    uint64_t hash = ot_hash_bytes(key->first.bytes, key->first.len);
    return ot_hash_mix(ot_hash_mix(hash, ot_hash_bytes(key->second.bytes, key->second.len)),
                       key->kind);
}

struct ot_name_key ot_name_key_of(enum ot_oplog_name_kind kind, const char *name,
                                  const char *overload)
{
    struct ot_name_key key = {kind, cut(name), cut(overload), 0};
    key.hash = hash_of(&key);
    return key;
}

struct ot_name_key ot_name_key_of_shapes(const uint64_t *signature, size_t n)
{
    struct ot_name_key key = {
        OT_OPLOG_NAME_SHAPES, {(const char *)signature, n * sizeof(*signature)}, {"", 0}, 0};
    key.hash = hash_of(&key);
    return key;
}

static bool is_same(const struct ot_name *name, const struct ot_name_key *key)
{
    return name->hash == key->hash && name->kind == key->kind &&
           name->first_len == key->first.len && name->second_len == key->second.len &&
           memcmp(name->text, key->first.bytes, key->first.len) == 0 &&
           memcmp(name->text + name->first_len, key->second.bytes, key->second.len) == 0;
}

const struct ot_name *ot_names_find(const struct ot_names *names, const struct ot_name_key *key)
{
    const struct ot_name_table *table = atomic_load_explicit(&names->table, memory_order_acquire);
    for (size_t at = key->hash; table; at++) {
        const struct ot_name *name =
            atomic_load_explicit(&table->slots[at & table->mask], memory_order_acquire);
        if (!name || is_same(name, key))
            return name;
    }
    return NULL;
}

static void put(struct ot_name_table *table, const struct ot_name *name)
{
    size_t at = name->hash;
    while (atomic_load_explicit(&table->slots[at & table->mask], memory_order_relaxed))
        at++;
    atomic_store_explicit(&table->slots[at & table->mask], name, memory_order_release);
    table->count++;
}

/* The table has room for one more. The one before stays: someone may be looking through it. */
static bool make_room_in_table(struct ot_names *names)
{
    struct ot_name_table *old = atomic_load_explicit(&names->table, memory_order_relaxed);
    if (old && 2 * old->count < old->mask)
        return true;
    size_t n_slots = old ? 2 * (old->mask + 1) : FIRST_SLOTS;
    struct ot_name_table *table = ot_region_new(sizeof(*table) + n_slots * sizeof(table->slots[0]));
    if (!table)
        return false;
    table->mask = n_slots - 1;
    for (size_t i = 0; old && i <= old->mask; i++) {
        if (old->slots[i])
            put(table, old->slots[i]);
    }
    atomic_store_explicit(&names->table, table, memory_order_release);
    return true;
}

static void *take_memory(struct ot_names *names, size_t bytes)
{
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes > names->block_left) {
        size_t block_bytes = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        char *block = names->bytes < BYTES_MAX ? ot_region_new(block_bytes) : NULL;
        if (!block)
            return NULL;
        names->block = block;
        names->block_left = block_bytes;
        names->bytes += block_bytes;
    }
    void *memory = names->block;
    names->block += bytes;
    names->block_left -= bytes;
    return memory;
}

/* What was taken last. */
static void give_back_memory(struct ot_names *names, void *memory)
{
    names->block_left += (size_t)(names->block - (char *)memory);
    names->block = memory;
}

static const struct ot_short_name *make_short(struct ot_names *names, const struct ot_name *name)
{
    if (name->kind != OT_OPLOG_NAME_OPERATOR || name->first_len >= OT_SHORT_FIRST ||
        name->second_len >= OT_SHORT_SECOND)
        return NULL;
    struct ot_short_name *made = take_memory(names, sizeof(*made));
    if (!made)
        return NULL;
    char *text = (char *)made->text;
    char *any = (char *)made->any;
    memset(any, 0xff, sizeof(made->any));
    memcpy(text, name->text, name->first_len);
    memset(any, 0, name->first_len + 1);
    memcpy(text + OT_SHORT_FIRST, name->text + name->first_len, name->second_len);
    memset(any + OT_SHORT_FIRST, 0, name->second_len + 1);
    made->entry_word = name->entry_word;
    made->exit_word = name->exit_word;
    return made;
}

static size_t bytes_of_entry(size_t first_len, size_t second_len)
{
    return (sizeof(struct ot_oplog_name) + first_len + second_len + 7) / 8 * 8;
}

static bool needs_chunk(const struct ot_names *names, size_t bytes)
{
    return !names->chunk || names->chunk_used + bytes > OT_OPLOG_CHUNK_BYTES;
}

/* Whether the dictionary takes no more of the kind, now and later. */
static bool is_closed(const struct ot_process *process, const struct ot_name_key *key)
{
    const struct ot_names *names = &process->names;
    bool is_shapes = key->kind == OT_OPLOG_NAME_SHAPES;
    uint64_t max_chunks = ot_process_chunks_for_names(process);
    uint32_t max_ids = OT_OPLOG_ID_MAX;
    if (key->kind != OT_OPLOG_NAME_OPERATOR)
        max_chunks -= max_chunks / SHARE_FOR_OPERATORS;
    if (key->kind == OT_OPLOG_NAME_ANNOTATION)
        max_ids -= IDS_FOR_OPERATORS;
    size_t bytes = bytes_of_entry(is_shapes ? OT_OPLOG_TEXT_MAX : key->first.len,
                                  is_shapes ? OT_OPLOG_TEXT_MAX : key->second.len);
    return (is_shapes ? names->n_shapes : names->n_names) >= max_ids ||
           names->n_chunks + needs_chunk(names, bytes) > max_chunks;
}

/* Writes the dictionary's entry. */
static bool write_entry(struct ot_process *process, uint32_t id, enum ot_oplog_name_kind kind,
                        bool is_cut, struct ot_text first, struct ot_text second)
{
    struct ot_names *names = &process->names;
    size_t bytes = bytes_of_entry(first.len, second.len);
    if (needs_chunk(names, bytes)) {
        struct ot_chunk chunk;
        if (!ot_process_take_chunk_locked(process, OT_OPLOG_CHUNK_NAMES, NULL, &chunk))
            return false;
        ot_region_free(names->chunk, OT_OPLOG_CHUNK_BYTES);
        names->chunk = chunk.head;
        names->n_chunks++;
        names->chunk_used = sizeof(*chunk.head);
        __atomic_store_n(&chunk.head->kind, OT_OPLOG_CHUNK_NAMES, __ATOMIC_RELEASE);
    }
    struct ot_oplog_name *entry = (void *)((char *)names->chunk + names->chunk_used);
    names->chunk_used += bytes;
    entry->first_len = (uint32_t)first.len;
    entry->second_len = (uint32_t)second.len;
    memcpy(entry + 1, first.bytes, first.len);
    memcpy((char *)(entry + 1) + first.len, second.bytes, second.len);
    struct ot_oplog_name head = {
        .id = id, .kind = (uint8_t)kind, .flags = is_cut ? OT_OPLOG_NAME_IS_CUT : 0};
    uint64_t first_word;
    memcpy(&first_word, &head, sizeof(first_word));
    __atomic_store_n((uint64_t *)entry, first_word, __ATOMIC_RELEASE);
    return true;
}

static bool write_shapes(struct ot_process *process, uint32_t id, const struct ot_name_key *key)
{
    struct ot_names *names = &process->names;
    struct ot_text first;
    struct ot_text second;
    if (!names->text)
        names->text = ot_region_new(2 * OT_OPLOG_TEXT_MAX);
    if (!names->text)
        return false;
    char *second_text = names->text + OT_OPLOG_TEXT_MAX;
    bool is_whole = ot_inputs_text(
        (const uint64_t *)(const void *)key->first.bytes, key->first.len / sizeof(uint64_t),
        names->text, OT_OPLOG_TEXT_MAX, &first.len, second_text, OT_OPLOG_TEXT_MAX, &second.len);
    first.bytes = names->text;
    second.bytes = second_text;
    return write_entry(process, id, OT_OPLOG_NAME_SHAPES, !is_whole, first, second);
}

static bool write_name(struct ot_process *process, uint32_t id, const struct ot_name_key *key)
{
    bool is_cut =
        key->first.bytes[key->first.len] != '\0' || key->second.bytes[key->second.len] != '\0';
    return write_entry(process, id, key->kind, is_cut, key->first, key->second);
}

/* What finds no room in the dictionary is in the table all the same, so that it is counted once. */
static const struct ot_name *lose(struct ot_process *process, enum ot_oplog_name_kind kind)
{
    if (process->header && kind != OT_OPLOG_NAME_SHAPES)
        __atomic_fetch_add(&process->header->lost_names, 1, __ATOMIC_RELAXED);
    return &not_kept[kind];
}

/* Without memory nothing can be counted once. */
static const struct ot_name *lose_without_memory(struct ot_process *process,
                                                 enum ot_oplog_name_kind kind)
{
    bool is_counted = process->header && process->header->lost_names > 0;
    return is_counted ? &not_kept[kind] : lose(process, kind);
}

static const struct ot_name *add(struct ot_process *process, const struct ot_name_key *key)
{
    struct ot_names *names = &process->names;
    bool is_shapes = key->kind == OT_OPLOG_NAME_SHAPES;
    uint32_t *n_ids = is_shapes ? &names->n_shapes : &names->n_names;
    struct ot_name *name = NULL;
    if (make_room_in_table(names))
        name = take_memory(names, sizeof(*name) + key->first.len + key->second.len);
    if (!name)
        return lose_without_memory(process, key->kind);

    if (is_closed(process, key)) {
        const struct ot_name *lost = lose(process, key->kind);
        name->entry_word = lost->entry_word;
        name->exit_word = lost->exit_word;
    } else if ((is_shapes ? write_shapes : write_name)(process, *n_ids + 1, key)) {
        uint64_t id = ++*n_ids;
        name->entry_word = OT_OPLOG_WORD(is_shapes ? OT_OPLOG_SHAPES_OF : OT_OPLOG_ENTRY, id, 0);
        name->exit_word = OT_OPLOG_WORD(OT_OPLOG_EXIT, id, 0);
    } else { /* there may be room another time */
        give_back_memory(names, name);
        return NULL;
    }
    name->hash = key->hash;
    name->kind = key->kind;
    name->first_len = (uint32_t)key->first.len;
    name->second_len = (uint32_t)key->second.len;
    memcpy(name->text, key->first.bytes, key->first.len);
    memcpy(name->text + name->first_len, key->second.bytes, key->second.len);
    name->short_name = make_short(names, name);
    put(atomic_load_explicit(&names->table, memory_order_relaxed), name);
    return name;
}

const struct ot_name *ot_names_intern(struct ot_process *process, const struct ot_name_key *key)
{
    pthread_mutex_lock(&process->lock);
    const struct ot_name *name = ot_names_find(&process->names, key);
    if (!name)
        name = add(process, key);
    pthread_mutex_unlock(&process->lock);
    return name;
}
