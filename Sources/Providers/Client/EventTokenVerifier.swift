public import JOSE
internal import JSON
internal import Syntax

/// The rules that a signed token about events must keep, as a function of the token and of the time: Apple's
/// notifications and security event tokens of RISC (RFC 8417 §2).
///
/// The signature comes first, as with ID tokens, and so neither this nor ``LogoutTokenVerifier`` nor
/// ``IDTokenVerifier`` takes what another of them takes, whatever calls itself what: an ID token has no events, a
/// logout token has the one event that is none here, and an event has not that one.
public struct EventTokenVerifier: Sendable {
    /// In which words a token tells of events.
    public enum Wording: Sendable, Equatable {
        case apple
        /// - Parameter subjectIssuers: the names of the issuer of the users' ID tokens, who are named by it or by the
        ///   transmitter.
        case risc(subjectIssuers: [String])
    }

    private let rules: EventTokenRules
    private let wording: Wording

    /// - Parameters:
    ///   - issuer: the issuer whose keys were used.
    ///   - audiences: our identifiers there.
    ///   - maximumAgeSeconds: how long ago a token may have been issued.
    ///   - clockSkewSeconds: how far the provider's clock may differ from ours.
    public init(
        _ wording: Wording, issuer: String, audiences: [String], maximumAgeSeconds: Int64, clockSkewSeconds: Int64
    ) {
        self.wording = wording
        // Google signs a token that it sends again anew or not at all, and asks everybody to ignore what it says of its
        // expiry.
        rules = EventTokenRules(
            issuer: issuer, audiences: audiences, type: "secevent+jwt", demandsType: false,
            expiry: wording == .apple ? .whereGiven : .ignored, maximumAgeSeconds: maximumAgeSeconds,
            clockSkewSeconds: clockSkewSeconds)
    }

    /// The longest token taken, in bytes.
    public static let maximumTokenBytes = EventTokenRules.maximumTokenBytes

    /// The issuer a token claims, for the decision whose keys to ask, which comes before anything is fetched.
    public static func claimedIssuer(_ token: CompactJWS) -> String? { EventTokenRules.claimedIssuer(token) }

    /// Checks the claims of a token whose signature was verified.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: the first rule broken.
    public func verify(_ token: VerifiedJWS, now: Int64) throws(EventTokenError) -> ProviderEvents {
        let (claims, issuedAt) = try rules.check(token, now: now)
        let (events, unknown) =
            switch wording {
            case .apple: try AppleEvents.read(claims, issuedAt: issuedAt)
            case .risc(let subjectIssuers):
                try RISCEvents(claims: claims, issuers: [rules.issuer] + subjectIssuers, issuedAt: issuedAt).read()
            }
        guard claims["nonce"] == nil else { throw .nonce }
        let identifier = try rules.identifier(claims)
        // What ends older sessions must not say that it is newer than it can be.
        guard events.allSatisfy({ $0.time <= now + rules.clockSkewSeconds }) else { throw .eventTime }
        return ProviderEvents(issuer: rules.issuer, identifier: identifier, events: events, unknown: unknown)
    }
}

/// The events of a security event token, by their URIs.
private struct RISCEvents {
    private static let (risc, oauth) = (
        "https://schemas.openid.net/secevent/risc/event-type/", "https://schemas.openid.net/secevent/oauth/event-type/"
    )

    let claims: JSONValue
    /// Whose users may be ours.
    let issuers: [String]
    let issuedAt: Int64

    func read() throws(EventTokenError) -> (events: [ProviderEvent], unknown: Int) {
        guard let members = claims["events"]?.object?.members, !members.isEmpty,
            // It has a receiver of its own, and rules that this one does not hold it to.
            !members.contains(where: { $0.name == LogoutToken.event }),
            members.allSatisfy({ Self.canBeRead($0.value) })
        else { throw .event }
        let time = try time()
        var events: [ProviderEvent] = []
        for (uri, event) in members {
            guard let kind = Self.kind(of: uri, event) else { continue }
            let namesUser = kind != .verification && kind != .tokenRevoked
            events.append(ProviderEvent(kind: kind, subject: namesUser ? try subject(event) : nil, time: time))
        }
        return (events, members.count - events.count)
    }

    /// Whether it is an event, and what is done about it hangs on nothing that is doubtful.
    private static func canBeRead(_ event: JSONValue) -> Bool {
        event.object != nil && ["subject", "reason"].allSatisfy { event[$0]?.hasDoubt != true }
    }

    private static func kind(of uri: String, _ event: JSONValue) -> ProviderEvent.Kind? {
        switch uri {
        case risc + "sessions-revoked": .sessionsRevoked
        case risc + "account-disabled": event["reason"].isExactly("hijacking") ? .accountHijacked : .accountDisabled
        case risc + "account-enabled": .accountEnabled
        case risc + "account-purged": .accountDeleted
        case risc + "account-credential-change-required": .credentialChangeRequired
        case risc + "verification": .verification
        case oauth + "tokens-revoked": .tokensRevoked
        case oauth + "token-revoked": .tokenRevoked
        default: nil
        }
    }

    /// When it happened (RFC 8417 §2.2, `toe`), else when it was told.
    private func time() throws(EventTokenError) -> Int64 {
        guard let claim = claims["toe"] else { return issuedAt }
        guard let time = NumericDate(claim)?.seconds else { throw .eventTime }
        return time
    }

    /// The user by issuer and subject, inside of the event or beside it (RFC 9493 §3.2.4). A user who is named
    /// otherwise, by an address or as another issuer's, is nobody here: a transmitter speaks of its own users.
    private func subject(_ event: JSONValue) throws(EventTokenError) -> String? {
        guard let subject = event["subject"] ?? claims["sub_id"], subject.object != nil else { throw .subject }
        let format = subject["subject_type"] ?? subject["format"]
        guard ["iss-sub", "iss_sub"].contains(where: { format.isExactly($0) }),
            issuers.contains(where: { subject["iss"].isExactly($0) })
        else { return nil }
        return try subjectName(subject["sub"])
    }
}

func subjectName(_ claim: JSONValue?) throws(EventTokenError) -> String {
    guard let text = claim?.string, text.isSubject else { throw .subject }
    return text
}
