"""What `optally trace` shows of a recording's optional fields.

    optional.py told TRACE TOLD    faults against what torch.profiler told (programs/optional.py)
    optional.py memory TRACE       vpid, bytes and total of each memory event
    optional.py fields TRACE       how many lines have a sequence number, shapes, memory

TRACE is the command's text.
"""
import json
import re
import sys

EVALUATE = "autograd::engine::evaluate_function: "  # the profiler gives it what the node inside has


def sequences(lines):
    found = (re.search(r'op_entry: { name: "([^"]*)".*sequence: (\d+), forward_vtid: (\d+)', line) for line in lines)
    return sorted([at[1], int(at[2]), at[3] != "0"] for at in found if at)


def memory(lines):
    found = (re.search(r"vpid: (\d+).*optally:memory: { bytes: (-?\d+), total_allocated: (-?\d+)", line)
             for line in lines)
    return [tuple(map(int, at.groups())) for at in found if at]


def main():
    question, trace, *rest = sys.argv[1:]
    with open(trace) as text:
        lines = text.read().splitlines()
    if question == "memory":
        for event in memory(lines):
            print(*event)
    elif question == "fields":
        print(*(sum(word in line for line in lines) for word in ("sequence: ", "shapes: ", "optally:memory: ")))
    else:
        with open(rest[0]) as told_file:
            told = json.load(told_file)
        theirs = sorted(row for row in told["operators"] if not row[0].startswith(EVALUATE))
        ours = sequences(lines)
        print(len(theirs), "operators with a sequence number:", "equal" if ours == theirs else "not equal")
        ours = [event[1] for event in memory(lines)]
        print(len(told["memory"]), "memory events:", "equal" if ours == told["memory"] else "not equal")


main()
