# The short commands; CMakePresets.json and ctest do the work.
#
#   make            build (build/release)
#   make demo       set up, build, record a real PyTorch program, show its tally, analysis and report
#   make check      set up, build and run every test, sanitizers and linters included
#   make install    PREFIX=/usr/local DESTDIR=
#   make lint       format, static analysis, layers
#   make format     lay out the sources
#   make bench      what tracing, reading, drawing and keeping cost
#   make clean      remove what was built; distclean: and what tools/setup put into build/

SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -c

PREFIX = /usr/local
DESTDIR =
DEMO_TRACE = optally-data/demo

optally = build/release/bin/optally
python213 = build/venv-2.13/bin/python
demo_python = $(if $(wildcard $(python213)),$(python213),/usr/bin/python3)
# Debian's is too old to tell shapes.
demo_shapes = $(if $(wildcard $(python213)),--shapes)
# The sanitizers of gcc 12 and clang 14 do not cope with every layout of a randomised address space.
fixed_layout := $(shell setarch -R true 2>/dev/null && echo setarch -R)

all: build-release

build-%:
	cmake --preset $*
	cmake --build --preset $*

setup:
	tools/setup

# Debian's PyTorch is enough to look at; a newer one is used where tools/setup has put it.
demo:
	tools/setup --no-torch213
	$(MAKE) build-release
	$(MAKE) demo-show

demo-show:
	@echo
	$(optally) record --no-tally --force --seq --memory $(demo_shapes) -o $(DEMO_TRACE) -- \
	    $(demo_python) demo/train.py
	@echo
	$(optally) tally --top 15 $(DEMO_TRACE)
	@echo
	$(optally) tally --by thread --top 5 $(DEMO_TRACE)
	@echo
	$(optally) analyze --limit 15 --small-limit 5 $(DEMO_TRACE)
	@echo
	@# The same from the stock command, through our plugin.
	$(optally) export --force --ctf $(DEMO_TRACE).ctf $(DEMO_TRACE)
	babeltrace2 --plugin-path=build/release/lib/optally/babeltrace2 $(DEMO_TRACE).ctf \
	    -c filter.optally.interval -c sink.optally.tally -p top=15
	@echo
	$(optally) timeline -o $(DEMO_TRACE).pftrace $(DEMO_TRACE)
	$(optally) flamegraph -o $(DEMO_TRACE).svg $(DEMO_TRACE)
	$(optally) report -o $(DEMO_TRACE).html $(DEMO_TRACE)
	@echo
	@echo "The recording is in $(DEMO_TRACE), its CTF trace in $(DEMO_TRACE).ctf."
	@echo "Look at it: open $(DEMO_TRACE).html (the report) or $(DEMO_TRACE).svg (the flame graph) in a browser,"
	@echo "    xdg-open $(DEMO_TRACE).html"
	@echo "and $(DEMO_TRACE).pftrace at ui.perfetto.dev."

# The release build's tests are the whole set, so theirs is the last word.
check: setup
	$(MAKE) build-asan build-tsan build-fuzz build-release
	$(fixed_layout) ctest --preset asan
	$(fixed_layout) ctest --preset tsan
	$(fixed_layout) ctest --preset fuzz
	ctest --preset release

lint: all
	ctest --preset lint

format:
	tools/format

bench: all
	tools/setup bench
	tests/bench/overhead build/release
	tests/bench/ingest build/release
	tests/bench/timeline build/release
	tests/bench/store build/release

install: all
	DESTDIR='$(DESTDIR)' cmake --install build/release --prefix '$(PREFIX)'

clean:
	rm -rf build/release build/debug build/asan build/tsan build/fuzz

distclean:
	rm -rf build

.PHONY: all setup demo demo-show check lint format bench install clean distclean
