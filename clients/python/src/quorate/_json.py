"""Objects as JSON."""

from __future__ import annotations

import dataclasses
import json
from types import NoneType, UnionType
from typing import Any, Generic, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from quorate._values import Encoded

T = TypeVar("T")


class Json(Generic[T]):
    """A codec of objects of one type: a dataclass, or what the module `json` knows, also in lists and dictionaries.

    It is strict: a value with other members than the class is refused, since a later write would lose them. Any other
    codec will do in its place: calls take an `Encoded`, and return bytes.
    """

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind

    def encode(self, value: T) -> Encoded:
        """Return an object as a value to write.

        Raises:
            TypeError: if it has something that JSON has not
        """
        text = json.dumps(value, default=_members, ensure_ascii=False, allow_nan=False)
        return Encoded(text.encode(), "application/json")

    def decode(self, value: bytes) -> T:
        """Return the object that a value is.

        Raises:
            ValueError: if it is none of this type
        """
        return cast(T, _made(self._kind, json.loads(value), self._kind.__name__))


def _members(value: object) -> dict[str, object]:
    if not dataclasses.is_dataclass(value):
        raise TypeError(f"JSON has no {type(value).__name__}")
    return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}


def _made(kind: Any, data: Any, place: str) -> Any:
    """Make an object of what JSON has; `place` is for messages."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in (Any, object):
        return data
    if origin in (Union, UnionType):
        given = [each for each in arguments if (each is NoneType) == (data is None)]
        if len(given) == 1:
            return _made(given[0], data, place)
    elif dataclasses.is_dataclass(kind) and isinstance(data, dict):
        return _object(kind, data, place)
    elif origin in (list, tuple) and isinstance(data, list):
        if origin is list or arguments[1:] == (...,):
            return origin(_made(arguments[0], each, f"{place}[{i}]") for i, each in enumerate(data))
        if len(arguments) == len(data):
            return tuple(_made(each, data[i], f"{place}[{i}]") for i, each in enumerate(arguments))
    elif origin is dict and arguments[0] is str and isinstance(data, dict):
        return {name: _made(arguments[1], each, f"{place}[{name!r}]") for name, each in data.items()}
    elif kind is float and type(data) is int:
        return float(data)
    elif type(data) is kind:
        return data
    raise ValueError(f"{place} is {kind}, not {type(data).__name__}")


def _object(kind: Any, data: dict[str, object], place: str) -> Any:
    hints = get_type_hints(kind)
    fields = {each.name for each in dataclasses.fields(kind) if each.init}
    if not data.keys() <= fields:
        raise ValueError(f"{place} has no {', '.join(sorted(data.keys() - fields))}")
    try:
        return kind(**{name: _made(hints[name], each, f"{place}.{name}") for name, each in data.items()})
    except TypeError as fault:
        raise ValueError(f"{place}: {fault}") from fault
