/* detect.h: what kind of input a path is, told by its content. */
#ifndef OT_INGEST_DETECT_H
#define OT_INGEST_DETECT_H

#include "ingest/reader.h"

/* The one reader for all the paths; n_paths is not 0. OT_ERR_INPUT or OT_ERR_IO with one sentence
 * that names the path at fault and what to do about it. OT_ERR_USAGE: standard input is given more
 * than once. */
int ot_detect(const char *const *paths, size_t n_paths, const struct ot_reader_class **ret_class,
              struct ot_err *err);

#endif
