"""Traces with everything that the analysis has a rule for, from a seed."""
import random
import re

from support import Trace

OPERATORS = ["aten::add", "aten::add.out", "aten::mm", "aten::_local_scalar_dense", "torch.compile", "dynamo",
             "inductor.codegen", "inductor::_alloc_from_pool", "## Call CompiledFxGraph f1 ##", "CompiledFunction",
             "autograd::engine::evaluate_function: CompiledFunctionBackward", "_compile.compile_inner",
             "prim::graph_executor", "c10d::Synchronize_barrier", "Torch-Compiled Region: 0/0",
             "autograd::engine::evaluate_function: AddBackward0", "tiny", "ns::op.a.b", "größe::op.x", "",
             "]} \"\\ \n"]
RUNTIME = ["cudaLaunchKernel", "cudaMemcpyAsync", "cudaDeviceSynchronize", "cudaStreamSynchronize",
           "cudaGraphLaunch", "hipgraphlaunch", "cuModuleLoad_compile"]
DEVICE = [("gemm", "kernel"), ("reduce", "Kernel"), ("Memcpy HtoD", "gpu_memcpy"), ("Memset", "gpu_memset"),
          ("dma_request", "mtia_ccp_events"), ("privateuse", "privateuse1_kernel")]
ANNOTATIONS = ["phase:warmup", "phase:steady", "phase:", "warmup", "WarmUp step", "a warm-up", "Warm Up", "step",
               "ProfilerStep#3", "phase:lukeWARM", "compile here", "forward"]
OTHER = ["overhead", "Trace", "never_heard_of", "gpu_user_annotation", "cuda_sync", "xpu_sync", "cpu_op,kernel"]
RUNTIME_CATEGORIES = ["cuda_runtime", "cuda_driver", "Runtime", "xpu_runtime", "mtia_runtime"]
START = 1_000_000
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:"\s]+')


class Generator:
    """Thread by thread; `step` is the grain of the times, and a coarse one makes ties."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        header = {"schemaVersion": 1}
        if self.one_in(3):
            header["baseTimeNanoseconds"] = 1_700_000_000_000_000_001
        if self.one_in(3):
            header["distributedInfo"] = {"backend": "nccl", "rank": 1, "world_size": 2}
        self.trace = Trace(self.write_event, **header)
        self.spaces = self.random.choice([["", " "], [" "], ["", " ", "\n  ", "\t", "\r\n"]])
        self.step = self.random.choice([1, 50, 1000, 20_000])
        self.span = self.random.choice([100, 2000]) * self.step
        self.correlations = 0
        self.has_device = not self.one_in(5)
        self.has_memory = not self.one_in(4)
        self.totals = self.random.choice([0, 1, 2])  # never, sometimes, always
        self.phases = self.one_in(3)
        self.operators, self.runtime, self.annotations = (
            self.random.sample(names, self.random.randrange(1, len(names) + 1))
            for names in (OPERATORS, RUNTIME, ANNOTATIONS))

    def one_in(self, n):
        return self.random.randrange(n) == 0

    def between(self, low, high):
        """A time of the grain, often an end of the range."""
        if self.one_in(4):
            return self.random.choice([low, high])
        return low + self.random.randrange((high - low) // self.step + 1) * self.step

    def thread(self, pid, tid):
        self.calls(pid, tid, START, START + self.span, 0)
        self.halves(pid, f"half {tid!r}")
        for _ in range(self.random.choice([0, 0, 1, 6])):
            self.crossing("annotation", self.random.choice(self.annotations), pid, tid)
        for _ in range(self.random.choice([0, 0, 1, 6])):
            self.crossing("python", "model.py(3): forward", pid, tid)
        for _ in range(self.random.randrange(3)):  # calls that end after the one they begin in
            self.crossing("op", self.random.choice(self.operators), pid, tid)
        for _ in range(self.random.randrange(20) if self.has_memory else 0):
            self.memory(pid, tid)

    def crossing(self, kind, name, pid, tid):
        start = self.between(START, START + self.span)
        category = None
        if name == "ProfilerStep#3":
            category = self.random.choice(["user_annotation", "cpu_op", "Operator"])
        self.trace.slice(kind, name, start, self.between(0, self.span // 2), pid, tid, category)

    def calls(self, pid, tid, low, high, depth):
        """Calls one after the other in [low, high], each with some in it."""
        at = low
        for _ in range(self.random.randrange(1, 6)):
            start = self.between(at, high)
            end = self.between(start, high)
            self.call(pid, tid, start, end)
            if depth < 4 and self.one_in(2):
                self.calls(pid, tid, start, end, depth + 1)
            at = end

    def call(self, pid, tid, start, end):
        args = {}
        if self.phases and self.one_in(12):
            args["phase"] = self.random.choice(["warm", "steady", "", "Warming", 3])
        if self.one_in(3):
            kind, name = "runtime", self.random.choice(self.runtime)
            category = self.random.choice(RUNTIME_CATEGORIES)
            args.update(self.launch(pid, start))
        else:
            kind, name, category = "op", self.random.choice(self.operators), None
            if self.one_in(3):
                args["Input Dims"] = self.random.choice([[], [[2, 3], []], [[self.random.randrange(20)]]])
            if self.phases and self.one_in(20):
                args["Call stack"] = self.random.choice(["", "a.py(1): f"])
        self.trace.slice(kind, name, start, end - start, pid, tid, category, **args)

    def halves(self, pid, tid):
        """Begins and ends, in order of time; some begin without an end, or the other way round."""
        opened = []
        at = START
        for _ in range(self.random.choice([0, 0, 2, 12])):
            at += self.random.randrange(3) * self.step
            if opened and self.one_in(2):
                name = opened.pop()
                if not self.one_in(8):
                    self.trace.event("E", at, name=name, pid=pid, tid=tid)
            else:
                opened.append(self.random.choice(self.operators))
                if not self.one_in(8):
                    self.trace.event("B", at, name=opened[-1], cat="cpu_op", pid=pid, tid=tid,
                                     args={"phase": "warm"} if self.phases else {})

    def launch(self, pid, start):
        """A correlation, and device work that has it; sometimes of an earlier call."""
        if not self.has_device or self.one_in(4):
            return {}
        self.correlations += 1
        correlation = self.random.choice([self.correlations, self.random.randrange(-1, self.correlations + 1)])
        for _ in range(self.random.choice([0, 1, 1, 1, 4])):
            self.device_work(start, {"correlation": correlation})
        return {"correlation": correlation}

    def device_work(self, start, args):
        name, category = self.random.choice(DEVICE)
        device = self.random.randrange(2)
        if not self.one_in(4):
            args["device"] = device
        start += self.between(0, self.span // 4)
        self.trace.slice("device", name, start, self.between(0, self.span // 8), pid=device,
                         tid=self.random.choice([7, "stream 7"]), category=category, **args)

    def memory(self, pid, tid):
        args = {}
        if self.totals and (self.totals == 2 or self.one_in(3)):
            args["Total Allocated"] = self.random.randrange(1 << 40)
        self.trace.memory(self.between(START, START + self.span), self.random.randrange(-(1 << 33), 1 << 33), pid, tid,
                          self.random.choice([(0, -1), (1, 0), (1, 1)]), **args)

    def oddities(self):
        """What is excluded, and what is no slice."""
        for _ in range(self.random.randrange(4)):
            self.device_work(START, {})
            self.trace.slice("op", "aten::odd", START, 0, category=self.random.choice(OTHER))
        self.trace.event("f", START, name="ac2g", cat="ac2g", id=1, pid=1, tid=1, bp="e")
        self.trace.event("M", 0, name="process_name", pid=1, tid=0, args={"name": "python"})
        self.trace.event("C", START, name="counter", pid=1, args={"n": 1})
        if not self.one_in(3):
            return
        kind = self.random.choice(["op", "runtime", "device", "annotation", "python"])
        self.trace.slice(kind, "impossible", *self.random.choice(
            [(START, -1), (-1000, 10), (START, 315_360_000_000_000_001), (-5, -5)]), correlation=1)
        self.trace.slice("device", "at zero", 0, 100, pid=0, tid=7, device=0)
        self.trace.event("X", START, name="endless", cat="cpu_op", pid=1, tid=1)
        self.trace.event("i", START, name="[memory]", cat="cpu_instant_event", pid=1, tid=1, args={"Addr": 1})

    def make(self):
        for pid in self.random.sample([1, 2, 40], self.random.randrange(1, 3)):
            for tid in self.random.sample([1, 2, 7, "9", 9, "main"], self.random.randrange(1, 4)):
                self.thread(pid, tid)
        if self.has_device:
            self.oddities()
        if not self.one_in(4):
            self.trace.events = self.shuffled(self.trace.events)
        return self.trace

    def write_event(self, members):
        """With its members in any order, and space wherever there may be some."""
        tokens = TOKEN.findall("{" + ", ".join(self.random.sample(members, len(members))) + "}")
        return "".join(token + self.random.choice(self.spaces) for token in tokens)

    def shuffled(self, events):
        """In any order, except that begins and ends keep theirs: the format demands it."""
        whole = [event for event in events if not is_half(event)]
        halves = iter([event for event in events if is_half(event)])
        mixed = self.random.sample(events, len(events))
        self.random.shuffle(whole)
        rest = iter(whole)
        return [next(halves if is_half(event) else rest) for event in mixed]


def is_half(event):
    return event[0] in ('"ph": "B"', '"ph": "E"')


def generate(seed):
    return Generator(seed).make()
