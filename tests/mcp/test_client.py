#!/usr/bin/env python3
"""optally mcp as the official SDK sees it: every tool, with arguments that are good and that are not.

usage: test_client.py OPTALLY
"""
import asyncio
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import support
from support import DATA, import_runs

try:
    import jsonschema
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.client import Client
    from mcp.client.stdio import stdio_client
except ImportError as missing:
    print(f"skipped: {missing} (tools/setup test installs what is missing)")
    sys.exit(77)

COMMAND = sys.argv.pop(1) if len(sys.argv) > 1 else "optally"
RESULT_BYTES = 256 << 10
TOOLS = {"list_runs", "import_trace", "tally", "analyze_pytorch", "diff", "query_sql", "trace_window",
         "operator_callers"}


def command_json(*args):
    return json.loads(subprocess.run([COMMAND, *args], check=True, capture_output=True).stdout)


class Tools(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory()
        cls.store = import_runs(COMMAND, cls.temp.name)

    @classmethod
    def tearDownClass(cls):
        cls.temp.cleanup()

    async def asyncSetUp(self):
        """A task of its own holds the session open, since its scopes have to end where they began."""
        self.closing = asyncio.Event()
        started = asyncio.get_running_loop().create_future()
        self.holder = asyncio.create_task(self.hold(started))
        self.session = await started

    async def hold(self, started):
        parameters = StdioServerParameters(command=COMMAND, args=["mcp", "--store", self.store, "--allow", str(DATA)])
        try:
            async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
                await session.initialize()
                started.set_result(session)
                await self.closing.wait()
        except BaseException as failure:
            if not started.done():
                started.set_exception(failure)
            raise

    async def asyncTearDown(self):
        self.closing.set()
        await self.holder

    async def call(self, tool, **arguments):
        """Page and result; the text says the same, and all of it is small."""
        answer = await self.session.call_tool(tool, arguments)
        self.assertFalse(answer.is_error, answer)
        self.assertEqual(json.loads(answer.content[0].text), answer.structured_content)
        self.assertLess(2 * len(answer.content[0].text), RESULT_BYTES)
        page = answer.structured_content["page"]
        self.assertEqual(page["truncated"], "next" in page)
        return page, answer.structured_content["result"]

    async def fail(self, code, tool, **arguments):
        answer = await self.session.call_tool(tool, arguments)
        self.assertTrue(answer.is_error, answer)
        self.assertEqual(answer.structured_content["code"], code, answer)
        self.assertTrue(answer.structured_content["remediation"], answer)
        return answer.structured_content["message"]

    async def all_rows(self, tool, rows_of, **arguments):
        """Follows `next` to the end."""
        rows = []
        for _ in range(1000):
            page, result = await self.call(tool, **arguments)
            rows += rows_of(result)
            if not page["truncated"]:
                return rows
            self.assertEqual(page["next"]["tool"], tool)
            self.assertIn("offset", page["how"])
            arguments = page["next"]["arguments"]
        raise AssertionError("there is no end")

    async def test_tools_have_schemas_and_say_what_they_do(self):
        tools = (await self.session.list_tools()).tools
        self.assertEqual({tool.name for tool in tools}, TOOLS)
        for tool in tools:
            for schema in tool.input_schema, tool.output_schema:
                jsonschema.Draft202012Validator.check_schema(schema)
            self.assertTrue(tool.title and tool.description)
            self.assertEqual(tool.annotations.read_only_hint, tool.name != "import_trace")
            for name, schema in tool.input_schema["properties"].items():
                self.assertIn("description", schema, f"{tool.name}: {name}")

    async def test_requests_that_stand_alone_are_served_too(self):
        parameters = StdioServerParameters(command=COMMAND, args=["mcp", "--store", self.store])
        async with Client(stdio_client(parameters)) as client:
            self.assertEqual(client.session.protocol_version, "2026-07-28")
            self.assertEqual({tool.name for tool in (await client.list_tools()).tools}, TOOLS)
            answer = await client.call_tool("list_runs", {})
            self.assertEqual(answer.structured_content["page"]["total"], 3)

    async def test_list_runs(self):
        page, result = await self.call("list_runs")
        self.assertEqual([run["name"] for run in result["runs"]], ["plain", "training", "job"])
        self.assertEqual((page["total"], page["returned"], page["truncated"]), (3, 3, False))
        page, result = await self.call("list_runs", labels={"kind": "large"})
        self.assertEqual([run["name"] for run in result["runs"]], ["training"])
        page, result = await self.call("list_runs", limit=1, offset=1)
        self.assertEqual([run["name"] for run in result["runs"]], ["training"])
        self.assertEqual((page["total"], page["truncated"], page["next"]["arguments"]["offset"]), (3, True, 2))
        runs = await self.all_rows("list_runs", lambda result: result["runs"], limit=2)
        self.assertEqual([run["name"] for run in runs], ["plain", "training", "job"])
        await self.fail("bad_input", "list_runs", commit="0123456789")

    async def test_analyze_counts_all_whatever_the_limit(self):
        whole = command_json("analyze", "--store", self.store, "--json", "--limit", "all", "--", "training")
        page, result = await self.call("analyze_pytorch", input="training", limit=3, small_limit=0)
        self.assertEqual(result["aggregates"], whole["aggregates"])
        self.assertEqual(result["operators"]["rows"], whole["operators"]["rows"][:3])
        self.assertEqual(page["total"], whole["operators"]["total"])
        rows = await self.all_rows("analyze_pytorch", lambda result: result["operators"]["rows"], input="training",
                                   limit=20)
        self.assertEqual(rows, whole["operators"]["rows"])

    async def test_a_run_with_several_sessions_asks_which(self):
        message = await self.fail("several_sessions", "analyze_pytorch", input="job")
        self.assertIn("2 sessions", message)
        _, first = await self.call("analyze_pytorch", input="job:rank0")
        _, second = await self.call("analyze_pytorch", input="job:#1")
        _, both = await self.call("analyze_pytorch", input="job", all_sessions=True)
        events = [result["population"]["events"] for result in (first, second, both)]
        self.assertEqual(events[0] + events[1], events[2])
        await self.fail("bad_input", "analyze_pytorch", input="job:rank7")
        await self.fail("bad_input", "tally", input="no such run")

    async def test_tally(self):
        whole = command_json("tally", "--store", self.store, "--json", "--sort", "self", "--", "training")
        rows = await self.all_rows("tally", lambda result: result["sections"][0]["rows"], input="training", limit=5,
                                   sort="self")
        self.assertEqual(rows, whole["sections"][0]["rows"])
        _, result = await self.call("tally", input="training", limit=1)
        self.assertEqual(result["sections"][0]["totals"], whole["sections"][0]["totals"])
        _, of_file = await self.call("tally", input=str(DATA / "training_memory_shapes.json.gz"), limit=1)
        self.assertEqual(of_file["sections"], result["sections"])
        await self.fail("not_allowed", "tally", input="/etc/passwd")

    async def test_diff(self):
        _, result = await self.call("diff", baseline=["plain"], candidate=["training"], limit=3)
        self.assertTrue(result["schema"].startswith("optally.diff/"))
        _, result = await self.call("diff", baseline=["job:rank0"], candidate=["job:rank1"])
        await self.fail("bad_input", "diff", baseline=["plain"], candidate=["no such run"])
        await self.fail("not_allowed", "diff", baseline=["plain"], candidate=["--fail-above=1%"])
        await self.fail("invalid_arguments", "diff", baseline=[], candidate=["plain"])
        await self.fail("invalid_arguments", "diff", baseline=["plain"], candidate=[str(DATA / "plain.json")])

    async def test_query_sql(self):
        page, result = await self.call("query_sql", sql="SELECT range AS n FROM range(7) ORDER BY n", limit=3)
        self.assertEqual([row["n"] for row in result["rows"]], [0, 1, 2])
        self.assertEqual((page["total"], page["returned"]), (7, 3))
        rows = await self.all_rows("query_sql", lambda result: result["rows"], limit=4,
                                   sql="SELECT range AS n FROM range(7) ORDER BY n")
        self.assertEqual([row["n"] for row in rows], list(range(7)))
        _, result = await self.call("query_sql", sql="-- a comment\nSELECT 170141183460469231731687303715884105727 AS "
                                                     "wide, 0.1::DOUBLE + 0.2::DOUBLE AS sum, 'it''s' AS \"t\"")
        self.assertEqual(result["rows"], [{"wide": 170141183460469231731687303715884105727,
                                           "sum": 0.30000000000000004, "t": "it's"}])
        message = await self.fail("usage", "query_sql", sql="SELECT nothing FROM nowhere")
        self.assertIn("nowhere", message)
        for sql in ("DROP VIEW runs", "CREATE TABLE x AS SELECT 1", "COPY runs TO '/tmp/x'", "SELECT 1; SELECT 2",
                    "SELECT * FROM read_text('/etc/passwd')", "ATTACH '/tmp/x.db'", "INSTALL httpfs", "--help", "-f"):
            with self.subTest(sql=sql):
                answer = await self.session.call_tool("query_sql", {"sql": sql})
                self.assertTrue(answer.is_error, answer)

    async def test_large_results_are_cut_and_can_be_continued(self):
        sql = "SELECT range AS n, repeat('\"x\\', 500) AS wide FROM range(160) ORDER BY n"
        page, result = await self.call("query_sql", sql=sql, limit=10000)
        self.assertTrue(page["cut_to_size"] and page["truncated"])
        self.assertEqual(page["total"], 160)
        self.assertEqual(result["returned"], page["returned"])
        self.assertTrue(result["truncated"])
        self.assertGreater(page["returned"], 10)
        rows = await self.all_rows("query_sql", lambda result: result["rows"], sql=sql, limit=10000)
        self.assertEqual([row["n"] for row in rows], list(range(160)))
        await self.fail("too_large", "query_sql", sql="SELECT repeat('x', 1000000) AS wide")
        await self.fail("too_large", "query_sql", sql="SELECT repeat('x', 1000000) FROM range(70)", limit=1000)

    async def test_trace_window(self):
        page, whole = await self.call("trace_window", input="training", start_ns=-10**18, end_ns=10**18, limit=1000)
        self.assertFalse(page["truncated"])
        events = whole["events"]["rows"]
        self.assertEqual(len(events), page["total"])
        slices = (await self.call("query_sql", sql="SELECT count(*) AS n FROM slices JOIN members USING (session) "
                                                   "WHERE run = (SELECT run FROM runs WHERE name = 'training')"))[1]
        self.assertEqual(page["total"], slices["rows"][0]["n"])
        at = [event["at_ns"] for event in events]
        self.assertEqual(at, sorted(at))
        middle = at[len(at) // 2]
        page, result = await self.call("trace_window", input="training", around_ns=middle, width_ns=100_000)
        begin, end = middle - 50_000, middle + 50_000
        inside = [event for event in events if event["at_ns"] < end and
                  event["at_ns"] + max(event["dur_ns"], 1) > begin]
        self.assertEqual((result["start_ns"], result["end_ns"]), (begin, end))
        self.assertEqual(page["total"], len(inside))
        self.assertEqual(result["events"]["rows"], inside[:100])
        rows = await self.all_rows("trace_window", lambda result: result["events"]["rows"], input="training", limit=40,
                                   around_ns=middle, width_ns=100_000)
        self.assertEqual(rows, inside)
        page, result = await self.call("trace_window", input="training", start_ns=0, end_ns=10**15, kinds=["device"])
        self.assertEqual(result["events"], {"total": 0, "returned": 0, "truncated": False, "rows": []})
        page, _ = await self.call("trace_window", input="training", start_ns=0, end_ns=10**15, offset=10**9)
        self.assertEqual((page["returned"], page["truncated"]), (0, False))
        page, _ = await self.call("trace_window", input="job", start_ns=0, end_ns=10**9, all_sessions=True)
        self.assertGreater(page["total"], 0)
        for wrong in ({"start_ns": 1}, {"end_ns": 1}, {"start_ns": 5, "end_ns": 5}, {"width_ns": 5}, {},
                      {"around_ns": 1, "start_ns": 1, "end_ns": 2}, {"around_ns": -2**63, "width_ns": 10},
                      {"around_ns": 2**63 - 1}):
            await self.fail("invalid_arguments", "trace_window", input="training", **wrong)
        await self.fail("several_sessions", "trace_window", input="job", around_ns=0)
        await self.fail("bad_input", "trace_window", input="'; DROP VIEW slices; --", around_ns=0)

    async def test_operator_callers(self):
        _, result = await self.call("operator_callers", input="training", operator="aten::addmm")
        _, whole = await self.call("trace_window", input="training", start_ns=-10**18, end_ns=10**18, limit=1000)
        events = whole["events"]["rows"]
        calls = [event for event in events if event["name"] == "aten::addmm"]
        self.assertEqual(result["operator"]["calls"], len(calls))
        self.assertEqual(result["operator"]["inclusive_ns"], sum(event["dur_ns"] for event in calls))
        callers = {row["name"]: row["calls"] for row in result["callers"]["rows"]}
        self.assertEqual(sum(callers.values()), len(calls))
        for name, n in callers.items():
            self.assertEqual(n, sum((event["caller"] or "") == name for event in calls))
        callees = {row["name"]: row["inclusive_ns"] for row in result["callees"]["rows"]}
        self.assertTrue(callees)
        for name, inclusive_ns in callees.items():
            self.assertEqual(inclusive_ns, sum(event["dur_ns"] for event in events
                                               if event["caller"] == "aten::addmm" and event["name"] == name))
        names = await self.all_rows("operator_callers", lambda result: [row["name"] for row in
                                                                        result["callees"]["rows"]],
                                    input="training", operator="aten::addmm", limit=2)
        self.assertEqual(names, list(callees))
        message = await self.fail("unknown_operator", "operator_callers", input="training", operator="aten::addm")
        self.assertIn("aten::addmm", message)
        message = await self.fail("unknown_operator", "operator_callers", input="plain", operator="MM")
        self.assertIn("there is: aten::mm,", message)
        await self.fail("unknown_operator", "operator_callers", input="training", operator="it's \"\\ \n ; --")

    async def test_import(self):
        before = (await self.call("list_runs"))[0]["commit"]
        _, result = await self.call("import_trace", paths=[str(DATA / "stacks_modules.json.gz")], name="stacks",
                                    labels={"by": "an agent"})
        self.assertEqual([run["name"] for run in result["runs"]], ["stacks"])
        page, result = await self.call("list_runs", labels={"by": "an agent"})
        self.assertEqual(len(result["runs"]), 1)
        self.assertNotEqual(page["commit"], before)
        page, _ = await self.call("list_runs", commit=before)
        self.assertEqual((page["total"], page["commit"]), (3, before))
        subprocess.run([COMMAND, "rm", "--store", self.store, "stacks"], check=True, capture_output=True)
        await self.fail("not_allowed", "import_trace", paths=[str(DATA / "plain.json"), "/etc/passwd"])
        await self.fail("invalid_arguments", "import_trace", paths=[])
        await self.fail("invalid_arguments", "import_trace", paths=["x"], link=True)

    async def test_a_pinned_server_answers_from_its_commit_alone(self):
        commit = (await self.call("list_runs"))[0]["commit"]
        pipe = support.Pipe(COMMAND, "--store", self.store, "--commit", commit[:12])
        self.addCleanup(pipe.close)
        subprocess.run([COMMAND, "import", "--store", self.store, "--name", "later", "--", DATA / "compiled.json.gz"],
                       check=True, capture_output=True)
        self.addCleanup(subprocess.run, [COMMAND, "rm", "--store", self.store, "later"], check=True,
                        capture_output=True)
        page = pipe.call("list_runs")["structuredContent"]["page"]
        self.assertEqual((page["total"], page["commit"]), (3, commit))
        page = pipe.call("list_runs", commit=commit)["structuredContent"]["page"]
        self.assertEqual(page["total"], 3)
        newest = (await self.call("list_runs"))[0]["commit"]
        self.assertNotEqual(newest, commit)
        self.assertEqual(pipe.call("tally", input="plain", commit=newest)["structuredContent"]["code"], "pinned")
        self.assertEqual(pipe.call("tally", input="later")["structuredContent"]["code"], "bad_input")
        # An import would not be seen here.
        self.assertNotIn("import_trace", [tool["name"] for tool in pipe.ask("tools/list")["result"]["tools"]])
        failure = pipe.call("import_trace", paths=[str(DATA / "plain.json")])["structuredContent"]
        self.assertEqual(failure["code"], "read_only")

    async def test_the_name_of_a_run_may_look_like_a_path(self):
        subprocess.run([COMMAND, "import", "--store", self.store, "--name", "a/b", "--", DATA / "threads_fork.json.gz"],
                       check=True, capture_output=True)
        self.addCleanup(subprocess.run, [COMMAND, "rm", "--store", self.store, "a/b"], check=True, capture_output=True)
        _, result = await self.call("analyze_pytorch", input="a/b", limit=1)
        self.assertEqual(result["schema"], "optally.analysis/1")
        await self.fail("not_allowed", "analyze_pytorch", input="a/c")

    async def test_a_file_that_has_the_name_of_a_run_is_not_the_run(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "plain").write_text("not a trace")
            pipe = support.Pipe(COMMAND, "--store", self.store, cwd=folder)
            self.addCleanup(pipe.close)
            for tool in "tally", "analyze_pytorch":
                self.assertFalse(pipe.call(tool, input="plain")["isError"])


if __name__ == "__main__":
    unittest.main()
