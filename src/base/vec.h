/* vec.h: room in an array that grows.
 *
 * The array stays a plain pointer, a length and a capacity in its owner's struct, so that hot
 * loops index it like any other; this only finds room for more.
 */
#ifndef OT_BASE_VEC_H
#define OT_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `need` items of `item_bytes` each. `items` points to the array's pointer, which
 * may move. False when memory is out; nothing has changed then. */
bool ot_vec_reserve(void *items, size_t *cap, size_t need, size_t item_bytes);

#endif
