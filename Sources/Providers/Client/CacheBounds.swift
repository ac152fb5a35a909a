/// How long fetched metadata or keys are used.
public struct CacheBounds: Sendable, Equatable {
    /// Used for an answer that does not say how long it is good for.
    public var usual: Duration
    /// What an answer asks for is raised to this, so that a `no-store` does not become a fetch a sign-in.
    public var shortest: Duration
    /// What an answer asks for is cut to this, so that a mistake of the provider's does not last.
    public var longest: Duration
    /// How long past its time a value still serves while, in the background, a new one is fetched or fails to be.
    public var stale: Duration
    /// How long a failed fetch is answered from memory before another is tried.
    public var afterFailure: Duration
    /// The same for a fetch whose answer was that there is no such document.
    public var afterMiss: Duration

    public init(
        usual: Duration, shortest: Duration, longest: Duration, stale: Duration, afterFailure: Duration,
        afterMiss: Duration
    ) {
        (self.usual, self.shortest, self.longest, self.stale) = (usual, shortest, longest, stale)
        (self.afterFailure, self.afterMiss) = (afterFailure, afterMiss)
    }

    /// A quarter of an hour as the carriers' own clients use it, a day at most, and another day while nothing newer
    /// can be had. A network that nobody serves is asked for again after a minute.
    public static let standard = CacheBounds(
        usual: .seconds(900), shortest: .seconds(60), longest: .seconds(86_400), stale: .seconds(86_400),
        afterFailure: .seconds(1), afterMiss: .seconds(60))

    /// How long a failure is remembered.
    func memory(of failure: ProviderCallError) -> Duration {
        if case .noCarrier = failure { afterMiss } else { afterFailure }
    }

    /// How long an answer is fresh (RFC 9111 §4.2.1), within these bounds.
    public func freshness(cacheControl: String?) -> Duration {
        guard let cacheControl else { return usual }
        for directive in cacheControl.lowercased().split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1).map { $0.trimmed }
            switch (parts.first, parts.count) {
            case ("no-store", 1), ("no-cache", 1): return shortest
            case ("max-age", 2):
                guard let seconds = Int64(parts[1].trimmingQuotes) else { return usual }
                return min(max(.seconds(max(0, min(seconds, 1 << 32))), shortest), longest)
            default: continue
            }
        }
        return usual
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        guard let end = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return start[...end]
    }

    fileprivate var trimmingQuotes: Substring {
        count >= 2 && first == "\"" && last == "\"" ? dropFirst().dropLast() : self
    }
}
