"""Writes every id of the key space once, by the import of the build that is measured."""

import base64
import contextlib
import json
import random
import subprocess
import time

from measured import Failure

# Values are pieces of NOISE random bytes; the values of two consecutive ids begin STRIDE bytes apart.
NOISE = 1 << 20
STRIDE = 69069

# Bytes of the values of a batch: far fewer than a node takes.
BATCH = 1 << 20


def fill(target, keys, value_bytes, replicas):
    """Returns seconds. Afterwards each id is acknowledged by as many replicas as `replicas` asks for."""
    begin = time.monotonic()
    batch = max(1, min(100, BATCH // value_bytes))
    log = target.directory / "fill.log"
    command = target.command("import", "--replicas", replicas, "--parallel", "8", "--batch", str(batch), "--repeat-unknown")
    with log.open("w") as said:
        # It leaves what it could not write in its directory.
        filling = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=said, stderr=said, text=True, cwd=target.directory, env=target.environment()
        )
        with contextlib.suppress(BrokenPipeError), filling:
            for line in lines(keys, value_bytes):
                filling.stdin.write(line)
    if filling.returncode != 0:
        raise Failure(f"Filling {target.name} failed:\n{log.read_text()}")
    return time.monotonic() - begin


def lines(keys, value_bytes):
    """Values that do not compress, alone or beside those of the next ids: they are as large on the disk."""
    noise = random.Random(7).randbytes(NOISE + value_bytes)
    for number in range(keys):
        begin = number * STRIDE % NOISE
        value = base64.b64encode(noise[begin : begin + value_bytes]).decode()
        yield json.dumps({"key": f"key-{number:08d}", "value": value}) + "\n"
