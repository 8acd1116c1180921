"""Holds the logs of programs/crash.py against what it printed.

    crash_check.py RECORDING OUTPUT

A thread may have begun one operator more than it had counted, and ended it or not.
"""

import collections
import json
import os
import subprocess
import sys

recording, output = sys.argv[1:]
told = collections.defaultdict(dict)
for line in open(output):
    pid, tid, neg, abs_ = map(int, line.split())
    told[pid][tid] = {"aten::neg": neg, "aten::abs": abs_}

faults = []
for pid, threads in told.items():
    log = os.path.join(recording, f"{pid}.oplog")
    run = subprocess.run(
        [os.environ["OPTALLY"], "tally", "--json", "--extended", log],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    if run.returncode != 0:
        faults.append(f"{log}: not read: {run.stderr}")
        continue
    document = json.loads(run.stdout)
    complete = document["completeness"]
    # One operator and what it called.
    if complete["unmatched_exits"] or complete["discarded_events"]:
        faults.append(f"{log}: {complete}")
    if complete["unclosed_entries"] > 4 * 2 * len(threads):
        faults.append(f"{log}: {complete['unclosed_entries']} entries without exit")
    calls = collections.defaultdict(collections.Counter)
    for section in document["sections"]:
        for row in section["rows"]:
            calls[section["thread"]][row["name"]] += row["calls"]
    for tid, counts in threads.items():
        for name, least in counts.items():
            if not least <= calls[tid][name] <= least + 1:
                faults.append(f"{log}: thread {tid}: {calls[tid][name]} of {name}, must be {least}")
print(len(told), "logs", sum(sum(c.values()) for t in told.values() for c in t.values()), "calls")
for fault in faults:
    print(fault)
sys.exit(bool(faults))
