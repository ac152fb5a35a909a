"""Tokens in the compact form of RFC 7515, taken apart and made without a library, for those who forge them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypedDict, cast

from testbed import jose


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
    return jose.encoded(json.dumps(value).encode())


def header_of(token: str) -> Header:
    header: Header = json.loads(jose.decoded(token.split(".")[0]))
    return header


def claims_of(token: str) -> Claims:
    # Those that are used here, of whatever a token has.
    return cast("Claims", jose.claims(token))
