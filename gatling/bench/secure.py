"""Forms of security of a cluster, from open to closed."""

import re
import secrets
import subprocess

from clients import Clients
from measured import Failure

OPEN = "open"

# Tokens for clients; certificates between the nodes alone; HTTPS, tokens and certificates between the nodes.
TOKENS, ENCRYPTED, CLOSED = "tokens", "encrypted", "closed"

FORMS = [OPEN, TOKENS, ENCRYPTED, CLOSED]

# Measured only if it is named: tokens, one among those of many principals.
CROWD = "crowd"

ALL_FORMS = [*FORMS, CROWD]

# As many as an access file may have.
PRINCIPALS, PREFIXES = 1000, 32


def prepare(form, scripts, directory):
    """Words for bin/cluster, and the way for clients. Files that they need are made in a directory that is there."""
    secure = directory / "secure"
    if form in (TOKENS, CROWD):
        secure.mkdir(mode=0o700)
        clients = Clients(token_file=secure / "ops.token")
        hashed = make_token(scripts, clients.token_file)
        file = secure / "access.yml"
        file.write_text("\n".join(["principals:", *(crowd(hashed) if form == CROWD else [measured(hashed, "all")]), ""]))
        file.chmod(0o600)
        return [f"--quorate.security.access={file}"], clients
    if form == ENCRYPTED:
        run(str(scripts / "certificates"), str(secure), "127.0.0.1")
        return certificates(secure), Clients()
    if form == CLOSED:
        # bin/cluster makes the files.
        return ["--secure"], Clients(secure / "clients-ca.crt", secure / "ops.token")
    return [], Clients()


def make_token(scripts, file):
    """A token in a file; returns its hash, as an access file has it."""
    printed = run(str(scripts / "quorate"), "token", "ops")
    file.write_text(re.search(r"^token: (\S+)$", printed, re.M).group(1) + "\n")
    file.chmod(0o600)
    return re.search(r"\{sha256: .*\}", printed).group(0)


def measured(hashed, keys):
    """The principal with the rights to do all that is measured."""
    return f"  ops: {{tokens: [{hashed}], read: {keys}, write: {keys}, metrics: true, limits: {{share: 1}}}}"


def crowd(hashed):
    """The same among others, as many as there may be, each with as many prefixes."""
    def prefixes(first, name):
        return "[" + ", ".join([first, *(f"{name}-{number}-" for number in range(1, PREFIXES))]) + "]"

    others = [f"p{number}" for number in range(1, PRINCIPALS)]
    keys = {name: prefixes(f"{name}-0-", name) for name in others}
    lines = [f"  {name}: {{tokens: [{{sha256: \"{secrets.token_hex(32)}\"}}], read: {keys[name]}, write: {keys[name]}}}" for name in others]
    return [measured(hashed, prefixes("key-", "ops")), *lines]


def certificates(secure):
    bundle = "--spring.ssl.bundle.pem.peers"
    node = secure / "127.0.0.1"
    return [
        f"{bundle}.keystore.certificate={node / 'node.crt'}",
        f"{bundle}.keystore.private-key={node / 'node.key'}",
        f"{bundle}.truststore.certificate={secure / 'nodes-ca.crt'}",
        "--quorate.internode.ssl-bundle=peers",
        "--quorate.internode.tls=required",
    ]


def run(*command):
    said = subprocess.run(command, capture_output=True, text=True)
    if said.returncode != 0:
        raise Failure(f"{' '.join(command)}: {said.stderr.strip()}")
    return said.stdout
