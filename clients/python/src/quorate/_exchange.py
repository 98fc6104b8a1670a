"""The way from steps of a call to requests of httpx, and from errors of httpx to failures."""

from __future__ import annotations

from importlib.metadata import version
from typing import Generic, TypeVar

import httpx

from quorate._access import authorization
from quorate._calls import Head, Open, Step, Steps, TransportFailure
from quorate.errors import QuorateError

T = TypeVar("T")

USER_AGENT = f"quorate-python/{version('quorate')} httpx/{httpx.__version__}"

# No node has got a byte of the request.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)

_REASONS: dict[type[httpx.TransportError], str] = {
    httpx.ConnectTimeout: "no connection within the timeout",
    httpx.ReadTimeout: "no byte of the answer within the timeout",
    httpx.WriteTimeout: "takes no byte of the request within the timeout",
    httpx.ConnectError: "no connection",
}


class Run(Generic[T]):
    """A call under way: its present step, and its result after the last one."""

    def __init__(self, steps: Steps[T]) -> None:
        self._steps = steps
        self._result: list[T] = []
        self.step: Step | None = None
        self.done(None)

    def done(self, reply: Head | bytes | None) -> None:
        """Go on with what came of the step."""
        try:
            self.step = self._steps.send(reply)
        except StopIteration as end:
            self._end(end)

    def failed(self, error: Exception) -> None:
        """Go on after an error of the step."""
        failure = failure_of(error) if isinstance(error, httpx.TransportError) else error
        try:
            self.step = self._steps.throw(failure)
        except StopIteration as end:
            self._end(end)

    def _end(self, end: StopIteration) -> None:
        self.step = None
        self._result.append(end.value)

    @property
    def result(self) -> T:
        """The result of the call, which has ended."""
        return self._result[0]

    def close(self) -> None:
        """End the call where it is."""
        self._steps.close()


# Errors of steps that the call judges. All others go to the caller.
STEP_ERRORS = (httpx.TransportError, QuorateError)


def http_request(step: Open, token: str | None) -> httpx.Request:
    """Build the request of a step."""
    headers = {"User-Agent": USER_AGENT, "Accept": "*/*", **step.request.headers}
    if token is not None:
        headers["Authorization"] = authorization(token)
    request = httpx.Request(
        step.request.method,
        step.node + step.request.target,
        headers=headers,
        content=step.request.body,
        extensions={"timeout": step.deadline.timeouts(), "is_urgent": step.request.is_urgent},
    )
    # Another spelling would be another key.
    if not request.url.raw_path.endswith(step.request.target.encode("ascii")):
        raise RuntimeError(f"httpx {httpx.__version__} has changed the path of a request")
    return request


def head_of(response: httpx.Response) -> Head:
    """Return the head of an answer."""
    return Head(response.status_code, {name.lower(): value for name, value in response.headers.items()})


def failure_of(error: httpx.TransportError) -> TransportFailure:
    """Return the failure that an error of httpx is."""
    told = str(error)
    reason = _REASONS.get(type(error))
    text = f"{reason} ({told})" if reason and told else reason or told or type(error).__name__
    was_sent = not isinstance(error, _NOT_SENT)
    failure = TransportFailure(text, was_sent=was_sent, is_of_node=not isinstance(error, httpx.PoolTimeout))
    failure.__cause__ = error
    return failure
