"""Forms of security of a cluster, from open to closed."""

import re
import subprocess

from clients import Clients
from measured import Failure

OPEN = "open"

# Tokens for clients; certificates between the nodes alone; HTTPS, tokens and certificates between the nodes.
TOKENS, ENCRYPTED, CLOSED = "tokens", "encrypted", "closed"

FORMS = [OPEN, TOKENS, ENCRYPTED, CLOSED]

# Closed, with HTTPS by the JDK in place of OpenSSL; measured only if it is named.
CLOSED_JDK = "closed-jdk"

ALL_FORMS = [*FORMS, CLOSED_JDK]


def java_options(form):
    """Options for the JVMs of the nodes."""
    return "-Dio.netty.handler.ssl.noOpenSsl=true" if form == CLOSED_JDK else ""


def prepare(form, scripts, directory):
    """Words for bin/cluster, and the way for clients. Files that they need are made in a directory that is there."""
    secure = directory / "secure"
    if form == TOKENS:
        secure.mkdir(mode=0o700)
        make_token(scripts, secure)
        return [f"--quorate.security.access={secure / 'access.yml'}"], Clients(token_file=secure / "ops.token")
    if form == ENCRYPTED:
        run(str(scripts / "certificates"), str(secure), "127.0.0.1")
        return certificates(secure), Clients()
    if form in (CLOSED, CLOSED_JDK):
        # bin/cluster makes the files.
        return ["--secure"], Clients(secure / "clients-ca.crt", secure / "ops.token")
    return [], Clients()


def make_token(scripts, secure):
    """A principal with the rights to do all that is measured, and its token in a file."""
    printed = run(str(scripts / "token"), "ops")
    token = re.search(r"^token: (\S+)$", printed, re.M)
    entry = re.search(r"\{sha256: .*\}", printed)
    (secure / "ops.token").write_text(token.group(1) + "\n")
    rights = "read: all, write: all, metrics: true, limits: {share: 1}"
    (secure / "access.yml").write_text(f"principals:\n  ops: {{tokens: [{entry.group(0)}], {rights}}}\n")
    for file in secure.iterdir():
        file.chmod(0o600)


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
