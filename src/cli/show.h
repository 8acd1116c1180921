/* show.h: what is in a run or a commit, for people and for programs. */
#ifndef OT_CLI_SHOW_H
#define OT_CLI_SHOW_H

#include <stdio.h>

#include "base/err.h"
#include "corpus/corpus.h"
#include "emit/grid/look.h"

/* Write errors stay in the FILE. OT_ERR_NOMEM: what was written is not whole. */
int ot_show_run(const struct ot_corpus_run *run, const struct ot_look *look, FILE *out,
                struct ot_err *err);
void ot_show_run_json(const struct ot_corpus_state *state, const struct ot_corpus_run *run,
                      FILE *out);

/* `parent`: what the commit before knew; NULL: that is not known any more. */
int ot_show_commit(const struct ot_corpus_state *state, const struct ot_corpus_state *parent,
                   const struct ot_look *look, FILE *out, struct ot_err *err);
void ot_show_commit_json(const struct ot_corpus_state *state, const struct ot_corpus_state *parent,
                         FILE *out);

#endif
