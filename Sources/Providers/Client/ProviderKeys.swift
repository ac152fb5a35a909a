public import Crypto
public import HTTPClient
public import JOSE
internal import JSON
import Synchronization
public import Syntax
public import System

/// The signing keys of one issuer, kept and fetched again when a token names a key that is not among them, or that does
/// not verify it: a provider may have put another key under the name.
///
/// A key name costs a stranger nothing who posts a token, nor does a signature that is none: such fetches come from a
/// small budget, and a name for which the keys were fetched in vain a moment ago is not looked for again. A token that
/// we have got from the provider ourselves has nothing to do with that: for such ones keys are fetched once a second at
/// most, and all that come in that second see what the fetch has brought, so that nobody's made-up names keep a rotated
/// key from real sign-ins.
public final class ProviderKeys: Sendable {
    private struct Lookups: ~Copyable {
        /// For names that strangers have said.
        var budget: TokenBucket
        /// For those of tokens that we have got ourselves.
        var own: TokenBucket
        /// The names for which keys were fetched in vain: not there, or another's key.
        var inVain = BoundedCache<MonotonicTime>(maximumCount: maximumInVain)
    }

    private static let maximumKeys = 100
    private static let maximumInVain = 256
    /// A key that its issuer has withdrawn must not verify for long, also where nobody can be asked whether it has.
    static let maximumStaleness = Duration.seconds(3600)
    private static let inVainFor = Duration.seconds(60)

    private let cache: CachedFetch<JWKSet>
    private let bounds: CacheBounds
    private let lookups: Mutex<Lookups>
    private let refetched: @Sendable () -> Void

    /// - Parameters:
    ///   - bounds: how long keys are fresh; beyond that they serve for an hour at most.
    ///   - now: the present instant, from which on the budget of five, and one more a minute, counts.
    ///   - refetched: hears each time that they are fetched because those at hand don't verify a token.
    public init(bounds: CacheBounds, now: MonotonicTime, refetched: @escaping @Sendable () -> Void = {}) {
        self.refetched = refetched
        var bounds = bounds
        bounds.stale = min(bounds.stale, Self.maximumStaleness)
        self.bounds = bounds
        cache = CachedFetch(bounds: bounds)
        lookups = Mutex(
            Lookups(
                budget: TokenBucket(burst: 5, every: .seconds(60), now: now),
                own: TokenBucket(burst: 1, every: .seconds(1), now: now)))
    }

    /// Verifies a signed token with the issuer's keys, fetching them (again) where that can help.
    ///
    /// - Parameters:
    ///   - token: the compact JWS.
    ///   - origin: who has brought it.
    ///   - allowed: the algorithms the provider may use; never what the token asks for.
    ///   - endpoint: where the keys lie, should they be fetched.
    ///   - transport: fetches them.
    /// - Throws: why it is not taken.
    public func verify(
        _ token: CompactJWS, from origin: TokenOrigin, allowed: [SignatureAlgorithm], at endpoint: EndpointURL,
        through transport: some ProviderTransport, now: MonotonicTime
    ) async throws(SignedTokenError<JOSEError>) -> VerifiedJWS {
        let keys = try await keys(endpoint, transport, now)
        let problem: JOSEError
        do throws(JOSEError) { return try JWS.verify(token, keys: keys, allowed: allowed) } catch { problem = error }
        guard problem.isReasonToRefetchKeys else { throw .token(problem) }
        guard let newer = try await newerKeys(for: token.header.keyID, origin, endpoint, transport, now) else {
            throw .token(problem)
        }
        do throws(JOSEError) {
            return try JWS.verify(token, keys: newer, allowed: allowed)
        } catch {
            if error.isReasonToRefetchKeys, origin == .stranger { noteInVain(token.header.keyID) }
            throw .token(error)
        }
    }

    /// What the keys are called that are at hand; nil for one without a name.
    public func names(now: MonotonicTime) -> [String?] { cache.last(now: now)?.keys.map(\.keyID) ?? [] }

    private func keys(
        _ endpoint: EndpointURL, _ transport: some ProviderTransport, _ now: MonotonicTime
    ) async throws(SignedTokenError<JOSEError>) -> JWKSet {
        if let keys = cache.fresh(now: now) { return keys }
        do throws(ProviderCallError) {
            return try await cache.value(
                now: now, leavesWhenCancelled: false, fetch: fetch(endpoint, transport))
        } catch {
            throw .keys(error)
        }
    }

    /// - Returns: nil where none are fetched for that name now.
    private func newerKeys(
        for keyID: String?, _ origin: TokenOrigin, _ endpoint: EndpointURL, _ transport: some ProviderTransport,
        _ now: MonotonicTime
    ) async throws(SignedTokenError<JOSEError>) -> JWKSet? {
        do throws(ProviderCallError) {
            switch origin {
            case .stranger:
                guard takeLookup(keyID, now) else { return nil }
            case .provider:
                guard lookups.withLock({ $0.own.take(now: now) }) else { return try await cache.awaited(now: now) }
            }
            refetched()
            return try await cache.refetched(fetch: fetch(endpoint, transport))
        } catch {
            throw .keys(error)
        }
    }

    private func takeLookup(_ keyID: String?, _ now: MonotonicTime) -> Bool {
        lookups.withLock { lookups in
            if let since = lookups.inVain.value(for: keyID ?? ""), now < since + Self.inVainFor { return false }
            return lookups.budget.take(now: now)
        }
    }

    private func noteInVain(_ keyID: String?) {
        lookups.withLock { $0.inVain.insert(.now, for: keyID ?? "") }
    }

    private func fetch(_ endpoint: EndpointURL, _ transport: some ProviderTransport) -> CachedFetch<JWKSet>.Fetch {
        { [bounds, cache] in
            do throws(ProviderCallError) {
                let response = try await transport.send(
                    transport.get(endpoint, accepting: "application/jwk-set+json, application/json"))
                let keys = try Self.keys(in: response)
                // A set that nothing can be verified with is no newer version of one that something can.
                if keys.keys.isEmpty, cache.last(now: .now)?.keys.isEmpty == false {
                    return .failure(.invalidMember("keys"))
                }
                let freshness = bounds.freshness(cacheControl: response.header("cache-control"))
                return .success(Fetched(keys, freshness: freshness))
            } catch {
                return .failure(error)
            }
        }
    }

    /// The keys in an answer.
    ///
    /// - Throws: `ProviderCallError`, `.invalidMember` for what is no set of keys, or one of too many.
    public static func keys(in response: OutboundResponse) throws(ProviderCallError) -> JWKSet {
        let document = try response.jsonObject()
        do {
            return try JWKSet(document, maximumKeyCount: maximumKeys)
        } catch {
            throw .invalidMember("keys")
        }
    }
}

/// Who has brought a signed token.
public enum TokenOrigin: Sendable {
    /// The provider itself, in its answer to a call of ours.
    case provider
    /// The client that has posted it here; until it is verified nobody knows who that is.
    case stranger
}

/// Why a signed token was not taken: a rule that it breaks, or no keys could be had.
public enum SignedTokenError<Rule: Error>: Error {
    case token(Rule)
    case keys(ProviderCallError)
}

extension SignedTokenError: Equatable where Rule: Equatable {}
