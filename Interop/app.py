"""What an app does between a provider and Gatehouse."""

import base64
import hashlib
import json
import secrets

from browser import Browser
from configuration import REDIRECT_URI


class App:
    """Signs its user in at one provider. `authorize` takes the parameters of an authorization request and gives what comes
    back with the user."""

    def __init__(self, port, provider, authorize):
        self.browser, self.provider, self.authorize = Browser("127.0.0.1", port), provider, authorize

    def code(self):
        verifier, nonce = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        answer = self.authorize({
            "state": "state", "nonce": nonce, "code_challenge": challenge, "code_challenge_method": "S256"})
        body = {"provider": self.provider, "redirect_uri": REDIRECT_URI, "code_verifier": verifier, "nonce": nonce}
        body.update({name: answer[name] for name in ("code", "iss") if name in answer})
        return body

    def post(self, body):
        page = self.browser.send("POST", "/auth/signin", json.dumps(body), {"Content-Type": "application/json"})
        return page.status, json.loads(page.text)

    def client_keys(self):
        """The keys that Gatehouse publishes for providers."""
        return json.loads(self.browser.send("GET", "/auth/client-jwks.json").text)
