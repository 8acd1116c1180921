/* Makes the flame graphs of a page live: names that fit, zoom, search, keys. */
(() => {
"use strict";
const SVG = "http://www.w3.org/2000/svg";
const ROW = 17, NOTE_ROW = 17, TITLE_ROW = 22, BAR_ROW = 34, MARGIN = 8, TEXT_PAD = 3, GAP = 12;
const MIN_PX = 0.3, WIDE_PX = 4, MIN_CHARS = 3;
const KEYS = "Click or Enter: zoom \u00b7 arrows: move \u00b7 /: search \u00b7 Esc: back";

const percent = (text) => parseFloat(text);

class Graph {
  constructor(svg) {
    this.svg = svg;
    this.isAlone = svg.hasAttribute("data-alone");
    this.undrawn = Number(svg.dataset.undrawn);
    this.plane = svg.querySelector(".ot-plane");
    this.bar = svg.querySelector(".ot-bar");
    this.search = svg.querySelector(".ot-bar input");
    this.reset = svg.querySelector(".ot-bar button");
    this.output = svg.querySelector(".ot-bar output");
    this.lines = [...svg.querySelectorAll(".ot-title, .ot-note")].map((el) =>
      ({el, text: el.textContent, row: el.classList.contains("ot-title") ? TITLE_ROW : NOTE_ROW}));
    this.legend = [...svg.querySelectorAll(".ot-legend")];
    this.readFrames();
    this.zoomed = 0;
    this.focused = 0;
    this.found = "";
    svg.classList.add("ot-live");
    if (this.isAlone) {
      svg.setAttribute("width", "100%");
    }
    this.listen();
    new ResizeObserver(() => this.layOut()).observe(svg);
    this.layOut();
    this.say(KEYS);
  }

  /* Frames are in the order of drawing, callers first: those inside frame i are i+1 to its end. */
  readFrames() {
    const open = [];
    this.frames = [...this.plane.children].map((el, i) => {
      const depth = Math.round(parseFloat(el.getAttribute("y")) / ROW);
      while (open.length > depth) {
        open.pop().end = i;
      }
      const frame = {
        el, depth, i, end: 0, parent: depth ? open[depth - 1].i : -1,
        x: percent(el.getAttribute("x")), w: percent(el.getAttribute("width")),
        title: el.firstChild.textContent, text: el.querySelector("text"), chars: -1, isMatch: false,
      };
      frame.name = frame.title.split("\n", 1)[0];
      el.dataset.i = i;
      el.setAttribute("role", "button"); /* named by its title */
      open.push(frame);
      return frame;
    });
    for (const frame of open) {
      frame.end = this.frames.length;
    }
    this.frames[0].el.setAttribute("tabindex", "0");
  }

  layOut() {
    const width = this.svg.getBoundingClientRect().width;
    if (!width) {
      return; /* not shown now: the observer tells when it is */
    }
    this.width = width;
    this.charWidth = this.charWidth || this.measureChar();
    this.placeHeader();
    this.placeFrames();
  }

  measureChar() {
    const probe = document.createElementNS(SVG, "text");
    probe.textContent = "0".repeat(50);
    this.frames[0].el.append(probe);
    const width = probe.getComputedTextLength() / 50;
    probe.remove();
    return width || 7;
  }

  placeHeader() {
    let y = MARGIN / 2;
    for (const line of this.lines) {
      y = this.wrap(line, y);
    }
    y = this.placeLegend(y);
    this.bar.setAttribute("y", y);
    this.bar.setAttribute("height", 1000); /* as much as it may want; then what it takes */
    const height = Math.max(BAR_ROW, Math.ceil(this.bar.firstElementChild.getBoundingClientRect().height) + MARGIN);
    this.bar.setAttribute("height", height);
    y += height;
    this.plane.setAttribute("y", y);
    this.svg.setAttribute("height", y + parseFloat(this.plane.getAttribute("height")) + MARGIN);
  }

  /* Breaks a text into lines of the width that there is; returns where the next one begins. */
  wrap({el, text, row}, y) {
    el.textContent = text;
    const perChar = el.getComputedTextLength() / text.length || 6;
    const max = Math.max(20, Math.floor((this.width - 2 * MARGIN) / perChar) - 1);
    const lines = [""];
    for (const word of text.split(" ").flatMap((long) => long.match(new RegExp(`.{1,${max}}`, "gsu")) || [""])) {
      const last = lines[lines.length - 1];
      if (last && last.length + 1 + word.length > max) {
        lines.push(word);
      } else {
        lines[lines.length - 1] = last ? last + " " + word : word;
      }
    }
    el.textContent = "";
    lines.forEach((line, n) => {
      const span = document.createElementNS(SVG, "tspan");
      span.setAttribute("x", MARGIN);
      span.setAttribute("y", y + (n + 1) * row - 4);
      span.textContent = line;
      el.append(span);
    });
    return y + lines.length * row;
  }

  placeLegend(y) {
    let x = MARGIN;
    for (const item of this.legend) {
      const width = item.getComputedTextLength();
      if (x > MARGIN && x + width > this.width - MARGIN) {
        x = MARGIN;
        y += NOTE_ROW;
      }
      item.setAttribute("x", x);
      item.setAttribute("y", y + 13);
      x += width + GAP;
    }
    return y + NOTE_ROW;
  }

  placeFrames() {
    const zoomed = this.frames[this.zoomed];
    const around = new Set();
    for (let i = zoomed.parent; i >= 0; i = this.frames[i].parent) {
      around.add(i);
    }
    for (const frame of this.frames) {
      if (around.has(frame.i)) {
        this.place(frame, 0, 100, true);
      } else if (frame.i >= zoomed.i && frame.i < zoomed.end) {
        this.place(frame, (frame.x - zoomed.x) / zoomed.w * 100, frame.w / zoomed.w * 100, false);
      } else {
        this.hide(frame);
      }
    }
  }

  hide(frame) {
    frame.el.setAttribute("display", "none");
    frame.isShown = false;
  }

  place(frame, x, w, isAround) {
    const px = w / 100 * this.width;
    if (px < MIN_PX) {
      this.hide(frame);
      return;
    }
    frame.isShown = true;
    frame.el.removeAttribute("display");
    frame.el.setAttribute("x", x + "%");
    frame.el.setAttribute("width", w + "%");
    frame.el.classList.toggle("ot-around", isAround);
    frame.el.classList.toggle("ot-wide", px >= WIDE_PX);
    this.fit(frame, Math.floor((px - 2 * TEXT_PAD) / this.charWidth));
  }

  fit(frame, chars) {
    const max = Math.min(chars, frame.name.length);
    const shown = max < Math.min(MIN_CHARS, frame.name.length) ? 0 : max;
    if (shown === frame.chars) {
      return;
    }
    frame.chars = shown;
    if (!frame.text && shown > 0) {
      frame.text = document.createElementNS(SVG, "text");
      frame.text.setAttribute("x", TEXT_PAD);
      frame.text.setAttribute("y", 12);
      frame.el.append(frame.text);
    }
    if (frame.text) {
      frame.text.textContent = shown < frame.name.length && shown > 0
        ? frame.name.slice(0, shown - 1) + "\u2026" : frame.name.slice(0, shown);
    }
  }

  say(text) {
    this.output.textContent = text;
    this.output.title = text;
  }

  tell(frame) {
    this.say(frame.title.replace(/\n/g, " \u00b7 "));
  }

  zoom(i) {
    this.zoomed = i;
    this.reset.disabled = i === 0 && !this.found;
    this.placeFrames();
    this.focus(i, document.activeElement && this.plane.contains(document.activeElement));
  }

  /* One frame can be reached with Tab; the arrows move that. */
  focus(i, isMoved) {
    this.frames[this.focused].el.removeAttribute("tabindex");
    this.focused = i;
    this.frames[i].el.setAttribute("tabindex", "0");
    if (isMoved) {
      this.frames[i].el.focus();
    }
  }

  back() {
    if (this.search.value) {
      this.search.value = "";
      this.find("");
    }
    this.zoom(0);
    this.say(KEYS);
  }

  find(text) {
    const wanted = text.trim().toLowerCase();
    let matches = 0, share = 0, counted = 0;
    this.found = wanted;
    for (const frame of this.frames) {
      frame.isMatch = wanted !== "" && frame.name.toLowerCase().includes(wanted);
      frame.el.classList.toggle("ot-match", frame.isMatch);
      if (!frame.isMatch) {
        continue;
      }
      matches++;
      if (frame.i >= counted) { /* else it is inside one that is counted */
        share += frame.w;
        counted = frame.end;
      }
    }
    this.reset.disabled = this.zoomed === 0 && !wanted;
    const among = this.undrawn ? " of those drawn" : "";
    this.say(wanted === "" ? KEYS
      : `${matches} ${matches === 1 ? "frame matches" : "frames match"}${among}: ${share.toFixed(2)}% of all`);
  }

  /* The nearest frame that is shown, in the direction of a key. */
  neighbour(key) {
    const at = this.frames[this.focused];
    if (key === "Home") {
      return this.frames[0];
    }
    if (key === "ArrowUp") {
      return at.parent >= 0 ? this.frames[at.parent] : null;
    }
    if (key === "ArrowDown") {
      const inside = this.frames.slice(at.i + 1, at.end);
      return inside.find((frame) => frame.isShown && frame.depth === at.depth + 1);
    }
    const step = key === "ArrowRight" ? 1 : -1;
    for (let i = at.i + step; i >= 0 && i < this.frames.length; i += step) {
      if (this.frames[i].isShown && this.frames[i].depth === at.depth) {
        return this.frames[i];
      }
    }
    return null;
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const frame = event.target.closest("svg.f");
    if (event.key === "Escape") {
      this.back();
    } else if (frame && (event.key === "Enter" || event.key === " ")) {
      this.zoom(Number(frame.dataset.i));
    } else if (frame && /^(Arrow|Home)/.test(event.key)) {
      const to = this.neighbour(event.key);
      if (to) {
        this.focus(to.i, true);
      }
    } else if (event.key === "/" && event.target !== this.search) {
      this.search.focus();
    } else {
      return;
    }
    event.preventDefault();
  }

  listen() {
    const frameOf = (event) => {
      const el = event.target.closest("svg.f");
      return el && this.frames[Number(el.dataset.i)];
    };
    this.plane.addEventListener("click", (event) => {
      const frame = frameOf(event);
      if (frame) {
        this.focus(frame.i, true);
        this.zoom(frame.i);
      }
    });
    for (const kind of ["pointerover", "focusin"]) {
      this.plane.addEventListener(kind, (event) => {
        const frame = frameOf(event);
        if (frame) {
          this.tell(frame);
        }
      });
    }
    this.plane.addEventListener("pointerleave", () => {
      if (this.found) {
        this.find(this.found);
      } else {
        this.say(KEYS);
      }
    });
    this.search.addEventListener("input", () => this.find(this.search.value));
    this.reset.addEventListener("click", () => this.back());
    if (this.isAlone) {
      document.addEventListener("keydown", (event) => {
        if ((event.ctrlKey || event.metaKey) && event.key === "f" && document.activeElement !== this.search) {
          this.search.focus();
          event.preventDefault();
        } else {
          this.press(event);
        }
      });
    } else {
      this.svg.addEventListener("keydown", (event) => this.press(event));
    }
  }
}

const start = () => {
  for (const svg of document.querySelectorAll("svg.ot-flame:not(.ot-live)")) {
    new Graph(svg);
  }
};
if (document.readyState === "loading") {
  document.addEventListener("DOMContentLoaded", start);
} else {
  start();
}
})();
