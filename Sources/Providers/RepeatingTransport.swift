internal import EventLoop
public import HTTPClient
internal import System

/// Sends a request once more, after a moment, when the first try came to nothing.
///
/// Only for what changes nothing at the provider: metadata, keys and userinfo. The moment is random, so that a crowd whose
/// calls failed together does not come back together. Never past the deadline.
public struct RepeatingTransport: HTTPTransport {
    private static let pauseMilliseconds = 20...120

    private let transport: any HTTPTransport
    private let deadline: Deadline

    public init(_ transport: any HTTPTransport, within deadline: Deadline) {
        self.transport = transport
        self.deadline = deadline
    }

    /// - Returns: the last answer, also one that says that the server is not well.
    /// - Throws: what the last try failed with.
    public func send(_ request: OutboundRequest) async throws(HTTPClientError) -> OutboundResponse {
        do throws(HTTPClientError) {
            let response = try await transport.send(request)
            guard (502...504).contains(response.status), await isTimeToTryAgain() else { return response }
        } catch {
            guard error.mayPass, await isTimeToTryAgain() else { throw error }
        }
        var again = request
        again.timeout = deadline.nextCall(now: .now)
        return try await transport.send(again)
    }

    /// Waits, unless there is no time for a second try or nobody is left who waits for it.
    private func isTimeToTryAgain() async -> Bool {
        guard deadline.hasTimeLeft(now: .now) else { return false }
        return (try? await Task.sleep(for: .milliseconds(Int.random(in: Self.pauseMilliseconds)))) != nil
    }
}

extension HTTPClientError {
    /// Whether the same request may fare better a moment later.
    fileprivate var mayPass: Bool {
        switch self {
        case .couldNotResolve, .couldNotConnect, .timedOut, .connectionBroken: true
        case .refusedAddress, .tlsFailed, .responseTooLarge, .malformedResponse, .cancelled, .shutDown: false
        }
    }
}
