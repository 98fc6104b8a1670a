"""Keeps an inventory in Quorate, and says what to do when something goes wrong.

QUORATE_ENDPOINTS has the nodes, with commas between them:

    pip install ./clients/python
    QUORATE_ENDPOINTS=http://localhost:8080,http://localhost:8081 python examples/python/inventory.py
"""

from __future__ import annotations

import json
import os
import sys

from quorate import Client, Entity, OutcomeUnknown, Put, QuorateError, Unavailable, Written

STOCK = {"apples": 12, "pears & plums": 7, "Äpfel + Birnen": 0}


def stock_up(client: Client) -> None:
    """Write all items in one request."""
    items = [Put(f"stock/{name}", json.dumps(count), content_type="application/json") for name, count in STOCK.items()]
    for item, result in zip(items, client.batch(items), strict=True):
        if isinstance(result, OutcomeUnknown):
            # No other program writes this key, so that writing the same once more does no harm.
            client.put(item.key, item.value, content_type=item.content_type, repeat_unknown=True)
        elif not isinstance(result, Written):
            raise SystemExit(f"{item.key}: {result}")


def take(client: Client, name: str, count: int) -> bool:
    """Take something out of the stock; whether there was enough."""

    def taken(stock: Entity | None) -> Put | None:
        left = 0 if stock is None else json.loads(stock.value)
        # With nothing to write it stays as it is.
        return (
            Put(f"stock/{name}", json.dumps(left - count), content_type="application/json") if left >= count else None
        )

    return client.update(f"stock/{name}", taken) is not None


def main() -> None:
    """Stock up, take, list."""
    endpoints = os.environ.get("QUORATE_ENDPOINTS", "http://localhost:8080")
    with Client(endpoints, token_file=os.environ.get("QUORATE_TOKEN_FILE"), ca=os.environ.get("QUORATE_CA")) as client:
        stock_up(client)
        print("5 apples:", "taken" if take(client, "apples", 5) else "not enough")
        print("8 pears & plums:", "taken" if take(client, "pears & plums", 8) else "not enough")
        for record in client.range(prefix="stock/"):
            print(f"{record.key.removeprefix('stock/'):20} {json.loads(record.value):>3}")


if __name__ == "__main__":
    try:
        main()
    except OutcomeUnknown as unknown:
        sys.exit(f"Look before you write again: {unknown}")
    except Unavailable as unavailable:
        sys.exit(f"Nothing was written; try again later: {unavailable}")
    except QuorateError as error:
        sys.exit(str(error))
