/* copy.h: the regular files of a folder, copied, and compared.
 *
 * Links are followed, as they are when a trace is read; what is neither file nor folder is left
 * out.
 */
#ifndef OT_CORPUS_COPY_H
#define OT_CORPUS_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* `to` is made. `ret_bytes` is what was copied. OT_ERR_IO names the file. */
int ot_copy_tree(const char *from, const char *to, uint64_t *ret_bytes, struct ot_err *err);

/* Whether both are there with the same files, byte for byte. */
bool ot_copy_is_same(const char *a, const char *b);

#endif
