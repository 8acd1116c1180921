#include "test.h"

#include "kineto.h"

/* A bit of everything, laid out as the profiler and as others do it. */
static const char trace[] =
    "\xef\xbb\xbf{\n"
    "  \"schemaVersion\": 1,\n"
    "  \"deviceProperties\": [ {\"id\": 0, \"x\": [1.5, -2e3, true, null, \"]}\\\"\"]}, {} ],\n"
    "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 3, \"world_size\": 8},\n"
    "  \"host_name\": \"node \\u00e9\",\n"
    "  \"traceEvents\": [\n"
    "  {\n"
    "    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::add\", \"pid\": 1102, \"tid\": "
    "1262,\n"
    "    \"ts\": 1712195495519689.047, \"dur\": 63.813,\n"
    "    \"args\": {\n"
    "      \"External id\": 2049,\"Sequence number\": 18456, \"Fwd thread id\": 1, \"Ev Idx\": 0\n"
    "    }\n"
    "  },\n"
    "  {\n"
    "    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mul\", \"pid\": 1102, \"tid\": "
    "1262,\n"
    "    \"ts\": 1712195495519690.047, \"dur\": 3,\n"
    "    \"args\": {\n"
    "      \"External id\": 2050,\"Input Dims\": [[64, 3], [], [\"a]\\\\\"]], \"Ev Idx\": 1\n"
    "    }\n"
    "  },\n"
    "  {\n"
    "    \"ph\": \"f\", \"id\": 1, \"pid\": 1102, \"tid\": 1262, \"ts\": 1712195495519695.812,\n"
    "    \"cat\": \"fwdbwd\", \"name\": \"fwdbwd\", \"bp\": \"e\"\n"
    "  },\n"
    "  {\n"
    "    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 1102, "
    "\"tid\": 1262,\n"
    "    \"ts\": 1712195495519690.147, \"dur\": 1.5,\n"
    "    \"args\": {\n"
    "      \"External id\": 112,      \"cbid\": 211, \"correlation\": 135071\n"
    "    }\n"
    "  },\n"
    "  {\n"
    "    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void at::native::vectorized_elementwise"
    "<4, at::native::{lambda(float)#1}, \\u0041rray<char*, 3> >(int, \xc3\xa9)\", \"pid\": 0, "
    "\"tid\": \"stream 7\",\n"
    "    \"ts\": 1712195495519700, \"dur\": 12.4,\n"
    "    \"args\": {\n"
    "      \"device\": 0, \"context\": 1,\n"
    "      \"stream\": 7, \"correlation\": 135071,\n"
    "      \"warps per SM\": 102.4, \"grid\": [4, 8, 32]\n"
    "    }\n"
    "  },\n"
    "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1102,"
    "\"tid\":1262,\"ts\":1712195495519700.5,\"args\":{\"Device Type\":1,\"Device Id\":0,"
    "\"Addr\":1,\"Bytes\":-512,\"Total Allocated\":1024}},\n"
    "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1102,"
    "\"tid\":1262,\"ts\":1712195495519701.5,\"args\":{\"Device Type\":1,\"Device Id\":0,"
    "\"Addr\":1,\"Bytes\":5120000000000,\"Total Allocated\":0}},\n"
    "{},{\"args\":{},\"ph\":\"X\",\"name\":\"odd \xff\x01\",\"ts\":\"7\",\"dur\":\"2.5\",\"pid\":"
    "\"12\",\"tid\":\"\",\"cat\":\"user_annotation\"},\r\n\t"
    "{\"name\": \"process_name\", \"ph\": \"M\", \"ts\": 1.5, \"pid\": 1102, \"tid\": 0,"
    " \"args\": {\"name\": \"python\"}},"
    "{\"ph\":\"X\",\"ph\":\"X\",\"cat\":\"weird\",\"name\":\"twice\",\"ts\":1,\"dur\":1,\"args\":"
    "{\"phase\":\"a\",\"phase\":\"b\",\"Call stack\":\"f;g\",\"Comms Id\":10159970886766084423}},"
    "{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"outer\",\"pid\":1,\"tid\":1,\"ts\":10},"
    "{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"inner\",\"pid\":1,\"tid\":1,\"ts\":11},"
    "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":12},{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":13}\n"
    "  ],\n"
    "  \"traceName\": \"t.json\",\n"
    "  \"INFO\": [\"x\", {\"y\": {\"z\": []}}],\n"
    "  \"baseTimeNanoseconds\": 1711964646000000000\n"
    "}\n";

static void tell(struct ot_str *log, size_t piece_len, const struct ot_kineto_trace_opts *opts)
{
    ot_str_clear(log);
    tell_trace(log, trace, sizeof(trace) - 1, piece_len, opts);
}

static const struct ot_kineto_trace_opts plainest = {.engine = &ot_kineto_scalar,
                                                     .learns_nothing = true};

static void the_plainest_reading_is_the_expected_one(void **state)
{
    (void)state;
    struct ot_str log = {0};
    tell(&log, sizeof(trace), &plainest);
    assert_string_equal(
        ot_str_borrow(&log),
        "op 1712195495519689047+63813 1102/1262 aten::add cat cpu_op sequence 18456 forward 1\n"
        "op 1712195495519690047+3000 1102/1262 aten::mul cat cpu_op "
        "shapes [[64, 3], [], [\"a]\\\\\"]]\n"
        "other 1712195495519695812\n"
        "runtime 1712195495519690147+1500 1102/1262 cudaLaunchKernel cat cuda_runtime "
        "correlation 135071\n"
        "device 1712195495519700000+12400 0/0 void at::native::vectorized_elementwise"
        "<4, at::native::{lambda(float)#1}, Array<char*, 3> >(int, \xc3\xa9) cat kernel "
        "thread stream 7 correlation 135071 device 0\n"
        "memory 1712195495519700500 1102/1262 -512 bytes cat cpu_instant_event device_type 1 "
        "device_id 0 total 1024\n"
        "memory 1712195495519701500 1102/1262 5120000000000 bytes cat cpu_instant_event "
        "device_type 1 device_id 0 total 0\n"
        "other 0\n"
        "annotation 7000+2500 12/0 odd \xef\xbf\xbd\xef\xbf\xbd cat user_annotation\n"
        "other 1500\n"
        "other 1000+1000 -1/0 twice cat weird phase b stack\n"
        "other 10000\n"
        "other 11000\n"
        "op 11000+1000 1/1 inner cat cpu_op\n"
        "op 10000+3000 1/1 outer cat cpu_op\n"
        "base 1711964646000000000\n"
        "rank 3\n"
        "world 8\n"
        "host node \xc3\xa9\n"
        "warning duplicate_key 1 event 11 (byte 2029)\n"
        "warning replaced_characters 1 event 9 (byte 1826)\n"
        "warning unknown_category 1 event 11 (byte 2029)\n");
    ot_str_release(&log);
}

/* The same events, whichever instructions, with guesses or without, and wherever a piece ends. */
static void every_engine_in_pieces_of_every_size_reads_the_same(void **state)
{
    (void)state;
    const struct ot_kineto_engine *engines[OT_KINETO_MAX_ENGINES + 1];
    ot_kineto_engines(engines);
    struct ot_str expected = {0};
    struct ot_str log = {0};
    tell(&expected, sizeof(trace), &plainest);
    for (size_t i = 0; engines[i]; i++) {
        for (size_t piece_len = 1; piece_len <= sizeof(trace); piece_len++) {
            for (int learns = 0; learns < 2; learns++) {
                struct ot_kineto_trace_opts opts = {.engine = engines[i],
                                                    .learns_nothing = !learns};
                tell(&log, piece_len, &opts);
                assert_string_equal(ot_str_borrow(&log), ot_str_borrow(&expected));
            }
        }
    }
    ot_str_release(&expected);
    ot_str_release(&log);
}

static void a_trace_cut_anywhere_ends_early_and_recovers_what_was_whole(void **state)
{
    (void)state;
    struct ot_str log = {0};
    for (size_t len = 0; len < sizeof(trace) - 2; len++) {
        struct ot_kineto_trace_opts opts = {.recover = len % 2};
        ot_str_clear(&log);
        int code = tell_trace(&log, trace, len, 64, &opts);
        const char *text = ot_str_borrow(&log);
        bool is_nothing = len == 0 || len == 3; /* but the mark */
        const char *expected = code == OT_END ? "truncated 1\n"
                               : is_nothing   ? "there is nothing in it"
                               : len < 3      ? "not a trace that can be read here"
                                              : "ends early, ";
        assert_non_null(strstr(text, expected));
    }
    ot_str_release(&log);
}

static void more_kinds_of_keys_than_can_be_learned(void **state)
{
    (void)state;
    struct ot_str text = {0};
    struct ot_str expected = {0};
    struct ot_str log = {0};
    ot_str_addf(&text, "[");
    for (int i = 0; i < 5000; i++)
        ot_str_addf(&text,
                    "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"n%d\",\"k%d\":%d,\"ts\":%d,"
                    "\"dur\":1,\"args\":{\"a%d\":1,\"b\":\"%d\",\"device\":%d}}",
                    i ? "," : "", i, i, i, i, i % 3000, i, i);
    ot_str_addf(&text, "]");
    const struct ot_kineto_trace_opts best = {0};
    tell_trace(&expected, text.bytes, text.len, 1000, &plainest);
    tell_trace(&log, text.bytes, text.len, 1000, &best);
    assert_string_equal(ot_str_borrow(&log), ot_str_borrow(&expected));
    ot_str_release(&text);
    ot_str_release(&expected);
    ot_str_release(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plainest_reading_is_the_expected_one),
        cmocka_unit_test(every_engine_in_pieces_of_every_size_reads_the_same),
        cmocka_unit_test(a_trace_cut_anywhere_ends_early_and_recovers_what_was_whole),
        cmocka_unit_test(more_kinds_of_keys_than_can_be_learned),
    };
    return RUN(tests);
}
