"""Asks Perfetto's own trace_processor what it reads in a file."""
import json
import os
import shutil
import subprocess

READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "trace_processor")
PATIENCE_S = 300


def absent(folder):
    """Why nothing can be asked; nothing if all is there."""
    if not os.path.isdir(folder):
        return f"no trace_processor in {folder} (tools/setup test)"
    return None if shutil.which("node") else "no node to run trace_processor with (tools/setup test)"


def query(folder, trace, *queries):
    """The rows of each query, as lists."""
    done = subprocess.run([READER, folder, trace, *queries], capture_output=True, check=False, timeout=PATIENCE_S)
    if done.returncode != 0:
        raise RuntimeError(f"trace_processor: {trace}: {done.stderr.decode().strip()}")
    found = []
    for line in done.stdout.decode().splitlines():
        row = json.loads(line)
        if isinstance(row, dict):
            found.append([])
        else:
            found[-1].append(row)
    return found
