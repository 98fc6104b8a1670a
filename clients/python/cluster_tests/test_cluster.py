"""Both clients with a cluster of processes, also while one of them is killed or frozen."""

from __future__ import annotations

import datetime
import http.client
import os
import random
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import pairwise
from typing import Any

import pytest

from conftest import Nodes
from hostile import SLOWNESS, Clients, Connection, Received, Script, head
from load import Load
from processes import FIRST_PORT, HOME, Cluster, past_proxies
from quorate import (
    BadRequest,
    Client,
    Delete,
    Entity,
    Get,
    NotEnoughReplicas,
    NotModified,
    OutcomeUnknown,
    PreconditionFailed,
    Put,
    RangeNotSatisfiable,
    TooLarge,
    Unauthenticated,
    Unavailable,
    Written,
)
from quorate._answers import Answer, error_of

KEYS = ["John Smith + Söhne", "a/b//c", "50%", "%41", "?x&y#z", ".", "..", "...", "a/../b", "日本 🍎", "\0", "ä" * 512]

# Writes and reads a second in the rolling restart.
RATE = int(os.environ.get("RATE", "100"))


@pytest.fixture(scope="session")
def started() -> Iterator[tuple[Cluster, Cluster]]:
    """Both clusters, which start at the same time."""
    with closing(Cluster(3, FIRST_PORT)) as three, closing(Cluster(1, FIRST_PORT + 100, "--secure")) as secure:
        yield three, secure


@pytest.fixture(scope="session")
def cluster(started: tuple[Cluster, Cluster]) -> Cluster:
    """Three nodes."""
    started[0].wait_until_complete()
    return started[0]


@pytest.fixture(scope="session")
def secure_node(started: tuple[Cluster, Cluster]) -> Cluster:
    """A node with HTTPS and tokens, beside the cluster."""
    started[1].wait_until_complete()
    return started[1]


@pytest.fixture
def client(clients: Clients, cluster: Cluster) -> Any:
    return clients.open(*cluster.urls, stall_timeout=3.0)


@pytest.fixture
def prefix() -> str:
    """Keys of one test alone."""
    return f"{uuid.uuid4()}/"


@pytest.mark.parametrize("key", KEYS)
def test_each_key_is_one_key_for_all(clients: Clients, client: Any, cluster: Cluster, key: str) -> None:
    client.put(key, key)
    for url in cluster.urls:
        assert clients.open(url).get(key).text == key
        # Another program writes the key in a parameter.
        target = f"{url}/v0/entity?id={urllib.parse.quote(key, safe='')}"
        with past_proxies().open(target, timeout=10 * SLOWNESS) as answer:
            assert answer.read().decode() == key
    assert key in {each.key: each for each in client.range()}
    (read,) = client.batch([Get(key)])
    assert isinstance(read, Entity)
    assert read.text == key
    client.delete(key)
    assert client.get(key) is None
    assert client.head(key) is None


@pytest.mark.parametrize("size", [0, 1, 100_000, 5 * 1024 * 1024])
def test_values_of_each_size(client: Any, prefix: str, size: int) -> None:
    value = bytes(i % 251 for i in range(size))
    written = client.put(prefix, value, content_type="application/x-test; v=1", ttl=3600)
    entity, metadata = client.get(prefix), client.head(prefix)
    assert entity.value == value
    assert (entity.etag, entity.content_type, entity.size) == (written.etag, "application/x-test; v=1", size)
    now = datetime.datetime.now(datetime.timezone.utc)
    assert abs(entity.last_modified - now) < datetime.timedelta(minutes=1)
    assert datetime.timedelta(minutes=59) < entity.expires - now < datetime.timedelta(minutes=61)
    for name in ("key", "etag", "size", "content_type", "last_modified", "expires"):
        assert getattr(metadata, name) == getattr(entity, name)


def test_conditions_and_parts(client: Any, prefix: str) -> None:
    old = client.put(prefix, b"old")
    new = client.put(prefix, b"0123456789")
    assert client.get(prefix, if_none_match=old.etag).value == b"0123456789"
    assert isinstance(client.get(prefix, if_none_match=[old.etag, new.etag]), NotModified)
    assert isinstance(client.head(prefix, if_none_match=new.etag), NotModified)
    with pytest.raises(PreconditionFailed):
        client.get(prefix, if_match=old.etag)
    part = client.get_part(prefix, 2, 5)
    assert (part.value, part.offset, part.size) == (b"234", 2, 10)
    assert client.get_part(prefix, -3).value == b"789"
    assert client.get_part(prefix, 8, 100, if_range=new.etag).value == b"89"
    assert client.get_part(prefix, 8, if_range=old.etag).is_whole
    with pytest.raises(RangeNotSatisfiable):
        client.get_part(prefix, 10)


def test_a_value_is_created_once(clients: Clients, cluster: Cluster, prefix: str) -> None:
    # A busy machine is no failure.
    client = clients.open(*cluster.urls, node_timeout=20)
    first = client.put(prefix, b"first", ttl=3600, if_none_match="*")
    with pytest.raises(PreconditionFailed) as raised:
        client.put(prefix, b"again", if_none_match="*")
    assert raised.value.current == first.etag
    second = client.put(prefix, b"second", ttl="keep", if_match=first.etag)
    assert client.get(prefix).expires is not None
    with pytest.raises(PreconditionFailed):
        client.delete(prefix, if_match=first.etag)
    deleted = client.delete(prefix, if_match=second.etag)
    with pytest.raises(PreconditionFailed) as raised:
        client.put(prefix, b"third", if_match=second.etag)
    assert (raised.value.current, raised.value.absent_version) == (None, deleted.etag)
    items = [Put(prefix, b"a", if_none_match="*"), Put(prefix, b"b", if_none_match="*"), Delete(prefix, if_match="*")]
    assert [type(each) for each in client.batch(items)] == [Written, PreconditionFailed, Written]


def losing(url: str, chance: random.Random) -> Script:
    """Between a client and a node: each sixth write is lost, and so is the answer to each sixth."""

    def script(connection: Connection, request: Received) -> None:
        fate = chance.choice(["request", "answer", "", "", "", ""]) if request.method != "GET" else ""
        if fate == "request":
            connection.cut()
            return
        headers = {name: value for name, value in request.headers.items() if name != "host"}
        with closing(http.client.HTTPConnection(url.removeprefix("http://"), timeout=60 * SLOWNESS)) as node:
            node.request(request.method, request.target, request.body, headers)
            reply = node.getresponse()
            body = reply.read()
        if fate == "answer":
            connection.cut()
            return
        fields = dict(reply.getheaders())
        length = fields.pop("Content-Length", fields.pop("content-length", str(len(body))))
        connection.send(head(reply.status, **fields, **{"Content-Length": length}) + body)

    return script


def test_a_counter_has_each_step_whatever_is_lost(cluster: Cluster, node: Nodes, prefix: str) -> None:
    chance = random.Random(11)  # noqa: S311
    urls = [node(losing(url, chance)).url for url in cluster.urls]

    def step(client: Client) -> int | None:
        try:
            return client.increment(prefix)
        except OutcomeUnknown:
            # Eight others have counted before the client could ask again.
            return None

    def count(_: int) -> list[int | None]:
        with Client(urls, node_timeout=20, deadline=120 * SLOWNESS) as client:
            return [step(client) for _step in range(50)]

    with ThreadPoolExecutor(8) as threads:
        counts = list(threads.map(count, range(8)))
    with Client(cluster.urls) as client:
        entity = client.get(prefix)
    assert entity is not None
    total = int(entity.text)
    known = [each for thread in counts for each in thread if each is not None]
    assert len(known) <= total <= 400
    # Each has counted on.
    assert len(set(known)) == len(known)
    assert set(known) <= set(range(1, total + 1))


def test_a_prefix_is_deleted(client: Any, prefix: str) -> None:
    written = client.batch([Put(f"{prefix}{i:03}", b"") for i in range(600)], node_timeout=20)
    assert all(isinstance(each, Written) for each in written)
    assert client.delete_prefix(prefix, node_timeout=20) == 600
    assert list(client.keys(prefix=prefix)) == []


KILLED = """
import sys, time
from quorate import Client
client = Client(sys.argv[1].split(","), node_timeout=20)
held = client.lock(sys.argv[3], 5, wait=300) if sys.argv[2] == "lock" else client.take(sys.argv[3], 5, wait=300)
print(held.key, held.token, time.monotonic(), flush=True)
time.sleep(3600)
"""


def killed(cluster: Cluster, kind: str, place: str) -> tuple[str, str, float, float]:
    """Have a process hold something, and kill it; return key, token, beginning and end."""
    command = [sys.executable, "-c", KILLED, ",".join(cluster.urls), kind, place]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        key, token, began = process.stdout.readline().split()
        process.kill()
        process.wait()
    return key, token, float(began), time.monotonic()


def test_a_lock_has_one_holder_at_a_time(cluster: Cluster, prefix: str) -> None:
    key = f"lock:{prefix}"
    held: list[tuple[str, float, float]] = []

    def contend(number: int) -> None:
        with Client(cluster.urls, node_timeout=20) as client:
            for _ in range(2):
                with client.lock(key, ttl=60, wait=300 * SLOWNESS) as lock:
                    began = time.monotonic()
                    client.put(f"{prefix}witness", str(number))
                    witness = client.get(f"{prefix}witness")
                    assert witness is not None
                    assert witness.text == str(number)
                    lock.check()
                    held.append((lock.token, began, time.monotonic()))

    with ThreadPoolExecutor(11) as threads:
        dying = threads.submit(killed, cluster, "lock", key)
        list(threads.map(contend, range(10)))
        held.append(dying.result()[1:])
    assert len(held) == 21
    held.sort()
    assert all(before[2] <= after[1] for before, after in pairwise(held))


def test_a_job_is_done_once_or_begun_again_behind_its_lease(cluster: Cluster, prefix: str) -> None:
    prefix = prefix.replace("/", ":")
    queue = f"{prefix}jobs:"
    begun: dict[str, list[tuple[str, float]]] = defaultdict(list)
    done: list[str] = []

    def work(_: int) -> None:
        with Client(cluster.urls, node_timeout=20) as client:
            while job := client.take(queue, ttl=60, wait=10 * SLOWNESS):
                with job:
                    begun[job.key].append((job.token, time.monotonic()))
                    if job.text != '{"poison": true}':
                        job.done()
                        done.append(job.key)

    with Client(cluster.urls, node_timeout=20) as client:
        for i in range(40):
            client.put_if_absent(f"{queue}{i:02}", '{"attempt": 0}')
        deaths = [killed(cluster, "take", queue) for _ in range(2)]
        client.put_if_absent(f"{queue}poison", '{"poison": true}')
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(work, range(4)))
        assert sorted(done) == [f"{queue}{i:02}" for i in range(40)]
        assert [each.key for each in client.keys(prefix=prefix)] == [f"{prefix}dead:poison"]
    assert len(begun.pop(f"{queue}poison")) == 3
    assert all(len(times) == 1 for times in begun.values())
    for key, token, began, _end in deaths:
        ((later, again),) = begun[key]
        assert later > token
        # The lease of 5 seconds began before that.
        assert again - began > 3


def test_a_value_expires(client: Any, prefix: str) -> None:
    client.put(prefix, b"", ttl=1)
    end = time.monotonic() + 10 * SLOWNESS
    while client.get(prefix) is not None:
        assert time.monotonic() < end
        time.sleep(0.1)


def test_refusals_are_typed(client: Any, prefix: str) -> None:
    with pytest.raises(BadRequest, match="above"):
        client.get(prefix, from_=4)
    with pytest.raises(BadRequest, match="must be between 1 and"):
        client.put(prefix, b"", ttl=0)
    with pytest.raises(TooLarge):
        client.put(prefix, bytes(17 * 1024 * 1024))
    with pytest.raises(TooLarge):
        client.batch([Get(prefix)] * 1001)
    with pytest.raises(BadRequest):
        list(client.range(cursor="damaged"))
    assert client.get(prefix) is None
    (conditional,) = client.batch([Get(prefix, if_match='"1"')])
    assert conditional is None


@pytest.mark.parametrize("is_reverse", [False, True])
def test_ranges_are_whole_and_in_order(client: Any, prefix: str, is_reverse: bool) -> None:
    names = [f"{prefix}{i:03} + é/{i}" for i in range(300)]
    assert all(isinstance(each, Written) for each in client.batch([Put(name, name) for name in names]))
    expected = names[::-1] if is_reverse else names
    bounds: dict[str, Any] = {"prefix": prefix, "reverse": is_reverse}
    for page_size in (7, 100, 300, 1000):
        read = list(client.range(**bounds, page_size=page_size))
        assert [each.key for each in read] == expected
        assert [each.text for each in read] == expected
        assert [each.content_type for each in read] == ["text/plain; charset=utf-8"] * 300
        assert [each.size for each in client.keys(**bounds, page_size=page_size)] == [
            len(each.encode()) for each in expected
        ]
    assert [each.key for each in client.range(**bounds, limit=25, page_size=10)] == expected[:25]
    page = next(client.pages(**bounds, page_size=20))
    rest = [each.key for each in client.range(cursor=page.cursor, reverse=is_reverse)]
    assert [each.key for each in page] + rest == expected
    start, end = names[10], names[20]
    part = [each.key for each in client.keys(start=start, end=end, reverse=is_reverse)]
    assert part == (names[10:20][::-1] if is_reverse else names[10:20])
    assert [each.key for each in next(client.key_pages(**bounds, page_size=3))] == expected[:3]


def test_items_of_a_batch(client: Any, prefix: str) -> None:
    results = client.batch(
        [
            Put(prefix, b"\xff", content_type="image/png", ttl=60),
            Get(prefix),
            Get(prefix + "none"),
            Delete(prefix),
            Get(prefix),
            Put(prefix, b"", ttl=0),
        ],
        ack=3,
    )
    assert [type(each) for each in results] == [Written, Entity, type(None), Written, type(None), BadRequest]
    assert (results[1].value, results[1].content_type, results[1].etag) == (b"\xff", "image/png", results[0].etag)
    assert results[1].expires is not None


def test_the_examples_run(cluster: Cluster) -> None:
    expected = {
        "inventory.py": ["5 apples: taken", "8 pears & plums: not enough", "Äpfel + Birnen"],
        "concurrent_reads.py": ["500 of 500 round trips right", "500 keys, from square/0000 to square/0499"],
    }
    folder = HOME / "examples" / "python"
    assert {each.name for each in folder.glob("*.py")} == expected.keys()
    for name, lines in expected.items():
        output = run_python(str(folder / name), endpoints=cluster.urls)
        assert all(line in output for line in lines), output


@pytest.mark.parametrize("document", ["clients/python/README.md", "src/docs/python.md"])
def test_the_blocks_of_the_documents_run(cluster: Cluster, document: str) -> None:
    blocks = (HOME / document).read_text().split("```python\n")[1:]
    code = "\n".join(block.split("```")[0] for block in blocks)
    for i, url in enumerate(cluster.urls):
        code = code.replace(f"http://localhost:{8080 + i}", url)
    assert len(blocks) >= 2
    run_python("-W", "error", "-c", code, endpoints=cluster.urls, cwd=str(cluster.data))


def run_python(*arguments: str, endpoints: list[str], cwd: str | None = None) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=60 * SLOWNESS,
        check=False,
        cwd=cwd,
        env={**os.environ, "QUORATE_ENDPOINTS": ",".join(endpoints), "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_node_with_https_and_tokens(clients: Clients, secure_node: Cluster, prefix: str) -> None:
    secrets = secure_node.data / "secure"
    ca = secrets / "clients-ca.crt"
    client = clients.open(*secure_node.urls, ca=ca, token_file=secrets / "app.token")
    client.put(prefix + "John Smith + Söhne", bytes(1_000_000))
    assert [each.size for each in client.keys(prefix=prefix)] == [1_000_000]
    with pytest.raises(Unauthenticated):
        clients.open(*secure_node.urls, ca=ca).get(prefix)
    with pytest.raises(Unauthenticated):
        clients.open(*secure_node.urls, ca=ca, token="qk_app_wrong").head(prefix)
    with pytest.raises(Unavailable, match=r"(?i)certificate verify failed|ssl"):
        clients.open(*secure_node.urls, token_file=secrets / "app.token").put(prefix, b"")
    with pytest.raises(PreconditionFailed) as raised:
        conditional_put(secure_node.urls[0], ca, (secrets / "app.token").read_text().strip())
    assert raised.value.type == "urn:quorate:problem:precondition-failed"
    assert raised.value.members["current"] is None


def conditional_put(url: str, ca: Any, token: str) -> None:
    """A problem as a real node words it, read by the client's own interpreter."""
    headers = {"If-Match": "*", "Authorization": f"Bearer {token}"}
    request = urllib.request.Request(f"{url}/v0/entity/k", b"", headers, method="PUT")  # noqa: S310
    opener = past_proxies(urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=ca)))
    with pytest.raises(urllib.error.HTTPError) as raised:
        opener.open(request, timeout=10 * SLOWNESS)
    with raised.value as answer:
        fields = {name.lower(): value for name, value in answer.headers.items()}
        raise error_of(Answer(url, answer.code, fields, answer.read()))


def test_a_killed_node_costs_no_read_and_no_acknowledged_write(cluster: Cluster, prefix: str) -> None:
    load = Load(cluster.urls, prefix)
    try:
        load.wait_for_passes(6)
        cluster.kill(0)
        load.wait_for_passes(30)
    finally:
        load.end()
    try:
        load.read_again()
        # Only a write that is under way when the node dies is unknown: one of each of the four writers.
        assert len(load.unknown) <= 4
        assert len(load.acknowledged) >= 76
        for kind in ("sync", "async"):
            clients = Clients(kind)
            assert_missing_replica(clients.open(*cluster.urls), prefix)
            clients.close()
    finally:
        cluster.start(0)


def test_a_rolling_restart_costs_no_read_and_no_acknowledged_write(cluster: Cluster, prefix: str) -> None:
    load = Load(cluster.urls, prefix, writers=8, rate=RATE)
    try:
        for node in range(3):
            load.wait_for_requests(RATE)
            cluster.kill(node)
            load.wait_for_requests(RATE)
            cluster.start(node)
        load.wait_until_on_time()
    finally:
        load.end()
    load.read_again()
    # Each of the sixteen writers has at most one write under way at each node that dies.
    assert len(load.unknown_writes) <= 3 * 16
    unknown = len(load.unknown_writes)
    print(f"Rolling restart: {load.requests} requests in {load.seconds:.1f} s, {unknown} writes unknown")


def assert_missing_replica(client: Any, key: str) -> None:
    """Check the errors of requests that need a node which is gone."""
    with pytest.raises(OutcomeUnknown) as raised:
        client.put(key, b"", ack=3)
    problem = raised.value.problem
    assert isinstance(problem, NotEnoughReplicas)
    said = {each.node: each.said for each in problem.replicas}
    assert sorted(said) == ["n0", "n1", "n2"]
    assert said["n0"] in ("disconnected", "timeout")
    assert (problem.required, problem.outcome) == (3, "unknown")
    assert problem.acknowledged == list(said.values()).count("ack")
    with pytest.raises(NotEnoughReplicas) as read:
        client.get(key, ack=3)
    assert read.value.required == 3


def test_a_frozen_node_delays_a_read_and_leaves_a_write_unknown(cluster: Cluster, prefix: str) -> None:
    both = [Clients("sync"), Clients("async")]
    both[0].open(*cluster.urls).put(prefix, b"before")
    # A client that has asked no node begins with the first one.
    clients = [each.open(*cluster.urls, stall_timeout=1.0) for each in both]
    cluster.freeze(0)
    try:
        for kind, client in zip(both, clients, strict=True):
            assert 0.9 < seconds_of_read(client, prefix) < 8
            # The client goes on with the node that has answered.
            assert seconds_of_read(client, prefix) < 0.9
            with pytest.raises(OutcomeUnknown):
                kind.open(*cluster.urls, stall_timeout=1.0).put(f"{prefix}unknown", b"")
            kind.open(*cluster.urls, stall_timeout=1.0, repeat_unknown=True).put(f"{prefix}repeated", kind.kind)
            assert client.get(f"{prefix}repeated").text == kind.kind
    finally:
        cluster.thaw(0)
        for kind in both:
            kind.close()


def seconds_of_read(client: Any, key: str) -> float:
    began = time.monotonic()
    assert client.get(key).value == b"before"
    return (time.monotonic() - began) / SLOWNESS
