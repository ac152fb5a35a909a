internal import Crypto
import Synchronization
internal import System

/// The token by which a directory's API knows us, fetched once for all who wait, and kept while it is good.
final class DirectoryTokens: Sendable {
    typealias Fetch = @Sendable () async -> Result<DirectoryToken, ProviderCallError>

    private struct State {
        var token: Secret?
        var until = MonotonicTime(nanoseconds: .min)
        var inFlight: Task<Result<DirectoryToken, ProviderCallError>, Never>?
        /// Counts what was fetched, so that what a former fetch brings takes the place of nothing newer.
        var fetches = 0
    }

    private let state = Mutex(State())

    /// - Parameter fetch: asks for one; called where there is none that is good.
    func token(now: MonotonicTime, fetch: @escaping Fetch) async throws(ProviderCallError) -> Secret {
        let (token, task): (Secret?, Task<Result<DirectoryToken, ProviderCallError>, Never>?) = state.withLock {
            state in
            if let token = state.token, now < state.until { return (token, nil) }
            return (nil, state.inFlight ?? begin(fetch, now, &state))
        }
        if let token { return token }
        guard let task else { throw .noClientKey }
        return try await task.value.get().value
    }

    /// Forgets a token that was refused; another that has come meanwhile stays.
    func forget(_ token: Secret) {
        state.withLock { if $0.token == token { $0.token = nil } }
    }

    /// Forgets whatever there is.
    func forget() {
        state.withLock { state in
            state.token = nil
            state.inFlight = nil
            state.fetches += 1
        }
    }

    private func begin(
        _ fetch: @escaping Fetch, _ now: MonotonicTime, _ state: inout State
    ) -> Task<Result<DirectoryToken, ProviderCallError>, Never> {
        state.fetches += 1
        let number = state.fetches
        let task = Task { [self] in
            let result = await fetch()
            self.state.withLock { state in
                guard state.fetches == number else { return }
                state.inFlight = nil
                guard case .success(let token) = result else { return }
                state.token = token.value
                // Counted from before it was asked for, so that it is never thought good for too long.
                state.until = now + .seconds(token.usableSeconds)
            }
            return result
        }
        state.inFlight = task
        return task
    }
}
