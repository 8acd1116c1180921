#include "tracer/overload.h"

#include <stdatomic.h>
#include <string.h>

#include "tracer/arch.h"

/* PyTorch 2.6 has about 3,500 operators with their overloads; a program uses a few hundred. */
enum { SLOTS = 8192, PROBES = 16, NAME_MAX_BYTES = 120, OVERLOAD_MAX_BYTES = 64 };

enum slot_state { SLOT_FREE, SLOT_BEING_WRITTEN, SLOT_READY };

/* A name's address alone is no key: plain strings pass through too, and their storage is used
 * again. So a hit compares the text as well. */
static struct slot {
    _Atomic int state;
    const char *key;
    char name[NAME_MAX_BYTES];
    char overload[OVERLOAD_MAX_BYTES];
} slots[SLOTS];

/* std::string of libstdc++, new ABI: pointer, length, 16 bytes of inline storage or capacity. */
struct cxx11_string {
    const char *data;
    size_t length;
    union {
        char local[16];
        size_t capacity;
    } tail;
};

/* std::optional<c10::OperatorName> as it may come back: two strings, before or behind the flag
 * (c10::optional of 1.x has it first), in the new or in the old (copy-on-write) string ABI. Which
 * one it is shows by reading the name, which is known. */
union returned_name {
    char bytes[160];
    struct cxx11_string cxx11[2];
};

static void release(const struct ot_torch *torch, struct cxx11_string *string)
{
    if (string->data != string->tail.local && torch->operator_delete)
        torch->operator_delete((void *)string->data);
}

static bool read_cxx11(const struct ot_torch *torch, struct cxx11_string strings[2],
                       const char *name, size_t name_len, char *ret_overload)
{
    if (strings[0].length != name_len || (uintptr_t)strings[0].data < 4096 ||
        memcmp(strings[0].data, name, name_len) != 0)
        return false;
    size_t len = strings[1].length;
    if (len < OVERLOAD_MAX_BYTES) {
        memcpy(ret_overload, strings[1].data, len);
        ret_overload[len] = '\0';
    }
    release(torch, &strings[0]);
    release(torch, &strings[1]);
    return true;
}

/* The old ABI keeps {length, capacity, references} in front of the characters. The two references
 * are kept for good: at most one pair per operator, on strings that PyTorch never frees. */
static bool read_cow(const char *const strings[2], const char *name, size_t name_len,
                     char *ret_overload)
{
    size_t len;
    for (int i = 0; i < 2; i++) {
        if ((uintptr_t)strings[i] < 65536 || (uintptr_t)strings[i] >> 47 != 0)
            return false;
    }
    memcpy(&len, strings[0] - 3 * sizeof(size_t), sizeof(len));
    if (len != name_len || memcmp(strings[0], name, name_len) != 0)
        return false;
    memcpy(&len, strings[1] - 3 * sizeof(size_t), sizeof(len));
    if (len < OVERLOAD_MAX_BYTES) {
        memcpy(ret_overload, strings[1], len);
        ret_overload[len] = '\0';
    }
    return true;
}

static void ask_operator_name(const struct ot_torch *torch, const void *rf, const char *name,
                              size_t name_len, char ret_overload[OVERLOAD_MAX_BYTES])
{
    static const size_t starts[] = {0, 8};
    union returned_name returned = {.bytes = {0}};
    ret_overload[0] = '\0';
    ot_call_returning_object(torch->operator_name, &returned, rf);
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        void *at = returned.bytes + starts[i];
        if (read_cxx11(torch, at, name, name_len, ret_overload) ||
            read_cow(at, name, name_len, ret_overload))
            return;
    }
}

static size_t hash_pointer(const char *key)
{
    return ((uintptr_t)key * 0x9e3779b97f4a7c15u) >> (64 - 13);
}
_Static_assert(SLOTS == 1 << 13, "hash_pointer() yields 13 bits");

__attribute__((noinline)) static const char *
look_further(const struct ot_torch *torch, const void *rf, const char *name, size_t at)
{
    size_t name_len = strlen(name);
    if (!torch->operator_name || name_len >= NAME_MAX_BYTES)
        return "";
    for (int i = 0; i < PROBES; i++, at = (at + 1) % SLOTS) {
        struct slot *slot = &slots[at];
        int state = atomic_load_explicit(&slot->state, memory_order_acquire);
        if (state == SLOT_READY) {
            if (slot->key == name && memcmp(slot->name, name, name_len + 1) == 0)
                return slot->overload;
            continue;
        }
        if (state == SLOT_FREE &&
            atomic_compare_exchange_strong(&slot->state, &state, SLOT_BEING_WRITTEN)) {
            ask_operator_name(torch, rf, name, name_len, slot->overload);
            memcpy(slot->name, name, name_len + 1);
            slot->key = name;
            atomic_store_explicit(&slot->state, SLOT_READY, memory_order_release);
            return slot->overload;
        }
        /* Another thread is writing this slot, perhaps for the same operator: look further; a
         * second entry for one operator does no harm. */
    }
    static __thread char uncached[OVERLOAD_MAX_BYTES] __attribute__((tls_model("initial-exec")));
    ask_operator_name(torch, rf, name, name_len, uncached);
    return uncached;
}

const char *ot_overload_from_table(const struct ot_torch *torch, const void *rf, const char *name)
{
    size_t at = hash_pointer(name);
    struct slot *slot = &slots[at];
    if (atomic_load_explicit(&slot->state, memory_order_acquire) == SLOT_READY &&
        slot->key == name && strcmp(slot->name, name) == 0)
        return slot->overload;
    return look_further(torch, rf, name, at);
}
