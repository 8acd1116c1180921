"""What the name of a call says of it. "Any case" is that of ASCII."""
import re

COMPILES = re.compile("compile|dynamo|inductor|graph_executor", re.IGNORECASE | re.ASCII)
RUNS_COMPILED = re.compile(r"[# ]*(autograd::engine::evaluate_function: )?(Torch-Compiled Region|CompiledFunction"
                           r"|Call CompiledFxGraph|TorchDynamo Cache Lookup|inductor::)")
SYNCHRONIZES = re.compile("synchronize", re.IGNORECASE | re.ASCII)
GRAPH_LAUNCH = re.compile("graphlaunch", re.IGNORECASE | re.ASCII)
NAMES_PHASE = re.compile("warmup|warm-up|warm up", re.IGNORECASE | re.ASCII)
WARM = re.compile("warm", re.IGNORECASE | re.ASCII)
OVERLOADED = re.compile(r"(?=[^.]*::)[A-Za-z0-9_:]+\.[A-Za-z0-9_]+\Z")


def synchronizes(name):
    return bool(SYNCHRONIZES.search(name))


def compiles(name):
    return bool(COMPILES.search(name)) and not RUNS_COMPILED.match(name)
