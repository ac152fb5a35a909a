internal import JSON
internal import OpenAPI
internal import Providers
internal import SignIn
internal import WebAPI

/// What providers send, and are answered.
enum EventSchemas {
    static var requests: [(name: String, value: JSONValue)] {
        [("ProviderEvent", providerEvent), ("SignedRequest", signedRequest), ("Logout", logout)]
    }

    static var answers: [(name: String, value: JSONValue)] { [("DeletionConfirmation", deletionConfirmation)] }

    private static var logout: JSONValue {
        Schema.object(
            "What a provider says is over (OpenID Connect Back-Channel Logout §2.5).", required: ["logout_token"],
            [
                "logout_token": Schema.text(
                    "The token, exactly one.",
                    ["minLength": 1, "maxLength": .integer(Int64(LogoutTokenVerifier.maximumTokenBytes))])
            ])
    }

    private static var providerEvent: JSONValue {
        Schema.object(
            "What a provider tells. A token of RISC is the body itself, as `application/secevent+jwt`.",
            [
                "payload": Schema.text(
                    "Apple's: a signed token.",
                    ["maxLength": .integer(Int64(EventTokenVerifier.maximumTokenBytes))]),
                "signed_request": signedText,
            ])
    }

    private static var signedRequest: JSONValue {
        Schema.object(
            "What Facebook posts as a form.", required: ["signed_request"], ["signed_request": signedText])
    }

    private static var signedText: JSONValue {
        Schema.text(
            "Facebook's: a signature, a dot and JSON, as base64url.",
            ["maxLength": .integer(Int64(SignedRequest.maximumBytes))])
    }

    private static let deletionConfirmation = Schema.object(
        "That somebody was forgotten, as Facebook wants to be told it.", required: ["url", "confirmation_code"],
        [
            "url": Schema.text("A page that says what was done."),
            "confirmation_code": Schema.text("What the page is asked by.", ["pattern": "^[0-9a-f]{64}$"]),
        ])
}
