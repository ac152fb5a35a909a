"""Authlib: a web application (Flask) signs its users in with it, and a service asks what tokens are good for."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import TypedDict

import flask
from authlib.integrations.base_client import MismatchingStateError, OAuthError
from authlib.integrations.flask_client import OAuth
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from authlib.oauth2.rfc9068 import JWTBearerTokenValidator
from authlib.oidc.discovery import OpenIDProviderMetadata
from joserfc.jwk import KeySet

from checks import Checks
from person import Person, changed, parameters
from service import App, Metadata, Service
from tokens import Claims

NAME = "Authlib"
SCOPE = "openid profile email phone offline_access"


class Token(TypedDict):
    """What Authlib makes of an answer of the token endpoint."""

    access_token: str
    refresh_token: str
    id_token: str
    # The claims of the ID token, where it has checked them.
    userinfo: Claims


class Application:
    """An application as Authlib's documentation has it; PKCE is one setting there. Its user has one browser."""

    def __init__(self, service: Service, app: App, settings: Mapping[str, str] | None = None) -> None:
        self.app, self.person = app, Person()
        self.flask = flask.Flask(__name__)
        self.flask.secret_key = secrets.token_hex(16)
        # What the views raise is wanted here.
        self.flask.testing = True
        self.oauth = OAuth(self.flask).register(
            "gatehouse", client_id=app.client_id, client_secret=app.secret, server_metadata_url=service.metadata_url,
            client_kwargs={"scope": SCOPE, "code_challenge_method": "S256", **(settings or {})})
        self.client = self.flask.test_client()
        self.flask.add_url_rule("/login", "login", lambda: self.oauth.authorize_redirect(
            app.redirect_uri, **flask.request.args))
        self.flask.add_url_rule("/callback", "callback", lambda: self.oauth.authorize_access_token())
        self.flask.add_url_rule("/logout", "logout", lambda: self.oauth.logout_redirect(
            app.signed_out_uri, flask.request.args["id_token"]))
        self.flask.add_url_rule("/signed-out", "signed-out", lambda: self.oauth.validate_logout_response())

    def begin(self, **others: str) -> str:
        """Where the application sends the user's browser."""
        address: str = self.client.get("/login", query_string={**self.app.sign_in, **others}).headers["location"]
        return address

    def answer(self, **others: str) -> str:
        """Where Gatehouse sends it back."""
        return self.person.follow(self.begin(**others), self.app.redirect_uri)

    def finish(self, address: str) -> Token:
        token: Token = self.client.get("/callback", query_string=parameters(address)).json
        return token

    def session(self, token: Token | None = None) -> OAuth2Session:
        """For what Authlib has no shorter way."""
        return OAuth2Session(self.app.client_id, self.app.secret, scope=SCOPE, token=token)

    def sign_out(self, id_token: str) -> dict[str, str]:
        address: str = self.client.get("/logout", query_string={"id_token": id_token}).headers["location"]
        address = self.person.follow(address, self.app.signed_out_uri)
        returned: dict[str, str] = self.client.get("/signed-out", query_string=parameters(address)).json
        return returned


class Tokens(JWTBearerTokenValidator):  # type: ignore[misc]  # Authlib has no types.
    """A service that reads access tokens by itself (RFC 9068)."""

    def __init__(self, issuer: str, audience: str, keys: Mapping[str, object]) -> None:
        super().__init__(issuer, audience)
        self.keys = KeySet.import_key_set(keys)

    def get_jwks(self) -> KeySet:
        return self.keys


def run(checks: Checks, service: Service) -> None:
    application = Application(service, service.web)
    metadata: Metadata = application.oauth.load_server_metadata()
    metadata_is_sound(checks, service, metadata)
    apps: list[tuple[str, App, dict[str, str]]] = [
        ("a public app", service.device, {}),
        ("a confidential app", service.web, {}),
        ("a confidential app with client_secret_post", service.web, {
            "token_endpoint_auth_method": "client_secret_post",
            "revocation_endpoint_auth_method": "client_secret_post"}),
    ]
    for name, app, settings in apps:
        signs_in(checks, f"{NAME}, {name}", service, Application(service, app, settings), metadata)
    refuses(checks, service, metadata)


def metadata_is_sound(checks: Checks, service: Service, metadata: Metadata) -> None:
    issuer_document = {name: value for name, value in metadata.items() if not name.startswith("_")}
    AuthorizationServerMetadata(issuer_document).validate()
    checks.expect(f"{NAME}: the metadata is sound by RFC 8414", True)
    OpenIDProviderMetadata(issuer_document).validate()
    checks.expect(f"{NAME}: and by OpenID Connect Discovery", True)
    other = Person().get(f"{service.issuer}/.well-known/oauth-authorization-server").json()
    checks.equal(f"{NAME}: both documents are one", other, issuer_document)


def signs_in(checks: Checks, who: str, service: Service, application: Application, metadata: Metadata) -> None:
    app, oauth = application.app, application.oauth
    token = application.finish(application.answer())
    user: Claims = token.get("userinfo", {})
    checks.equal(f"{who}: the ID token is good, nonce and at_hash too", user.get("aud"), app.client_id)
    checks.expect(f"{who}: at_hash and nonce were there to be checked", {"at_hash", "nonce"} <= user.keys(), user)
    checks.expect(f"{who}: it has the user's name, address and number",
                  {"name", "email", "phone_number"} <= user.keys(), user)
    checks.equal(f"{who}: userinfo is the same user's", oauth.userinfo(token=token)["sub"], user["sub"])

    # Authlib names the scopes again when it refreshes.
    session = application.session(token)
    fresh: dict[str, str] = session.refresh_token(metadata["token_endpoint"])
    again: Claims = oauth.parse_id_token(fresh, nonce=None)
    checks.equal(f"{who}: so is the refreshed ID token", again["sub"], user["sub"])
    checks.expect(f"{who}: the refresh token is another one", fresh["refresh_token"] != token["refresh_token"])

    access = Tokens(service.issuer, service.issuer, oauth.fetch_jwk_set()).authenticate_token(fresh["access_token"])
    access.validate()
    checks.equal(f"{who}: a service can read the access token (RFC 9068)", access["client_id"], app.client_id)

    askers = [("a resource server", OAuth2Session(*service.api))] + ([("the app", session)] if app.secret else [])
    for asker, asking in askers:
        for kind in ("access_token", "refresh_token"):
            seen = asking.introspect_token(metadata["introspection_endpoint"], fresh[kind], kind).json()
            checks.equal(f"{who}: {asker} is told whose {kind} it is",
                         [seen.get(name) for name in ("active", "sub", "client_id")],
                         [True, user["sub"], app.client_id])
    answer = session.revoke_token(metadata["revocation_endpoint"], fresh["refresh_token"], "refresh_token")
    checks.equal(f"{who}: a token can be revoked", answer.status_code, 200)
    for asker, asking in askers:
        for kind in ("access_token", "refresh_token"):
            seen = asking.introspect_token(metadata["introspection_endpoint"], fresh[kind], kind).json()
            checks.equal(f"{who}: after that {asker} is told that the {kind} is not active", seen, {"active": False})
    checks.equal(f"{who}: and userinfo is over", session.get(metadata["userinfo_endpoint"]).status_code, 401)
    checks.refused(f"{who}: so is the refresh token", "invalid_grant",
                   lambda: session.refresh_token(metadata["token_endpoint"]))

    token = application.finish(application.answer())
    checks.equal(f"{who}: the user signs out and comes back with the state",
                 application.sign_out(token["id_token"]), {"post_logout_redirect_uri": app.signed_out_uri})
    checks.equal(f"{who}: which ends the session",
                 application.session(token).get(metadata["userinfo_endpoint"]).status_code, 401)


def refuses(checks: Checks, service: Service, metadata: Metadata) -> None:
    device, web = Application(service, service.device), Application(service, service.web)
    address = device.answer()
    checks.refused(f"{NAME}: another state", MismatchingStateError.__name__,
                   lambda: device.finish(changed(address, state="another")))

    def at_once(client: Application) -> Token:
        return client.finish(client.answer(login_hint="", prompt="none"))

    # Who could be another program is never let in without a word.
    for client, error in ((device, "interaction_required"), (web, "login_required")):
        checks.refused(
            f"{NAME}, {client.app.client_id}: prompt=none", f"{OAuthError.__name__} {error}", at_once, client)

    def redeem(client: Application, address: str, verifier: str | None = None) -> Token:
        code = parameters(address)["code"]
        token: Token = client.session().fetch_token(
            metadata["token_endpoint"], grant_type="authorization_code", code=code,
            redirect_uri=client.app.redirect_uri, code_verifier=verifier or secrets.token_urlsafe(48))
        return token

    def begun(client: Application) -> tuple[str, str]:
        """What comes back, with the verifier that goes with it."""
        verifier = secrets.token_urlsafe(48)
        return client.answer(code_verifier=verifier), verifier

    for client in (device, web):
        who = f"{NAME}, {client.app.client_id}"
        address, verifier = begun(client)
        checks.refused(f"{who}: another verifier", "invalid_grant", redeem, client, address)
        token = redeem(client, address, verifier)
        checks.expect(f"{who}: which leaves the code to who has the right one", "access_token" in token, token)
        checks.refused(f"{who}: the code again", "invalid_grant", redeem, client, address, verifier)
        checks.refused(f"{who}: which ends the session", "invalid_grant",
                       client.session(token).refresh_token, metadata["token_endpoint"])
    address, verifier = begun(device)
    checks.refused(f"{NAME}: the code of another app", "invalid_grant", lambda: redeem(web, address, verifier))
    token = redeem(device, address, verifier)
    checks.refused(f"{NAME}: the refresh token of another app", "invalid_grant",
                   lambda: web.session(token).refresh_token(metadata["token_endpoint"]))
    checks.equal(f"{NAME}: another app's token is not revoked", web.session().revoke_token(
        metadata["revocation_endpoint"], token["refresh_token"]).json().get("error"), "invalid_grant")
    checks.equal(f"{NAME}: nor is an app told of it", web.session().introspect_token(
        metadata["introspection_endpoint"], token["access_token"]).json(), {"active": False})
    checks.expect(f"{NAME}: it is good still", device.session(token).get(metadata["userinfo_endpoint"]).ok)
    address, verifier = begun(web)
    for method in ("client_secret_basic", "client_secret_post"):
        liar = OAuth2Session(web.app.client_id, "another secret", token_endpoint_auth_method=method)
        checks.refused(f"{NAME}: another secret, by {method}", "invalid_client", liar.fetch_token,
                       metadata["token_endpoint"], code=parameters(address)["code"], redirect_uri=web.app.redirect_uri,
                       code_verifier=verifier)
    stranger = OAuth2Session(service.api[0], "another secret")
    answer = stranger.introspect_token(metadata["introspection_endpoint"], token["access_token"])
    checks.equal(f"{NAME}: who may not ask is told so", (answer.status_code, answer.json().get("error")),
                 (401, "invalid_client"))
