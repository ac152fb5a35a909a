public import Crypto
internal import JOSE
internal import JSON
internal import Syntax

/// What Facebook posts when a user removes an app, or wants to be forgotten by it: a signature, a dot and JSON, both as
/// base64url, signed with the app's secret.
///
/// There is no issuer and no audience in it: the secret is this app's and nobody else's.
public enum SignedRequest {
    /// Such a request has a handful of short members.
    public static let maximumBytes = 4096
    private static let algorithm = "HMAC-SHA256"
    private static let maximumUserBytes = 64

    /// Verifies a request, and reads it as an event.
    ///
    /// - Parameters:
    ///   - text: as it was posted.
    ///   - kind: what it means, which the address tells that it was posted to.
    ///   - secret: the app's.
    ///   - now: seconds since 1970.
    ///   - maximumAgeSeconds: how long ago it may have been issued.
    ///   - clockSkewSeconds: how far Facebook's clock may differ from ours.
    /// - Throws: the first rule broken.
    public static func verify(
        _ text: String, as kind: ProviderEvent.Kind, secret: Secret, now: Int64, maximumAgeSeconds: Int64,
        clockSkewSeconds: Int64
    ) throws(EventTokenError) -> ProviderEvents {
        guard text.utf8.count <= maximumBytes else { throw .malformed }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let payload = Base64URL.decode(String(parts[1])) else { throw .malformed }
        guard let signature = Base64URL.decode(String(parts[0])) else { throw .signature }
        // Before anything is read. Of the text, not of what it stands for.
        guard constantTimeEqual(signature, HMAC.sha256(Array(parts[1].utf8).span, key: secret)) else {
            throw .signature
        }
        guard let members = ProviderDocument.object(payload.span) else { throw .malformed }
        guard let named = members["algorithm"]?.string, named.uppercased() == algorithm else { throw .algorithm }
        // A browser's cookie of a sign-in at Facebook is signed like this, and is nothing that Facebook posts.
        guard members["code"] == nil else { throw .event }
        guard let issued = members["issued_at"].flatMap({ NumericDate($0) })?.seconds,
            issued <= now + clockSkewSeconds, issued >= now - maximumAgeSeconds - clockSkewSeconds
        else { throw .issuedAt }
        guard let user = user(members["user_id"]) else { throw .subject }
        let event = ProviderEvent(kind: kind, subject: user, time: issued)
        return ProviderEvents(issuer: "", identifier: String(parts[1]), events: [event], unknown: 0)
    }

    /// A text of digits; as a number it would mean the same.
    private static func user(_ member: JSONValue?) -> String? {
        let text = member?.string ?? member?.integer.map { String($0) }
        guard let text, text.utf8.count <= maximumUserBytes, text.isSubject else { return nil }
        return text
    }
}
