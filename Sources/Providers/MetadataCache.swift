internal import EventLoop
internal import HTTPClient
internal import OpenIDConnect
import Synchronization
import Syntax
import System

/// The metadata of a provider's issuers, by the mobile network or the issuer it was found by.
///
/// The names come from outside: apps choose the network that is asked for. So what has been found lives apart from what
/// never was. Names that strangers make up push out each other, never a document; and each costs a request, so new names
/// are looked up from a budget that fills with time, one request for all who wait, and one that led nowhere is
/// remembered for a while.
final class MetadataCache: Sendable {
    /// What is to be found by a name.
    enum Name {
        /// The issuer that the configuration names: always looked up.
        case configured(String)
        case network(String)
        /// An issuer that a port token names.
        case formerIssuer(String)

        var text: String {
            switch self {
            case .configured(let text), .network(let text), .formerIssuer(let text): text
            }
        }
    }

    /// One document and where it lies.
    final class Document: Sendable {
        let url: EndpointURL
        let metadata: CachedFetch<ProviderMetadata>

        init(url: EndpointURL, bounds: CacheBounds) {
            self.url = url
            metadata = CachedFetch(bounds: bounds)
        }
    }

    static let maximumDocuments = 1024
    static let maximumMisses = 512
    /// New names that are looked up at once, and after how long one more may be. After a restart in the middle of a flood
    /// of made-up networks the real ones, for which many ask, still find their place within moments.
    static let maximumLookups = 100
    static let lookupInterval = Duration.milliseconds(100)

    private struct State: ~Copyable {
        /// What has been found once.
        var documents = BoundedCache<Document>(maximumCount: MetadataCache.maximumDocuments)
        /// What is being looked up for the first time, or was not found of late.
        var misses = BoundedCache<Document>(maximumCount: MetadataCache.maximumMisses)
        var networkLookups: TokenBucket
        /// Apart, so that no flood of networks keeps a user from bringing an account along, nor the other way round.
        var issuerLookups: TokenBucket
    }

    private let bounds: CacheBounds
    private let state: Mutex<State>

    init(bounds: CacheBounds, now: MonotonicTime) {
        self.bounds = bounds
        let budget = TokenBucket(burst: Self.maximumLookups, every: Self.lookupInterval, now: now)
        state = Mutex(State(networkLookups: budget, issuerLookups: budget))
    }

    /// The metadata found by a name, from memory where that serves.
    ///
    /// - Parameters:
    ///   - url: makes the document's address, which is asked for once.
    ///   - fetch: makes the fetch from there.
    /// - Throws: `ProviderFailure`; `.tooManyLookups` for a new name beyond the budget.
    func metadata(
        foundBy name: Name, now: MonotonicTime, at url: () throws(ProviderFailure) -> EndpointURL,
        fetch: (EndpointURL) -> CachedFetch<ProviderMetadata>.Fetch
    ) async throws(ProviderFailure) -> ProviderMetadata {
        let known = state.withLock { $0.documents.value(for: name.text) }
        if let metadata = known?.metadata.fresh(now: now) { return metadata }
        let document: Document
        if let known { document = known } else { document = try lookedUp(name, now, at: try url()) }
        let fetching = fetch(document.url)
        return try await document.metadata.value(now: now, leavesWhenCancelled: true) { [self] in
            let result = await fetching()
            if case .success = result { keep(document, foundBy: name.text) }
            return result
        }
    }

    /// The first look-up of a name, or one that was not long ago. Another sign-in may have come first: then what it
    /// began is taken, so that both wait for one request.
    private func lookedUp(
        _ name: Name, _ now: MonotonicTime, at url: EndpointURL
    ) throws(ProviderFailure) -> Document {
        let document: Document? = state.withLock { state in
            if let known = state.documents.value(for: name.text) { return known }
            if let begun = state.misses.value(for: name.text), !begun.metadata.isSpent(now: now) { return begun }
            let isAffordable =
                switch name {
                case .configured: true
                case .network: state.networkLookups.take(now: now)
                case .formerIssuer: state.issuerLookups.take(now: now)
                }
            guard isAffordable else { return nil }
            let document = Document(url: url, bounds: bounds)
            state.misses.insert(document, for: name.text)
            return document
        }
        guard let document else { throw .tooManyLookups }
        return document
    }

    private func keep(_ document: Document, foundBy name: String) {
        state.withLock { state in
            state.misses.remove(name)
            state.documents.insert(document, for: name)
        }
    }
}
