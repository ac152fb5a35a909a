internal import HTTPClient
import Synchronization
public import System

/// How far a provider's clock is ahead of ours, as its documents tell (`Date`, RFC 9110 §6.6.1).
///
/// A token's `iat` is the provider's word: with a clock that is ahead, a token from before an end of sessions would
/// look like one from after it. A clock that seems behind corrects nothing: a cache on the way gives an old `Date` too,
/// and believing it would make old tokens young. Such a provider's tokens pass as older than they are.
public final class ProviderClock: Sendable {
    private struct Told {
        /// In seconds since 1970.
        let time: Int64
        let at: MonotonicTime
    }

    /// What an ID token may be ahead at all, in seconds.
    private let limit: Int64
    private let told = Mutex<Told?>(nil)

    init(limitSeconds: Int64) {
        limit = limitSeconds
    }

    /// Notes what time an answer tells that has come now.
    func note(_ response: OutboundResponse, now: MonotonicTime) {
        guard let date = response.header("date"), let time = CalendarTime.seconds(imfFixdate: date) else { return }
        told.withLock { $0 = Told(time: time, at: now) }
    }

    /// By how many seconds it is ahead, or behind where that is negative; nil before it has told.
    ///
    /// - Parameter now: by our clock, in seconds since 1970.
    public func offset(now: Int64, at moment: MonotonicTime = .now) -> Int64? {
        told.withLock(\.self).map { $0.time + (moment - $0.at).components.seconds - now }
    }

    /// By how many seconds it is ahead; never less than 0, nor more than `clockSkewSeconds`.
    ///
    /// - Parameter now: by our clock, in seconds since 1970.
    public func lead(now: Int64, at moment: MonotonicTime = .now) -> Int64 {
        min(max(0, offset(now: now, at: moment) ?? 0), limit)
    }
}
