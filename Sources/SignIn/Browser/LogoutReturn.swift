internal import Accounts
internal import Crypto
internal import JSON
import Syntax
internal import System

/// Where a browser goes on to, once the provider has signed its user out as well.
struct LogoutReturn: Equatable, Sendable {
    /// The app's identifier.
    let clientID: String
    /// An address that the app has registered; nil: there is nowhere to go.
    let address: String?
    /// The app's own, which goes back as it came.
    let state: String?
}

/// Makes and reads the `state` of our request that a user be signed out at a provider (OpenID Connect RP-Initiated
/// Logout 1.0 §2).
///
/// It holds what it stands for, sealed under a key that follows from the one of challenges: nothing is kept for
/// somebody who may never come back, every instance reads it, and nobody makes one up. Shown twice, it leads to the
/// same address twice.
struct LogoutStates: Sendable {
    /// How long the user may take at the provider, in seconds: the key of challenges is not kept for longer.
    static let lifetimeSeconds = Challenges.lifetimeSeconds
    /// It is part of an address, together with an ID token; servers take addresses of 8000 bytes (RFC 9110 §4.1).
    static let maximumBytes = 2048

    private static let purpose = Array("gatehouse state of a logout".utf8)
    private static let numberBytes = 8

    let challenges: Challenges
    let clock: Clock

    /// - Parameter provider: the configured name of whom it is for; at another's address it is none.
    /// - Returns: nil when it is too long for an address.
    func state(for target: LogoutReturn, at provider: String) async throws(ServiceError) -> String? {
        guard let key = try await challenges.keys().first else { throw .storageUnavailable(.corrupt) }
        let content = target.encoded(expiringAt: clock.seconds + Self.lifetimeSeconds)
        let sealed: [UInt8]
        do throws(CryptoError) {
            sealed = try AEAD.seal(content, key: Self.key(of: key), associatedData: Self.context(provider))
        } catch {
            throw .overloaded
        }
        let number = (0..<Self.numberBytes).map { UInt8(truncatingIfNeeded: key.number >> Int64(56 - 8 * $0)) }
        let text = Base64URL.encode(number + sealed)
        return text.utf8.count <= Self.maximumBytes ? text : nil
    }

    /// - Returns: nil for what is no state of ours, or not one of this provider's.
    func target(of text: String, at provider: String) async throws(ServiceError) -> LogoutReturn? {
        guard text.utf8.count <= Self.maximumBytes, let bytes = Base64URL.decode(text), bytes.count > Self.numberBytes
        else { return nil }
        let number = bytes.prefix(Self.numberBytes).reduce(0) { $0 << 8 | Int64($1) }
        guard let key = try await challenges.key(number),
            let opened = try? AEAD.open(
                Array(bytes.dropFirst(Self.numberBytes)), key: Self.key(of: key),
                associatedData: Self.context(provider))
        else { return nil }
        return LogoutReturn(encoded: opened, now: clock.seconds)
    }

    private static func context(_ provider: String) -> [UInt8] { purpose + Array(provider.utf8) }

    private static func key(of key: SecretKey) throws(CryptoError) -> SymmetricKey {
        try SymmetricKey(Secret(HMAC.sha256(purpose, key: key.bytes)))
    }
}

extension LogoutReturn {
    fileprivate func encoded(expiringAt expiry: Int64) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.object { body in
            body.member("exp", expiry)
            body.member("client", clientID)
            if let address { body.member("address", address) }
            if let state { body.member("state", state) }
        }
        return writer.bytes
    }

    /// What took too long leads nowhere any more.
    fileprivate init?(encoded: [UInt8], now: Int64) {
        guard let document = try? JSONValue(parsing: encoded.span), let expiry = document["exp"]?.integer,
            let clientID = document["client"]?.string
        else { return nil }
        self.clientID = clientID
        address = now < expiry ? document["address"]?.string : nil
        state = document["state"]?.string
    }
}
