"""Signed statements of clients, as servers verify them that are written with joserfc, with PyJWT or with Authlib.

Keys are joserfc's: one, or a set of which the statement's `kid` chooses one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TypeAlias

import jwt as pyjwt
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OctKey, RSAKey

from tokens import Claims

Key: TypeAlias = ECKey | KeySet | OctKey | RSAKey

TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class Verifier(JWTBearerClientAssertion):  # type: ignore[misc]  # Authlib has no types.
    """What a server has that is written with Authlib."""

    def __init__(self, key: Key, client: str, audience: str) -> None:
        super().__init__()
        self.key, self.client, self.audience = key, client, audience
        self.seen: set[str] = set()

    def get_audiences(self) -> list[str]:
        return [self.audience]

    def validate_jti(self, _: object, jti: str) -> bool:
        if jti in self.seen:
            return False
        self.seen.add(jti)
        return True

    def resolve_client_public_key(self, _: object) -> Key:
        return self.key

    def taken(self, assertion: str) -> bool:
        client = SimpleNamespace(check_endpoint_auth_method=lambda *_: True)
        request = SimpleNamespace(form={"client_assertion_type": TYPE, "client_assertion": assertion}, client=None)
        taken: object = self(lambda name: client if name == self.client else None, request)
        return taken is client


def by_joserfc(token: str, key: Key, algorithm: str, issuer: str, client: str, audience: str) -> Claims:
    decoded = jwt.decode(token, key, algorithms=[algorithm])
    jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": issuer}, sub={"essential": True, "value": client},
        aud={"essential": True, "value": audience}, exp={"essential": True}, iat={"essential": True},
    ).validate(decoded.claims)
    claims: Claims = decoded.claims
    return claims


def by_pyjwt(token: str, key: Key, algorithm: str, issuer: str, client: str, audience: str) -> Claims:
    """`key` is joserfc's; PyJWT reads it again from its JWK."""
    if isinstance(key, KeySet):
        key = key.get_by_kid(pyjwt.get_unverified_header(token)["kid"])
    read = key.raw_value if isinstance(key, OctKey) else pyjwt.PyJWK(key.as_dict(private=False), algorithm=algorithm)
    claims: Claims = pyjwt.decode(
        token, read, algorithms=[algorithm], issuer=issuer, subject=client, audience=audience,
        options={"require": ["iss", "sub", "aud", "exp", "iat"]})
    return claims
