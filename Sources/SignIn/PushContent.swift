package import Accounts
package import Crypto
import JSON
package import Providers
import Syntax

/// What is remembered of a server-initiated sign-in, sealed once for the app and once for the carrier.
package struct PushContent: Sendable {
    private static let keyBytes = 32

    /// The configured name of the provider.
    package let provider: String
    /// The issuer that was asked, and at whose hands the answer must come.
    package let issuer: String
    package let network: MobileNetwork?
    package let loginHint: String
    /// Who the user must be, where the app, or its session, says so.
    let subject: Subject?
    package let context: String?
    package let acrValues: String?
    package let correlationID: String
    package let owner: String
    let userAgent: String?
    /// What is sent anew with each push.
    package private(set) var nonce: String
    package private(set) var state: String
    /// When that was, in milliseconds since 1970; nil where an earlier version has sent it.
    package private(set) var begunAt: Int64?
    /// Under which the one leaves something for the other: the carrier's name of the request, and the link ticket.
    private let sharedKey: [UInt8]

    /// - Parameters:
    ///   - correlationID: the app's own name for it; nil has one made up.
    ///   - milliseconds: now, since 1970.
    package init(
        provider: String, issuer: String, network: MobileNetwork?, loginHint: String, subject: Subject?,
        context: String?, acrValues: String?, correlationID: String?, owner: String, userAgent: String?,
        at milliseconds: Int64
    ) {
        begunAt = milliseconds
        (self.provider, self.issuer, self.network, self.loginHint) = (provider, issuer, network, loginHint)
        (self.subject, self.context, self.acrValues) = (subject, context, acrValues)
        self.correlationID = correlationID ?? Hexadecimal.encode(Random.bytes(8))
        (self.owner, self.userAgent) = (owner, userAgent)
        nonce = Random.token(byteCount: Self.keyBytes)
        state = Random.token(byteCount: Self.keyBytes)
        sharedKey = Random.bytes(Self.keyBytes)
    }

    /// The same for another push, to which no answer to this one is an answer.
    package func renewed(at milliseconds: Int64) -> PushContent {
        var content = self
        content.begunAt = milliseconds
        content.nonce = Random.token(byteCount: Self.keyBytes)
        content.state = Random.token(byteCount: Self.keyBytes)
        return content
    }

    package func sealShared(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        try AEAD.seal(bytes, key: SymmetricKey(Secret(sharedKey)), associatedData: [])
    }

    package func openShared(_ sealed: [UInt8]) -> [UInt8]? {
        guard let key = try? SymmetricKey(Secret(sharedKey)) else { return nil }
        return try? AEAD.open(sealed, key: key, associatedData: [])
    }
}

extension PushContent {
    var encoded: [UInt8] {
        var writer = JSONWriter(reservingCapacity: 1024)
        writer.object { body in
            body.member("provider", provider)
            body.member("issuer", issuer)
            if let network { body.member("mccmnc", network.mccmnc) }
            body.member("login_hint", loginHint)
            if let subject {
                body.member("subject_issuer", subject.issuer)
                body.member("subject", subject.value)
            }
            if let context { body.member("context", context) }
            if let acrValues { body.member("acr_values", acrValues) }
            body.member("correlation_id", correlationID)
            body.member("owner", owner)
            if let userAgent { body.member("user_agent", userAgent) }
            body.member("nonce", nonce)
            body.member("state", state)
            if let begunAt { body.member("begun_at", begunAt) }
            body.member("key", Base64URL.encode(sharedKey))
        }
        return writer.bytes
    }

    init?(encoded: [UInt8]) {
        guard let document = try? JSONValue(parsing: encoded.span) else { return nil }
        func text(_ name: String) -> String? { document[name]?.string }
        guard let provider = text("provider"), let issuer = text("issuer"), let loginHint = text("login_hint"),
            let correlationID = text("correlation_id"), let owner = text("owner"),
            let nonce = text("nonce"), let state = text("state"), let key = text("key").flatMap(Base64URL.decode)
        else { return nil }
        (self.provider, self.issuer) = (provider, issuer)
        network = text("mccmnc").flatMap { MobileNetwork($0) }
        self.loginHint = loginHint
        subject = text("subject_issuer").flatMap { issuer in
            text("subject").map { Subject(issuer: issuer, value: $0) }
        }
        context = text("context")
        acrValues = text("acr_values")
        (self.correlationID, self.owner) = (correlationID, owner)
        userAgent = text("user_agent")
        (self.nonce, self.state) = (nonce, state)
        begunAt = document["begun_at"]?.integer
        sharedKey = key
    }
}
