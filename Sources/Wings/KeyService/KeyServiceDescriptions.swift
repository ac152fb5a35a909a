internal import JSON
internal import OpenAPI
internal import WebAPI

/// The operations of TIM's KeyService.
enum KeyServiceDescriptions {
    static let create = OperationDescription(
        id: "createKey", tag: .keyService, summary: "Make a key that a password unlocks",
        description: """
            A random key for the client to encrypt with, and a long secret that unlocks it, too. Neither is kept here but \
            wrapped under the other and under the password. Two requests make two keys. A slash may follow the path, \
            and may stand before it.
            """,
        body: .init(schema: "KeyCreation", example: ["secret": .string(examplePassword)]),
        successes: [unlocked("The key.")],
        errors: [.notFound, .rateLimited, ErrorCode(.unableToCreateKey), .invalidToken, .storageUnavailable])

    static let unlock = OperationDescription(
        id: "unlockKey", tag: .keyService, summary: "Unlock a key",
        description: """
            By its password or by its long secret, either and not both. The third wrong password in a row destroys the key, \
            which the right one before it prevents; the same attempt, sent twice, counts twice. A wrong long secret does not \
            count. A slash may follow the path, and may stand before it.
            """,
        body: .init(
            schema: "KeyUnlocking",
            example: ["secret": .string(examplePassword), "keyid": .string(exampleKeyID)]),
        successes: [unlocked("The key, and its long secret.")],
        errors: [
            ErrorCode(.badPassword), ErrorCode(.keyLocked), ErrorCode(.userLocked), ErrorCode(.keyMissing), .notFound,
            .rateLimited,
            .storageUnavailable, .invalidToken,
        ])

    static let revoke = OperationDescription(
        id: "revokeKey", tag: .keyService, summary: "Take a key out of use",
        description: """
            For who shows its password or its long secret, either and not both. The key is gone then, for good, and what it \
            has encrypted can't be read any more. A wrong password counts as one that would unlock.
            """,
        body: .init(
            schema: "KeyUnlocking",
            example: ["secret": .string(examplePassword), "keyid": .string(exampleKeyID)]),
        successes: [
            .init(
                description: "The key is gone.", schema: Reference.schema("RevokedKey"),
                example: ["keyid": .string(exampleKeyID), "revoked": true], headers: [.cacheControl])
        ],
        errors: [
            ErrorCode(.badPassword), ErrorCode(.keyLocked), ErrorCode(.userLocked), ErrorCode(.keyMissing), .notFound,
            .rateLimited,
            .storageUnavailable, .invalidToken,
        ])

    private static let examplePassword = "1234"
    private static let exampleKeyID = "6f1a0e4bd2c94f7f8f6b0f35d9b3a1c2"
    private static let unlockedKey: JSONValue = [
        "keyid": .string(exampleKeyID), "key": "3q2+796tvu/erb7v3q2+796tvu/erb7v3q2+796tvu8=",
        "longsecret": "bG9uZ3NlY3JldGxvbmdzZWNyZXRsb25nc2VjcmV0bG8",
    ]

    private static func unlocked(_ description: String) -> OperationDescription.Success {
        .init(
            description: description, schema: Reference.schema("UnlockedKey"), example: unlockedKey,
            headers: [.cacheControl])
    }
}

/// What TIM's clients send and get.
enum KeyServiceSchemas {
    static let requests: [(name: String, value: JSONValue)] = [
        (
            "KeyCreation",
            Schema.object("The password of a new key.", required: ["secret"], ["secret": password])
        ),
        (
            "KeyUnlocking",
            Schema.object(
                "Which key, and what unlocks it: one of `secret` and `longsecret`.", required: ["keyid"],
                [
                    "keyid": Schema.text("The key's name.", ["minLength": 1, "maxLength": longest]),
                    "secret": password,
                    "longsecret": Schema.text(
                        "The long secret, as it came with the key.", ["minLength": 1, "maxLength": longest]),
                ])
        ),
    ]

    static let answers: [(name: String, value: JSONValue)] = [
        (
            "UnlockedKey",
            Schema.object(
                "A key, open.", required: ["keyid", "key", "longsecret"],
                [
                    "keyid": Schema.text(
                        "The key's name. Who knows it may try passwords.", ["pattern": "^[0-9a-f]{32}$"]),
                    "key": Schema.text("32 random bytes in base64, padded.", ["pattern": "^[A-Za-z0-9+/]{43}=$"]),
                    "longsecret": Schema.text(
                        "What unlocks the key beside its password.", ["pattern": "^[A-Za-z0-9_-]{43}$"]),
                ])
        ),
        (
            "RevokedKey",
            Schema.object(
                "A key that is gone.", required: ["keyid", "revoked"],
                [
                    "keyid": Schema.text("What was the key's name.", ["pattern": "^[0-9a-f]{32}$"]),
                    "revoked": Schema.boolean("True."),
                ])
        ),
    ]

    private static let longest = JSONValue.integer(Int64(KeyService.maximumSecretBytes))
    private static let password = Schema.text(
        "The password, compared by its bytes; at most \(KeyService.maximumSecretBytes) of them.",
        ["minLength": 1, "maxLength": longest])
}
