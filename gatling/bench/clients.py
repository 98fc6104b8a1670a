"""The way in which clients reach a cluster: HTTP or HTTPS, with a token or without."""

import dataclasses
import os
import pathlib
import ssl
import urllib.request


@dataclasses.dataclass(frozen=True)
class Clients:
    """By default what an open node takes. The token stays in its file: arguments of a program are seen by all users."""

    authority: "pathlib.Path | None" = None
    token_file: "pathlib.Path | None" = None

    @property
    def scheme(self):
        return "https" if self.authority else "http"

    @property
    def context(self):
        """For TLS; None without it."""
        return ssl.create_default_context(cafile=self.authority) if self.authority else None

    @property
    def headers(self):
        return {"Authorization": f"Bearer {self.token_file.read_text().strip()}"} if self.token_file else {}

    def environment(self):
        """For the scripts of wrk2."""
        environment = {name: value for name, value in os.environ.items() if name != "QUORATE_TOKEN_FILE"}
        return {**environment, "QUORATE_TOKEN_FILE": str(self.token_file)} if self.token_file else environment

    def open(self, port, path):
        # By address: a name could be that of another machine in a file of hosts. Certificates have both.
        request = urllib.request.Request(f"{self.scheme}://127.0.0.1:{port}{path}", headers=self.headers)
        return urllib.request.urlopen(request, timeout=10, context=self.context)
