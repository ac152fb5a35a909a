"""The client that openapi-python-client makes of each document, calling every operation of a running server."""

import base64
import importlib
import pkgutil
import sys
import time

from generated_service import ADMIN_TOKEN, APP_SECRET, RESOURCE_SERVER_SECRET

NAME = "openapi-python-client"


class Generated:
    """The functions of a generated package, by the operations' ids, and what its answers are held against."""

    def __init__(self, package, base, document, checks):
        self.package, self.base, self.document, self.checks = package, base, document, checks
        self.client_module = importlib.import_module(f"{package}.client")
        self.models = importlib.import_module(f"{package}.models")
        self.operations = {
            operation["operationId"]: operation
            for path in document["paths"].values() for operation in path.values()}
        api = importlib.import_module(f"{package}.api")
        names = {name.lower(): name for name in self.operations}
        self.functions = {}
        for module in pkgutil.walk_packages(api.__path__, f"{package}.api."):
            name = names.get(module.name.rpartition(".")[2].replace("_", ""))
            if name and not module.ispkg:
                self.functions[name] = importlib.import_module(module.name).sync_detailed
        self.called = set()

    def body(self, schema, **members):
        return getattr(self.models, schema).from_dict(members)

    def call(self, name, status=200, token=None, basic=None, headers=None, others=None, **arguments):
        """Calls an operation, and holds the status and what the generated code has read against the document.

        `others` has arguments that are called as one of these here is."""
        client = self.client_module.Client(base_url=self.base, headers=dict(headers or {}))
        if basic:
            token = base64.b64encode(":".join(basic).encode()).decode()
        if token:
            client = self.client_module.AuthenticatedClient(
                base_url=self.base, token=token, prefix="Basic" if basic else "Bearer", headers=dict(headers or {}))
        self.called.add(name)
        answer = self.functions[name](client=client, **arguments, **(others or {}))
        seen = f"{int(answer.status_code)} {self.kind(answer.parsed)}"
        self.checks.equal(f"{name}", seen, f"{status} {self.wanted(name, status)}")
        return answer.parsed

    def wanted(self, name, status):
        responses = self.operations[name]["responses"]
        response = responses.get(str(status), responses["default"])
        if "$ref" in response:
            response = self.document["components"]["responses"][response["$ref"].rpartition("/")[2]]
        for media in response.get("content", {}).values():
            reference = media["schema"].get("$ref")
            return reference.rpartition("/")[2] if reference else {"array": "list", "string": "str"}[media["schema"]["type"]]
        return "nothing"

    @staticmethod
    def kind(value):
        return "nothing" if value is None else type(value).__name__

    def is_whole(self):
        missed = sorted(set(self.operations) - self.called)
        self.checks.equal(f"{self.package}: every one of the {len(self.operations)} operations was called", missed, [])


def run(checks, service, folder, documents):
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


def open_operations(apps):
    for name in ("health", "entrance", "documentation", "openAPIDocument", "keys", "clientKeys", "openIDMetadata",
                 "oauthMetadata", "continueScript", "appleAssociation", "androidAssociation", "issueChallenge"):
        apps.call(name)


def sign_in(apps, service, provider, subscriber, name="signIn"):
    body = apps.body("AuthorizedResponse", **service.authorized(provider, subscriber))
    return apps.call(name, body=body)


def sessions(apps, service):
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


def identities(apps, service):
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


def provider_tokens(apps, service):
    code = apps.body("TokenRequest", **service.by_browser("linus", "openid account.read account.identities tokens"))
    token = apps.call("refreshSession", body=code).access_token
    identity = apps.call("listIdentities", token=token)[0].identity_id
    apps.call("refreshProfile", token=token, body=apps.body("ProfileRefresh", identity_id=identity))
    client = "Basic " + base64.b64encode(f"web-app:{APP_SECRET}".encode()).decode()
    begun = apps.call("linkByBrowser", token=token,
                      body=apps.body("LinkRequest", provider="plain", redirect_uri="https://app.example/callback"))
    apps.call("openLink", others={"token": begun.url.partition("token=")[2]})
    apps.call("providerAccessToken", token=token, headers={"Client-Authorization": client}, identity_id=identity)


def keys_and_sign_ups(apps):
    key = apps.call("createKey", body=apps.body("KeyCreation", secret="271828"))
    unlocked = apps.call("unlockKey", body=apps.body("KeyUnlocking", keyid=key.keyid, secret="271828"))
    apps.checks.equal("the key is unlocked", unlocked.key, key.key)
    apps.call("revokeKey", body=apps.body("KeyUnlocking", keyid=key.keyid, secret="271828"))
    wanted = {"username": "generated", "email": "generated@example.com", "provider": "beyond"}
    for name in ("signUp", "recoverUser", "credentialBindingLink", "recoverCredentialBindingLink"):
        apps.call(name, body=apps.body("SignUp", **wanted))
    apps.call("registerUser", body=apps.body("Registration", **wanted))


def pushes(apps):
    request = {"client_id": "ccid-0123456789abcdef", "login_hint": "+13105550101", "mccmnc": "310410", "context": "Counter 4"}
    begun = apps.call("beginPush", body=apps.body("PushRequest", **request))
    apps.call("pollPush", auth_req_id=begun.auth_req_id)
    apps.call("retryPush", auth_req_id=begun.auth_req_id)
    apps.call("cancelPush", auth_req_id=begun.auth_req_id)
    # Once a second, or it is told to slow down.
    time.sleep(1)
    apps.call("pollPush", 400, auth_req_id=begun.auth_req_id)
    apps.call("notifyPush", 401, body=apps.body("PushNotification", auth_req_id="none", state="none"))


def browsers(apps):
    request = {"client_id": "web-app", "redirect_uri": "https://app.example/callback", "response_type": "code",
               "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
               "provider": "plain", "state": "a-state"}
    apps.call("authorize", 303, **request)
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


def providers(apps):
    apps.call("backChannelLogout", 400, provider="plain", body=apps.body("Logout", logout_token="none"))
    apps.call("providerEvents", 404, provider="plain", body=apps.body("ProviderEvent", payload="none"))
    apps.call("requestDeletion", 404, provider="plain", body=apps.body("SignedRequest", signed_request="none"))
    apps.call("deletionPage", 404, provider="plain", code="0" * 64)


def administration(operators, apps, service):
    user = sign_in(apps, service, "zenkey", "ada").user.user_id
    for name in ("health", "liveness", "startup", "readiness"):
        operators.call(name)
    operators.call("listUsers", 401)
    token = {"token": ADMIN_TOKEN}
    for name in ("entrance", "documentation", "openAPIDocument", "metrics", "listAuditEvents", "listFailedSignIns", "listSignIns"):
        operators.call(name, **token)
    page = operators.call("listUsers", limit=1, **token)
    operators.checks.expect("a page has one user and leads to the next", len(page.users) == 1 and page.next_after > 0)
    found = operators.call("listUsers", issuer=service.urls["plain"], subject="nobody", **token)
    operators.checks.equal("nobody is found by a subject that nobody has", found.users, [])
    given = {"provider": "plain", "issuer": service.urls["plain"], "subject": "by-hand"}
    outcome = operators.call("giveIdentity", user_id=user, body=operators.body("GivenIdentity", **given), **token)
    operators.checks.equal("an identity is given", outcome.outcome, "linked")
    shown = operators.call("showUser", user_id=user, **token)
    operators.call("takeIdentity", user_id=user, identity_id=shown.identities[-1].identity_id, **token)
    operators.call("endSessionOfUser", session_id=shown.sessions[-1].session_id, **token)
    operators.call("lockUser", user_id=user, body=operators.body("UserLock", reason="by a generated client"), **token)
    operators.call("unlockUser", user_id=user, **token)
    other = sign_in(apps, service, "plain", "grace").user.user_id
    merged = operators.call("mergeUsers", user_id=user, body=operators.body("UserMerge", user_id=other), **token)
    operators.checks.equal("two users are one", merged.merged_user_id, other)
    for name in ("exportUser", "endSessions", "eraseUser"):
        operators.call(name, user_id=user, **token)
    operators.call("endAllSessions", provider="plain", **token)
    operators.call("showUser", 404, user_id=user, **token)
