"""New connections, one after the other, and the processor time that a node takes for each."""

import dataclasses
import socket
import time

SECONDS = 10


@dataclasses.dataclass(frozen=True)
class Connected:
    """One round of new connections to the first node of a target."""

    target: str
    protocol: str
    round: int
    count: int
    seconds: float
    cpu: float


def measure(target, count, round_number):
    """Opens and closes connections. Over HTTPS each has a full handshake: no session is offered again."""
    before = target.samples(meters_first=True)
    begin = time.monotonic()
    for _ in range(count):
        protocol = connect(target.clients.context, target.ports[0])
    seconds = time.monotonic() - begin
    after = target.samples(meters_first=False)
    node = target.nodes[0]
    return Connected(target.name, protocol, round_number, count, seconds, after[node].since(before[node]).cpu)


def connect(context, port):
    with socket.create_connection(("127.0.0.1", port), SECONDS) as plain:
        if context is None:
            return "none"
        # Else the end waits for the acknowledgement of the handshake's last message, which a node that has nothing to say delays by 40 ms.
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with context.wrap_socket(plain, server_hostname="127.0.0.1") as tls:
            protocol = tls.version()
            # The node has its part of the handshake behind it when it answers the end.
            tls.unwrap()
            return protocol
