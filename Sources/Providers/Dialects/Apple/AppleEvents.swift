internal import JSON

/// Apple's notifications: one event, as JSON in a text.
enum AppleEvents {
    /// The last second as a number of which milliseconds can be told from seconds: the year 5138, and 1973.
    private static let latestSecond: Int64 = 100_000_000_000

    static func read(
        _ claims: JSONValue, issuedAt: Int64
    ) throws(EventTokenError) -> (events: [ProviderEvent], unknown: Int) {
        guard let event = event(claims["events"]), let type = event["type"]?.string,
            ["sub", "event_time"].allSatisfy({ event[$0]?.hasDoubt != true })
        else { throw .event }
        guard let kind = kind(of: type) else { return ([], 1) }
        let time = try time(event["event_time"]) ?? issuedAt
        return ([ProviderEvent(kind: kind, subject: try subjectName(event["sub"]), time: time)], 0)
    }

    /// An object as such would mean the same, and flags of Apple's have changed from texts to what they mean before.
    private static func event(_ claim: JSONValue?) -> JSONValue? {
        guard let text = claim?.string else { return claim }
        return try? ProviderDocument.read(text.utf8.span)
    }

    private static func kind(of type: String) -> ProviderEvent.Kind? {
        switch type {
        case "consent-revoked": .consentRevoked
        // The first is what comes, the second what is documented.
        case "account-delete", "account-deleted": .accountDeleted
        case "email-disabled": .emailDisabled
        case "email-enabled": .emailEnabled
        default: nil
        }
    }

    /// In milliseconds, though examples of Apple's have seconds.
    private static func time(_ value: JSONValue?) throws(EventTokenError) -> Int64? {
        guard let value, !value.isNull else { return nil }
        guard let number = whole(value), number >= 0 else { throw .eventTime }
        return number < latestSecond ? number : number / 1000
    }

    private static func whole(_ value: JSONValue) -> Int64? {
        switch value {
        case .integer(let number): number
        case .string(let text): Int64(text)
        // Compared before it is converted: `1e300` has no place in 64 bits.
        case .number(let number) where (0..<Double(latestSecond) * 1000).contains(number) && number == number.rounded():
            Int64(number)
        default: nil
        }
    }
}
