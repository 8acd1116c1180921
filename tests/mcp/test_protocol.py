#!/usr/bin/env python3
"""optally mcp on a raw pipe: what is malformed, cancelled, too long, not allowed or never read.

usage: test_protocol.py OPTALLY
"""
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

import support
from support import DATA, Pipe, eventually

COMMAND = sys.argv.pop(1) if len(sys.argv) > 1 else "optally"


# Runs for hours.
SLOW = {"name": "query_sql", "arguments": {"sql": "SELECT count(*) FROM range(10000000000) a, range(1000) b "
                                                  "WHERE a.range % 7 = b.range % 5"}}


class Protocol(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temp.name).resolve()
        cls.store = str(cls.folder / "store")
        subprocess.run([COMMAND, "init", cls.store], check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.temp.cleanup()

    def pipe(self, *args, **kwargs):
        pipe = Pipe(COMMAND, *args, **kwargs)
        self.addCleanup(lambda: pipe.process.poll() is None and pipe.close())
        return pipe

    def assert_failed(self, result, code):
        self.assertTrue(result["isError"], result)
        self.assertEqual(result["structuredContent"]["code"], code)
        self.assertEqual(json.loads(result["content"][0]["text"]), result["structuredContent"])
        self.assertTrue(result["structuredContent"]["message"])

    def test_handshake_takes_the_revision_of_the_client(self):
        pipe = self.pipe()
        for version in "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25":
            result = pipe.ask("initialize", {"protocolVersion": version, "capabilities": {}})["result"]
            self.assertEqual(result["protocolVersion"], version)
        result = pipe.ask("initialize", {"protocolVersion": "1999-01-01"})["result"]
        self.assertEqual(result["protocolVersion"], "2025-11-25")
        self.assertEqual(result["serverInfo"]["name"], "optally")
        self.assertEqual(result["capabilities"], {"tools": {}})
        self.assertIn("never what was counted", result["instructions"])
        self.assertEqual(pipe.close()[0], 0)

    def test_a_request_that_stands_alone_names_a_revision_that_is_served(self):
        pipe = self.pipe()
        meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                          "io.modelcontextprotocol/clientCapabilities": {}}}
        result = pipe.ask("server/discover", meta)["result"]
        self.assertIn("2026-07-28", result["supportedVersions"])
        self.assertEqual(result["resultType"], "complete")
        self.assertEqual(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "optally")
        meta["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2099-01-01"
        error = pipe.ask("tools/list", meta)["error"]
        self.assertEqual(error["code"], -32022)
        self.assertEqual(error["data"]["requested"], "2099-01-01")

    def test_malformed_messages_are_errors_and_the_next_is_answered(self):
        cases = [
            (b"garbage", -32700, None),
            (b"\xff\xfe", -32700, None),
            (b'{"jsonrpc": "2.0", "id": 1', -32700, None),
            (b'{"a":' * 3000, -32700, None),
            (b'{"jsonrpc": "2.0", "id": 1-+.e..5, "method": "ping"}', -32700, None),
            (b'{"jsonrpc": "2.0", "id": 1.0, "method": "ping"}', -32600, None),
            (b"[]", -32600, None),
            (b"3", -32600, None),
            (b'{"id": 4, "method": "ping"}', -32600, 4),
            (b'{"jsonrpc": "1.0", "id": "a", "method": "ping"}', -32600, "a"),
            (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, None),
            (b'{"jsonrpc": "2.0", "id": [1], "method": "ping"}', -32600, None),
            (b'{"jsonrpc": "2.0", "id": 5, "method": 6}', -32600, 5),
            (b'{"jsonrpc": "2.0", "id": 5, "method": "pi\\u0000ng"}', -32600, 5),
            (b'{"jsonrpc": "2.0", "id": 6, "method": "nope"}', -32601, 6),
            (b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": []}', -32602, 7),
            (b'{"jsonrpc": "2.0", "id": 8, "method": "tools/call"}', -32602, 8),
            (b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "nope"}}', -32602, 9),
            (b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "tally", "arguments": 1}}',
             -32602, 9),
        ]
        pipe = self.pipe()
        for line, code, ident in cases:
            with self.subTest(line=line[:60]):
                pipe.send(line)
                reply = pipe.receive()
                self.assertEqual((reply["error"]["code"], reply["id"]), (code, ident))
                self.assertEqual(pipe.ask("ping"), {"jsonrpc": "2.0", "id": 1, "result": {}})

    def test_what_needs_no_answer_gets_none(self):
        pipe = self.pipe()
        for line in (b"", b"  \r", b'{"jsonrpc": "2.0", "id": 1, "result": {}}',
                     b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
                     b'{"jsonrpc": "2.0", "method": "notifications/unheard_of", "params": [1]}',
                     b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}}'):
            pipe.send(line)
        self.assertEqual(pipe.ask("ping", ident="x")["id"], "x")

    def test_ids_come_back_as_they_were(self):
        pipe = self.pipe()
        for ident in 0, -1, 2**53 + 1, 2**63 - 1, 2**70, "", "ä\n\"", "1.5":
            self.assertEqual(pipe.ask("ping", ident=ident)["id"], ident)
        pipe.send(b'{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}')
        self.assertEqual(pipe.receive()["id"], 123456789012345678901234567890)

    def test_a_line_that_is_too_long_is_passed_by(self):
        pipe = self.pipe()
        pipe.send(b'{"x": "' + b"a" * (17 << 20) + b'"}')
        self.assertEqual(pipe.receive()["error"]["code"], -32700)
        self.assertEqual(pipe.ask("ping")["result"], {})
        peak = pathlib.Path(f"/proc/{pipe.process.pid}/status").read_text()
        self.assertLess(int(peak.split("VmHWM:")[1].split()[0]), 80 << 10)  # KiB

    def test_no_file_can_be_named_unless_its_folder_is_allowed(self):
        pipe = self.pipe(cwd=DATA)
        for path in str(DATA / "plain.json"), "./plain.json", "../kineto/plain.json", "-":
            result = pipe.call("tally", input=path)
            self.assert_failed(result, "not_allowed")
        self.assertIn("--allow", result["structuredContent"]["remediation"][0])
        self.assert_failed(pipe.call("import_trace", paths=[str(DATA / "plain.json")]), "not_allowed")
        # Without a slash it can only be a run.
        self.assert_failed(pipe.call("tally", input="plain.json"), "bad_input")

    def test_paths_cannot_leave_what_is_allowed(self):
        inside = self.folder / "inside"
        outside = self.folder / "outside"
        (inside / "sub").mkdir(parents=True)
        outside.mkdir()
        for folder in inside, outside:
            (folder / "trace.json").write_bytes((DATA / "plain.json").read_bytes())
        (inside / "link.json").symlink_to(outside / "trace.json")
        (inside / "out").symlink_to(outside)
        (inside / "sub" / "back.json").symlink_to("../trace.json")
        (inside / "holds_link").mkdir()
        (inside / "holds_link" / "x.json").symlink_to("/etc/hostname")
        os.mkfifo(inside / "fifo")
        (self.folder / "inside-not").mkdir()
        (self.folder / "inside-not" / "trace.json").write_bytes(b"{}")
        pipe = self.pipe("--allow", str(inside), cwd=inside)
        for path in ("trace.json", "./trace.json", "sub/../trace.json", "sub/back.json", str(inside / "trace.json")):
            with self.subTest(path=path):
                result = pipe.call("tally", input=path, limit=1)
                self.assertFalse(result["isError"], result)
                self.assertEqual(result["structuredContent"]["page"]["returned"], 1)
        for path in ("../outside/trace.json", "./link.json", "out/trace.json", str(outside / "trace.json"), "/etc/passwd",
                     "/etc/no_such_file", "holds_link/", "./holds_link", "./fifo", "/dev/stdin", "/proc/self/environ",
                     str(self.folder / "inside-not" / "trace.json"), "-", "./-", "-o", "--store=/x", "--recover"):
            with self.subTest(path=path):
                code = "not_found" if path == "./-" else "not_allowed"
                self.assert_failed(pipe.call("tally", input=path), code)
                self.assert_failed(pipe.call("analyze_pytorch", input=path), code)
                self.assert_failed(pipe.call("diff", baseline=[path], candidate=["trace.json"]), code)
        self.assert_failed(pipe.call("tally", input="./no_such_file.json"), "not_found")

    def test_arguments_are_held_to_the_schema(self):
        pipe = self.pipe("--allow", str(DATA))
        plain = str(DATA / "plain.json")
        for arguments in ({}, {"input": 1}, {"input": ""}, {"input": plain, "limit": 0}, {"input": plain, "limit": "2"},
                          {"input": plain, "limit": 10**30}, {"input": plain, "limit": 1.0}, {"input": "a\0b"},
                          {"input": "\x01" + plain}, {"input": plain, "sort": "--csv"}, {"input": plain, "extra": 1},
                          {"input": plain, "all_sessions": "yes"}, {"input": "x" * 5000}, {"input": plain, "\x01": 1}):
            with self.subTest(arguments=str(arguments)[:60]):
                self.assert_failed(pipe.call("tally", **arguments), "invalid_arguments")
        pipe = self.pipe("--store", self.store)
        self.assert_failed(pipe.call("list_runs", labels={"a=b": "c"}), "invalid_arguments")
        for labels in {"\x01": "c"}, {"": "c"}, {"a": "\x01"}, {str(i): "c" for i in range(65)}, {"a" * 201: "c"}:
            self.assert_failed(pipe.call("list_runs", labels=labels), "invalid_arguments")

    def test_why_a_verb_cannot_be_started_is_said(self):
        few = lambda: resource.setrlimit(resource.RLIMIT_STACK, (512 << 10, resource.RLIM_INFINITY))  # noqa: E731
        pipe = self.pipe("--store", self.store, preexec_fn=few)
        result = pipe.call("list_runs", labels={str(i): "\U0001f600" * 1000 for i in range(64)})
        self.assert_failed(result, "failed")
        self.assertIn("cannot be started: Argument list too long", result["structuredContent"]["message"])

    def test_a_server_that_was_started_with_children_ignored_sees_them_end(self):
        pipe = self.pipe("--store", self.store, "--timeout", "10",
                         preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertFalse(pipe.call("list_runs")["isError"])

    def test_a_folder_with_too_many_files_is_not_walked_through(self):
        folder = self.folder / "many"
        folder.mkdir()
        (folder / "0").touch()
        for i in range(20000):
            os.link(folder / "0", folder / f"n{i}")
        pipe = self.pipe("--allow", str(folder))
        self.assert_failed(pipe.call("tally", input=str(folder)), "too_many_files")
        (folder / "0").unlink()
        self.assert_failed(pipe.call("tally", input=str(folder)), "bad_input")

    def test_output_is_bounded_before_it_is_parsed(self):
        pipe = self.pipe("--store", self.store)
        result = pipe.call("query_sql", sql="SELECT range AS a FROM range(2000000) ORDER BY a", limit=10, offset=1500000)
        self.assert_failed(result, "too_large")
        self.assertIn("smaller \"offset\"", result["structuredContent"]["remediation"][0])

    def test_a_verb_that_fails_is_a_result_that_says_why(self):
        (self.folder / "bad.json").write_text('{"traceEvents": [ nonsense')
        pipe = self.pipe("--allow", str(self.folder))
        result = pipe.call("tally", input=str(self.folder / "bad.json"))
        self.assert_failed(result, "bad_input")
        self.assertIn("bad.json", result["structuredContent"]["message"])

    def test_numbers_arrive_exactly(self):
        trace = self.folder / "wide.json"
        trace.write_text('{"traceEvents": [' + ", ".join(
            f'{{"ph": "X", "cat": "cpu_op", "name": "\\u0001{i}", "pid": 1, "tid": {i}, "ts": 0, "dur": 300000000000000}}'
            for i in range(3)) + ', {"ph": "X", "cat": "cpu_op", "name": "third", "pid": 1, "tid": 9, "ts": 0, "dur": 0.001},'
            '{"ph": "X", "cat": "cpu_op", "name": "third", "pid": 1, "tid": 9, "ts": 1, "dur": 0.001},'
            '{"ph": "X", "cat": "cpu_op", "name": "third", "pid": 1, "tid": 9, "ts": 2, "dur": 0.002}]}')
        pipe = self.pipe("--allow", str(self.folder))
        pipe.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                   "params": {"name": "tally", "arguments": {"input": str(trace)}}})
        reply = pipe.receive()
        self.assertFalse(reply["result"]["isError"])
        rows = reply["result"]["structuredContent"]["result"]["sections"][0]["rows"]
        self.assertEqual({row["name"]: row["inclusive_ns"] for row in rows}["third"], 4)
        self.assertIn('"mean_ns":1.333', reply["result"]["content"][0]["text"])

    def start_slow(self, pipe, ident):
        """The child that works on it."""
        pipe.send({"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": SLOW})
        self.assertTrue(eventually(lambda: support.children_of(pipe.process.pid)))
        return support.children_of(pipe.process.pid)[0]

    def test_a_cancelled_call_ends_and_is_not_answered(self):
        pipe = self.pipe("--store", self.store)
        child = self.start_slow(pipe, "runs")
        pipe.send({"jsonrpc": "2.0", "id": "waits", "method": "tools/call", "params": SLOW})
        self.assertEqual(pipe.ask("ping", ident="while it runs")["id"], "while it runs")
        self.assertTrue(support.is_running(child))
        for ident in "waits", "runs":
            pipe.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ident}})
        self.assertTrue(eventually(lambda: not support.is_running(child)))
        self.assertEqual(pipe.ask("ping", ident="after")["id"], "after")
        self.assertEqual(support.children_of(pipe.process.pid), [])
        self.assertIsNone(pipe.receive(0.1))

    def test_an_id_can_be_used_again_only_when_it_is_answered(self):
        pipe = self.pipe("--store", self.store)
        self.start_slow(pipe, 1)
        pipe.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": SLOW})
        self.assertEqual(pipe.receive()["error"]["code"], -32600)
        pipe.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        self.assertFalse(pipe.call("list_runs", ident=1)["isError"])

    def test_a_call_that_takes_too_long_is_ended(self):
        pipe = self.pipe("--store", self.store, "--timeout", "1")
        self.start_slow(pipe, 1)
        self.assert_failed(pipe.receive()["result"], "timeout")
        self.assertEqual(support.children_of(pipe.process.pid), [])

    def test_nothing_is_left_when_the_client_or_the_server_ends(self):
        for how in "killed", "terminated", "gone":
            with self.subTest(how=how):
                pipe = Pipe(COMMAND, "--store", self.store)
                child = self.start_slow(pipe, 1)
                if how == "gone":
                    pipe.process.stdout.close()
                else:
                    pipe.process.send_signal(signal.SIGKILL if how == "killed" else signal.SIGTERM)
                status, _ = pipe.close()
                self.assertEqual(status, {"gone": 0, "killed": -9, "terminated": -15}[how])
                self.assertTrue(eventually(lambda: not support.is_running(child)))

    def test_what_was_asked_is_answered_after_the_end_of_the_input(self):
        asked = [{"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": params} for ident, params in
                 ((1, {"name": "list_runs"}), (2, SLOW), (3, {"name": "list_runs", "arguments": {"limit": 1}}))]
        done = subprocess.run([COMMAND, "mcp", "--store", self.store, "--timeout", "1"], capture_output=True, timeout=60,
                              input="\n".join(map(json.dumps, asked)).encode())  # the last line has no end
        replies = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([(reply["id"], reply["result"]["isError"]) for reply in replies],
                         [(1, False), (2, True), (3, False)])
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_a_client_that_does_not_read_costs_little_and_holds_up_nothing(self):
        pipe = self.pipe()
        for i in range(2000):
            pipe.send({"jsonrpc": "2.0", "id": i, "method": "ping"})
        for i in range(2000):
            self.assertEqual(pipe.receive()["id"], i)
        self.assertEqual(pipe.close()[0], 0)

    def test_only_the_protocol_is_on_standard_output(self):
        pipe = self.pipe("--allow", str(DATA))
        pipe.send(b"nonsense")
        self.assertEqual(pipe.receive()["error"]["code"], -32700)
        status, said = pipe.close()
        self.assertEqual((status, said), (0, "optally mcp: a message was refused: it is malformed\n"))

    def test_a_command_line_that_makes_no_sense_is_refused(self):
        for args, status in ((["--allow", "/no/such"], 1), (["--allow", "/etc/passwd"], 1), (["--timeout", "0"], 2),
                             (["extra"], 2), (["--nonsense"], 2)):
            with self.subTest(args=args):
                pipe = Pipe(COMMAND, *args)
                got, said = pipe.close()
                self.assertEqual(got, status)
                self.assertEqual(said.count("\n"), 1, said)

    def test_read_only_has_no_import(self):
        pipe = self.pipe("--read-only", "--allow", str(DATA))
        names = [tool["name"] for tool in pipe.ask("tools/list")["result"]["tools"]]
        self.assertNotIn("import_trace", names)
        self.assert_failed(pipe.call("import_trace", paths=[str(DATA / "plain.json")]), "read_only")


if __name__ == "__main__":
    unittest.main()
