"""Writes and reads many keys at once with the asynchronous client, and shows how long it took.

QUORATE_ENDPOINTS has the nodes, with commas between them.
"""

from __future__ import annotations

import asyncio
import os
import time

from quorate import AsyncClient

COUNT = 500
AT_ONCE = 32


async def main() -> None:
    """Write, read and compare."""
    endpoints = os.environ.get("QUORATE_ENDPOINTS", "http://localhost:8080")
    async with AsyncClient(endpoints, connections=AT_ONCE) as client:
        places = asyncio.Semaphore(AT_ONCE)

        async def round_trip(i: int) -> bool:
            async with places:
                await client.put(f"square/{i:04}", str(i * i))
                entity = await client.get(f"square/{i:04}")
                return entity is not None and entity.text == str(i * i)

        began = time.monotonic()
        right = await asyncio.gather(*(round_trip(i) for i in range(COUNT)))
        print(f"{sum(right)} of {COUNT} round trips right in {time.monotonic() - began:.2f} s")
        keys = [key.key async for key in client.keys(prefix="square/")]
        print(f"{len(keys)} keys, from {keys[0]} to {keys[-1]}")


asyncio.run(main())
