public import Accounts
public import Apps
public import Crypto
internal import JOSE
public import JSON
public import Providers
import Synchronization
import System

/// The keys our own tokens are signed with: some sign access tokens, others receipts, others the ID tokens of apps that
/// expect RS256, others what we tell providers of who we are. Of each purpose one signs, and all are published.
///
/// They live in the store, sealed, so that every instance signs and publishes the same ones. What is stored is taken
/// over again every few seconds (``reload(from:now:)``), and at once when a token names a key that is not known here.
public final class SessionKeys: Sendable {
    /// Of the ID tokens of our own apps.
    static let idTokenType = "JWT"
    static let receiptType = "transaction-receipt+jwt"

    /// How long a new key is published before it signs, in seconds: as long as those keep a key document who ask for no
    /// `max-age`, so that verifiers of our tokens have the key before the first token.
    public static let publicationSeconds: Int64 = 3600
    /// How long after its expiry an access token may still be taken somewhere, by a clock that is slow, and how long
    /// after its time a new key may sign somewhere, together, in seconds: no key leaves before.
    static let slackSeconds: Int64 = 120
    /// How long after one look into the store because of a token with an unknown key the next one begins, at the
    /// soonest: anybody can send those, and all who do meanwhile wait for that one.
    static let unknownKeyPause = Duration.milliseconds(200)

    /// Those that are there whatever is configured.
    private static let alwaysNeeded: Set<SigningKeyEntry.Purpose> = [.session, .receipt]
    /// As long as RFC 7518 §3.3 asks for: every client can verify that, and signing takes the loop least.
    private static let rsaBits = 2048

    private struct State {
        var current: SessionKeySet
        /// When the last look that a token has caused has begun.
        var askedAt: MonotonicTime?
        /// The next one, while it has not begun: it finds whatever was stored before now.
        var nextLook: Task<Void, any Error>?
    }

    private let state: Mutex<State>
    private let verifiedTokens: VerifiedTokens

    /// How many access tokens are remembered as good where nobody says it.
    public static let usualRememberedTokens = 16_384

    /// Why there are no keys to sign with.
    public enum LoadError: Error, Sendable {
        case repository(RepositoryError)
        case crypto(CryptoError)
        /// A stored key can't be read.
        case unreadableKey
    }

    /// Reads the keys from the repository and makes the first one of each purpose when there is none yet.
    ///
    /// - Parameters:
    ///   - purposes: what the configuration asks for beside access tokens and receipts.
    ///   - format: of access tokens.
    ///   - remembered: how many access tokens are remembered as good (``VerifiedTokens``).
    ///   - now: seconds since 1970.
    public static func load(
        from repository: any SigningKeyRepository, for purposes: Set<SigningKeyEntry.Purpose>,
        _ format: AccessTokenFormat = AccessTokenFormat(), remembered: Int = usualRememberedTokens, now: Int64
    ) async throws(LoadError) -> SessionKeys {
        try await makeMissing(alwaysNeeded.union(purposes), in: repository, now: now)
        // Another instance may have been first: what is stored counts.
        return try SessionKeys(try await Self.stored(in: repository), format, remembered: remembered, now: now)
    }

    /// Makes what the configuration has come to ask for, and takes it over.
    public func add(
        _ purposes: Set<SigningKeyEntry.Purpose>, in repository: any SigningKeyRepository, now: Int64
    ) async throws(LoadError) {
        try await Self.makeMissing(purposes, in: repository, now: now)
        try await reload(from: repository, now: now)
    }

    private static func makeMissing(
        _ purposes: Set<SigningKeyEntry.Purpose>, in repository: any SigningKeyRepository, now: Int64
    ) async throws(LoadError) {
        let entries = try await entries(in: repository)
        for purpose in SigningKeyEntry.Purpose.allCases
        where purposes.contains(purpose) && entries.signing(purpose, now: now) == nil {
            try await add(try makeKey(for: purpose, createdAt: now, signsFrom: now), to: repository)
        }
    }

    /// Stores another key, which every instance takes over by itself.
    ///
    /// - Parameters:
    ///   - purpose: what it signs.
    ///   - now: seconds since 1970.
    ///   - signsAtOnce: whether it signs as soon as an instance knows it, and not only after ``publicationSeconds``.
    /// - Returns: its `kid`.
    public static func rotate(
        _ purpose: SigningKeyEntry.Purpose, in repository: any SigningKeyRepository, now: Int64, signsAtOnce: Bool
    ) async throws(LoadError) -> String {
        // The newest that may sign does, so none may be as new, or newer because of another machine's clock.
        let newest = try await entries(in: repository).first?.createdAt ?? 0
        let key = try makeKey(
            for: purpose, createdAt: max(now, newest + 1), signsFrom: signsAtOnce ? now : now + publicationSeconds)
        try await add(key, to: repository)
        return key.kid
    }

    /// Makes keys to take the place of all others, since those may be known to somebody else: one of each purpose that
    /// there is a key for, which signs at once. Nothing is stored.
    ///
    /// - Parameter now: seconds since 1970.
    public static func replacements(
        forThoseIn repository: any SigningKeyRepository, now: Int64
    ) async throws(LoadError) -> [SigningKey] {
        let entries = try await entries(in: repository)
        let newest = entries.first?.createdAt ?? 0
        var keys: [SigningKey] = []
        for purpose in SigningKeyEntry.Purpose.allCases where entries.contains(where: { $0.purpose == purpose }) {
            keys.append(try makeKey(for: purpose, createdAt: max(now, newest + 1), signsFrom: now))
        }
        return keys
    }

    /// Retires the keys that have signed nothing that is still valid; those of receipts never.
    ///
    /// - Parameters:
    ///   - accessTokenSeconds: how long access tokens are good for, and ID tokens with them.
    ///   - now: seconds since 1970.
    /// - Returns: how many went.
    public static func retireOutlived(
        in repository: any SigningKeyRepository, accessTokenSeconds: Int64, now: Int64
    ) async throws(LoadError) -> Int {
        let entries = try await entries(in: repository)
        // What clients say of themselves is good for less than an access token ever is, and outlives nothing.
        let outlived = SigningKeyEntry.Purpose.allCases.flatMap { purpose in
            entries.outlived(purpose, lifetime: accessTokenSeconds + slackSeconds, now: now)
        }
        do throws(RepositoryError) {
            for entry in outlived { _ = try await repository.retireSigningKey(entry.kid, now: now) }
        } catch {
            throw .repository(error)
        }
        return outlived.count
    }

    /// - Parameters:
    ///   - keys: the newest first, at least one.
    ///   - now: seconds since 1970.
    init(_ keys: [SigningKey], _ format: AccessTokenFormat, remembered: Int, now: Int64) throws(LoadError) {
        let current = try SessionKeySet(keys, format, now: now)
        state = Mutex(State(current: current))
        verifiedTokens = VerifiedTokens(maximumCount: remembered, keys: current)
        clientKeys.use(current.clientSigners)
    }

    /// Takes over what is stored now. Where that fails, everything stays as it was.
    ///
    /// - Parameter now: seconds since 1970; decides which key signs until the next time.
    /// - Returns: whether another key signs, or others verify, than before.
    @discardableResult
    public func reload(from repository: any SigningKeyRepository, now: Int64) async throws(LoadError) -> Bool {
        // Almost always nothing has changed, and no seal needs to be opened to see that.
        if current.isSame(as: try await Self.entries(in: repository), now: now) { return false }
        let renewed = try SessionKeySet(try await Self.stored(in: repository), current.format, now: now)
        return state.withLock { state in
            let isChanged = !renewed.isSame(as: state.current)
            if isChanged {
                state.current = renewed
                clientKeys.use(renewed.clientSigners)
            }
            return isChanged
        }
    }

    /// Takes over what is stored because a token names a key that is not known here.
    ///
    /// Returns when a look that has begun after the call is done: it has found the key, if it was stored by then.
    func reloadForUnknownKey(from repository: any SigningKeyRepository, now: Int64) async throws(LoadError) {
        let look = state.withLock { state in
            if let look = state.nextLook { return look }
            let pause = state.askedAt.map { Self.unknownKeyPause - (.now - $0) } ?? .zero
            let look = Task {
                if pause > .zero { try? await Task.sleep(for: pause) }
                beginLook()
                try await reload(from: repository, now: now)
            }
            state.nextLook = look
            return look
        }
        do { try await look.value } catch let error as LoadError { throw error } catch { throw .unreadableKey }
    }

    private func beginLook() {
        state.withLock { ($0.nextLook, $0.askedAt) = (nil, .now) }
    }

    /// Those that providers know us by.
    public let clientKeys = ClientKeys()
    /// And their public halves (RFC 7517).
    public var clientJWKs: [JSONValue] { current.clientJWKs }
    /// The JWK set document for `/.well-known/jwks.json`.
    public var document: [UInt8] { current.document }
    /// When the keys were made that sign now, by what they sign: seconds since 1970.
    public var signingSince: [(purpose: SigningKeyEntry.Purpose, createdAt: Int64)] { current.signingSince }
    /// How many keys verify.
    public var count: Int { current.verifying.keys.count }

    var signer: JWTSigner { current.signer }
    var receiptSigner: JWTSigner { current.receiptSigner }
    var verifying: JWKSet { current.verifying }

    /// What a token says that the present keys have signed, as remembered, or else as `verify` finds it.
    func verified(
        _ token: String, else verify: (_ token: String, _ keys: SessionKeySet) -> VerifiedToken?
    ) -> VerifiedToken? {
        let keys = current
        return verifiedTokens.token(token, by: keys) { verify($0, keys) }
    }

    var algorithms: [SignatureAlgorithm] { current.algorithms }
    var verifyingIDTokens: JWKSet { current.verifyingIDTokens }

    func idTokenSigner(_ algorithm: SigningAlgorithm) throws(LoadError) -> JWTSigner {
        try current.idTokenSigner(algorithm)
    }

    /// A reference to a set that never changes: the lock is held for the copy of a pointer.
    private var current: SessionKeySet { state.withLock(\.current) }

    /// - Parameters:
    ///   - createdAt: seconds since 1970; likewise `signsFrom`.
    public static func makeKey(
        for purpose: SigningKeyEntry.Purpose, createdAt: Int64, signsFrom: Int64
    ) throws(LoadError) -> SigningKey {
        do throws(CryptoError) {
            let kind: PrivateKey.Kind = purpose.algorithm == .rs256 ? .rsa(bits: rsaBits) : .ellipticCurve(.p256)
            var privateKey: PrivateKey
            // On a command line a name that begins with a hyphen would be taken for an option.
            repeat {
                privateKey = try .generate(kind)
            } while privateKey.publicKey.thumbprint.hasPrefix("-")
            return SigningKey(
                kid: privateKey.publicKey.thumbprint, purpose: purpose,
                privateKey: try privateKey.pemRepresentation().revealedBytes, createdAt: createdAt,
                signsFrom: signsFrom)
        } catch {
            throw .crypto(error)
        }
    }

    private static func add(_ key: SigningKey, to repository: any SigningKeyRepository) async throws(LoadError) {
        do throws(RepositoryError) { try await repository.addSigningKey(key) } catch { throw .repository(error) }
    }

    private static func entries(
        in repository: any SigningKeyRepository
    ) async throws(LoadError) -> [SigningKeyEntry] {
        do throws(RepositoryError) { return try await repository.signingKeyEntries() } catch {
            throw .repository(error)
        }
    }

    private static func stored(in repository: any SigningKeyRepository) async throws(LoadError) -> [SigningKey] {
        do throws(RepositoryError) { return try await repository.signingKeys() } catch { throw .repository(error) }
    }
}
