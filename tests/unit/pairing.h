/* pairing.h: feeds short programs to a pairing and writes down what comes out. */
#ifndef OT_TESTS_UNIT_PAIRING_H
#define OT_TESTS_UNIT_PAIRING_H

#include "test.h"

#include "base/str.h"
#include "slice/pair.h"

struct pairing {
    struct ot_names names;
    struct ot_pair *pair;
    struct ot_str log; /* `name start+dur self`, `name!` failed, `name?` unclosed; `; ` between */
    uint64_t vtid;
};

static inline void pairing_begin(struct pairing *p)
{
    *p = (struct pairing){.vtid = 1};
    p->pair = ot_pair_new(&p->names);
    assert_non_null(p->pair);
}

static inline void pairing_take(struct pairing *p)
{
    struct ot_paired paired;
    while (ot_pair_next(p->pair, &paired) == OT_OK) {
        const struct ot_slice *slice = &paired.slice;
        ot_str_addf(&p->log, "%s%s", p->log.len ? "; " : "",
                    ot_names_text(&p->names, slice->name).bytes);
        if (paired.kind == OT_PAIRED_UNCLOSED)
            ot_str_addf(&p->log, "?");
        else if (slice->err)
            ot_str_addf(&p->log, "!");
        else
            ot_str_addf(&p->log, " %lld+%lld %lld", (long long)slice->ts_ns,
                        (long long)slice->dur_ns, (long long)slice->self_ns);
    }
}

static inline void pairing_feed_event(struct pairing *p, const struct ot_event *event)
{
    struct ot_err err;
    assert_int_equal(ot_pair_feed(p->pair, event, &err), OT_OK);
    pairing_take(p);
}

static inline struct ot_event pairing_event(const struct pairing *p, enum ot_event_kind kind,
                                            int64_t ts_ns, const char *name)
{
    return (struct ot_event){
        .kind = kind,
        .backend = 10,
        .ts_ns = ts_ns,
        .vpid = 1,
        .vtid = p->vtid,
        .host = ot_text_of("h"),
        .name = ot_text_of(name),
        .n_discarded = 3,
        .n_discarded_known = true,
    };
}

static inline void pairing_feed(struct pairing *p, enum ot_event_kind kind, int64_t ts_ns,
                                const char *name)
{
    struct ot_event event = pairing_event(p, kind, ts_ns, name);
    pairing_feed_event(p, &event);
}

/* Ends the call that began at `began_ns`, wherever it is. */
static inline void pairing_end_exactly(struct pairing *p, int64_t ts_ns, const char *name,
                                       int64_t began_ns)
{
    struct ot_event event = pairing_event(p, OT_EVENT_EXIT, ts_ns, name);
    event.ends_exactly = true;
    event.began_ns = began_ns;
    pairing_feed_event(p, &event);
}

#define ENTER(p, ts, name) pairing_feed(p, OT_EVENT_ENTRY, ts, name)
#define LEAVE(p, ts, name) pairing_feed(p, OT_EVENT_EXIT, ts, name)

/* Ends the input and compares everything that came out. */
static inline struct ot_counts pairing_end(struct pairing *p, const char *expected)
{
    ot_pair_end(p->pair);
    pairing_take(p);
    if (expected)
        assert_string_equal(ot_str_borrow(&p->log), expected);
    struct ot_counts counts = *ot_pair_counts(p->pair);
    ot_str_release(&p->log);
    ot_pair_free(p->pair);
    ot_names_release(&p->names);
    return counts;
}

#endif
