"""Writes every id of the key space once, over pipelined connections, and checks each answer."""

import asyncio
import collections
import random
import re
import time

from measured import Failure

CONNECTIONS = 64

# Requests in flight on one connection.
WINDOW = 16

# Values are pieces of NOISE random bytes; the values of two consecutive ids begin STRIDE bytes apart.
NOISE = 1 << 20
STRIDE = 69069

# Time for which the fill repeats ids that a node has refused for overload.
PATIENCE_SECONDS = 60


def fill(target, keys, value_bytes, replicas):
    """Returns seconds. Afterwards each id has its 201, acknowledged by as many replicas as `replicas` asks for."""
    begin = time.monotonic()
    asyncio.run(Filling(target, keys, value_bytes, replicas).run())
    return time.monotonic() - begin


class Filling:
    def __init__(self, target, keys, value_bytes, replicas):
        self._ports = target.ports
        self._context = target.clients.context
        self._fields = "".join(f"{name}: {value}\r\n" for name, value in target.clients.headers.items())
        self._ids = iter(range(keys))
        self._refused = collections.deque()
        self._value_bytes = value_bytes
        self._noise = random.Random(7).randbytes(NOISE + value_bytes)
        self._replicas = replicas
        self._last_progress = time.monotonic()

    async def run(self):
        work = [self._connection(self._ports[i % len(self._ports)]) for i in range(CONNECTIONS)]
        await asyncio.gather(*work)

    async def _connection(self, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=self._context)
        waiting = collections.deque()
        try:
            while True:
                while len(waiting) < WINDOW and (number := self._next()) is not None:
                    writer.write(self._request(number))
                    waiting.append(number)
                if not waiting:
                    return
                await writer.drain()
                await self._answer(reader, waiting.popleft())
        finally:
            writer.close()

    def _next(self):
        return self._refused.popleft() if self._refused else next(self._ids, None)

    def _request(self, number):
        head = f"PUT /v0/entity?id=key-{number:08d}&replicas={self._replicas} HTTP/1.1\r\nHost: localhost\r\n"
        return f"{head}{self._fields}Content-Length: {self._value_bytes}\r\n\r\n".encode() + self._value(number)

    def _value(self, number):
        """Bytes that do not compress, alone or beside the values of the next ids: they are as large on the disk."""
        begin = number * STRIDE % NOISE
        return self._noise[begin : begin + self._value_bytes]

    async def _answer(self, reader, number):
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE_SECONDS)
        length = re.search(rb"content-length: *(\d+)", head, re.I)
        body = await reader.readexactly(int(length.group(1))) if length else b""
        status = head[9:12]
        if status == b"201":
            self._last_progress = time.monotonic()
        elif status in (b"503", b"504") and time.monotonic() - self._last_progress < PATIENCE_SECONDS:
            self._refused.append(number)
            await asyncio.sleep(0.05)
        else:
            raise Failure(f"Filling key-{number:08d}: 201 expected, got {status.decode()} {body.decode(errors='replace')}")
