internal import Accounts
internal import Apps
internal import JSON
internal import OpenAPI

/// What stock apps are answered with instead, where their key or their section says so (``ResponseShape``). No
/// operation refers to these: a schema that may be one of several things is none that generators digest.
enum StockAppSchemas {
    static let user = "UserForZenKeyAndroid"
    static let registrationAttributes = "RegistrationAttributesForZenKeyIOS"

    /// What the operations say of them.
    static let sentence = """
        Stock apps whose key or section has `responses: \(ResponseShape.zenkeyAndroid.rawValue)` get `\(user)` for the user, \
        and those with `\(ResponseShape.zenkeyIOS.rawValue)` get `\(registrationAttributes)` for somebody unknown.
        """

    static var all: [JSONObject.Member] {
        [(user, android), (registrationAttributes, iOS), ("AttributeForZenKeyAndroid", attribute)]
    }

    private static let reference = Reference.schema("AttributeForZenKeyAndroid")

    private static let attribute = Schema.object(
        "An attribute as the sample app for Android decodes it.",
        [
            "value": Schema.text("What the provider, or the user, says of this."),
            "verified": Schema.integer("Of an address and a number: 1 where it is verified, else 0.", ["minimum": 0]),
            "given_name": Schema.text("Of `name`: the given name."),
            "family_name": Schema.text("Of `name`: the family name."),
        ])

    private static let android = Schema.extending(
        Schema.object(
            "", AnswerSchemas.attributes.filter { !["given_name", "family_name"].contains($0) }.map { ($0, reference) }),
        with: Schema.object(
            "The user, in the answer to a sign-in and at `/users/me`, with an object for each attribute.",
            required: ["user_id"],
            [
                "user_id": AnswerSchemas.userID,
                "username": Schema.text("The user's own, or the best there is. Not in the answer to a sign-in."),
                "zenkey_sub": Schema.text("An opaque reference. Not in the answer to a sign-in."),
                "email": reference, "phone_number": reference,
                "address": Schema.map(
                    "As OpenID Connect Core §5.1.1 has it, but with `postalCode`; a text is `formatted`.", values: true),
                "own": AnswerSchemas.own, "claims": AnswerSchemas.claims,
            ]))

    private static let iOS = Schema.object(
        "The `zenkey_attributes` of somebody unknown, as texts.", required: ["sub"],
        [
            "sub": Schema.text("The ticket, where stock apps look for it. Never the carrier's subject."),
            "name": Schema.text("The whole name."), "given_name": Schema.text("The given name."),
            "family_name": Schema.text("The family name."), "email": Schema.text("The e-mail address."),
            "phone_number": Schema.text("The telephone number."), "postal_code": Schema.text("The postal code."),
            "birthdate": Schema.text("The day of birth."),
            "last_4_social": Schema.text("The last four digits of the social security number."),
            "address": Schema.map("What the carrier said, by the names of OpenID Connect Core §5.1.1.", values: true),
            "claims": AnswerSchemas.claims,
        ])
}
