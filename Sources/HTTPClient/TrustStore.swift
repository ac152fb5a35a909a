internal import Dispatch
internal import Synchronization

/// The trust anchors of all policies of a process, which the clients of all loops share.
///
/// They are read on a thread that may block: before they are needed, when a client meets a policy whose anchors nobody
/// has read yet, and again when an operator says that they have changed.
public final class TrustStore: Sendable {
    private typealias Outcome = Result<TrustAnchors, HTTPClientError>

    private struct State {
        /// By the policy's file; without one it is the system's anchors alone.
        var anchors: [String?: TrustAnchors] = [:]
        var reading: [String?: Task<Outcome, Never>] = [:]
    }

    private let state = Mutex(State())
    /// How often anchors in use were replaced.
    let replacements = Atomic(0)

    public init() {}

    /// Reads the anchors that policies with these files will need.
    ///
    /// - Parameter caFiles: nil stands for a policy without a file of its own.
    /// - Returns: the files that can't be read or have no certificate in them. Requests that need one are refused, and
    ///   try again.
    public func load(_ caFiles: some Sequence<String?>) async -> [String] {
        var failed: [String] = []
        for file in caFiles {
            do throws(HTTPClientError) { _ = try await anchors(for: file) } catch { failed += [file ?? ""] }
        }
        return failed
    }

    /// Reads everything again. Where a file has changed, connections that were made before are not used any more.
    ///
    /// - Returns: the files that can't be read or have no certificate in them; what was read before stays in use.
    public func reload() async -> [String] {
        var failed: [String] = []
        for file in state.withLock({ Array($0.anchors.keys) }) {
            switch await Self.read(file) {
            case .success(let anchors):
                state.withLock { state in
                    guard state.anchors[file]?.fingerprint != anchors.fingerprint else { return }
                    state.anchors[file] = anchors
                    replacements.add(1, ordering: .releasing)
                }
            case .failure: failed += [file ?? ""]
            }
        }
        return failed
    }

    /// The anchors if they have been read.
    private func known(for caFile: String?) -> TrustAnchors? { state.withLock { $0.anchors[caFile] } }

    /// The anchors, read now if need be, once for all who wait.
    ///
    /// - Throws: `tlsFailed` when they can't be read.
    func anchors(for caFile: String?) async throws(HTTPClientError) -> TrustAnchors {
        if let known = known(for: caFile) { return known }
        let reading = state.withLock { state in
            if let reading = state.reading[caFile] { return reading }
            let reading = Task { keep(await Self.read(caFile), for: caFile) }
            state.reading[caFile] = reading
            return reading
        }
        return try await reading.value.get()
    }

    private func keep(_ outcome: Outcome, for caFile: String?) -> Outcome {
        state.withLock { state in
            state.reading[caFile] = nil
            if case .success(let anchors) = outcome { state.anchors[caFile] = anchors }
            return outcome
        }
    }

    private static func read(_ caFile: String?) async -> Outcome {
        await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                let outcome = Outcome { () throws(HTTPClientError) in
                    try TrustAnchors(system: CurlLibrary.systemTrustAnchors, extra: caFile)
                }
                continuation.resume(returning: outcome)
            }
        }
    }
}
