"""The nodes of a cluster, as the user lists them."""

from __future__ import annotations

import random
from collections.abc import Sequence

import httpx

LOCAL = "http://localhost:8080"

_ENDPOINT = "an endpoint is http://host:port or https://host:port"


class Nodes:
    """The order in which a client asks nodes: first the one that answered last. Safe for threads."""

    def __init__(self, endpoints: str | Sequence[str], *, shuffle: bool) -> None:
        listed = endpoints.split(",") if isinstance(endpoints, str) else list(endpoints)
        self.urls = tuple(_checked(each.strip()) for each in listed if each.strip())
        if not self.urls:
            raise ValueError("a client needs at least one endpoint")
        self._preferred = random.randrange(len(self.urls)) if shuffle else 0  # noqa: S311

    def order(self) -> list[str]:
        """Return all nodes, in the order to ask them."""
        first = self._preferred
        return [*self.urls[first:], *self.urls[:first]]

    def prefer(self, url: str) -> None:
        """Ask this node first from now on."""
        self._preferred = self.urls.index(url)

    def leave(self, url: str) -> None:
        """Ask this node last from now on, if it was the first."""
        if self.urls[self._preferred] == url:
            self._preferred = (self._preferred + 1) % len(self.urls)


def _checked(text: str) -> str:
    # What is wrong may have a password: it is not told, nor is the error of httpx.
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL:
        raise ValueError(_ENDPOINT) from None
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or "?" in text or "#" in text:
        raise ValueError(_ENDPOINT)
    return f"{url.scheme}://{url.netloc.decode('ascii')}{url.raw_path.decode('ascii')}".rstrip("/")
