"""The outside of tokens: base64url without padding, and the claims of a token, whose signature nobody looks at here."""

import base64
import json

from testbed.client import JSONObject


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def claims(token: str) -> JSONObject:
    """The payload of a signed token (RFC 7515, section 3.1)."""
    payload: JSONObject = json.loads(decoded(token.split(".")[1]))
    return payload
