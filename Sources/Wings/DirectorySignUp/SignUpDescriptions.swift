internal import JSON
internal import OpenAPI
internal import WebAPI

/// The operations by which users get accounts in a provider's directory of users. They are there where some provider
/// has one.
enum SignUpDescriptions {
    private static let byMail =
        "The answer tells nothing of who is known: it is the same for everybody, and what is to be done is done after it."
    private static let mailed: JSONValue = [
        "delivery": "email", "authenticator_url": "https://app.byndid.com/downloads",
    ]
    private static let errors: [ErrorCode] = [
        .unknownClient, .unknownProvider, .notFound, .rateLimited, .storageUnavailable,
    ]

    static let success = OperationDescription.Success(
        description: "It is on its way; or, where a link may be returned, here it is.",
        schema: Reference.schema("CredentialDelivery"), example: mailed, headers: [.cacheControl])

    private static func operation(
        _ id: String, _ summary: String, _ description: String, _ example: JSONValue, _ more: [ErrorCode] = []
    ) -> OperationDescription {
        OperationDescription(
            id: id, tag: .signUp, summary: summary, description: description,
            body: .init(schema: "SignUp", example: example), successes: [success], errors: errors + more)
    }

    static let signUp = operation(
        "signUp", "Sign up",
        """
        The provider mails its user a way to a credential, and the user can sign in then. \(byMail) With \
        `delivery_method` `return` the answer has a link instead, where the provider's section has `userAPI.returnLinks` \
        and nobody has the name.
        """,
        ["username": "jane", "email": "jane@example.com", "display_name": "Jane Doe"],
        [.providerError, .providerUnavailable, .providerTimeout])

    static let recover = operation(
        "recoverUser", "Get another credential",
        "The provider mails a way to another credential to the address of that name. \(byMail)",
        ["username": "jane"])

    static let link = operation(
        "credentialBindingLink", "Get a link to a credential",
        """
        With a session token whose user has just authenticated: a link by which that user, and nobody else, gets a \
        credential at the provider; an account there is made where there is none. Without one it is a sign-up.
        """,
        ["username": "jane", "authenticator_type": "native", "delivery_method": "return"],
        [
            .insufficientUserAuthentication, .identityTooNew, .providerError, .providerUnavailable, .providerTimeout,
        ])

    static let recoverLink = operation(
        "recoverCredentialBindingLink", "Get another credential, as sample apps ask for it",
        "As `POST /recover-user`, by mail always. \(byMail)",
        ["username": "jane", "authenticator_type": "native", "delivery_method": "return"])
}
