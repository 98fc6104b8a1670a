"""Requests: keys, parameters, headers and bodies as they go over the wire."""

from __future__ import annotations

import dataclasses
import json
import traceback
import uuid
from datetime import timedelta
from typing import Any

import httpx
import pytest

from conftest import Nodes
from hostile import SLOWNESS, Clients, lines, sends, value, written
from quorate import Client, Delete, Get, Put

KEYS = {
    "fruit": "/v0/entity/fruit",
    "John Smith + Söhne": "/v0/entity/John%20Smith%20%2B%20S%C3%B6hne",
    "a/b//c": "/v0/entity/a%2Fb%2F%2Fc",
    "50%": "/v0/entity/50%25",
    "%41": "/v0/entity/%2541",
    "?x=1&y#z": "/v0/entity/%3Fx%3D1%26y%23z",
    "-._~": "/v0/entity/-._~",
    "...": "/v0/entity/...",
    "a/../b": "/v0/entity/a%2F..%2Fb",
    "\0\n\x7f": "/v0/entity/%00%0A%7F",
    "日本 🍎": "/v0/entity/%E6%97%A5%E6%9C%AC%20%F0%9F%8D%8E",
    "[a];b:c@d!$'()*,": "/v0/entity/%5Ba%5D%3Bb%3Ac%40d%21%24%27%28%29%2A%2C",
    ".": "/v0/entity?id=.",
    "..": "/v0/entity?id=..",
}


@pytest.mark.parametrize(("key", "target"), KEYS.items())
def test_a_key_has_one_spelling_in_the_path(clients: Clients, node: Nodes, key: str, target: str) -> None:
    server = node(written(), value(), written(202))
    client = clients.open(server)
    client.put(key, b"red")
    assert client.get(key).key == key
    client.delete(key)
    assert [(each.method, each.target) for each in server.received] == [
        ("PUT", target),
        ("GET", target),
        ("DELETE", target),
    ]


def test_mocked_transports_see_the_same_path() -> None:
    seen: list[bytes] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.raw_path)
        return httpx.Response(201, headers={"ETag": '"1"'})

    with Client("http://a/base/", transport=httpx.MockTransport(handler)) as client:
        for key in KEYS:
            client.put(key, b"")
    assert seen == [f"/base{target}".encode() for target in KEYS.values()]


@pytest.mark.parametrize("key", ["", "ä" * 513, "x" * 1025, "\ud800"])
def test_what_is_no_key_is_not_sent(clients: Clients, node: Nodes, key: str) -> None:
    server = node(written())
    client = clients.open(server)
    for method, *others in (("put", b""), ("get",), ("head",), ("delete",)):
        with pytest.raises(ValueError, match=r"key|surrogates"):
            getattr(client, str(method))(key, *others)
    with pytest.raises(ValueError, match=r"key|surrogates"):
        client.batch([Get(key)])
    assert server.received == []


def test_a_value_with_half_of_a_character_is_not_sent(clients: Clients, node: Nodes) -> None:
    server = node(written())
    with pytest.raises(ValueError, match="surrogates"):
        clients.open(server).put("k", "a\ud83d")
    with pytest.raises(ValueError, match="surrogates"):
        clients.open(server).batch([Put("k", "a\ud83d")])
    assert server.received == []


def test_conditions_are_fields(clients: Clients, node: Nodes) -> None:
    server = node(written(), written(), written(), written(), written(202))
    client = clients.open(server)
    client.put("k", b"v", if_match=['"1"', '"2"'], ttl="keep")
    client.put("k", b"v", if_none_match="*", ttl=60)
    client.put("k", b"v", if_none_match='"3"')
    client.put("k", b"v", if_match="*")
    client.delete("k", if_match='"4"')
    received = server.received
    assert [(each.method, each.target) for each in received] == [
        ("PUT", "/v0/entity/k?ttl=keep"),
        ("PUT", "/v0/entity/k?ttl=60"),
        ("PUT", "/v0/entity/k"),
        ("PUT", "/v0/entity/k"),
        ("DELETE", "/v0/entity/k"),
    ]
    assert [each.headers.get("if-match") for each in received] == ['"1", "2"', None, None, "*", '"4"']
    assert [each.headers.get("if-none-match") for each in received] == [None, "*", '"3"', None, None]
    # Not beside a condition that a late repetition could meet again.
    keys = [each.headers.get("idempotency-key") for each in received]
    assert [key is not None for key in keys] == [True, True, False, False, True]
    assert len({uuid.UUID(key) for key in keys if key}) == 3


@pytest.mark.parametrize("condition", ["if_match", "if_none_match"])
def test_a_condition_without_a_version_is_refused(clients: Clients, node: Nodes, condition: str) -> None:
    server = node(written())
    client = clients.open(server)
    nones: list[Any] = ["", []]
    for none in nones:
        with pytest.raises(ValueError, match="an etag is text in quotes"):
            client.put("k", b"v", **{condition: none})
        with pytest.raises(ValueError, match="an etag is text in quotes"):
            client.batch([dataclasses.replace(Put("k", b"v"), **{condition: none})])
    with pytest.raises(ValueError, match="an etag is text in quotes"):
        client.delete("k", if_match=[])
    with pytest.raises(TypeError, match="there is no option"):
        list(client.range(**{condition: "*"}))
    assert server.received == []


def test_what_is_no_option_is_named(clients: Clients, node: Nodes) -> None:
    server = node(written())
    client = clients.open(server)
    for call in (
        lambda: client.put("k", b"v", tll=60),
        lambda: client.get("k", tll=60),
        lambda: list(client.range(tll=60)),
        lambda: clients.open(server, tll=60),
    ):
        with pytest.raises(TypeError, match=r"there is no option 'tll'; there are ack, "):
            call()
    assert server.received == []


def test_the_longest_key_is_sent(clients: Clients, node: Nodes) -> None:
    server = node(written())
    clients.open(server).put("ä" * 512, b"")
    assert server.received[0].target == "/v0/entity/" + "%C3%A4" * 512


def test_options_of_a_call_precede_those_of_the_client(clients: Clients, node: Nodes) -> None:
    server = node(written())
    client = clients.open(server, ack=2, from_=3, node_timeout=1.5)
    client.put("k", b"v")
    client.put("k", b"v", ack=1, ttl=60)
    client.put("k", b"v", ack=None, from_=None, node_timeout=None, ttl=timedelta(days=1))
    assert [each.target for each in server.received] == [
        "/v0/entity/k?ack=2&from=3",
        "/v0/entity/k?ttl=60&ack=1&from=3",
        "/v0/entity/k?ttl=86400",
    ]
    assert [each.headers.get("quorate-timeout") for each in server.received] == ["1500", "1500", None]


def test_a_node_is_not_asked_to_work_beyond_the_deadline(clients: Clients, node: Nodes) -> None:
    server = node(written())
    clients.open(server, node_timeout=20, deadline=3).put("k", b"v")
    assert 1 <= int(server.received[0].headers["quorate-timeout"]) <= 3000 * SLOWNESS


@pytest.mark.parametrize(
    ("given", "sent", "media_type"),
    [
        (b"\0\xff", b"\0\xff", None),
        (bytearray(b"ab"), b"ab", None),
        (memoryview(b"ab"), b"ab", None),
        (b"", b"", None),
        ("grün", "grün".encode(), "text/plain; charset=utf-8"),
    ],
)
def test_values_and_their_types(clients: Clients, node: Nodes, given: Any, sent: bytes, media_type: str | None) -> None:
    server = node(written())
    client = clients.open(server)
    client.put("k", given)
    client.put("k", given, content_type="image/png")
    assert [each.body for each in server.received] == [sent, sent]
    assert [each.headers["content-length"] for each in server.received] == [str(len(sent))] * 2
    assert [each.headers.get("content-type") for each in server.received] == [media_type, "image/png"]


@pytest.mark.parametrize(
    "content_type", ["", "a" * 256, "text/plain\r\nX: y", "tüxt/plain", " ", "text/plain ", " text/plain"]
)
def test_what_is_no_media_type_is_not_sent(clients: Clients, node: Nodes, content_type: str) -> None:
    server = node(written())
    with pytest.raises(ValueError, match="content_type"):
        clients.open(server).put("k", b"", content_type=content_type)
    assert server.received == []


def test_wrong_arguments_are_refused_before_anything_is_sent(clients: Clients, node: Nodes) -> None:
    server = node(written())
    client = clients.open(server)
    with pytest.raises(TypeError, match="akc"):
        client.put("k", b"", akc=1)
    with pytest.raises(TypeError, match="akc"):
        next(client.range(akc=1))
    with pytest.raises(TypeError, match="bytes or str"):
        client.put("k", 5)
    with pytest.raises(TypeError, match="str"):
        client.get(b"k")
    with pytest.raises(TypeError, match="ttl"):
        client.put("k", b"", ttl=1.5)
    with pytest.raises(ValueError, match="whole seconds"):
        client.put("k", b"", ttl=timedelta(milliseconds=1))
    with pytest.raises(ValueError, match="keep"):
        client.put("k", b"", ttl="60")
    with pytest.raises(ValueError, match="deadline"):
        client.put("k", b"", deadline=0)
    with pytest.raises(ValueError, match="etag"):
        client.get("k", if_none_match='"1"\r\nX: y')
    with pytest.raises(ValueError, match="stop"):
        client.get_part("k", 5, 5)
    with pytest.raises(ValueError, match="negative"):
        client.get_part("k", -5, 5)
    assert server.received == []


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "localhost:8080",
        "ftp://a",
        "http://",
        "http://a?x=1",
        "http://a?",
        "http://a#",
        "http://user:secret@a",
        "http://user:secret@a:b",
        "http://a:b",
    ],
)
def test_what_is_no_endpoint_is_refused(endpoint: str) -> None:
    with pytest.raises(ValueError, match="endpoint") as raised:
        Client(endpoint)
    assert "secret" not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize(
    ("endpoint", "url"),
    [
        ("HTTPS://Example.org/", "https://example.org"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("http://10.0.0.1:8080/base/", "http://10.0.0.1:8080/base"),
    ],
)
def test_an_endpoint_has_one_spelling(endpoint: str, url: str) -> None:
    with Client(endpoint) as client:
        assert repr(client) == f"Client({url})"


def test_endpoints_may_stand_in_one_text(node: Nodes) -> None:
    server = node(written())
    with Client(f"{server.url}/, {server.url}") as client:
        client.put("k", b"")
        assert repr(client) == f"Client({server.url}, {server.url})"


def test_items_of_a_batch(clients: Clients, node: Nodes) -> None:
    answers = [{"status": 201, "etag": '"1"'}] * 2 + [
        {"status": 404, "problem": {"type": "urn:quorate:problem:not-found"}}
    ]
    deleted = {"status": 202, "etag": '"2"'}
    server = node(sends(lines(*answers, deleted, answers[0], answers[0], deleted)))
    clients.open(server, ack=1).batch(
        [
            Put("John Smith + Söhne", b"\xff", content_type="image/png", ttl=timedelta(minutes=1)),
            Put("k", "grün"),
            Get("%41", if_none_match=['"1"', '"2"']),
            Delete("."),
            Put("a", b"", ttl="keep", if_match='"1"', if_none_match=['"2"', '"3"']),
            Put("b", b"", if_none_match="*"),
            Delete("c", if_match='"1"'),
        ]
    )
    assert (server.received[0].method, server.received[0].target) == ("POST", "/v0/batch?ack=1")
    assert "idempotency-key" not in server.received[0].headers
    assert [json.loads(line) for line in server.received[0].body.splitlines()] == [
        {"op": "put", "id": "John Smith + Söhne", "value": "/w==", "contentType": "image/png", "ttl": 60},
        {"op": "put", "id": "k", "value": "Z3LDvG4=", "contentType": "text/plain; charset=utf-8"},
        {"op": "get", "id": "%41", "ifNoneMatch": '"1", "2"'},
        {"op": "delete", "id": "."},
        {"op": "put", "id": "a", "value": "", "ttl": "keep", "ifMatch": '"1"', "ifNoneMatch": '"2", "3"'},
        {"op": "put", "id": "b", "value": "", "ifNoneMatch": "*"},
        {"op": "delete", "id": "c", "ifMatch": '"1"'},
    ]
