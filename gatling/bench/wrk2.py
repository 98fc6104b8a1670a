"""The generator: sends requests at a constant rate and counts latency from the instant at which each was due."""

import hashlib
import math
import os
import pathlib
import resource
import shutil
import subprocess

from measured import Answers, Failure


class Wrk2:
    """wrk2 with the scripts of gatling/wrk; percentiles are those of its whole HdrHistogram."""

    # If it runs longer than ten seconds, it drops the results of the first ten. It opens one connection every 5 ms.
    CALIBRATION = 10
    CONNECT = 0.005

    # A rate so high that no request is ever early.
    UNREACHABLE = 2_000_000

    def __init__(self, home):
        self._scripts = home / "gatling" / "wrk"
        self._program = os.environ.get("WRK2", "wrk2")
        found = shutil.which(self._program)
        if not found:
            raise Failure(
                f"{self._program} is not there: build wrk2 (https://github.com/giltene/wrk2; its program is called wrk) and name it"
                " with WRK2=/path/to/wrk."
            )
        text = subprocess.run([self._program, "--help"], capture_output=True, text=True)
        if "--rate" not in text.stdout + text.stderr:
            raise Failure(f"{self._program} has no constant rate: it is wrk, not wrk2.")
        self._digest = hashlib.sha256(pathlib.Path(found).read_bytes()).hexdigest()[:12]

    def version(self):
        """Its own version and the digest of the program: builds of one version differ, with corrections and without."""
        said = subprocess.run([self._program, "--version"], capture_output=True, text=True)
        line = (said.stdout + said.stderr).partition("\n")[0].partition("Copyright")[0].strip()
        return f"wrk2 ({line}, SHA-256 {self._digest})"

    def run(self, load, ports, clients):
        threads = len(ports)
        connecting = self.CONNECT * load.connections / threads
        seconds = load.seconds
        if load.rate is not None and seconds > self.CALIBRATION:
            seconds += math.ceil(self.CALIBRATION + connecting)
        words = [f"keys={load.keys}", f"seed={load.seed}", f"replicas={load.replicas}", f"value={load.value_bytes}"]
        words += [f"reads={load.reads}", f"ports={','.join(map(str, ports))}"]
        words += ["check=exact"] if load.exact else []
        command = [self._program, f"-t{threads}", f"-c{load.connections}", f"-d{seconds}s", f"-R{load.rate or self.UNREACHABLE}"]
        command += ["-s", f"{load.method}.lua", f"{clients.scheme}://127.0.0.1:{ports[0]}", "--", *words]
        said, cpu = run(command, self._scripts, clients.environment())
        line = next((line for line in said.splitlines() if line.startswith("RESULT ")), None)
        if line is None:
            raise Failure(f"{' '.join(command)} printed no result:\n{said}")
        values = {name: float(value) for name, value in (pair.split("=") for pair in line.split()[1:])}
        # Classes of the histogram are wide for large values: a percentile is the end of a class, which may be above the maximum.
        percentiles = {float(name[1:]): min(value, values["max"]) for name, value in values.items() if name[0] == "p"}
        return Answers(
            requests=int(values["requests"]),
            seconds=values["seconds"],
            due=None if load.rate is None else load.rate * (seconds - connecting / 2),
            percentiles={} if load.rate is None else {**percentiles, 100: values["max"]},
            status_errors=int(values["unexpected"] if load.exact else values["status"]),
            socket_errors=int(values["socket"]),
            generator_cpu=cpu,
        )


def run(command, directory, environment):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
