"""The access of a client to nodes: its token, and the certificates that it trusts."""

from __future__ import annotations

import ipaddress
import os
import re
import ssl
import warnings
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import httpx

from quorate._calls import Calls
from quorate._nodes import Nodes
from quorate._options import Options, RequestOptions
from quorate.errors import QuorateError, TokenError

TokenSource: TypeAlias = str | Callable[[], str]
AsyncTokenSource: TypeAlias = TokenSource | Callable[[], Awaitable[str]]

# RFC 6750. What is no token is sent nowhere, and printed nowhere.
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")


class TokenFile:
    """A file with a token, which is read again when it has changed. Safe for threads."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._read: tuple[tuple[int, int, int], str] | None = None

    def __call__(self) -> str:
        """Return the token."""
        try:
            stat = self._path.stat()
            version = (stat.st_mtime_ns, stat.st_ino, stat.st_size)
            known = self._read
            if known is not None and known[0] == version:
                return known[1]
            token = self._path.read_text("latin-1").strip()
        except OSError as fault:
            raise TokenError(f"the token file cannot be read: {fault}") from fault
        self._read = (version, token)
        return token


def checked(token: object) -> str:
    """Return what is a token."""
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise TokenError("the token must have letters, digits and -._~+/ alone")
    return token


def authorization(token: object) -> str:
    """Return the field `Authorization`."""
    return f"Bearer {checked(token)}"


@contextmanager
def errors_of_function() -> Iterator[None]:
    """Make each error of a token function a `TokenError`, after which a write has not been sent."""
    try:
        yield
    except QuorateError:
        raise
    except Exception as fault:
        # Its text may have the token.
        raise TokenError(f"the token function has failed: {type(fault).__name__}") from fault


@dataclass(frozen=True, slots=True)
class Access:
    """The checked arguments of a client."""

    urls: tuple[str, ...]
    calls: Calls
    token: Any
    ssl_context: ssl.SSLContext | None


def prepare(
    endpoints: str | Sequence[str],
    token: AsyncTokenSource | None,
    token_file: str | os.PathLike[str] | None,
    ca: str | os.PathLike[str] | None,
    ssl_context: ssl.SSLContext | None,
    *,
    shuffle: bool,
    options: RequestOptions,
) -> Access:
    """Check the arguments of a client, and warn its caller of a token that others can read."""
    nodes = Nodes(endpoints, shuffle=shuffle)
    source = _token_source(token, token_file)
    if source is not None:
        _warn_of_exposed_token(nodes.urls, 4)
    return Access(nodes.urls, Calls(nodes, Options().with_(options)), source, _trust(nodes.urls, ca, ssl_context))


def _token_source(token: AsyncTokenSource | None, token_file: str | os.PathLike[str] | None) -> AsyncTokenSource | None:
    if token is not None and token_file is not None:
        raise ValueError("give a token or a token_file, not both")
    if isinstance(token, str):
        authorization(token)
    return TokenFile(token_file) if token_file is not None else token


def _trust(
    urls: Sequence[str], ca: str | os.PathLike[str] | None, ssl_context: ssl.SSLContext | None
) -> ssl.SSLContext | None:
    if ca is not None and ssl_context is not None:
        raise ValueError("give a ca or an ssl_context, not both")
    if ssl_context is not None:
        return ssl_context
    if ca is not None:
        return ssl.create_default_context(cafile=os.fspath(ca))
    if any(url.startswith("https:") for url in urls):
        return ssl.create_default_context()
    return None


def _warn_of_exposed_token(urls: Sequence[str], stack_level: int) -> None:
    for url in urls:
        parsed = httpx.URL(url)
        if parsed.scheme == "http" and not _is_loopback(parsed.host):
            warnings.warn(f"{url}: the token is sent without encryption, use https", stacklevel=stack_level)


def _is_loopback(host: str) -> bool:
    # No name server is asked: its answer proves nothing about the way of the token.
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
