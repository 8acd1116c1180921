/* reader.h: LTTng and other CTF 1.8 trace folders, read through libbabeltrace2. */
#ifndef OT_INGEST_CTF_READER_H
#define OT_INGEST_CTF_READER_H

#include "ingest/reader.h"

extern const struct ot_reader_class ot_ctf_reader;

#endif
