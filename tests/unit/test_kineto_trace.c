#include "test.h"

#include <stdio.h>

#include "kineto.h"

/* JSON with ' for ". */
static void tell(struct ot_str *log, const char *json, const struct ot_kineto_trace_opts *opts)
{
    struct ot_str text = {0};
    ot_str_add_text(&text, ot_text_of(json));
    for (size_t i = 0; i < text.len; i++)
        text.bytes[i] = (char)(text.bytes[i] == '\'' ? '"' : text.bytes[i]);
    ot_str_clear(log);
    tell_trace(log, ot_str_borrow(&text), text.len, 100, opts);
    ot_str_release(&text);
}

static void assert_told(const char *json, const char *expected)
{
    static const struct ot_kineto_trace_opts plain = {0};
    struct ot_str log = {0};
    tell(&log, json, &plain);
    assert_string_equal(ot_str_borrow(&log), expected);
    ot_str_release(&log);
}

static void assert_text(const char *json, const char *expected)
{
    static const struct ot_kineto_trace_opts text = {
        .want_text = true, .has_base = true, .base_ns = 5};
    struct ot_str log = {0};
    tell(&log, json, &text);
    assert_string_equal(ot_str_borrow(&log), expected);
    ot_str_release(&log);
}

static void assert_marks(const char *json, const char *expected)
{
    static const struct ot_kineto_trace_opts marks = {.want_marks = true};
    struct ot_str log = {0};
    tell(&log, json, &marks);
    assert_string_equal(ot_str_borrow(&log), expected);
    ot_str_release(&log);
}

static void assert_raw(const char *json, bool recover, const char *expected)
{
    struct ot_kineto_trace_opts raw = {.want_raw = true, .recover = recover};
    struct ot_str log = {0};
    tell(&log, json, &raw);
    for (size_t i = 0; i < log.len; i++)
        log.bytes[i] = (char)(log.bytes[i] == '"' ? '\'' : log.bytes[i]);
    assert_string_equal(ot_str_borrow(&log), expected);
    ot_str_release(&log);
}

/* An event of category cpu_op and name a, with these members more. */
#define OP(more) "{'ph':'X','cat':'cpu_op','name':'a','pid':1,'tid':2," more "}"

/* --- the shape of a file -------------------------------------------------------------------- */

static void an_object_or_a_bare_array(void **state)
{
    (void)state;
    assert_told("{'traceEvents':[" OP("'ts':1,'dur':2") "]}", "op 1000+2000 1/2 a cat cpu_op\n");
    assert_told("[" OP("'ts':1,'dur':2") "]", "op 1000+2000 1/2 a cat cpu_op\n");
    assert_told(" [ ] ", "");
    assert_told("{'traceEvents':[]}", "");
    assert_told("\xef\xbb\xbf\n{'traceEvents': [\n]\n}\n", "");
}

static void keys_in_any_order_and_of_any_user(void **state)
{
    (void)state;
    assert_told("{'metadata':{'a':[{},[[]],'x',1,true,false,null]},'baseTimeNanoseconds':7,"
                "'traceEvents':[{'dur':2,'args':{'a':{'b':[1,{'device':9}]},'device':3},'x':[],"
                "'ts':1,'name':'k','cat':'kernel','ph':'X','tid':7,'pid':0}],'schemaVersion':1,"
                "'distributedInfo':{'world_size':2,'pg':[{'rank':9}],'rank':1},'host_name':'h'}",
                "device 1000+2000 0/7 k cat kernel device 3\n"
                "base 7\nrank 1\nworld 2\nhost h\n");
}

static void devices_are_told_by_their_names(void **state)
{
    (void)state;
    assert_told(
        "{'deviceProperties':[{'id':0,'name':'A \\u0031','numSms':[1,{'name':'x'}]},{'id':1},"
        "{'name':7},[],'name',{'name':'B','name':'C'}],'traceEvents':[]}",
        "devices A 1\nB\n");
    assert_told("{'traceEvents':[],'deviceProperties':{'name':'A'}}", "");
    assert_told("{'traceEvents':[],'deviceProperties': [ { } ] }", "");
}

static void the_base_may_come_behind_the_events_and_keeps_all_digits(void **state)
{
    (void)state;
    assert_told("{'traceEvents':[],'baseTimeNanoseconds':1711964646000000001}",
                "base 1711964646000000001\n");
    assert_told("{'traceEvents':[],'baseTimeNanoseconds':'9007199254740993'}",
                "base 9007199254740993\n");
    assert_told("{'traceEvents':[],'baseTimeNanoseconds':null}", "");
    assert_told("{'traceEvents':[],'baseTimeNanoseconds':1.5}",
                "error: byte 40: baseTimeNanoseconds: not a whole number of nanoseconds\n");
    assert_told(
        "{'traceEvents':[" OP("'ts':9223372036854775,'dur':0") "],"
                                                               "'baseTimeNanoseconds':1000}",
        "op 9223372036854775000+0 1/2 a cat cpu_op\n"
        "error: ts and baseTimeNanoseconds: more nanoseconds than 64 bits can count\n");
}

static void every_kind_of_category(void **state)
{
    (void)state;
    static const struct {
        const char *category;
        const char *kind;
    } rows[] = {
        {"cpu_op", "op"},
        {"Operator", "op"},
        {"cuda_runtime", "runtime"},
        {"cuda_driver", "runtime"},
        {"Runtime", "runtime"},
        {"xpu_runtime", "runtime"},
        {"xpu_driver", "runtime"},
        {"mtia_runtime", "runtime"},
        {"privateuse1_runtime", "runtime"},
        {"privateuse1_driver", "runtime"},
        {"glow_runtime", "runtime"},
        {"kernel", "device"},
        {"gpu_memcpy", "device"},
        {"gpu_memset", "device"},
        {"Kernel", "device"},
        {"Memcpy", "device"},
        {"Memset", "device"},
        {"mtia_ccp_events", "device"},
        {"hpu_op", "device"},
        {"collective_comm", "device"},
        {"privateuse1_kernel", "device"},
        {"privateuse1_memcpy", "device"},
        {"privateuse1_memset", "device"},
        {"user_annotation", "annotation"},
        {"gpu_user_annotation", "device_annotation"},
        {"python_function", "python"},
        {"cuda_sync", "sync"},
        {"xpu_sync", "sync"},
        {"Trace", "other"},
        {"overhead", "other"},
        {"cuda_event", "other"},
        {"cuda_profiler_range", "other"},
        {"hardware_counters", "other"},
        {"external_correlation", "other"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char json[256];
        char expected[256];
        snprintf(json, sizeof(json),
                 "[{'ph':'X','cat':'%s','name':'a','ts':1,'dur':2,'pid':1,'tid':2}]",
                 rows[i].category);
        snprintf(expected, sizeof(expected), "%s 1000+2000 1/2 a cat %s\n", rows[i].kind,
                 rows[i].category);
        assert_told(json, expected);
    }
}

static void a_category_is_matched_whole(void **state)
{
    (void)state;
    assert_told("[{'ph':'X','cat':'cpu_op,x','name':'a','ts':1,'dur':2},"
                "{'ph':'X','cat':'hip','name':'a','ts':1,'dur':2}," OP("'ts':1,'dur':2") "]",
                "other 1000+2000 -1/0 a cat cpu_op,x\n"
                "other 1000+2000 -1/0 a cat hip\n"
                "op 1000+2000 1/2 a cat cpu_op\n"
                "warning unknown_category 2 event 1 (byte 1)\n");
}

static void old_profiler_steps_are_annotations(void **state)
{
    (void)state;
    assert_told("[{'ph':'X','cat':'Operator','name':'ProfilerStep#7','ts':1,'dur':2},"
                "{'ph':'X','cat':'cpu_op','name':'ProfilerStep#7','ts':1,'dur':2},"
                "{'ph':'X','cat':'kernel','name':'ProfilerStep#7','ts':1,'dur':2},"
                "{'ph':'X','cat':'cpu_op','name':'ProfilerStep','ts':1,'dur':2}]",
                "annotation 1000+2000 -1/0 ProfilerStep#7 cat Operator\n"
                "annotation 1000+2000 -1/0 ProfilerStep#7 cat cpu_op\n"
                "device 1000+2000 -1/0 ProfilerStep#7 cat kernel\n"
                "op 1000+2000 -1/0 ProfilerStep cat cpu_op\n");
}

static void no_category_means_operator_only_in_a_process_of_cpu_functions(void **state)
{
    (void)state;
    assert_told("[{'ph':'X','name':'a','ts':1,'dur':2,'pid':'CPU functions','tid':1},"
                "{'ph':'X','name':'a','ts':1,'dur':2,'pid':5,'tid':1},"
                "{'ph':'M','name':'process_name','pid':5,'args':{'name':'CPU functions'}},"
                "{'ph':'X','name':'a','ts':1,'dur':2,'pid':5,'tid':1}]",
                "op 1000+2000 -1/1 a process CPU functions\n"
                "other 1000+2000 5/1 a\n"
                "other 0\n"
                "op 1000+2000 5/1 a\n"
                "warning legacy_no_category 2 event 1 (byte 1)\n"
                "warning unknown_category 1 event 2 (byte 68)\n");
}

static void phases_that_are_no_slices_are_other_events(void **state)
{
    (void)state;
    assert_told("[{'ph':'s','id':1,'ts':1,'pid':1,'tid':1,'cat':'ac2g','name':'ac2g'},"
                "{'ph':'f','id':1,'ts':2,'bp':'e'},{'ph':'M','name':'x'},{'ph':'C','ts':3},{},"
                "{'ph':'i','name':'Iteration Start: x','ts':4,'s':'g'},{'ph':7},{'ph':'XX'}]",
                "other 1000\nother 2000\nother 0\nother 3000\nother 0\nother 4000\nother 0\n"
                "other 0\n");
}

static void flows_without_partners_are_no_evidence_of_loss(void **state)
{
    (void)state;
    assert_told("[" OP("'ts':1,'dur':2") ",{'ph':'f','id':1,'cat':'ac2g','name':'ac2g','ts':2},"
                                         "{'ph':'s','id':2,'cat':'fwdbwd','ts':3}]",
                "op 1000+2000 1/2 a cat cpu_op\nother 2000\nother 3000\n");
}

static void a_trace_of_slices_without_metadata_and_instants_is_a_whole_one(void **state)
{
    (void)state;
    assert_told("{'traceEvents':[" OP("'ts':1,'dur':2") "," OP("'ts':3,'dur':4") "]}",
                "op 1000+2000 1/2 a cat cpu_op\nop 3000+4000 1/2 a cat cpu_op\n");
}

/* --- whose trace it is ---------------------------------------------------------------------- */

static void a_trace_of_something_else_is_an_error_at_its_end(void **state)
{
    (void)state;
    static const struct {
        const char *events;
        const char *none;
    } rows[] = {
        /* Chrome's own, a compiler's, pairs of any program, and what only looks like one. */
        {"{'ph':'M','cat':'__metadata','name':'process_name','pid':1,'args':{'name':'Renderer'}},"
         "{'ph':'X','cat':'devtools.timeline','name':'RunTask','pid':1,'tid':2,'ts':1,'dur':2},"
         "{'ph':'I','cat':'disabled-by-default-v8','name':'V8','ts':2}",
         "none of its 2 events is"},
        {"{'ph':'X','pid':1,'tid':2,'ts':1,'dur':2,'name':'Frontend','args':{'detail':'a.c'}}",
         "its only event is not"},
        {"{'ph':'B','name':'a','ts':1},{'ph':'E','ts':2}", "none of its 2 events is"},
        {"{'ph':'s','cat':'flow','ts':1},{'ph':'C','name':'heap','ts':1},"
         "{'ph':'i','name':'memory','ts':1}",
         "none of its 3 events is"},
        {"{'a':1},{'b':2}", "none of its 2 events is"},
        {"{'ph':'X','cat':7,'ts':1,'dur':2}", "its only event is not"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (int recover = 0; recover < 2; recover++) {
            struct ot_kineto_trace_opts opts = {.recover = recover};
            char json[512];
            char error[256];
            struct ot_str log = {0};
            snprintf(json, sizeof(json), "{'traceEvents':[%s]}", rows[i].events);
            snprintf(error, sizeof(error),
                     "\nerror: seems to be a Chrome trace of something else: %s of a kind that "
                     "torch.profiler writes; give a trace that torch.profiler exported\n",
                     rows[i].none);
            tell(&log, json, &opts);
            const char *found = strstr(ot_str_borrow(&log), "\nerror: ");
            assert_non_null(found);
            assert_string_equal(found, error);
            ot_str_release(&log);
        }
    }
}

static void one_event_of_its_own_makes_it_a_trace_of_torch(void **state)
{
    (void)state;
    static const char *const own[] = {
        "{'ph':'X','cat':'Trace','name':'PyTorch Profiler (0)','ts':1,'dur':2}",
        "{'ph':'s','cat':'ac2g','ts':1}",
        "{'ph':'f','cat':'async_cpu_to_gpu','ts':1}",
        "{'ph':'f','cat':'async_gpu','ts':1}",
        "{'ph':'f','cat':'fwdbwd'}",
        "{'ph':'i','cat':'cpu_instant_event','name':'[OutOfMemory]','ts':1}",
        "{'ph':'i','name':'[memory]','ts':1,'args':{'Bytes':1}}",
        "{'ph':'i','name':'[memory]','ts':1}",
        "{'ph':'i','name':'Iteration Start: PyTorch Profiler','ts':1}",
        "{'ph':'i','name':'Record Window End','ts':1}",
        "{'ph':'X','name':'aten::add','pid':'CPU functions','ts':1,'dur':2}",
        ("{'ph':'M','name':'process_name','pid':5,'args':{'name':'CPU functions'}},"
         "{'ph':'X','name':'aten::add','pid':5,'ts':1,'dur':2}"),
    };
    const struct ot_kineto_trace_opts plain = {0};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        char json[512];
        struct ot_str log = {0};
        snprintf(json, sizeof(json), "[{'ph':'X','cat':'mine','ts':1,'dur':2},%s,{'b':2}]", own[i]);
        tell(&log, json, &plain);
        assert_null(strstr(ot_str_borrow(&log), "error: "));
        ot_str_release(&log);
    }
}

static void metadata_alone_says_nothing_of_whose_trace_it_is(void **state)
{
    (void)state;
    assert_told("[{'ph':'M','name':'process_name','pid':1,'args':{'name':'python'}}]", "other 0\n");
}

/* --- args ----------------------------------------------------------------------------------- */

static void arguments_that_mean_something(void **state)
{
    (void)state;
    assert_told("[" OP("'ts':1,'dur':2,'args':{'correlation':5,'device':1,'Sequence number':6,"
                       "'Fwd thread id':7,'Input Dims':[[1, 2],[]],'Call stack':'f;g',"
                       "'phase':'warmup','External id':9,'x':{'correlation':1}}") "]",
                "op 1000+2000 1/2 a cat cpu_op phase warmup shapes [[1, 2],[]] correlation 5 "
                "device 1 sequence 6 forward 7 stack\n");
    assert_told("[" OP("'ts':1,'dur':2,'args':{'Input dims':[[1]],'Call stack':''}") "]",
                "op 1000+2000 1/2 a cat cpu_op shapes [[1]]\n");
    assert_told("[" OP("'ts':1,'dur':2,'args':null") "," OP("'ts':1,'dur':2,'args':[1]") "]",
                "op 1000+2000 1/2 a cat cpu_op\nop 1000+2000 1/2 a cat cpu_op\n");
}

static void a_correlation_is_a_positive_number(void **state)
{
    (void)state;
    static const char *const none[] = {
        "0", "-1", "1.5", "'x'", "null", "[1]", "99999999999999999999"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        char json[256];
        snprintf(json, sizeof(json), "[" OP("'ts':1,'dur':2,'args':{'correlation':%s}") "]",
                 none[i]);
        assert_told(json, "op 1000+2000 1/2 a cat cpu_op\n");
    }
    assert_told("[" OP("'ts':1,'dur':2,'args':{'correlation':18446744073709551615}") "]",
                "op 1000+2000 1/2 a cat cpu_op correlation 18446744073709551615\n");
    assert_told("[" OP("'ts':1,'dur':2,'args':{'correlation':'12'}") "]",
                "op 1000+2000 1/2 a cat cpu_op correlation 12\n");
}

static void integers_beyond_64_bits_are_no_error(void **state)
{
    (void)state;
    assert_told(
        "[" OP("'ts':1,'dur':2,'args':{'Comms Id':10159970886766084423,"
               "'device':10159970886766084423,'x':1234567890123456789012345678901234567890}") "]",
        "op 1000+2000 1/2 a cat cpu_op\n");
}

static void memory_events_with_and_without_category(void **state)
{
    (void)state;
    assert_told("[{'ph':'i','cat':'cpu_instant_event','name':'[memory]','ts':1,'pid':1,'tid':2,"
                "'args':{'Bytes':-512,'Device Type':1,'Device Id':0,'Total Allocated':99}},"
                "{'ph':'i','name':'[memory]','ts':2,'pid':1,'tid':2,'args':{'Bytes':8}}]",
                "memory 1000 1/2 -512 bytes cat cpu_instant_event device_type 1 device_id 0 "
                "total 99\n"
                "memory 2000 1/2 8 bytes\n");
}

static void a_memory_event_without_a_size_is_told_and_left_out(void **state)
{
    (void)state;
    assert_told("[{'ph':'i','name':'[memory]','ts':1,'args':{'Bytes':'many'}},"
                "{'ph':'i','name':'[memory]','ts':1}]",
                "other 1000\nother 1000\nexcluded 2\n"
                "warning bad_memory_event 2 event 1 (byte 1)\n");
}

/* --- threads -------------------------------------------------------------------------------- */

static void a_thread_is_a_number_or_a_label(void **state)
{
    (void)state;
#define ON(pid, tid)                                                                               \
    "{'ph':'X','cat':'cpu_op','name':'a','ts':1,'dur':2,'pid':" pid ",'tid':" tid "}"
    assert_told(
        "[" ON("7", "8") "," ON("'7'", "'4093687616'") "," ON("'Spans'", "'stream 7'") "," ON(
            "''", "''") "," ON("-5", "-6") "," ON("1.5", "18446744073709551615") "," ON("null",
                                                                                        "{}") "]",
        "op 1000+2000 7/8 a cat cpu_op\n"
        "op 1000+2000 7/4093687616 a cat cpu_op\n"
        "op 1000+2000 -1/0 a cat cpu_op process Spans thread stream 7\n"
        "op 1000+2000 -1/0 a cat cpu_op\n"
        "op 1000+2000 -5/18446744073709551610 a cat cpu_op\n"
        "op 1000+2000 -1/18446744073709551615 a cat cpu_op process 1.5\n"
        "op 1000+2000 -1/0 a cat cpu_op\n");
}

/* --- times ---------------------------------------------------------------------------------- */

static void times_may_be_strings_that_are_numbers(void **state)
{
    (void)state;
    assert_told("[" OP("'ts':'1.5','dur':'2e3'") "]", "op 1500+2000000 1/2 a cat cpu_op\n");
    assert_told("[" OP("'ts':'1.5x','dur':1") "]", "error: event 1 (byte 58): ts: not a number\n");
    assert_told("[" OP("'ts':'','dur':1") "]", "error: event 1 (byte 58): ts: not a number\n");
}

static void a_time_that_is_no_number_is_an_error(void **state)
{
    (void)state;
    assert_told("[" OP("'ts':null,'dur':1") "]", "error: event 1 (byte 58): ts: not a number\n");
    assert_told("[" OP("'ts':1,'dur':[2]") "]", "error: event 1 (byte 66): dur: not a number\n");
    assert_told("[" OP("'dur':1") "]", "error: event 1 (byte 1): no ts\n");
    assert_told("[{'ph':'M','ts':true}]", "error: event 1 (byte 16): ts: not a number\n");
}

static void times_beyond_64_bits_are_an_error(void **state)
{
    (void)state;
    assert_told("[" OP("'ts':9223372036854775.808,'dur':1") "]",
                "error: event 1 (byte 58): ts: more nanoseconds than 64 bits can count\n");
    assert_told("[" OP("'ts':9223372036854775.807,'dur':0.001") "]",
                "error: event 1 (byte 85): ts + dur: more nanoseconds than 64 bits can count\n");
}

static void impossible_times_are_counted_and_left_out(void **state)
{
    (void)state;
    static const char warned[] = "excluded 1\nwarning impossible_time 1 event 1 (byte 1)\n";
    static const struct {
        const char *json;
        const char *told;
    } rows[] = {
        {"[" OP("'ts':1,'dur':-1") "]", "other 1000\n"},
        {"[" OP("'ts':-1,'dur':1") "]", "other -1000\n"},
        {"[" OP("'ts':1,'dur':315360000000001") "]", "other 1000\n"},
        {"[" OP("'ts':1,'dur':18446744073709551.615") "]", "other 1000\n"},
        {"[" OP("'ts':1,'dur':1e300") "]", "other 1000\n"},
        {"[{'ph':'X','cat':'kernel','name':'k','ts':0,'dur':1}]", "other 0\n"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ot_str expected = {0};
        ot_str_addf(&expected, "%s%s", rows[i].told, warned);
        assert_told(rows[i].json, ot_str_borrow(&expected));
        ot_str_release(&expected);
    }
    assert_told("[" OP("'ts':1,'dur':315360000000000") "," OP("'ts':0,'dur':0") "]",
                "op 1000+315360000000000000 1/2 a cat cpu_op\nop 0+0 1/2 a cat cpu_op\n");
}

static void a_slice_without_a_duration_is_counted_and_left_out(void **state)
{
    (void)state;
    assert_told("[" OP("'ts':1") "," OP("'ts':1,'dur':null") "]",
                "other 1000\nother 1000\nexcluded 2\n"
                "warning missing_duration 2 event 1 (byte 1)\n");
}

static void identical_events_and_empty_durations_are_kept(void **state)
{
    (void)state;
    assert_told("[" OP("'ts':1,'dur':0") "," OP("'ts':1,'dur':0") "," OP("'ts':0.5,'dur':0") "]",
                "op 1000+0 1/2 a cat cpu_op\nop 1000+0 1/2 a cat cpu_op\n"
                "op 500+0 1/2 a cat cpu_op\n");
}

/* --- names ---------------------------------------------------------------------------------- */

#define NAMED(name) "[{'ph':'X','cat':'cpu_op','name':'" name "','ts':1,'dur':2}]"

static void escapes_become_text(void **state)
{
    (void)state;
    assert_told(NAMED("\\u0041\\u00e9\\u20ac\\ud83d\\ude00\\/\\\\\\t]}{["),
                "op 1000+2000 -1/0 A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80/\\\t]}{[ cat cpu_op\n");
    assert_told("[{'\\u0070h':'\\u0058','c\\u0061t':'cpu\\u005fop','name':'a','ts':1,'dur':2}]",
                "op 1000+2000 -1/0 a cat cpu_op\n");
    assert_told("{'trace\\u0045vents':[]}", "");
}

static void what_is_no_text_reads_as_a_replacement(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        const char *name;
    } rows[] = {
        {NAMED("a\x01z"), "a\xef\xbf\xbdz"},
        {NAMED("a\tz"), "a\xef\xbf\xbdz"},
        {NAMED("a\xffz"), "a\xef\xbf\xbdz"},
        {NAMED("a\xc3"), "a\xef\xbf\xbd"},
        {NAMED("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {NAMED("a\\ud800z"), "a\xef\xbf\xbdz"},
        {NAMED("\\ude00"), "\xef\xbf\xbd"},
        {NAMED("\\ud800\\ud83d\\ude00"), "\xef\xbf\xbd\xf0\x9f\x98\x80"},
        {NAMED("\\ud800\\u0041"), "\xef\xbf\xbd\x41"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char expected[256];
        snprintf(expected, sizeof(expected),
                 "op 1000+2000 -1/0 %s cat cpu_op\n"
                 "warning replaced_characters 1 event 1 (byte 1)\n",
                 rows[i].name);
        assert_told(rows[i].json, expected);
    }
    assert_told(NAMED("\xef\xbf\xbd\\ufffd"),
                "op 1000+2000 -1/0 \xef\xbf\xbd\xef\xbf\xbd cat cpu_op\n");
}

static void the_last_of_duplicate_keys_wins_and_is_told(void **state)
{
    (void)state;
    assert_told("[{'ph':'M','ph':'X','cat':'kernel','cat':'cpu_op','name':'b','name':'a','ts':9,"
                "'ts':1,'dur':2,'args':{'device':1,'device':2,'correlation':5},"
                "'args':{'device':3}}]",
                "op 1000+2000 -1/0 a cat cpu_op device 3\n"
                "warning duplicate_key 1 event 1 (byte 1)\n");
    assert_told("{'host_name':'a','host_name':'b','distributedInfo':{'rank':1,'rank':2},"
                "'traceEvents':[]}",
                "rank 2\nhost b\nwarning duplicate_key 2 byte 29\n");
    assert_told("{'traceEvents':[],'traceEvents':[]}", "error: byte 32: a second traceEvents\n");
}

/* --- pairs ---------------------------------------------------------------------------------- */

#define AT(ph, name, ts) "{'ph':'" ph "','cat':'cpu_op'," name "'pid':1,'tid':2,'ts':" ts "}"

static void pairs_of_b_and_e_are_slices(void **state)
{
    (void)state;
    assert_told("[" AT("B", "'name':'a','args':{'device':3},", "1") "," AT(
                    "B", "'name':'b',",
                    "2") ",{'ph':'E','pid':1,'tid':2,'ts':3}," AT("E", "'name':'a',", "4.5") "]",
                "other 1000\nother 2000\nop 2000+1000 1/2 b cat cpu_op\n"
                "op 1000+3500 1/2 a cat cpu_op device 3\n");
}

static void pairs_are_made_per_thread(void **state)
{
    (void)state;
    assert_told("[{'ph':'B','cat':'cpu_op','name':'a','pid':1,'tid':'x','ts':1},"
                "{'ph':'B','cat':'cpu_op','name':'b','pid':1,'tid':'y','ts':2},"
                "{'ph':'E','pid':1,'tid':'x','ts':3},{'ph':'E','pid':1,'tid':'y','ts':5}]",
                "other 1000\nother 2000\nop 1000+2000 1/0 a cat cpu_op thread x\n"
                "op 2000+3000 1/0 b cat cpu_op thread y\n");
}

static void ends_and_begins_without_partner_are_told(void **state)
{
    (void)state;
    assert_told("[" AT("E", "", "1") "," AT("B", "'name':'a',", "2") "," AT(
                    "B", "'name':'lost',",
                    "3") "," AT("E", "'name':'a',", "4") "," AT("B", "'name':'open',",
                                                                "5") "," AT("E", "'name':'other',",
                                                                            "6") "]",
                "other 1000\nother 2000\nother 3000\nop 2000+2000 1/2 a cat cpu_op\nother 5000\n"
                "other 6000\nunmatched 2\nunclosed 2\nlost 1\n"
                "warning unmatched_begin_end 4 event 1 (byte 1)\n");
}

static void a_begin_without_an_end_is_told_with_its_own_place(void **state)
{
    (void)state;
    /* Open at the end, on the track that was seen last, but begun first. */
    assert_told("[" AT("B", "'name':'a',", "1") ",{'ph':'B','cat':'cpu_op','name':'b','pid':3,"
                                                "'ts':2}," AT("E", "'name':'a',", "3") "," AT(
                                                    "B", "'name':'c',", "4") "," OP("'ts':5,'dur':1"
                                                                                    "") "]",
                "other 1000\nother 2000\nop 1000+2000 1/2 a cat cpu_op\nother 4000\n"
                "op 5000+1000 1/2 a cat cpu_op\nunclosed 2\n"
                "warning unmatched_begin_end 2 event 2 (byte 61)\n");
    /* Two inside a call that ends. */
    assert_told("[" AT("B", "'name':'a',", "1") "," AT("B", "'name':'b',", "2") "," AT(
                    "B", "'name':'c',", "3") "," AT("E", "'name':'a',", "4") "]",
                "other 1000\nother 2000\nother 3000\nop 1000+3000 1/2 a cat cpu_op\n"
                "unclosed 2\nlost 2\nwarning unmatched_begin_end 2 event 2 (byte 61)\n");
}

/* --- text ----------------------------------------------------------------------------------- */

static void an_event_as_a_line_of_text(void **state)
{
    (void)state;
    assert_text("[{'ph':'X','cat':'cpu_op','name':'a\x01 \\n','ts':1,'dur':2,'args':\n  {\n  'a':"
                "\t[1,  2],'b':'x  \\\\'  }\n  }]",
                "op 1005+2000 -1/0 a\xef\xbf\xbd \n cat cpu_op | cpu_op "
                "| name: \"a\xef\xbf\xbd \\n\", ph: \"X\", dur: 2000 ns, "
                "args: { \"a\": [1, 2],\"b\":\"x  \\\\\" }\n"
                "base 5\nwarning replaced_characters 1 event 1 (byte 1)\n");
    assert_text("[{'ph':'M','name':'x','pid':'Spans','tid':'stream 7','ts':1}]",
                "other 1005 | M | name: \"x\", ph: \"M\", pid: \"Spans\", tid: \"stream 7\"\n"
                "base 5\n");
    assert_text("[{'ph':'M','name':'x','pid':7,'tid':'8','ts':1}]",
                "other 1005 | M | name: \"x\", ph: \"M\"\nbase 5\n");
    assert_text("[{'ph':'M','name':'x'}]", "other 5 | M | name: \"x\", ph: \"M\"\nbase 5\n");
    assert_text("[{},{'ph':'s','cat':'ac2g'}]", "other 5\nother 5 | ac2g | ph: \"s\"\nbase 5\n");
}

static void every_text_of_an_event_may_be_escaped(void **state)
{
    (void)state;
    assert_text(
        "[{'ph':'X','cat':'kern\\u0065l','name':'\\u006e','pid':'\\u0070','tid':'\\u0074',"
        "'ts':1,'dur':1,'args':{'device':'\\u0064','phase':'\\u0066'}}]",
        "device 1005+1000 -1/0 n cat kernel process p thread t phase f device_label d | kernel "
        "| name: \"\\u006e\", ph: \"X\", pid: \"\\u0070\", tid: \"\\u0074\", "
        "dur: 1000 ns, args: {\"device\":\"\\u0064\",\"phase\":\"\\u0066\"}\n"
        "base 5\n");
}

static void numbers_that_stand_for_names_are_names(void **state)
{
    (void)state;
    assert_told("[{'ph':'X','cat':'kernel','name':'a','pid':-9223372036854775807,"
                "'tid':9223372036854775809,'ts':1,'dur':2,"
                "'args':{'device':-9223372036854775808}}]",
                "device 1000+2000 -1/0 a cat kernel process -9223372036854775807 "
                "thread 9223372036854775809 device_label -9223372036854775808\n");
}

static void the_name_of_a_pairs_device_outlives_its_beginning(void **state)
{
    (void)state;
    assert_told("[{'ph':'B','cat':'kernel','name':'a','pid':1,'tid':2,'ts':1,"
                "'args':{'device':'\\u0064'}},"
                "{'ph':'i','name':'\\u0078','pid':'\\u0079','tid':'\\u007a','ts':1},"
                "{'ph':'E','pid':1,'tid':2,'ts':3}]",
                "other 1000\nother 1000\ndevice 1000+2000 1/2 a cat kernel device_label d\n");
}

/* --- how it is shown, and how it is written -------------------------------------------------- */

static void labels_say_what_processes_and_threads_are_called(void **state)
{
    (void)state;
    assert_marks(
        "[{'name':'process_name','ph':'M','ts':5,'pid':1,'tid':0,'args':{'name':'py\\u0074hon'}},"
        "{'name':'process_labels','ph':'M','pid':1,'tid':0,'args':{'labels':'CPU'}},"
        "{'name':'thread_name','ph':'M','pid':1,'tid':'stream 7','args':{'name':'s'}},"
        "{'name':'process_sort_index','ph':'M','pid':'Spans','args':{'sort_index':-5}},"
        "{'name':'thread_sort_index','ph':'M','pid':1,'tid':2,'args':{'sort_index':'7'}}]",
        "label 5000 1/0 process name python\n"
        "label 0 1/0 process note CPU\n"
        "label 0 1/0 thread name s thread stream 7\n"
        "label 0 -1/0 process order -5 process Spans\n"
        "label 0 1/2 thread order 7\n");
}

static void metadata_that_says_nothing_known_is_no_label(void **state)
{
    (void)state;
    assert_marks("[{'name':'process_name','ph':'M','pid':1},"
                 "{'name':'process_name','ph':'M','pid':1,'args':{'name':['x']}},"
                 "{'name':'thread_sort_index','ph':'M','pid':1,'args':{'sort_index':'first'}},"
                 "{'name':'num_cpus','ph':'M','pid':1,'args':{'name':'8'}},"
                 "{'ph':'M','pid':1,'args':{'name':'8'}}]",
                 "other 0\nother 0\nother 0\nother 0\nother 0\n");
}

static void flows_have_their_two_ends(void **state)
{
    (void)state;
    assert_marks("[" OP("'ts':1,'dur':2") ",{'ph':'s','id':7,'pid':1,'tid':2,'ts':1,'cat':'fwdbwd',"
                                          "'name':'fwdbwd'},{'ph':'f','bp':'e','id':'7','pid':1,'"
                                          "tid':'x','ts':9,'cat':'fwdbwd',"
                                          "'name':'fwdbwd'},{'ph':'f','ts':1},{'ph':'s','id':1}]",
                 "op 1000+2000 1/2 a cat cpu_op\n"
                 "flow 1000 1/2 starts 7 cat fwdbwd\n"
                 "flow 9000 1/0 ends 7 cat fwdbwd thread x\n"
                 "other 1000\nother 0\n");
}

static void flows_whose_id_is_no_number_are_known_by_its_text(void **state)
{
    (void)state;
    static const struct ot_kineto_trace_opts marks = {.want_marks = true};
    struct ot_str log = {0};
    tell(&log,
         "[{'ph':'s','id':'0x7','ts':1},{'ph':'f','id':'0x7','ts':2},{'ph':'f','id':'0x8','ts':2}"
         "," OP("'ts':1,'dur':2") "]",
         &marks);
    unsigned long long start, end, other;
    assert_int_equal(sscanf(ot_str_borrow(&log),
                            "flow 1000 -1/0 starts %llu flow 2000 -1/0 ends %llu "
                            "flow 2000 -1/0 ends %llu",
                            &start, &end, &other),
                     3);
    assert_true(start == end);
    assert_true(start != other);
    ot_str_release(&log);
}

static void without_being_asked_for_marks_are_other_events(void **state)
{
    (void)state;
    assert_told(
        "[" OP("'ts':1,'dur':2") ",{'ph':'s','id':7,'ts':1},"
                                 "{'name':'process_name','ph':'M','pid':1,'args':{'name':'x'}}]",
        "op 1000+2000 1/2 a cat cpu_op\nother 1000\nother 0\n");
}

static void types_of_inputs(void **state)
{
    (void)state;
    assert_told("[" OP("'ts':1,'dur':2,'args':{'Input type':['float','Scalar']}") "]",
                "op 1000+2000 1/2 a cat cpu_op types [\"float\",\"Scalar\"]\n");
}

static void raw_events_are_as_they_are_written(void **state)
{
    (void)state;
    assert_raw(
        "{'a': [1, {'b':2}] , 'traceEvents' :[ {'ph' : 'X','cat':'cpu_op','name':'n','ts':1, "
        "'dur':2,\n"
        "'args': {'x':[]} } ,{'ph':'i','ts':3}], 'baseTimeNanoseconds':7 }",
        false,
        "member 0 = 'a': [1, {'b':2}]\n"
        "op 1000+2000 -1/0 n cat cpu_op = {'ph' : 'X','cat':'cpu_op','name':'n','ts':1, 'dur':2,\n"
        "'args': {'x':[]} }\n"
        "other 3000 = {'ph':'i','ts':3}\n"
        "member 0 = 'baseTimeNanoseconds':7\n"
        "base 7\n");
}

static void raw_of_a_pair_is_that_of_its_end(void **state)
{
    (void)state;
    assert_raw(
        "[{'ph':'B','cat':'cpu_op','name':'n','ts':1,'args':{'Input "
        "type':['a']}},{'ph':'E','ts':3}]",
        false,
        "other 1000 = {'ph':'B','cat':'cpu_op','name':'n','ts':1,'args':{'Input type':['a']}}\n"
        "op 1000+2000 -1/0 n cat cpu_op types ['a'] = {'ph':'E','ts':3}\n");
}

static void damaged_events_have_no_raw(void **state)
{
    (void)state;
    assert_raw("{'a':1,'traceEvents':[{'ph':'M','x':NaN}," OP("'ts':1,'dur':2") ",{'ph':'M'", true,
               "member 0 = 'a':1\n"
               "op 1000+2000 1/2 a cat cpu_op = " OP(
                   "'ts':1,'dur':2") "\n"
                                     "damaged 1\ntruncated 1\n"
                                     "warning damaged_event 1 event 1 (byte 36)\n"
                                     "warning truncated 1 event 3 (byte 118)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_or_a_bare_array),
        cmocka_unit_test(keys_in_any_order_and_of_any_user),
        cmocka_unit_test(devices_are_told_by_their_names),
        cmocka_unit_test(the_base_may_come_behind_the_events_and_keeps_all_digits),
        cmocka_unit_test(every_kind_of_category),
        cmocka_unit_test(a_category_is_matched_whole),
        cmocka_unit_test(old_profiler_steps_are_annotations),
        cmocka_unit_test(no_category_means_operator_only_in_a_process_of_cpu_functions),
        cmocka_unit_test(phases_that_are_no_slices_are_other_events),
        cmocka_unit_test(flows_without_partners_are_no_evidence_of_loss),
        cmocka_unit_test(a_trace_of_slices_without_metadata_and_instants_is_a_whole_one),
        cmocka_unit_test(a_trace_of_something_else_is_an_error_at_its_end),
        cmocka_unit_test(one_event_of_its_own_makes_it_a_trace_of_torch),
        cmocka_unit_test(metadata_alone_says_nothing_of_whose_trace_it_is),
        cmocka_unit_test(arguments_that_mean_something),
        cmocka_unit_test(a_correlation_is_a_positive_number),
        cmocka_unit_test(integers_beyond_64_bits_are_no_error),
        cmocka_unit_test(memory_events_with_and_without_category),
        cmocka_unit_test(a_memory_event_without_a_size_is_told_and_left_out),
        cmocka_unit_test(a_thread_is_a_number_or_a_label),
        cmocka_unit_test(times_may_be_strings_that_are_numbers),
        cmocka_unit_test(a_time_that_is_no_number_is_an_error),
        cmocka_unit_test(times_beyond_64_bits_are_an_error),
        cmocka_unit_test(impossible_times_are_counted_and_left_out),
        cmocka_unit_test(a_slice_without_a_duration_is_counted_and_left_out),
        cmocka_unit_test(identical_events_and_empty_durations_are_kept),
        cmocka_unit_test(escapes_become_text),
        cmocka_unit_test(what_is_no_text_reads_as_a_replacement),
        cmocka_unit_test(the_last_of_duplicate_keys_wins_and_is_told),
        cmocka_unit_test(pairs_of_b_and_e_are_slices),
        cmocka_unit_test(pairs_are_made_per_thread),
        cmocka_unit_test(ends_and_begins_without_partner_are_told),
        cmocka_unit_test(a_begin_without_an_end_is_told_with_its_own_place),
        cmocka_unit_test(an_event_as_a_line_of_text),
        cmocka_unit_test(every_text_of_an_event_may_be_escaped),
        cmocka_unit_test(numbers_that_stand_for_names_are_names),
        cmocka_unit_test(the_name_of_a_pairs_device_outlives_its_beginning),
        cmocka_unit_test(labels_say_what_processes_and_threads_are_called),
        cmocka_unit_test(metadata_that_says_nothing_known_is_no_label),
        cmocka_unit_test(flows_have_their_two_ends),
        cmocka_unit_test(flows_whose_id_is_no_number_are_known_by_its_text),
        cmocka_unit_test(without_being_asked_for_marks_are_other_events),
        cmocka_unit_test(types_of_inputs),
        cmocka_unit_test(raw_events_are_as_they_are_written),
        cmocka_unit_test(raw_of_a_pair_is_that_of_its_end),
        cmocka_unit_test(damaged_events_have_no_raw),
    };
    return RUN(tests);
}
