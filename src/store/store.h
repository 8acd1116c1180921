/* store.h: the door to DuckDB.
 *
 * Everything that needs DuckDB is in a module that the command opens with dlopen() for the verbs
 * that need it, since opening the library costs some 60 ms. The module exports one symbol,
 * OT_STORE_SYMBOL, of type struct ot_store_api. One thread.
 */
#ifndef OT_STORE_STORE_H
#define OT_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "emit/grid/look.h"
#include "stats/analysis.h"
#include "stats/population.h"

#define OT_STORE_SYMBOL "ot_store_api"
enum { OT_STORE_VERSION = 2, OT_STORE_SHA256_HEX = 64 };

struct ot_sha256; /* of bytes that come piece by piece */

/* --- a session as tables ------------------------------------------------------------------------
 *
 * All that was counted of one session, and every slice and memory event, as files of one folder:
 * docs/formats/tables.md has their columns. */

/* What makes the files what they are; goes up with every change of them. */
#define OT_STORE_EXTRACTOR "optally.tables/1"

enum ot_tables_format { OT_TABLES_PARQUET, OT_TABLES_CSV, OT_TABLES_JSONL };

struct ot_tables;         /* being written */
struct ot_tables_checker; /* looks at such as were written */

struct ot_tables_opts {
    const char *folder; /* exists and is empty */
    enum ot_tables_format format;
    const struct ot_names *names; /* of the population that is being made; borrowed */
};

struct ot_table_slice {
    uint32_t op; /* number of the population's row */
    uint32_t depth;
    bool has_parent;
    uint32_t parent;
    int64_t ts_ns; /* since the session's base */
    int64_t dur_ns;
    int64_t self_ns;
};

struct ot_table_memory {
    uint32_t device; /* number in the population's `memory` */
    bool has_owner;
    uint32_t owner;
    int64_t vpid;
    uint64_t vtid;
    int64_t ts_ns;
    int64_t bytes;
    bool has_total;
    int64_t total_allocated;
};

/* Where a session comes from. The texts are borrowed. */
struct ot_provenance {
    const char *session;  /* its id */
    const char *artifact; /* "sha256:..." */
    const char *format;   /* of the reader: "kineto" */
    bool recovered;       /* read with --recover */
    int64_t imported_ns;  /* since the epoch; 0: into no store */
};

struct ot_table_file {
    char name[64]; /* in the folder: "slices-0000.parquet" */
    uint64_t n_rows;
};

/* --- queries ------------------------------------------------------------------------------------
 */

/* A session that queries see. Borrowed. */
struct ot_sql_view_session {
    const char *session;  /* id */
    const char *artifact; /* "sha256:..." */
    int64_t artifact_bytes;
    const char *path;   /* that was imported */
    const char *folder; /* with its Parquet files; called session=ID */
};

/* A run that queries see. */
struct ot_sql_view_run {
    const char *run; /* id */
    const char *name;
    int64_t imported_ns;
    const char *const *labels; /* key, value, key, value, ... */
    size_t n_labels;           /* pairs */
    const size_t *sessions;    /* numbers in `sessions` below, in the run's order */
    size_t n_sessions;
};

/* All that queries see: one commit. Borrowed. */
struct ot_sql_view {
    const struct ot_sql_view_run *runs;
    size_t n_runs;
    const struct ot_sql_view_session *sessions; /* each once */
    size_t n_sessions;
    const char *commit; /* id */
};

enum ot_sql_format { OT_SQL_TABLE, OT_SQL_CSV, OT_SQL_JSON, OT_SQL_PARQUET };

struct ot_sql_limits {
    int64_t timeout_ns;       /* of one statement; 0: none */
    int64_t memory_bytes;     /* 0: the default. The process gets half as much again, and a bit */
    unsigned n_threads;       /* with more than one, rows in no asked-for order may come in any */
    const char *spill_folder; /* NULL: nothing is ever written to disk */
    /* Where a statement has not ended a second after it should have, or is interrupted twice: some
     * functions of DuckDB's cannot be ended. Called from another thread, while the statement still
     * runs; says what has happened, cleans up and ends the process. NULL: it is waited for. */
    void (*give_up)(void *context, const struct ot_err *err);
    void *context; /* of it */
};

struct ot_sql_output {
    enum ot_sql_format format;
    FILE *out;                  /* all but Parquet */
    const char *file;           /* Parquet: is made, or written over */
    const struct ot_look *look; /* table */
    int64_t max_rows;           /* that are shown; -1: all. What is left out is counted and said */
};

struct ot_sql_result {
    uint64_t n_rows; /* of the answer, whether shown or not */
    uint64_t n_shown;
};

struct ot_sql; /* a database over one commit, which can read and nothing else */

struct ot_store_api {
    int version; /* OT_STORE_VERSION, or command and module do not belong together */

    /* Loads the population's tables into a database in memory and runs the queries of sql/. The
     * population has to be complete. On success the caller releases the analysis. */
    int (*analyze)(const struct ot_population *pop, const struct ot_analysis_opts *opts,
                   struct ot_analysis *ret_analysis, struct ot_err *err);

    /* NULL when memory is out. */
    struct ot_sha256 *(*sha256_new)(void);
    void (*sha256_add)(struct ot_sha256 *sha256, const void *bytes, size_t len);
    /* Once; writes lower-case digits and a NUL. */
    void (*sha256_end)(struct ot_sha256 *sha256, char ret_hex[OT_STORE_SHA256_HEX + 1]);
    void (*sha256_free)(struct ot_sha256 *sha256);

    /* Slices and memory events come one by one, and are in files every million rows, so that memory
     * is bounded. OT_ERR_IO: a file cannot be written. */
    int (*tables_open)(const struct ot_tables_opts *opts, struct ot_tables **ret_tables,
                       struct ot_err *err);
    int (*tables_slice)(struct ot_tables *tables, const struct ot_table_slice *slice,
                        struct ot_err *err);
    int (*tables_memory)(struct ot_tables *tables, const struct ot_table_memory *memory,
                         struct ot_err *err);
    /* Writes what is left, and the tables of the population, which is complete. `ret_files` is
     * valid until tables_free(). Nothing is synchronised to the disk. */
    int (*tables_end)(struct ot_tables *tables, const struct ot_population *pop,
                      const struct ot_provenance *provenance,
                      const struct ot_table_file **ret_files, size_t *ret_n_files,
                      struct ot_err *err);
    void (*tables_free)(struct ot_tables *tables); /* takes NULL */

    /* From the Parquet files of sessions back to their population, the one that folding their
     * traces together would give: session i is that of folders[i]. `pop` is zeroed before, and
     * released by the caller, also after a failure. OT_ERR_INPUT: a file is damaged, missing, or of
     * another extractor; the message names it. `ret_format`: the reader's; lives as long as `pop`.
     */
    int (*tables_load)(const char *const *folders, size_t n_folders, struct ot_population *pop,
                       const char **ret_format, struct ot_err *err);

    /* For fsck: a file's rows, as its own footer and a pass over all its columns say. The files are
     * below the folder. OT_ERR_INPUT: one is damaged or missing, and the message begins with it. */
    int (*tables_checker_open)(const char *folder, struct ot_tables_checker **ret_checker,
                               struct ot_err *err);
    int (*tables_check)(struct ot_tables_checker *checker, const char *file, uint64_t *ret_n_rows,
                        struct ot_err *err);
    void (*tables_checker_close)(struct ot_tables_checker *checker); /* takes NULL */

    /* The view is borrowed until sql_close(). One at a time, since the process's memory is limited
     * until then. OT_ERR_INPUT: a table is missing, damaged, or of another extractor. */
    int (*sql_open)(const struct ot_sql_view *view, const struct ot_sql_limits *limits,
                    struct ot_sql **ret_sql, struct ot_err *err);
    /* One statement that reads. OT_ERR_USAGE: it is something else, or DuckDB does not understand
     * it, in its own words with the place, which have several lines. OT_ERR_NOMEM, OT_ERR_IO: a
     * limit was met. */
    int (*sql_run)(struct ot_sql *sql, const char *statement, const struct ot_sql_output *output,
                   struct ot_sql_result *ret_result, struct ot_err *err);
    /* Ends the statement that runs, within milliseconds as a rule (see give_up); from a signal
     * handler or another thread. */
    void (*sql_interrupt)(struct ot_sql *sql);
    void (*sql_close)(struct ot_sql *sql); /* takes NULL */
    /* The bytes up to and with the first semicolon that ends a statement; 0: there is none yet. */
    size_t (*sql_statement_end)(const char *text);
};

#endif
