internal import JSON
internal import OpenAPI

/// The operations that people's browsers are sent to. What goes wrong is told to the app, by the browser's way back to
/// it, or to the person at the browser.
enum BrowserDescriptions {
    static let authorize = authorize(
        id: "authorize", by: "in the query",
        parameters: BrowserSchemas.query(
            BrowserSchemas.authorizationRequest, example: Examples.authorizationRequest))
    static let authorizeByForm = authorize(
        id: "authorizeByForm", by: "as a form",
        body: .init(schema: "AuthorizationRequest", example: Examples.authorizationRequest, takesJSON: false))

    private static func authorize(
        id: String, by place: String, parameters: [JSONValue] = [], body: OperationDescription.Body? = nil
    ) -> OperationDescription {
        OperationDescription(
            id: id, tag: .browser, summary: "Begin a sign-in through the browser, the request \(place)",
            description: """
                An authorization request of one of our own apps (RFC 6749 §4.1.1). Where several providers can be meant, the \
                user chooses one. Where another program could wait at the `redirect_uri`, a private scheme or a port of the \
                device, a page names the app and asks its user to go on, and `prompt=none` is `interaction_required`. An \
                `aloha_token` that is over is `expired_aloha_token`. Errors go back to the app with `error`, `state` and \
                `iss`, as soon as it is sure that the address is the app's.
                """,
            parameters: parameters, body: body,
            successes: [
                .page(200, "The user chooses a provider, or is asked whether the app is theirs.", [.setCookie]),
                .redirect("On to the provider, or back to the app with an error.", cookie: true),
                .page(400, "The request names no app of this service, or an address that is none of the app's."),
                .page(429, "Too many come from this address.", [.retryAfter]),
            ])
    }

    static let callback = callback(
        id: "callback", by: "in the query",
        parameters: BrowserSchemas.query(
            BrowserSchemas.providerAnswer, example: Examples.providerAnswer))
    static let callbackByForm = callback(
        id: "callbackByForm", by: "as a form",
        body: .init(schema: "ProviderAnswer", example: Examples.providerAnswer, takesJSON: false))

    private static func callback(
        id: String, by place: String, parameters: [JSONValue] = [], body: OperationDescription.Body? = nil
    ) -> OperationDescription {
        OperationDescription(
            id: id, tag: .browser, summary: "Come back from a provider, its answer \(place)",
            description: """
                Where providers, and the pages on which users choose a carrier, send the browser back: with `state` and \
                `code`, `error`, or `mccmnc`. It ends at the app's address with a one-time `code`, `state` and `iss`. Not \
                for apps to call.
                """,
            parameters: [provider] + parameters, body: body,
            successes: [
                .page(
                    200,
                    "The browser posts once more, or its user is asked whether the sign-in or the app is theirs, or whether the "
                        + "app may have what it asks for.",
                    [.setCookie]),
                .redirect("Back to the app, or on to another carrier.", cookie: true),
                .page(
                    400,
                    "It is no answer to anything, is another provider's, or is over; then the page leads to the app where this "
                        + "browser began it."),
                .page(403, "Another browser began it."), locked,
                .page(429, "Too many come from this address.", [.retryAfter]),
                .page(503, "Nothing can be stored now.", [.retryAfter]),
            ])
    }

    private static let locked = OperationDescription.Success.page(
        423, "The user is locked; the page leads back to the app, with `access_denied`.")

    static let confirm = OperationDescription(
        id: "confirmSignIn", tag: .browser, summary: "Say that a sign-in is one's own",
        description: """
            What the page posts that asks so: where another program could wait for the app's answer, where an app's \
            section has `otherBrowser: confirm` and a sign-in comes back in another browser, and where its user is asked whether \
            the app may have what it asks for (`consent`); "no" is `access_denied`. Not for apps to call.
            """,
        parameters: [provider],
        body: .init(schema: "Confirmation", example: ["token": "the-token-of-the-page"], takesJSON: false),
        successes: [
            .redirect("On to the provider, or back to the app.", cookie: true),
            .page(400, "It is over; where this browser began it, the page leads to the app."),
            .page(403, "Another browser was asked."), locked,
            .page(429, "Too many come from this address.", [.retryAfter]),
        ])

    static let link = OperationDescription(
        id: "openLink", tag: .browser, summary: "Add an identity through the browser",
        description: """
            What `POST /users/me/identities/authorize` has given to an app. The page asks its user whether the account of that \
            name is to get one more way to sign in. Not for apps to call.
            """,
        parameters: [
            [
                "name": "token", "in": "query", "required": true, "description": "As it stands in `url`.",
                "schema": ["type": "string"],
            ]
        ],
        successes: [
            .page(200, "The user is asked.", [.setCookie]),
            .page(400, "It is over, or another browser has opened it."),
            .page(429, "Too many come from this address.", [.retryAfter]),
        ])

    static let logout = logout(
        id: "logout", by: "in the query",
        parameters: BrowserSchemas.query(
            BrowserSchemas.endSessionRequest, example: Examples.endSessionRequest))
    static let logoutByForm = logout(
        id: "logoutByForm", by: "as a form",
        body: .init(
            schema: "EndSessionRequest", example: Examples.endSessionRequest, takesJSON: false))

    private static func logout(
        id: String, by place: String, parameters: [JSONValue] = [], body: OperationDescription.Body? = nil
    ) -> OperationDescription {
        OperationDescription(
            id: id, tag: .browser, summary: "Sign out through the browser, the request \(place)",
            description: """
                `id_token_hint`, an ID token of ours, expired or not, ends its own session. Without one the user is asked. \
                `post_logout_redirect_uri` is where the browser goes after, if the app has registered it, with `state`. Where \
                the provider signs users out by their browsers, and its ID token was kept, the browser goes there first.
                """,
            parameters: parameters, body: body,
            successes: [
                .page(200, "The user is signed out, or is asked."),
                .redirect("Back to the app, or on to the provider."),
                .page(400, "The request can't be read."),
            ])
    }

    static let loggedOut = OperationDescription(
        id: "loggedOut", tag: .browser, summary: "Come back from a provider where the user has signed out",
        description: """
            Where providers send the browser back after `/auth/logout`, with the `state` that it was sent with. It goes on to \
            the `post_logout_redirect_uri` of that request. Not for apps to call.
            """,
        parameters: [
            provider,
            [
                "name": "state", "in": "query", "description": "The `state` that the browser was sent with.",
                "schema": ["type": "string"],
            ],
        ],
        successes: [
            .page(200, "The user is signed out."), .redirect("Back to the app."),
            .page(400, "The state is none that this service has given."),
        ])

    static let script = OperationDescription(
        id: "continueScript", tag: .browser, summary: "The one script of our pages",
        description: "It posts a form again that came from another site.",
        successes: [
            .init(
                description: "The script.", schema: ["type": "string"], type: "text/javascript",
                headers: [.cacheControl])
        ])

    static let logo = OperationDescription(
        id: "providerLogo", tag: .browser, summary: "The picture by which people know a provider",
        description: """
            The file that the provider's section names as `logoFile`, a PNG or an SVG. Our pages show it beside the provider's             name.
            """,
        parameters: [provider],
        successes: [
            .init(
                // As what generators know of bytes: they read no answer of type image/*.
                description: "The picture, as `image/png` or `image/svg+xml`.",
                schema: ["type": "string", "format": "binary"], type: "application/octet-stream",
                headers: [.cacheControl])
        ], errors: [.notFound])

    private static let provider: JSONValue = [
        "name": "provider", "in": "path", "required": true,
        "description": "The name of a provider in the configuration.",
        "schema": ["type": "string"], "example": "zenkey",
    ]
}

/// What browsers get.
extension OperationDescription.Success {
    package static func page(
        _ status: Int, _ description: String, _ headers: [ResponseHeader] = []
    ) -> Self {
        Self(
            status: status, description: description, schema: ["type": "string"], type: "text/html; charset=utf-8",
            headers: [.cacheControl, .contentLanguage] + headers)
    }

    package static func redirect(_ description: String, cookie: Bool = false) -> Self {
        Self(
            status: 303, description: description, headers: [.cacheControl, .location] + (cookie ? [.setCookie] : []))
    }
}
