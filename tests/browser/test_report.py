#!/usr/bin/python3
"""A report in a real Chromium.

    test_report.py OPTALLY [TRACE...] [--screenshots FOLDER]

With a TRACE, the pages of those are opened, and how long that took is printed. Exit 77 where there is no
browser, or no such TRACE.
"""
import argparse
import contextlib
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "analysis"))

import browser  # noqa: E402
from support import Trace  # noqa: E402

OPTALLY = ""
SCREENSHOTS = None
TRACES = []
WIDTHS = (360, 768, 1600)
MARKUP = "</script><img src=x onerror=window.hurt=1>\"'&\u2028\x01"
ROWS = """return [...document.querySelectorAll("#operators-table tbody tr")].filter((row) => !row.hidden)
          .map((row) => [...row.cells].map((cell) => cell.dataset.v ?? cell.textContent))"""


def training():
    """Two threads and a device; a name of markup, and one that is long."""
    trace = Trace(distributedInfo={"rank": 0, "world_size": 1}, deviceProperties=[{"id": 0, "name": MARKUP}])
    names = ["aten::linear", "aten::relu", MARKUP, "autograd::engine::evaluate_function: " + "AddmmBackward0" * 9]
    for step in range(40):
        at = step * 10_000_000
        name = names[step % len(names)]
        trace.slice("op", name, at, 2_000_000 + 1000 * step, **{"Input Dims": [[step % 5, 64], [64, 64]]})
        trace.slice("op", "aten::addmm", at + 100_000, 1_500_000)
        trace.slice("runtime", "cudaLaunchKernel", at + 200_000, 300_000, correlation=step + 1)
        trace.slice("device", "sgemm", at + 500_000, 7_000_000, pid=0, tid=7, correlation=step + 1)
        trace.slice("op", "aten::mul", at + 5_000_000, 900_000, tid=2)
        trace.memory(at + 300_000, 1024 * (step + 1), device=(1, 0))
        trace.memory(at + 8_000_000, -1024 * step, device=(1, 0))
    return trace


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.folder = pathlib.Path(cls.stack.enter_context(tempfile.TemporaryDirectory()))
        cls.page = cls.stack.enter_context(browser.Browser())
        cls.report = cls.write("report.html", training().write(cls.folder / "trace.json"))

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    @classmethod
    def write(cls, name, *arguments):
        path = cls.folder / name
        subprocess.run([OPTALLY, "report", "-o", path, *arguments], check=True, capture_output=True)
        return path

    def setUp(self):
        self.page.media()
        self.page.size(1280, 900)
        self.page.open(self.report)

    def tearDown(self):
        self.assertEqual(self.page.errors(), [])

    def keep(self, name, whole=True):
        if SCREENSHOTS:
            self.page.screenshot(SCREENSHOTS / f"{name}.png", whole=whole)

    def head(self, title):
        return self.page.run("""return [...document.querySelectorAll("#operators-table thead th")]
            .find((head) => head.textContent === arguments[0])""", title)

    def column(self, title):
        number = self.page.run("return arguments[0].cellIndex", self.head(title))
        return [row[number] for row in self.page.run(ROWS)]

    def sort(self, title):
        self.page.run("arguments[0].querySelector('button').click()", self.head(title))
        return self.head(title).get_attribute("aria-sort")

    def filter(self, text="", kind=""):
        self.page.run("""
            const [text, kind] = ["filter-text", "filter-kind"].map((id) => document.getElementById(id));
            text.value = arguments[0];
            kind.value = arguments[1];
            text.dispatchEvent(new Event("input"));""", text, kind)
        return [row[0] for row in self.page.run(ROWS)]

    def shown(self):
        return self.page.run("return document.getElementById('operators-shown').textContent")

    def test_each_column_sorts_both_ways_and_back(self):
        titles = self.page.run("""return [...document.querySelectorAll("#operators-table thead th")]
            .map((head) => head.textContent)""")
        self.assertEqual(titles[:4], ["Name", "Kind", "Calls", "Self"])
        self.assertEqual(self.head("Inclusive").get_attribute("aria-sort"), "descending")
        for title in titles:
            key = str if title in ("Name", "Kind") else int
            for _ in range(2):
                order = self.sort(title)
                values = [key(value) for value in self.column(title) if value]
                self.assertEqual(values, sorted(values, reverse=order == "descending"), (title, order))
                rest = self.column(title)[len(values):]
                self.assertEqual(rest, [""] * len(rest), f"{title}: what has no value is last")
            self.assertEqual(self.page.run(
                "return document.querySelectorAll('#operators-table [aria-sort]').length"), 1)

    def test_sorting_is_exact_beyond_what_a_double_holds(self):
        trace = Trace()
        for number in (3, 1, 4, 2):
            trace.slice("op", f"op{number}", 10, 9_007_199_254_740_992 + number, tid=number)
        self.page.open(self.write("long.html", trace.write(self.folder / "long.json")))
        self.sort("Self")
        self.assertEqual(self.column("Name"), ["op4", "op3", "op2", "op1"])

    def test_a_column_sorts_from_the_keyboard(self):
        self.page.run("arguments[0].querySelector('button').focus()", self.head("Calls"))
        self.page.press("ENTER")
        self.assertEqual(self.head("Calls").get_attribute("aria-sort"), "descending")
        self.page.press("TAB", "SPACE")
        self.assertEqual(self.head("Self").get_attribute("aria-sort"), "descending")
        self.page.press("SPACE")
        self.assertEqual(self.head("Self").get_attribute("aria-sort"), "ascending")

    def test_what_is_filtered_out_is_counted_all_the_same(self):
        foot = "return document.querySelector('#operators-table tfoot').textContent"
        before, everything = self.page.run(foot), self.shown()
        self.assertEqual(sorted(self.filter("ATEN::")), ["aten::addmm", "aten::linear", "aten::mul", "aten::relu"])
        self.assertTrue(self.shown().startswith("4 of 8 rows match."), self.shown())
        self.assertNotIn("--limit", self.shown())
        self.assertEqual(self.filter("aten::", "device"), [])
        self.assertEqual(self.filter("", "device"), ["sgemm"])
        self.assertEqual(self.page.run(foot), before)
        self.assertEqual(len(self.filter()), 8)
        self.assertEqual(self.shown(), everything)

    def test_a_filter_says_that_there_are_rows_it_does_not_see(self):
        self.page.open(self.write("five.html", "--limit", "5", self.folder / "trace.json"))
        self.filter("aten::")
        shown = self.column("Name")
        self.assertEqual(self.shown(), f"{len(shown)} of the 5 rows shown match; 3 more are not on this page "
                         "(--limit all).")

    def test_ranks_are_sorted_by_their_number_and_what_has_none_is_last(self):
        paths = []
        for number, header in enumerate(({"rank": 10}, {"rank": 2}, None, {"rank": 1})):
            trace = Trace(**({"distributedInfo": {**header, "world_size": 11}} if header else {}))
            trace.slice("op", f"op{number}", 10, 90)
            paths.append(trace.write(self.folder / f"input{number}.json"))
        self.page.open(self.write("ranks.html", *paths))
        for direction, ranked in (("descending", ["10", "2", "1"]), ("ascending", ["1", "2", "10"])):
            self.assertEqual(self.sort("Rank"), direction)
            self.assertEqual(self.page.run("""return [...document.querySelectorAll("#operators-table tbody tr")]
                .map((row) => row.cells[2].textContent)"""), [*ranked, "#2"])

    def test_a_long_name_takes_two_lines_until_it_is_opened_and_is_found_by_any_part(self):
        name = "void kernel<" + "some::type<int>, " * 40 + "the_middle, " + "some::type<float>, " * 40 + ">()"
        trace = Trace()
        trace.slice("op", name, 10, 90)
        trace.slice("op", "aten::add", 200, 90)
        self.page.open(self.write("names.html", trace.write(self.folder / "names.json")))
        height = "return document.querySelector('.name').getBoundingClientRect().height"
        line = self.page.run("return document.querySelector('tbody tr:last-child th').getBoundingClientRect().height")
        self.assertLess(self.page.run(height), 2.2 * line)
        self.keep("long-name")
        self.page.run("document.querySelector('.name > summary').focus()")
        self.page.press("ENTER")
        self.assertGreater(self.page.run(height), 5 * line)
        self.assertEqual(self.filter("the_middle"), [name])
        self.assertEqual(self.filter("[...]"), [])

    def test_all_columns_can_be_scrolled_to_in_a_box_of_their_own(self):
        reach = """const box = document.querySelector("#operators .scroll");
            box.scrollLeft = arguments[0];
            return [box.scrollWidth - box.clientWidth, box.querySelector("thead th:last-child")
                .getBoundingClientRect().right - box.getBoundingClientRect().right]"""
        for width in WIDTHS:
            self.page.size(width, 900)
            self.page.run(reach, 0)
            self.assertLessEqual(self.page.run(reach, 99999)[1], 1, width)

    def test_a_filter_outlives_sorting(self):
        self.filter("aten::")
        self.sort("Name")
        self.assertEqual(self.column("Name"), sorted(["aten::linear", "aten::relu", "aten::addmm", "aten::mul"]))

    def test_typing_filters(self):
        self.page.run("document.getElementById('filter-text').focus()")
        self.page.press(*"relu", "ENTER")
        self.assertEqual(self.column("Name"), ["aten::relu"])
        self.keep("filtered")

    def test_the_flame_graph_zooms_and_another_one_can_be_chosen(self):
        seen = """return [...document.querySelectorAll(".graph")].filter((graph) => graph.getBoundingClientRect().height)
                  .map((graph) => graph.id)"""
        self.assertEqual(self.page.run(seen), ["flame-self"])
        width = """return [...document.querySelectorAll("#flame-self svg.f")].find((frame) =>
            frame.querySelector("title").textContent.startsWith("aten::linear")).querySelector("rect")
            .getBoundingClientRect().width"""
        before = self.page.run(width)
        self.page.run("""[...document.querySelectorAll("#flame-self svg.f")].find((frame) =>
            frame.querySelector("title").textContent.startsWith("aten::linear"))
            .dispatchEvent(new MouseEvent("click", {bubbles: true}))""")
        self.assertGreater(self.page.run(width), 2 * before)
        self.page.run("document.querySelector('#weights [value=allocated]').click()")
        self.assertEqual(self.page.run(seen), ["flame-allocated"])

    def test_dark_follows_the_reader_until_the_button_is_used(self):
        ground = "return getComputedStyle(document.body).backgroundColor"
        button = "const button = document.getElementById('theme'); button.click(); return button.textContent"
        light = self.page.run(ground)
        self.page.dark()
        dark = self.page.run(ground)
        self.assertNotEqual(light, dark)
        self.keep("dark")
        self.assertEqual(self.page.run(button), "Dark colours")
        self.assertEqual(self.page.run(ground), light)
        self.page.dark(False)
        self.assertEqual(self.page.run(button), "Light colours")
        self.assertEqual(self.page.run(ground), dark)

    def test_text_stands_out_from_its_ground(self):
        """4.5:1, as WCAG's level AA has it."""
        for is_dark in (False, True):
            self.page.dark(is_dark)
            faint = self.page.run("""
                const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
                const light = (colour) => parts(colour).slice(0, 3).map((c) => c / 255)
                    .map((c) => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
                    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
                const ground = (element) => {
                    for (; element; element = element.parentElement) {
                        const colour = getComputedStyle(element).backgroundColor;
                        if ((parts(colour)[3] ?? 1) > 0)
                            return colour;
                    }
                    return "rgb(255, 255, 255)";
                };
                const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
                const faint = [];
                while (texts.nextNode()) {
                    const element = texts.currentNode.parentElement;
                    if (!texts.currentNode.data.trim() || element.closest("svg, script, style, option"))
                        continue;
                    const [a, b] = [light(getComputedStyle(element).color), light(ground(element))];
                    if ((Math.max(a, b) + .05) / (Math.min(a, b) + .05) < 4.5)
                        faint.push(element.outerHTML.slice(0, 100));
                }
                return faint;""")
            self.assertEqual(faint, [], "dark" if is_dark else "light")

    def test_nothing_overflows_at_any_width(self):
        for width in WIDTHS:
            self.page.size(width, 900)
            self.assertEqual(self.page.run("return document.documentElement.scrollWidth"), width)
            self.keep(f"width-{width}")

    def test_it_prints_light_and_without_controls(self):
        self.page.run("document.documentElement.dataset.theme = 'dark'")
        self.page.media(scheme="dark", kind="print")
        self.assertEqual(self.page.run("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.assertEqual(self.page.run("""return [...document.querySelectorAll(".controls, nav")]
            .filter((element) => element.getBoundingClientRect().height).length"""), 0)
        self.page.print(self.folder / "report.pdf")
        self.assertEqual((self.folder / "report.pdf").read_bytes()[:5], b"%PDF-")
        if SCREENSHOTS:
            (SCREENSHOTS / "report.pdf").write_bytes((self.folder / "report.pdf").read_bytes())

    def test_sixty_rows_are_printed_those_on_top(self):
        trace = Trace()
        for number in range(100):
            trace.slice("op", f"op{number:02}", 100 * number, 90)
        self.page.open(self.write("many.html", trace.write(self.folder / "many.json")))
        self.filter("op")
        self.sort("Name")
        self.page.media(kind="print")
        printed = self.page.run("""return [...document.querySelectorAll("#operators-table tbody tr")]
            .filter((row) => row.getBoundingClientRect().height).map((row) => row.cells[0].textContent)""")
        self.assertEqual(printed, [f"op{number:02}" for number in range(60)])
        self.assertIn("Printed: the first 60 rows.", self.page.run("return document.body.innerText"))

    def test_all_is_there_without_the_script(self):
        self.page.command("Emulation.setScriptExecutionDisabled", value=True)
        self.addCleanup(self.page.command, "Emulation.setScriptExecutionDisabled", value=False)
        self.page.open(self.report)
        self.keep("without-script")
        tree = self.page.command("DOM.getDocument")["root"]["nodeId"]

        def count(selector):
            return len(self.page.command("DOM.querySelectorAll", nodeId=tree, selector=selector)["nodeIds"])

        self.assertEqual(count("#operators-table tbody tr"), 8)
        self.assertGreater(count("#flame-calls svg.f"), 5)
        self.assertEqual(count(":root.js"), 0)

    def test_names_of_markup_are_names(self):
        self.assertIsNone(self.page.run("return window.hurt"))
        self.assertEqual(self.page.run("return document.querySelectorAll('img, iframe, object, embed').length"), 0)
        shown = MARKUP.replace("\u2028", "\ufffd").replace("\x01", "\ufffd")
        self.assertIn(shown, self.column("Name"))
        self.assertIn(f"1 × {shown}", self.page.run("return document.getElementById('about').textContent"))

    def test_nothing_is_asked_of_a_network(self):
        self.assertEqual(self.page.run("return performance.getEntriesByType('resource').length"), 0)

    def test_every_control_has_a_name_and_every_link_a_target(self):
        self.assertEqual(self.page.run("""return [...document.querySelectorAll("button, input, select, [role=img]")]
            .filter((element) => !element.closest(".ot-bar") && !element.textContent.trim() && !element.ariaLabel &&
                    !element.labels?.length).map((element) => element.outerHTML.slice(0, 80))"""), [])
        self.assertEqual(self.page.run("""return [...document.querySelectorAll("a[href]")]
            .filter((link) => !document.querySelector(link.getAttribute("href"))).length"""), 0)


class RealTraces(unittest.TestCase):
    def test_they_open_without_a_complaint(self):
        with tempfile.TemporaryDirectory() as folder, browser.Browser() as page:
            path = pathlib.Path(folder) / "report.html"
            for trace in TRACES:
                name = pathlib.Path(trace).name
                subprocess.run([OPTALLY, "report", "-o", path, trace], check=True, capture_output=True)
                for scheme in ("light", "dark"):
                    page.media(scheme)
                    page.open(path)
                    self.assertEqual(page.errors(), [], name)
                    if SCREENSHOTS:
                        page.screenshot(SCREENSHOTS / f"{name.split('.')[0]}-{scheme}.png", whole=True)
                print(f"{name}: {path.stat().st_size} bytes, open in {page.load_ms():.0f} ms")


def main():
    global OPTALLY, SCREENSHOTS
    parser = argparse.ArgumentParser()
    parser.add_argument("optally")
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("traces", nargs="*", metavar="TRACE")
    args = parser.parse_args()
    OPTALLY, SCREENSHOTS = args.optally, args.screenshots
    TRACES.extend(args.traces)
    absent = browser.why_not() or next((f"{trace} is absent" for trace in TRACES if not pathlib.Path(trace).exists()), "")
    if absent:
        print(f"SKIPPED: {absent}")
        return browser.SKIPPED
    tests = ["RealTraces"] if TRACES else ["Report"]
    return not unittest.main(argv=sys.argv[:1] + tests, exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
