internal import EventLoop
internal import HTTPClient
import Synchronization
import Syntax
import System

/// The metadata of a provider's issuers, by the mobile network or the issuer it was found by.
///
/// The names come from outside: apps choose the network that is asked for. So what has been found lives apart from what
/// never was. Names that strangers make up push out each other, never a document; and each costs a request, so new
/// names are looked up from a budget that fills with time, one request for all who wait, and one that led nowhere is
/// remembered for a while.
final class MetadataCache: Sendable {
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
    static let maximumIssuers = 256
    /// New names that are looked up at once, and after how long one more may be. After a restart in the middle of a
    /// flood of made-up networks the real ones, for which many ask, still find their place within moments.
    static let maximumLookups = 100
    static let lookupInterval = Duration.milliseconds(100)
    /// The same for issuers that logout tokens name: nobody has signed in to send one.
    static let maximumLogoutLookups = 10
    static let logoutLookupInterval = Duration.seconds(6)

    private struct State: ~Copyable {
        /// What has been found once.
        var documents = BoundedCache<Document>(maximumCount: MetadataCache.maximumDocuments)
        /// What is being looked up for the first time, or was not found of late.
        var misses = BoundedCache<Document>(maximumCount: MetadataCache.maximumMisses)
        var networkLookups: TokenBucket
        /// Apart, so that no flood of networks keeps a user from bringing an account along, nor the other way round.
        var issuerLookups: TokenBucket
        var logoutLookups: TokenBucket
        /// By what each issuer's document was found last.
        var issuers = BoundedCache<IssuerLookup.Name>(maximumCount: MetadataCache.maximumIssuers)
        /// The page for choosing a carrier that discovery named last.
        var namedPage: String?
    }

    private let bounds: CacheBounds
    private let state: Mutex<State>
    /// The page for choosing a carrier, for the case that discovery has to be asked for one.
    private let chooser: CachedFetch<String>

    init(bounds: CacheBounds, now: MonotonicTime) {
        self.bounds = bounds
        chooser = CachedFetch(bounds: bounds)
        let budget = TokenBucket(burst: Self.maximumLookups, every: Self.lookupInterval, now: now)
        let logouts = TokenBucket(burst: Self.maximumLogoutLookups, every: Self.logoutLookupInterval, now: now)
        state = Mutex(State(networkLookups: budget, issuerLookups: budget, logoutLookups: logouts))
    }

    /// The metadata found by a name, from memory where that serves.
    ///
    /// - Throws: `ProviderCallError`; `.tooManyLookups` for a new name beyond the budget.
    func metadata(
        _ name: IssuerLookup.Name, _ lookup: IssuerLookup, through transport: GuardedTransport
    ) async throws(ProviderCallError) -> ProviderMetadata {
        let now = transport.now
        let known = state.withLock { $0.documents.value(for: name.text) }
        if let metadata = known?.metadata.fresh(now: now) { return metadata }
        let document: Document
        if let known { document = known } else { document = try lookedUp(name, now, at: try lookup.url(of: name)) }
        return try await document.metadata.value(now: now, leavesWhenCancelled: !transport.call.mustFinish) { [self] in
            await fetch(document, name, lookup, transport)
        }
    }

    /// The metadata of an issuer that was decided to be trusted, as its users' sign-ins have found it; else its own
    /// document, from a small budget.
    ///
    /// - Throws: as above.
    func metadata(
        ofTrusted issuer: String, _ lookup: IssuerLookup, through transport: GuardedTransport
    ) async throws(ProviderCallError) -> ProviderMetadata {
        if let name = state.withLock({ $0.issuers.value(for: issuer) }) {
            let known = try await metadata(name, lookup, through: transport)
            // A network may have another issuer by now.
            if known.issuer.isExactly(issuer) { return known }
        }
        return try await metadata(.loggingOut(issuer), lookup, through: transport)
    }

    /// Where to send a user whom the carrier no longer knows: the configured page, else the one that discovery named
    /// last, else the one it names when it is asked to let the user choose.
    ///
    /// - Returns: nil when there is none.
    func discoveryUI(_ lookup: IssuerLookup, through transport: GuardedTransport) async -> String? {
        if let page = lookup.discoveryUI ?? state.withLock({ $0.namedPage }) { return page }
        guard let url = lookup.chooserURL else { return nil }
        return try? await chooser.value(now: transport.now, leavesWhenCancelled: !transport.call.mustFinish) { [self] in
            do throws(ProviderCallError) {
                let response = try await transport.send(documentRequest(url, transport), for: .discovery)
                guard let page = lookup.chooser(in: response) else { return .failure(.noCarrier(discoveryUI: nil)) }
                state.withLock { $0.namedPage = page }
                return .success(Fetched(page, freshness: bounds.usual))
            } catch {
                return .failure(error)
            }
        }
    }

    private func fetch(
        _ document: Document, _ name: IssuerLookup.Name, _ lookup: IssuerLookup, _ transport: GuardedTransport
    ) async -> Result<Fetched<ProviderMetadata>, ProviderCallError> {
        do throws(ProviderCallError) {
            let response = try await transport.send(documentRequest(document.url, transport), for: .discovery)
            let metadata = try lookup.metadata(in: response, of: name)
            keep(document, foundBy: name, issuer: metadata.issuer)
            let freshness = bounds.freshness(cacheControl: response.header("cache-control"))
            return .success(Fetched(metadata, freshness: freshness))
        } catch {
            if case .noCarrier(let page?) = error { state.withLock { $0.namedPage = page } }
            return .failure(error)
        }
    }

    private func documentRequest(_ url: EndpointURL, _ transport: GuardedTransport) -> OutboundRequest {
        transport.get(url, accepting: "application/json")
    }

    /// The first look-up of a name, or one that was not long ago. Another sign-in may have come first: then what it
    /// began is taken, so that both wait for one request.
    private func lookedUp(
        _ name: IssuerLookup.Name, _ now: MonotonicTime, at url: EndpointURL
    ) throws(ProviderCallError) -> Document {
        let document: Document? = state.withLock { state in
            if let known = state.documents.value(for: name.text) { return known }
            if let begun = state.misses.value(for: name.text), !begun.metadata.isSpent(now: now) { return begun }
            let isAffordable =
                switch name {
                case .configured: true
                case .network: state.networkLookups.take(now: now)
                case .formerIssuer: state.issuerLookups.take(now: now)
                case .loggingOut: state.logoutLookups.take(now: now)
                }
            guard isAffordable else { return nil }
            let document = Document(url: url, bounds: bounds)
            state.misses.insert(document, for: name.text)
            return document
        }
        guard let document else { throw .tooManyLookups }
        return document
    }

    private func keep(_ document: Document, foundBy name: IssuerLookup.Name, issuer: String) {
        state.withLock { state in
            state.misses.remove(name.text)
            state.documents.insert(document, for: name.text)
            state.issuers.insert(name, for: issuer)
        }
    }
}
