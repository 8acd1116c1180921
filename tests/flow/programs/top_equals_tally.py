"""top_equals_tally.py TOP.json TALLY.json: the live view, asked for all of a recording that has
ended, says of each operator and annotation what the tally says. Prints how many there are."""

import json
import sys

top, tally = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
shown = {row["name"]: row for row in top["operators"] + top["annotations"]}
rows = {}
for section in tally["sections"]:
    for table in section.get("tables", [section]):
        rows |= {row["name"]: row for row in table["rows"]}
faults = sorted(set(rows) ^ set(shown))
for name in set(rows) & set(shown):
    row, seen = rows[name], shown[name]
    # The two draw the clock's line through other moments, and round differently.
    close = abs(seen["self_ns"] - row["self_ns"]) <= 2000 + row["self_ns"] / 1000
    if seen["calls"] != row["calls"] or not close:
        faults.append(f"{name}: {seen} {row}")
print(*faults, len(rows), sep="\n")
sys.exit(bool(faults) or not rows)
