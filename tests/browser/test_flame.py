#!/usr/bin/python3
"""A flame graph in a real Chromium.

    test_flame.py OPTALLY

Exit 77 where there is no browser.
"""
import argparse
import contextlib
import pathlib
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "analysis"))

import browser  # noqa: E402
from support import Trace  # noqa: E402

OPTALLY = ""
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</title></svg><script>window.hurt = 1</script>\"'&]]>\u2028\u202e\x01"


def training(slow=1):
    """Two threads; `slow` makes one operator slower and takes another one away."""
    trace = Trace()
    for step in range(10):
        at = step * 10_000_000
        trace.slice("op", "aten::linear", at, 2_000_000)
        trace.slice("op", "aten::addmm", at + 100_000, 1_500_000 // slow)
        trace.slice("runtime", "cudaLaunchKernel", at + 200_000, 300_000, correlation=step + 1)
        trace.slice("device", "sgemm", at + 500_000, 700_000, pid=0, tid=7, correlation=step + 1)
        trace.slice("op", "autograd::engine::evaluate_function: AddmmBackward0", at + 3_000_000, 4_000_000, tid=2)
        trace.slice("op", "aten::addmm", at + 3_500_000, 1_000_000 * slow, tid=2)
        trace.slice("op", "aten::relu" if slow == 1 else "aten::gelu", at + 8_000_000, 1_000_000)
        trace.slice("op", "aten::empty", at + 9_100_000, 3)
    return trace


class Flame(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.folder = pathlib.Path(cls.stack.enter_context(tempfile.TemporaryDirectory()))
        cls.page = cls.stack.enter_context(browser.Browser())
        cls.trace = training().write(cls.folder / "trace.json")
        cls.graph = cls.draw("graph.svg", cls.trace)

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    @classmethod
    def draw(cls, name, *arguments):
        path = cls.folder / name
        subprocess.run([OPTALLY, "flamegraph", "-o", path, *arguments], check=True, capture_output=True)
        return path

    def open(self, path):
        self.page.size(1280, 720)
        self.page.open(path)

    def tearDown(self):
        self.assertEqual(self.page.errors(), [])

    def shown(self):
        """{name: [width in pixels]} of the frames that are seen."""
        found = {}
        for name, width in self.page.run("""
                return [...document.querySelectorAll("svg.f:not([display])")].map((f) =>
                  [f.querySelector("title").textContent.split("\\n")[0], f.querySelector("rect").getBoundingClientRect().width])"""):
            found.setdefault(name, []).append(width)
        return found

    def said(self):
        return self.page.run("return document.querySelector('output').textContent")

    def click(self, name):
        self.page.run("""
            [...document.querySelectorAll("svg.f")].find((f) =>
              f.querySelector("title").textContent.startsWith(arguments[0])).dispatchEvent(
                new MouseEvent("click", {bubbles: true}))""", name)

    def test_a_frame_is_as_wide_as_what_it_took(self):
        self.open(self.graph)
        shown = self.shown()
        whole = shown["all"][0]
        self.assertAlmostEqual(whole, 1280, delta=1)
        self.assertAlmostEqual(shown["aten::linear"][0] / whole, 20_000_000 / 70_000_030, places=3)
        self.assertAlmostEqual(sum(shown["aten::addmm"]) / whole, 25_000_000 / 70_000_030, places=3)
        self.assertNotIn("aten::empty", shown)  # there, and too narrow to be seen yet

    def test_hovering_tells_name_sums_calls_and_shares(self):
        self.open(self.graph)
        title = self.page.run("""
            return [...document.querySelectorAll("svg.f title")].map((t) => t.textContent)
              .find((t) => t.startsWith("aten::linear"))""")
        self.assertEqual(title, "aten::linear\n5.00ms self, 20.00ms inclusive, 10 calls\n28.57% of all")
        self.page.run("""
            [...document.querySelectorAll("svg.f")].find((f) => f.textContent.startsWith("aten::linear"))
              .dispatchEvent(new PointerEvent("pointerover", {bubbles: true}))""")
        self.assertEqual(self.said(), title.replace("\n", " \u00b7 "))

    def test_a_click_zooms_and_escape_goes_back(self):
        self.open(self.graph)
        before = self.shown()
        self.click("aten::empty")
        self.assertEqual(set(self.shown()), {"all", "aten::empty"})
        self.click("all")
        self.click("autograd::")
        zoomed = self.shown()
        self.assertAlmostEqual(zoomed["aten::addmm"][0] / zoomed["all"][0], 1 / 4, places=3)
        self.assertNotIn("aten::linear", zoomed)
        self.page.press("ESCAPE")
        self.assertEqual(self.shown(), before)

    def test_search_marks_what_matches_and_counts_nothing_twice(self):
        self.open(self.graph)
        self.page.press("/")
        self.page.press(*"ADDMM")
        marked = self.page.run("return document.querySelectorAll('.ot-match').length")
        self.assertEqual(marked, 3)  # one is inside another
        self.assertEqual(self.said(), "3 frames match: 78.57% of all")
        self.page.press("ESCAPE")
        self.assertEqual(self.page.run("return document.querySelectorAll('.ot-match').length"), 0)

    def test_keys_move_from_frame_to_frame(self):
        self.open(self.graph)
        self.page.run("document.querySelector('svg.f').focus()")
        names = []
        for key in ("ARROW_DOWN", "ARROW_RIGHT", "ARROW_RIGHT", "ARROW_DOWN", "ARROW_UP", "ENTER"):
            self.page.press(key)
            names.append(self.page.run("return document.activeElement.querySelector('title').textContent.split('\\n')[0]"))
        self.assertEqual(names[0], "aten::linear")
        self.assertEqual(names[3:5], ["aten::addmm", names[2]])
        self.assertNotIn("aten::linear", self.shown())

    def test_a_frame_is_a_button_with_a_name(self):
        self.open(self.graph)
        frames = self.page.driver.find_elements("css selector", "svg.f:not([display])")
        self.assertEqual({frame.aria_role for frame in frames}, {"button"})
        names = [frame.accessible_name for frame in frames]
        self.assertIn("aten::linear 5.00ms self, 20.00ms inclusive, 10 calls 28.57% of all",
                      [" ".join(name.split()) for name in names])

    def test_names_are_cut_to_the_width_of_their_frame(self):
        self.open(self.graph)
        for width in (1600, 360):
            self.page.size(width)
            self.page.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            outside = self.page.run("""
                return [...document.querySelectorAll("svg.f:not([display])")].filter((f) => {
                  const text = f.querySelector("text");
                  return text && text.getComputedTextLength() > f.querySelector("rect").getBoundingClientRect().width;
                }).length""")
            self.assertEqual(outside, 0)
            self.assertEqual(self.page.run("return document.documentElement.scrollWidth"), width)
            notes = self.page.run("""
                return Math.max(...[...document.querySelectorAll(".ot-title, .ot-note, .ot-legend")].map((n) => n.getBoundingClientRect().right))""")
            self.assertLessEqual(notes, width)

    def test_dark_and_light(self):
        self.open(self.graph)
        colours = []
        for is_dark in (True, False):
            self.page.dark(is_dark)
            colours.append(self.page.run("""
                return [".ot-ground", "svg.f.a0, svg.f.a1, svg.f.a2", ".ot-title"].map((s) =>
                  getComputedStyle(document.querySelector(s)).fill)"""))
        self.assertEqual([a == b for a, b in zip(*colours)], [False, False, False])

    def test_names_of_markup_are_names(self):
        trace = Trace()
        trace.slice("op", HOSTILE, 0, 100)
        path = self.draw("hostile.svg", trace.write(self.folder / "hostile.json"), "--title", HOSTILE)
        ElementTree.parse(path)
        self.open(path)
        self.assertIsNone(self.page.run("return window.hurt"))
        self.assertEqual(list(self.shown())[1][:40], HOSTILE[:40])

    def test_a_difference_is_red_where_more_and_blue_where_less(self):
        slower = training(slow=2).write(self.folder / "slower.json")
        self.open(self.draw("diff.svg", slower, "--diff", self.trace))
        classes = dict(self.page.run("""
            return [...document.querySelectorAll("svg.f")].map((f) =>
              [f.querySelector("title").textContent, f.getAttribute("class").split(" ")[1]])"""))
        found = {title.split("\n")[0]: colour for title, colour in classes.items() if "addmm" not in title}
        self.assertEqual((found["aten::linear"], found["aten::gelu"]), ("z0", "u5"))
        addmm = {colour for title, colour in classes.items() if title.startswith("aten::addmm")}
        self.assertEqual({colour[0] for colour in addmm}, {"u", "d"})
        told = "".join(title for title in classes if title.startswith("aten::gelu"))
        self.assertIn("change: +10.00ms (new)", told)
        notes = self.page.run(
            "return [...document.querySelectorAll('.ot-note tspan')].map((line) => line.textContent).join(' ')")
        self.assertIn("Gone since before: 1 frame, 10.00ms, most of it aten::relu (10.00ms).", notes)

    def test_the_file_is_xml_and_asks_for_nothing(self):
        tree = ElementTree.parse(self.graph)
        self.assertEqual(tree.getroot().tag, f"{SVG}svg")
        for element in tree.iter():
            self.assertFalse({"href", "src", "style"} & {name.rsplit("}", 1)[-1] for name in element.attrib})
        self.open(self.graph)
        self.assertEqual(self.page.run("return performance.getEntriesByType('resource').length"), 0)


def main():
    global OPTALLY
    parser = argparse.ArgumentParser()
    parser.add_argument("optally")
    OPTALLY = parser.parse_args().optally
    absent = browser.why_not()
    if absent:
        print(f"SKIPPED: {absent}")
        return browser.SKIPPED
    return not unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
