"""HTTP as apps speak it."""

import http.client
import json
import urllib.parse
from collections.abc import Iterable, Mapping
from typing import Any, Self, TypedDict, Unpack

# Any, because what a server answers has the shape that the reader expects, or raises where it is read.
JSONObject = dict[str, Any]

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
# What a call of a client meets when the server goes away under it.
LOST = (OSError, http.client.HTTPException)


class Content(TypedDict, total=False):
    """What a request carries: `body` as JSON, `form` as a form, or `text` as it is."""

    body: object
    form: Mapping[str, str] | None
    text: str | bytes | None
    bearer: str | None
    headers: Mapping[str, str] | None


class Answer:
    def __init__(self, status: int, headers: Iterable[tuple[str, str]], body: bytes) -> None:
        self.status = status
        self.headers = {name.lower(): value for name, value in headers}
        self.body = body

    @property
    def json(self) -> JSONObject:
        try:
            value = json.loads(self.body)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def error(self) -> str | None:
        return self.json.get("error")

    def __str__(self) -> str:
        return f"{self.status} {self.error or ''}".strip()


class Client:
    """One connection that is kept open from call to call."""

    def __init__(self, port: int, timeout: float = 60) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def call(self, method: str, path: str, **content: Unpack[Content]) -> Answer:
        """Sends a request and waits for its answer. Raises one of `LOST` when none comes."""
        self.send(method, path, **content)
        return self.receive()

    def send(self, method: str, path: str, **content: Unpack[Content]) -> None:
        headers = dict(content.get("headers") or {})
        data = content.get("text")
        if content.get("body") is not None:
            data, headers["Content-Type"] = json.dumps(content["body"]), JSON
        elif (form := content.get("form")) is not None:
            data, headers["Content-Type"] = urllib.parse.urlencode(form), FORM
        if (bearer := content.get("bearer")) is not None:
            headers["Authorization"] = f"Bearer {bearer}"
        try:
            self.connection.request(method, path, data, headers)
        except LOST:
            self.connection.close()
            raise

    def receive(self) -> Answer:
        """The answer to the request that was sent."""
        try:
            response = self.connection.getresponse()
            return Answer(response.status, response.getheaders(), response.read())
        except LOST:
            self.connection.close()
            raise
