"""Clusters of processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

import pytest

from hostile import SLOWNESS

HOME = Path(__file__).resolve().parents[3]
COMMAND = HOME / "bin" / "cluster"

# Two clusters of at most three nodes, with two ports each.
FIRST_PORT = int(os.environ.get("CLUSTER_PORT", "24000"))


def past_proxies(*handlers: urllib.request.BaseHandler) -> urllib.request.OpenerDirector:
    """A proxy of the environment knows no node on loopback."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}), *handlers)


class Cluster:
    """A cluster of processes on this machine, which bin/cluster runs."""

    def __init__(self, nodes: int, port: int, *options: str) -> None:
        self._directory = tempfile.TemporaryDirectory()
        self.data = Path(self._directory.name)
        self._count = nodes
        self._scheme = "https" if "--secure" in options else "http"
        self._port = port
        self._log = (self.data / "log").open("w")
        ports = [f"--port={port}", f"--internode-port={port + 50}"]
        # A process group of its own, so that Ctrl-C in the tests does not end it before they have.
        self._process = subprocess.Popen(
            [COMMAND, str(nodes), f"--data={self.data}", *ports, *options],
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # The second compiler of nodes that run for a minute would take the processors of the clients.
            env={**os.environ, "QUORATE_JAVA_OPTS": "-Xmx256m -XX:TieredStopAtLevel=1"},
        )

    def wait_until_complete(self) -> None:
        end = time.monotonic() + 180 * SLOWNESS
        while "The cluster is complete" not in (self.data / "log").read_text():
            if self._process.poll() is not None or time.monotonic() > end:
                pytest.fail("The cluster has not started: " + (self.data / "log").read_text())
            time.sleep(0.1)

    @property
    def urls(self) -> list[str]:
        return [f"{self._scheme}://localhost:{self._port + i}" for i in range(self._count)]

    def _signal(self, node: int, number: signal.Signals) -> None:
        os.kill(int((self.data / f"n{node}" / "pid").read_text()), number)

    def kill(self, node: int) -> None:
        self._signal(node, signal.SIGKILL)

    def freeze(self, node: int) -> None:
        self._signal(node, signal.SIGSTOP)

    def thaw(self, node: int) -> None:
        self._signal(node, signal.SIGCONT)
        self._wait_until_ready(node)

    def start(self, node: int) -> None:
        # It may have been killed a moment ago, and runs until its process is gone.
        end = time.monotonic() + 120 * SLOWNESS
        while True:
            done = subprocess.run(
                [COMMAND, "start", f"n{node}", f"--data={self.data}"], capture_output=True, text=True, check=False
            )
            if done.returncode == 0:
                break
            if "runs already" not in done.stderr or time.monotonic() > end:
                pytest.fail(done.stderr)
            time.sleep(0.2)
        self._wait_until_ready(node)

    def _wait_until_ready(self, node: int) -> None:
        end = time.monotonic() + 120 * SLOWNESS
        while True:
            with past_proxies().open(f"{self.urls[node]}/v0/status", timeout=20 * SLOWNESS) as answer:
                if json.load(answer)["state"] == "ready":
                    return
            assert time.monotonic() < end
            time.sleep(0.1)

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(100 * SLOWNESS)
        finally:
            self._log.close()
        self._directory.cleanup()
