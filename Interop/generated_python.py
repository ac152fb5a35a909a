"""The client that openapi-python-client makes of each document, calling every operation of a running server."""

from __future__ import annotations

import base64
import sys
import time

# The code is generated after types are checked, so its models and answers are Any here.
from typing import Any

from checks import Checks
from generated_client import Generated
from generated_service import ADMIN_TOKEN, APP_SECRET, RESOURCE_SERVER_SECRET, Service
from openapi import Document

NAME = "openapi-python-client"


def run(checks: Checks, service: Service, folder: str, documents: dict[str, Document]) -> None:
    sys.path.insert(0, folder)
    apps = Generated("apps_client", service.base, documents["apps"], checks)
    operators = Generated("operators_client", service.admin, documents["operators"], checks)
    open_operations(apps)
    sessions(apps, service)
    identities(apps, service)
    provider_tokens(apps, service)
    keys_and_sign_ups(apps)
    pushes(apps)
    browsers(apps)
    providers(apps)
    administration(operators, apps, service)
    apps.is_whole()
    operators.is_whole()


def open_operations(apps: Generated) -> None:
    for name in ("health", "entrance", "documentation", "openAPIDocument", "keys", "clientKeys", "openIDMetadata",
                 "oauthMetadata", "continueScript", "securityContact", "appleAssociation", "androidAssociation",
                 "issueChallenge"):
        apps.call(name)


def sign_in(apps: Generated, service: Service, provider: str, subscriber: str, name: str = "signIn") -> Any:
    body = apps.body("AuthorizedResponse", **service.authorized(provider, subscriber))
    return apps.call(name, body=body)


def sessions(apps: Generated, service: Service) -> None:
    jane = sign_in(apps, service, "zenkey", "jane", "zenkeySignIn")
    apps.checks.expect("the answer of a sign-in has a user", jane.user.user_id > 0 and jane.new_user is True)
    token = jane.access_token
    shown = apps.call("currentUser", token=token)
    apps.checks.equal("who signed in is shown", shown.user_id, jane.user.user_id)
    edited = apps.call("editCurrentUser", token=token, body=apps.body("ProfileEdits", nickname="Janey"))
    apps.checks.equal("an edit is read back", edited.nickname, "Janey")
    refresh = {"grant_type": "refresh_token", "refresh_token": jane.refresh_token}
    pair = apps.call("refreshSession", body=apps.body("TokenRequest", **refresh))
    apps.call("refreshSession", 400, body=apps.body("TokenRequest", grant_type="password"))
    apps.call("userinfo", token=pair.access_token)
    apps.call("userinfoByPost", token=pair.access_token)
    active = apps.call("introspect", basic=("api", RESOURCE_SERVER_SECRET),
                       body=apps.body("Introspection", token=pair.access_token))
    apps.checks.equal("a good token is active", active.active, True)
    approval = service.authorized("zenkey", "jane", context="Pay 12.00 to Bob", acr_values="a3")
    apps.call("approveTransaction", token=pair.access_token, body=apps.body("TransactionApproval", **approval))
    listed = apps.call("listSessions", token=pair.access_token)
    apps.call("revokeSession", token=pair.access_token, session_id=listed[-1].session_id)
    apps.call("currentUser", 401, token=pair.access_token)
    token = sign_in(apps, service, "zenkey", "jane").access_token
    apps.call("revokeSessions", token=token)
    # A code that tells nothing of its beginning counts as before that end, when it comes within the same second.
    time.sleep(1)
    token = sign_in(apps, service, "zenkey", "jane").access_token
    apps.call("revokeToken", body=apps.body("Revocation", token=token))
    token = sign_in(apps, service, "zenkey", "jane").access_token
    apps.call("signOut", token=token)
    apps.call("signIn", 401, body=apps.body("AuthorizedResponse", **{
        **service.authorized("zenkey", "jane"), "code": "made-up"}))


def identities(apps: Generated, service: Service) -> None:
    token = sign_in(apps, service, "zenkey", "grace").access_token
    linked = apps.call("linkIdentity", 201, token=token,
                       body=apps.body("IdentityProof", **service.authorized("plain", "heidi")))
    listed = apps.call("listIdentities", token=token)
    matches = apps.call("matchCurrentUser", token=token, body=apps.body("TypedAttributes", email="grace@example.com"))
    apps.checks.equal("an address matches", matches.email, "yes")
    apps.checks.equal("both identities are listed", len(listed), 2)
    apps.call("unlinkIdentity", token=token, identity_id=linked.identity_id)
    other = sign_in(apps, service, "zenkey", "ivan").access_token
    merged = apps.call("mergeAccounts", token=token, body=apps.body("AccountMerge", token=other))
    apps.checks.equal("two accounts are one", len(merged.identities), 2)
    apps.call("eraseCurrentUser", token=token)


def provider_tokens(apps: Generated, service: Service) -> None:
    code = apps.body("TokenRequest", **service.by_browser("linus", "openid account.read account.identities tokens"))
    token = apps.call("refreshSession", body=code).access_token
    identity = apps.call("listIdentities", token=token)[0].identity_id
    apps.call("refreshProfile", token=token, body=apps.body("ProfileRefresh", identity_id=identity))
    client = "Basic " + base64.b64encode(f"web-app:{APP_SECRET}".encode()).decode()
    begun = apps.call("linkByBrowser", token=token,
                      body=apps.body("LinkRequest", provider="plain", redirect_uri="https://app.example/callback"))
    apps.call("openLink", others={"token": begun.url.partition("token=")[2]})
    apps.call("providerAccessToken", token=token, headers={"Client-Authorization": client}, identity_id=identity)


def keys_and_sign_ups(apps: Generated) -> None:
    key = apps.call("createKey", body=apps.body("KeyCreation", secret="271828"))
    unlocked = apps.call("unlockKey", body=apps.body("KeyUnlocking", keyid=key.keyid, secret="271828"))
    apps.checks.equal("the key is unlocked", unlocked.key, key.key)
    apps.call("revokeKey", body=apps.body("KeyUnlocking", keyid=key.keyid, secret="271828"))
    wanted = {"username": "generated", "email": "generated@example.com", "provider": "beyond"}
    for name in ("signUp", "recoverUser", "credentialBindingLink", "recoverCredentialBindingLink"):
        apps.call(name, body=apps.body("SignUp", **wanted))
    apps.call("registerUser", body=apps.body("Registration", **wanted))


def pushes(apps: Generated) -> None:
    request = {"client_id": "ccid-0123456789abcdef", "login_hint": "+13105550101", "mccmnc": "310410",
               "context": "Counter 4"}
    begun = apps.call("beginPush", body=apps.body("PushRequest", **request))
    apps.call("pollPush", auth_req_id=begun.auth_req_id)
    apps.call("retryPush", auth_req_id=begun.auth_req_id)
    apps.call("cancelPush", auth_req_id=begun.auth_req_id)
    # Once a second, or it is told to slow down.
    time.sleep(1)
    apps.call("pollPush", 400, auth_req_id=begun.auth_req_id)
    apps.call("notifyPush", 401, body=apps.body("PushNotification", auth_req_id="none", state="none"))


def browsers(apps: Generated) -> None:
    request = {"client_id": "web-app", "redirect_uri": "https://app.example/callback", "response_type": "code",
               "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
               "provider": "plain", "state": "a-state"}
    apps.call("authorize", 303, others=request)
    apps.call("authorizeByForm", 303, body=apps.body("AuthorizationRequest", **request))
    apps.call("callback", 400, provider="plain", state="unknown", code="a-code")
    apps.call("callbackByForm", provider="plain", body=apps.body("ProviderAnswer", state="unknown", code="a-code"))
    apps.call("confirmSignIn", 400, provider="plain", body=apps.body("Confirmation", token="unknown"))
    apps.call("providerLogo", 404, provider="plain")
    apps.call("accountPage", 303, provider="plain")
    apps.call("endByAccountPage", 403, body=apps.body("AccountAct", token="none", end="everything"))
    apps.call("logout", state="a-state")
    apps.call("logoutByForm", body=apps.body("EndSessionRequest", state="a-state"))
    apps.call("loggedOut", 400, provider="plain", state="unknown")


def providers(apps: Generated) -> None:
    apps.call("backChannelLogout", 400, provider="plain", body=apps.body("Logout", logout_token="none"))
    apps.call("providerEvents", 404, provider="plain", body=apps.body("ProviderEvent", payload="none"))
    apps.call("requestDeletion", 404, provider="plain", body=apps.body("SignedRequest", signed_request="none"))
    apps.call("deletionPage", 404, provider="plain", code="0" * 64)


def administration(operators: Generated, apps: Generated, service: Service) -> None:
    user = sign_in(apps, service, "zenkey", "ada").user.user_id
    for name in ("health", "liveness", "startup", "readiness"):
        operators.call(name)
    operators.call("listUsers", 401)
    for name in ("entrance", "documentation", "openAPIDocument", "metrics", "listAuditEvents", "listFailedSignIns",
                 "listSignIns"):
        operators.call(name, token=ADMIN_TOKEN)
    page = operators.call("listUsers", limit=1, token=ADMIN_TOKEN)
    operators.checks.expect("a page has one user and leads to the next", len(page.users) == 1 and page.next_after > 0)
    found = operators.call("listUsers", issuer=service.urls["plain"], subject="nobody", token=ADMIN_TOKEN)
    operators.checks.equal("nobody is found by a subject that nobody has", found.users, [])
    given = {"provider": "plain", "issuer": service.urls["plain"], "subject": "by-hand"}
    outcome = operators.call(
        "giveIdentity", user_id=user, body=operators.body("GivenIdentity", **given), token=ADMIN_TOKEN)
    operators.checks.equal("an identity is given", outcome.outcome, "linked")
    shown = operators.call("showUser", user_id=user, token=ADMIN_TOKEN)
    operators.call("takeIdentity", user_id=user, identity_id=shown.identities[-1].identity_id, token=ADMIN_TOKEN)
    operators.call("endSessionOfUser", session_id=shown.sessions[-1].session_id, token=ADMIN_TOKEN)
    lock = operators.body("UserLock", reason="by a generated client")
    operators.call("lockUser", user_id=user, body=lock, token=ADMIN_TOKEN)
    operators.call("unlockUser", user_id=user, token=ADMIN_TOKEN)
    other = sign_in(apps, service, "plain", "grace").user.user_id
    merger = operators.body("UserMerge", user_id=other)
    merged = operators.call("mergeUsers", user_id=user, body=merger, token=ADMIN_TOKEN)
    operators.checks.equal("two users are one", merged.merged_user_id, other)
    for name in ("exportUser", "endSessions", "eraseUser"):
        operators.call(name, user_id=user, token=ADMIN_TOKEN)
    operators.call("endAllSessions", provider="plain", token=ADMIN_TOKEN)
    operators.call("showUser", 404, user_id=user, token=ADMIN_TOKEN)
