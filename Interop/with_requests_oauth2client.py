"""requests_oauth2client, which sends a secret in the form where it is not told otherwise, and takes metadata at its
word."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import TypeAlias

import requests
from requests_oauth2client import (
    AuthorizationRequest,
    AuthorizationResponse,
    BearerToken,
    ClientSecretBasic,
    OAuth2Client,
)

from checks import Checks
from person import Person, changed, parameters
from service import App, Service
from tokens import Claims

# What of a client is said otherwise than by default: a secret, or how the client proves itself.
Settings: TypeAlias = Mapping[str, str | ClientSecretBasic]

NAME = "requests_oauth2client"
SCOPE = "openid profile email phone offline_access"


class Application:
    def __init__(self, service: Service, app: App, more: Settings | None = None) -> None:
        self.app, self.person = app, Person()
        settings: dict[str, str | ClientSecretBasic | None] = {"client_secret": app.secret, **(more or {})}
        if "auth" not in settings:
            settings["client_id"] = app.client_id
        else:
            del settings["client_secret"]
        self.client = OAuth2Client.from_discovery_endpoint(
            issuer=service.issuer, redirect_uri=app.redirect_uri, **settings)

    def begin(self, **others: object) -> AuthorizationRequest:
        return self.client.authorization_request(scope=SCOPE, **{**self.app.sign_in, **others})

    def answer(self, request: AuthorizationRequest) -> str:
        return self.person.follow(request.uri, self.app.redirect_uri)

    def response(self, **others: object) -> AuthorizationResponse:
        request = self.begin(**others)
        return request.validate_callback(self.answer(request))

    def sign_in(self) -> tuple[AuthorizationResponse, BearerToken]:
        response = self.response()
        return response, self.client.authorization_code(response)


def run(checks: Checks, service: Service) -> None:
    apps: list[tuple[str, App, Settings]] = [
        ("a public app", service.device, {}),
        ("a confidential app", service.web, {}),
        ("a confidential app with client_secret_basic", service.web, {
            "auth": ClientSecretBasic(service.web.client_id, service.web.secret)}),
    ]
    for name, app, settings in apps:
        signs_in(checks, f"{NAME}, {name}", service, Application(service, app, settings))
    asks_for_a_level(checks, service)
    refuses(checks, service)


def status_of_userinfo(client: OAuth2Client, token: BearerToken) -> int:
    return requests.get(client.userinfo_endpoint, auth=BearerToken(token.access_token), timeout=30).status_code


def signs_in(checks: Checks, who: str, service: Service, application: Application) -> None:
    app, client = application.app, application.client
    response, token = application.sign_in()
    claims: Claims = token.id_token.claims
    checks.equal(f"{who}: the ID token is good, nonce and at_hash too", claims.get("aud"), app.client_id)
    checks.expect(f"{who}: at_hash and nonce were there to be checked", {"at_hash", "nonce"} <= claims.keys(), claims)
    checks.equal(f"{who}: its issuer is the one that was asked", claims.get("iss"), service.issuer)
    checks.expect(f"{who}: it has the user's name, address and number",
                  {"name", "email", "phone_number"} <= claims.keys(), claims)
    user = claims["sub"]
    checks.equal(f"{who}: userinfo is the same user's", client.userinfo(token)["sub"], user)

    fresh = client.refresh_token(token)
    # As at the sign-in, but without a nonce (OpenID Connect Core §12.2).
    fresh.validate_id_token(client, AuthorizationResponse(code=response.code, issuer=service.issuer))
    checks.equal(f"{who}: so is the refreshed ID token", fresh.id_token.claims["sub"], user)
    checks.expect(f"{who}: the refresh token is another one", fresh.refresh_token != token.refresh_token)

    asking_service = OAuth2Client.from_discovery_endpoint(
        issuer=service.issuer, auth=ClientSecretBasic(*service.api))
    askers = [("a resource server", asking_service)] + ([("the app", client)] if app.secret else [])
    for asker, asking in askers:
        for kind in ("access_token", "refresh_token"):
            seen = asking.introspect_token(fresh, kind)
            checks.equal(f"{who}: {asker} is told whose {kind} it is",
                         [seen.get(name) for name in ("active", "sub", "client_id")], [True, user, app.client_id])
    checks.equal(f"{who}: a token can be revoked", client.revoke_access_token(fresh), True)
    for asker, asking in askers:
        for kind in ("access_token", "refresh_token"):
            checks.equal(f"{who}: after that {asker} is told that the {kind} is not active",
                         asking.introspect_token(fresh, kind), {"active": False})
    checks.equal(f"{who}: and userinfo is over", status_of_userinfo(client, fresh), 401)
    checks.refused(f"{who}: so is the refresh token", "InvalidGrant", lambda: client.refresh_token(fresh))

    _, token = application.sign_in()
    # The library has no word for signing out.
    address = requests.Request("GET", Person().get(service.metadata_url).json()["end_session_endpoint"], params={
        "id_token_hint": str(token.id_token), "post_logout_redirect_uri": app.signed_out_uri, "state": "signed out+",
    }).prepare().url or ""
    checks.equal(f"{who}: the user signs out and comes back with the state",
                 parameters(application.person.follow(address, app.signed_out_uri)), {"state": "signed out+"})
    checks.equal(f"{who}: which ends the session", status_of_userinfo(client, token), 401)


def asks_for_a_level(checks: Checks, service: Service) -> None:
    """acr and auth_time are compared with what was asked for, as the library does it."""
    application = Application(service, service.web)
    response = application.response(acr_values="a3", max_age=300)
    claims = application.client.authorization_code(response).id_token.claims
    checks.expect(f"{NAME}: a level and an age that were asked for are there",
                  {"acr", "auth_time"} <= claims.keys(), claims)
    checks.equal(f"{NAME}: the level is that one", claims.get("acr"), "a3")


def refuses(checks: Checks, service: Service) -> None:
    device, web = Application(service, service.device), Application(service, service.web)
    request = device.begin()
    address = device.answer(request)
    for name, error in [("state", "MismatchingState"), ("iss", "MismatchingIssuer")]:
        checks.refused(
            f"{NAME}: another {name}", error, request.validate_callback, changed(address, **{name: "https://another"}))
    checks.equal(f"{NAME}: iss is our name (RFC 9207)", parameters(address).get("iss"), service.issuer)
    # Who could be another program is never let in without a word.
    for application, name in ((device, "InteractionRequired"), (web, "LoginRequired")):
        request = application.begin(login_hint="", prompt="none")
        address = application.answer(request)
        checks.refused(f"{NAME}, {application.app.client_id}: prompt=none", name, request.validate_callback, address)
        checks.equal(f"{NAME}, {application.app.client_id}: iss is there also then", parameters(address).get("iss"),
                     service.issuer)

    for application in (device, web):
        who, client = f"{NAME}, {application.app.client_id}", application.client
        response = application.response()
        checks.refused(f"{who}: another verifier", "InvalidGrant", client.authorization_code,
                       response, code_verifier=secrets.token_urlsafe(48))
        token = client.authorization_code(response)
        checks.equal(f"{who}: which leaves the code to who has the right one", status_of_userinfo(client, token), 200)
        checks.refused(f"{who}: the code again", "InvalidGrant", client.authorization_code, response)
        checks.equal(f"{who}: which ends the session", status_of_userinfo(client, token), 401)
        checks.refused(f"{who}: for refreshing, too", "InvalidGrant", client.refresh_token, token)
    response = device.response()
    checks.refused(f"{NAME}: the code of another app", "InvalidGrant", lambda: web.client.authorization_code(response))
    token = device.client.authorization_code(response)
    checks.refused(f"{NAME}: the refresh token of another app", "InvalidGrant",
                   lambda: web.client.refresh_token(token))
    checks.refused(f"{NAME}: another app's token is not revoked", "InvalidGrant",
                   lambda: web.client.revoke_refresh_token(token))
    checks.equal(f"{NAME}: nor is an app told of it", web.client.introspect_token(token), {"active": False})
    checks.refused(f"{NAME}: a public app may not ask", "InvalidClient", lambda: device.client.introspect_token(token))
    checks.equal(f"{NAME}: it is good still", status_of_userinfo(device.client, token), 200)
    response = web.response()
    secrets_told: list[tuple[str, Settings]] = [
        ("client_secret_post", {"client_secret": "another secret"}),
        ("client_secret_basic", {"auth": ClientSecretBasic(service.web.client_id, "another secret")}),
    ]
    for name, settings in secrets_told:
        liar = Application(service, service.web, settings)
        checks.refused(
            f"{NAME}: another secret, by {name}", "InvalidClient", liar.client.authorization_code, response)
