internal import JSON
internal import OpenAPI

/// What people's browsers bring: by GET in the query, by POST as a form.
enum BrowserSchemas {
    static var authorizationRequest: JSONValue {
        Schema.object(
            "An authorization request (RFC 6749 §4.1.1).",
            required: ["client_id", "redirect_uri", "response_type", "code_challenge", "code_challenge_method"],
            [
                "client_id": Schema.text("The app's own, of its section in the configuration."),
                "redirect_uri": Schema.text("Where the app is reached; one that its section has."),
                "response_type": Schema.choice("What is wanted.", ["code"]),
                "code_challenge": Schema.text("The base64url of the verifier's SHA-256 hash (RFC 7636 §4.2)."),
                "code_challenge_method": Schema.choice("How it was made.", ["S256"]),
                "response_mode": Schema.choice("How the answer comes.", ["query"]),
                "scope": Schema.text("What the app wants to know and to do: names with blanks between them."),
                "resource": Schema.text("Whom the app's tokens are to be for; without it, this service (RFC 8707)."),
                "state": Schema.text("It comes back as it is."),
                "nonce": Schema.text("It comes back in the ID token."),
                "provider": Schema.text(
                    "The provider's name in the configuration; without it the user may have to choose."),
                "prompt": Schema.choice(
                    "Goes on to the provider; with `consent` the user is asked here as well.",
                    ["none", "login", "consent", "select_account"]),
                "max_age": Schema.text(
                    "Goes on to the provider: how long ago the user may have authenticated, in seconds."),
                "acr_values": Schema.text("Goes on to the provider: the levels of which the user must reach one."),
                "login_hint": Schema.text("Goes on to the provider: who is to sign in."),
                "login_hint_token": Schema.text("Goes on to the provider: likewise, as a token."),
                "ui_locales": Schema.text("In which languages pages are wanted; goes on to the provider, too."),
                "context": Schema.text("Goes on to the provider: what the user is shown."),
                "mccmnc": Schema.text("The user's mobile network: five or six digits."),
                "correlation_id": Schema.text("The app's own name for the sign-in, which goes into the logs."),
                "aloha_token": Schema.text(
                    "The session of a line authentication, for providers of profile telenor-id."),
                "aloha_expires_at": Schema.text(
                    "When that ends, in seconds since 1970; without it the provider alone tells whether it is over."),
            ])
    }

    static var providerAnswer: JSONValue {
        Schema.object(
            "What comes back from a provider: `code`, `error`, or `mccmnc`. Other members are ignored.",
            required: ["state"],
            [
                "state": Schema.text("The `state` that the browser was sent with."),
                "code": Schema.text("The provider's authorization code."),
                "error": Schema.text("Why there is none."),
                "iss": Schema.text("The provider's issuer (RFC 9207)."),
                "mccmnc": Schema.text("The mobile network that the user has chosen."),
                "login_hint_token": Schema.text("What the page for that says of the user."),
            ])
    }

    static var confirmation: JSONValue {
        Schema.object(
            "That a sign-in is one's own.", required: ["token"],
            [
                "token": Schema.text("What the page has been given for it."),
                "gatehouse_declined": Schema.text("There where the user does not want it."),
                "aloha_token": Schema.text("What the app has sent of it."),
                "aloha_expires_at": Schema.text("What the app has sent of it."),
            ])
    }

    static var linkRequest: JSONValue {
        Schema.object(
            "That a user wants one more way to sign in.", required: ["provider", "redirect_uri"],
            [
                "provider": RequestSchemas.text("provider", "The provider's name in the configuration."),
                "redirect_uri": RequestSchemas.text(
                    "redirect_uri", "Where the browser comes back to; one that the app's section has."),
                "state": RequestSchemas.text("state", "It comes back with the browser."),
                "prompt": Schema.choice("Goes on to the provider.", ["login", "consent", "select_account"]),
                "max_age": Schema.textOrNumber(
                    "Goes on to the provider: how long ago the user may have authenticated there, in seconds.",
                    ["pattern": "^[0-9]+$"]),
                "acr_values": RequestSchemas.text(
                    "acr_values", "Goes on to the provider: the levels of which the user must reach one."),
                "login_hint": RequestSchemas.text("login_hint", "Goes on to the provider: who is to sign in."),
                "ui_locales": RequestSchemas.text(
                    "ui_locales", "In which languages pages are wanted; goes on to the provider, too."),
                "mccmnc": RequestSchemas.text("mccmnc", "The user's mobile network: five or six digits."),
                "correlation_id": RequestSchemas.text(
                    "correlation_id", "The app's own name for it, which goes into the logs."),
            ])
    }

    static var endSessionRequest: JSONValue {
        Schema.object(
            "A request to sign out (OpenID Connect RP-Initiated Logout §2).",
            [
                "id_token_hint": Schema.text("An ID token of ours, expired or not."),
                "client_id": Schema.text("The app's own; needed for a way back where there is no `id_token_hint`."),
                "post_logout_redirect_uri": Schema.text("Where the browser goes after, if the app has registered it."),
                "state": Schema.text("It comes back with the browser."),
                "ui_locales": Schema.text("In which languages pages are wanted."),
            ])
    }

    /// The members of a schema as parameters of a query.
    ///
    /// - Parameter example: some of them, with values.
    static func query(_ schema: JSONValue, example: JSONValue) -> [JSONValue] {
        let required = schema["required"]?.array ?? []
        return (schema["properties"]?.object?.members ?? []).map { member in
            var parameter = JSONObject([
                ("name", .string(member.name)), ("in", "query"),
                ("required", .boolean(required.contains(.string(member.name)))),
                ("description", member.value["description"] ?? ""), ("schema", ["type": "string"]),
            ])
            if let value = example[member.name] { parameter.append("example", value) }
            return .object(parameter)
        }
    }
}
