"""Tokens in the compact form of RFC 7515, taken apart and made without a library, for those who forge them."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import TypedDict


class Header(TypedDict, total=False):
    """What stands before the claims."""

    alg: str
    kid: str
    typ: str


class Claims(TypedDict, total=False):
    """Of ID tokens, access tokens and assertions; a token may have others as well."""

    iss: str
    sub: str
    aud: str
    exp: int
    iat: int
    nonce: str


def segment(value: Mapping[str, object]) -> str:
    """A part of a token that says this."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def content(segment: str) -> bytes:
    """What a part of a token says, as JSON."""
    return base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4))


def header_of(token: str) -> Header:
    header: Header = json.loads(content(token.split(".")[0]))
    return header


def claims_of(token: str) -> Claims:
    claims: Claims = json.loads(content(token.split(".")[1]))
    return claims
