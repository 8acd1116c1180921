"""Python's own json, with the whole trace as objects."""
import json
import sys

rows = {}
with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
    trace = json.load(file)
for event in trace["traceEvents"]:
    if event.get("ph") != "X":
        continue
    dur_us = event.get("dur", 0)
    key = event.get("name", ""), event.get("cat", "")
    row = rows.get(key)
    if row is None:
        rows[key] = [1, dur_us, dur_us, dur_us]
    else:
        row[0] += 1
        row[1] += dur_us
        row[2] = min(row[2], dur_us)
        row[3] = max(row[3], dur_us)
print(len(rows), sum(row[0] for row in rows.values()), f"{sum(row[1] for row in rows.values()):.0f}")
