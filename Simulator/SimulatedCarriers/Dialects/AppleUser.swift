internal import JSON

/// What Apple tells of a user beside the tokens, unsigned, and only when they come to a client for the first time.
struct AppleUser {
    /// `{"name":{"firstName":…,"lastName":…},"email":…}`, which stands as a text wherever it stands.
    let text: String

    /// - Returns: nil where users are not introduced, for one who was already, and without the scope `name`.
    init?(of grant: Grant, at provider: Provider, now: Int64) {
        guard provider.dialect?.introducesUsers == true, grant.scopes.contains("name"),
            provider.isFirstVisit(of: grant.subscriber, to: grant.clientID, now: now)
        else { return nil }
        self.init(grant)
    }

    /// Tells of a user, whether or not they were told of before.
    init(_ grant: Grant) {
        let attributes = DialectAttributes(subscriber: grant.subscriber, scopes: grant.scopes)
        var user = JSONObject([
            (
                "name",
                [
                    "firstName": .string(grant.subscriber.givenName), "lastName": .string(grant.subscriber.familyName),
                ]
            )
        ])
        for member in attributes.members(["email"]) { user.append(member.name, member.value) }
        text = String(decoding: JSONValue.object(user).serialized, as: UTF8.self)
    }
}
