"""Holistic Trace Analysis: its own reading of the trace, then its table of events."""
import logging
import os
import sys

from hta.common.trace import Trace

logging.disable(logging.CRITICAL)
path = os.path.abspath(sys.argv[1])
trace = Trace(trace_files={0: path}, trace_dir=os.path.dirname(path))
trace.parse_traces(max_ranks=1, use_multiprocessing=False)
rows = trace.get_trace(0).groupby(["name", "cat"])["dur"].agg(["count", "sum", "min", "max"])
print(len(rows), int(rows["count"].sum()), f"{rows['sum'].sum():.0f}")
