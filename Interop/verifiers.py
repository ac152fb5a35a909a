"""Signed statements of clients, as servers verify them that are written with joserfc, with PyJWT or with Authlib.

Keys are joserfc's: one, or a set of which the statement's `kid` chooses one."""

from types import SimpleNamespace

import jwt as pyjwt
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion
from joserfc import jwt
from joserfc.jwk import KeySet, OctKey

TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class Verifier(JWTBearerClientAssertion):
    """What a server has that is written with Authlib."""

    def __init__(self, key, client, audience):
        super().__init__()
        self.key, self.client, self.audience, self.seen = key, client, audience, set()

    def get_audiences(self):
        return [self.audience]

    def validate_jti(self, claims, jti):
        if jti in self.seen:
            return False
        self.seen.add(jti)
        return True

    def resolve_client_public_key(self, client):
        return self.key

    def taken(self, assertion):
        client = SimpleNamespace(check_endpoint_auth_method=lambda method, endpoint: True)
        request = SimpleNamespace(form={"client_assertion_type": TYPE, "client_assertion": assertion}, client=None)
        return self(lambda name: client if name == self.client else None, request) is client


def by_joserfc(token, key, algorithm, issuer, client, audience):
    decoded = jwt.decode(token, key, algorithms=[algorithm])
    jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": issuer}, sub={"essential": True, "value": client},
        aud={"essential": True, "value": audience}, exp={"essential": True}, iat={"essential": True},
    ).validate(decoded.claims)
    return decoded.claims


def by_pyjwt(token, key, algorithm, issuer, client, audience):
    """`key` is joserfc's; PyJWT reads it again from its JWK."""
    if isinstance(key, OctKey):
        key = key.raw_value
    else:
        if isinstance(key, KeySet):
            key = key.get_by_kid(pyjwt.get_unverified_header(token)["kid"])
        key = pyjwt.PyJWK(key.as_dict(private=False), algorithm=algorithm)
    return pyjwt.decode(
        token, key, algorithms=[algorithm], issuer=issuer, subject=client, audience=audience,
        options={"require": ["iss", "sub", "aud", "exp", "iat"]})
