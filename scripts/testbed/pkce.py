"""Proof Key for Code Exchange (RFC 7636), with the method S256."""

import hashlib
import secrets

from testbed import jose


def new_verifier() -> str:
    return secrets.token_urlsafe(48)


def challenge(verifier: str) -> str:
    return jose.encoded(hashlib.sha256(verifier.encode()).digest())


def parameters(verifier: str) -> dict[str, str]:
    """What an authorization request says of the verifier."""
    return {"code_challenge": challenge(verifier), "code_challenge_method": "S256"}
