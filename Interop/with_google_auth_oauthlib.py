"""google-auth-oauthlib: Google's flow on requests-oauthlib and oauthlib, which makes PKCE's verifier by itself. It
takes addresses rather than metadata, and has no word for introspection, nor for signing out."""

from __future__ import annotations

import google.auth.transport.requests
import google.oauth2.id_token
import requests
from google_auth_oauthlib.flow import Flow

from checks import Checks
from person import Person, changed
from service import App, Metadata, Service
from tokens import Claims

NAME = "google-auth-oauthlib"
SCOPES = ["openid", "profile", "email", "phone", "offline_access"]


class Application:
    def __init__(self, service: Service, app: App) -> None:
        self.app, self.person = app, Person()
        self.metadata: Metadata = self.person.get(service.metadata_url).json()

    def flow(self) -> Flow:
        """A flow is for one sign-in. A public app's file has an empty secret, as Google's own have for some of
        theirs."""
        client = {
            "client_id": self.app.client_id, "client_secret": self.app.secret or "",
            "auth_uri": self.metadata["authorization_endpoint"], "token_uri": self.metadata["token_endpoint"]}
        kind = "web" if self.app.secret else "installed"
        return Flow.from_client_config({kind: client}, SCOPES, redirect_uri=self.app.redirect_uri)

    def answer(self, flow: Flow) -> str:
        address, _ = flow.authorization_url(**self.app.sign_in)
        return self.person.follow(address, self.app.redirect_uri)

    def sign_in(self) -> Flow:
        flow = self.flow()
        flow.fetch_token(authorization_response=secure(self.answer(flow)))
        return flow

    def claims(self, id_token: str) -> Claims:
        claims: Claims = google.oauth2.id_token.verify_token(
            id_token, google.auth.transport.requests.Request(), audience=self.app.client_id,
            certs_url=self.metadata["jwks_uri"])
        return claims

    def revoke(self, flow: Flow, token: str, kind: str) -> requests.Response:
        """oauthlib writes the request; the flow's session sends it."""
        address, headers, body = flow.oauth2session._client.prepare_token_revocation_request(
            self.metadata["revocation_endpoint"], token, token_type_hint=kind)
        auth = (self.app.client_id, self.app.secret or "")
        return requests.post(address, data=body, headers=headers, auth=auth, timeout=30)


def secure(address: str) -> str:
    """oauthlib reads no answer at an http address, not even at a loopback one; only the query matters to it."""
    return f"https{address[len('http'):]}" if address.startswith("http:") else address


def run(checks: Checks, service: Service) -> None:
    for name, app in [("a public app", service.device), ("a confidential app", service.web)]:
        signs_in(checks, f"{NAME}, {name}", Application(service, app))
        refuses(checks, f"{NAME}, {name}", Application(service, app))


def signs_in(checks: Checks, who: str, application: Application) -> None:
    flow = application.sign_in()
    credentials, session = flow.credentials, flow.authorized_session()
    claims = application.claims(credentials.id_token)
    checks.equal(f"{who}: the ID token is good", claims["aud"], application.app.client_id)
    checks.expect(f"{who}: it has the user's name, address and number",
                  {"name", "email", "phone_number"} <= claims.keys(), claims)
    user = claims["sub"]
    checks.equal(f"{who}: userinfo is the same user's",
                 session.get(application.metadata["userinfo_endpoint"]).json()["sub"], user)
    before = credentials.refresh_token
    credentials.refresh(google.auth.transport.requests.Request())
    checks.equal(f"{who}: so is the refreshed ID token", application.claims(credentials.id_token)["sub"], user)
    checks.expect(f"{who}: the refresh token is another one", credentials.refresh_token != before)
    answer = application.revoke(flow, credentials.refresh_token, "refresh_token")
    checks.equal(f"{who}: a token can be revoked", answer.status_code, 200)
    checks.refused(f"{who}: which ends the session", "invalid_grant",
                   lambda: credentials.refresh(google.auth.transport.requests.Request()))


def refuses(checks: Checks, who: str, application: Application) -> None:
    flow = application.flow()
    address = secure(application.answer(flow))
    checks.refused(f"{who}: another state", "MismatchingStateError",
                   lambda: flow.fetch_token(authorization_response=changed(address, state="another")))
    verifier, flow.code_verifier = flow.code_verifier, "another" * 7
    checks.refused(f"{who}: another verifier", "InvalidGrantError",
                   lambda: flow.fetch_token(authorization_response=address))
    flow.code_verifier = verifier
    token = flow.fetch_token(authorization_response=address)["access_token"]
    checks.refused(f"{who}: the code again", "InvalidGrantError",
                   lambda: flow.fetch_token(authorization_response=address))
    checks.equal(f"{who}: which ends the session", requests.get(
        application.metadata["userinfo_endpoint"], timeout=30,
        headers={"Authorization": f"Bearer {token}"}).status_code, 401)
