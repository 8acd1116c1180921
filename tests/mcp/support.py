"""What the tests of `optally mcp` share: a store to ask, and a raw pipe to the server."""
import json
import os
import pathlib
import select
import subprocess
import time

DATA = pathlib.Path(__file__).parent.parent / "data" / "kineto"


def import_runs(command, folder):
    """A store with three runs; the two ranks are one of them."""
    store = str(pathlib.Path(folder) / "store")
    run = lambda *args: subprocess.run([command, *args], check=True, capture_output=True)  # noqa: E731
    run("init", store)
    run("import", "--store", store, "--name", "plain", "--label", "kind=small", "--", DATA / "plain.json")
    run("import", "--store", store, "--name", "training", "--label", "kind=large", "--",
        DATA / "training_memory_shapes.json.gz")
    run("import", "--store", store, "--name", "job", "--", DATA / "rank0of2.json.gz", DATA / "rank1of2.json.gz")
    return store


class Pipe:
    """The server, line by line."""

    def __init__(self, command, *args, **kwargs):
        self.process = subprocess.Popen([command, "mcp", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, **kwargs)
        self.left = b""

    def send(self, message):
        """Bytes as they are, anything else as JSON."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self, seconds=20):
        """The next reply; None if there is none in time."""
        end = time.monotonic() + seconds
        while b"\n" not in self.left:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            some = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
            if not some:
                return None
            self.left += some
        line, self.left = self.left.split(b"\n", 1)
        return json.loads(line)

    def ask(self, method, params=None, ident=1):
        self.send({"jsonrpc": "2.0", "id": ident, "method": method, **({"params": params} if params else {})})
        return self.receive()

    def call(self, tool, ident=1, **arguments):
        """A tool's result."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments}, ident)["result"]

    def close(self):
        """The exit status, and what it said."""
        self.process.stdin.close()
        status = self.process.wait(20)
        said = self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        return status, said


def children_of(pid):
    """Processes that it has started and that run."""
    try:
        return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return []


def eventually(holds, seconds=10):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
