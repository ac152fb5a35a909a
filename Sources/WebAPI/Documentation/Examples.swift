internal import Accounts
internal import JSON
internal import SignIn

/// What the document's examples are made of: Jane Doe and her phone.
package enum Examples {
    static let requestID = "7f3a9c51-1"
    package static let accessToken = "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl"
    package static let refreshToken = "eyJ0eXAiOiJydCtqd3QiLCJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl"
    static let receipt = "eyJhbGciOiJFUzI1NiIsInR5cCI6InRyYW5zYWN0aW9uLXJlY2VpcHQrand0In0.eyJzdWIiOiI3In0.c2lnbmF0dXJl"
    static let ticket = "zenkey.dGlja2V0dGlja2V0dGlja2V0dGlja2V0dGlja2V0dGk"
    static let sessionID = "00000000673f1c2b9d5e44a1b0c7d2e3"
    static let now: Int64 = 1_790_000_000

    static let linkTicket = LinkTicket(
        text: ticket,
        attributes: [
            "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe", "email": "jane@example.com",
            "phone_number": "+12065550100", "postal_code": "90210",
        ])

    static let authorizedResponse: JSONValue = [
        "client_id": "ccid-0123456789abcdef", "code": "the-code",
        "redirect_uri": "ccid-0123456789abcdef://com.xci.provider.sdk", "mccmnc": "310410",
        "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "nonce": "n-0S6_WzA2Mj",
    ]

    static let approval: JSONValue = [
        "client_id": "ccid-0123456789abcdef", "code": "another-code",
        "redirect_uri": "ccid-0123456789abcdef://com.xci.provider.sdk", "mccmnc": "310410",
        "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "nonce": "n-7Gd_kQp2Lw",
        "context": "Pay 12.00 to Bob", "acr_values": "a3", "max_age": "300",
    ]

    static let authorizationRequest: JSONValue = [
        "client_id": "example-app", "redirect_uri": "com.example.app:/callback", "response_type": "code",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
        "scope": "openid profile", "state": "af0ifjsldkj", "nonce": "n-0S6_WzA2Mj",
    ]

    static let providerAnswer: JSONValue = ["state": "the-state", "code": "the-code"]
    static let endSessionRequest: JSONValue = ["id_token_hint": .string(accessToken)]

    static let tokens: JSONValue = [
        "access_token": .string(accessToken), "token": .string(accessToken), "refresh_token": .string(refreshToken),
        "token_type": "Bearer", "expires_in": 900, "expires": 900,
    ]

    static let signedIn: JSONValue = [
        "access_token": .string(accessToken), "token": .string(accessToken), "refresh_token": .string(refreshToken),
        "token_type": "Bearer", "expires_in": 900, "expires": 900,
        "user": [
            "user_id": 7, "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe",
            "email": "jane@example.com", "phone_number": "+12065550100", "postal_code": "90210",
            "email_verified": false, "phone_number_verified": true, "own": ["email": "jane@home.example"],
            "claims": ["roles": ["editor"], "level": 3],
        ],
        "new_user": true, "migrated": false, "acr": "a3", "auth_time": .integer(now - 10),
    ]

    static let currentUser: JSONValue = [
        "user_id": 7, "username": "jane", "zenkey_sub": "cmVmZXJlbmNlcmVmZXJlbg", "name": "Jane Doe",
        "given_name": "Jane", "family_name": "Doe", "email": "jane@example.com", "phone_number": "+12065550100",
        "postal_code": "90210", "email_verified": "false", "phone_number_verified": "true",
        "own": ["username": "jane", "email": "jane@home.example"], "claims": ["roles": ["editor"], "level": 3],
    ]

    static let userSummary: JSONValue = [
        "user_id": 7, "created_at": .integer(now), "updated_at": .integer(now), "identities": 1,
        "last_sign_in_at": .integer(now),
    ]
    static let identity: JSONValue = [
        "identity_id": 3, "provider": "zenkey", "issuer": "https://id.carrier.example", "origin": "sign-in",
        "linked_at": .integer(now), "last_sign_in_at": .integer(now),
    ]

    static let session: JSONValue = [
        "session_id": .string(sessionID), "created_at": .integer(now), "expires_at": .integer(now + 2_592_000),
        "provider": "zenkey", "client_id": "ccid-0123456789abcdef", "user_agent": "ExampleApp/4.2 (Android 16)",
        "acr": "a3", "auth_time": .integer(now - 10), "current": true,
    ]

    static let keys: JSONValue = [
        "keys": [
            [
                "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", "kid": "the-key", "alg": "ES256", "use": "sig",
            ]
        ]
    ]
}
