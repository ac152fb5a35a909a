import Foundation
import HTTPTesting
import JSON

/// What an app with AppAuth keeps of its sign-in, and how it comes by a fresh access token (`OIDAuthState
/// performActionWithFreshTokens`, `AuthState.performActionWithFreshTokens`): written after AppAuth's contract, and of
/// nothing of ours.
actor AppAuthManager {
    enum Failure: Error, Equatable {
        /// Stale, and nothing to refresh with: no call was made.
        case noRefreshToken
        /// The server has the last word; after `invalid_grant` nothing is left but to sign in again.
        case final(String)
        /// Nobody could tell; what there is stays.
        case transient
    }

    /// A token is stale that expires within so many seconds.
    private static let tolerance = 60.0

    private let clientID: String
    private let send: @Sendable ([String: String]) async -> HTTPTestAnswer?
    private let now: @Sendable () -> Date
    private var running: Task<String, any Error>?

    private(set) var accessToken: String?
    private(set) var refreshToken: String?
    private(set) var idToken: String?
    private(set) var scope: String?
    private var expiresAt: Date?

    /// - Parameters:
    ///   - tokens: the answer that the code was redeemed for.
    ///   - send: posts a form to the token endpoint; nil when nobody answers.
    init(
        clientID: String, tokens: JSONValue, now: @escaping @Sendable () -> Date = { Date() },
        send: @escaping @Sendable ([String: String]) async -> HTTPTestAnswer?
    ) {
        self.clientID = clientID
        self.send = send
        self.now = now
        accessToken = tokens["access_token"]?.string
        refreshToken = tokens["refresh_token"]?.string
        idToken = tokens["id_token"]?.string
        scope = tokens["scope"]?.string
        expiresAt = tokens["expires_in"]?.integer.map { now().addingTimeInterval(Double($0)) }
    }

    /// A fresh access token: the one there is, or the one of a refresh, of which there is one at a time for all who
    /// wait.
    func freshToken(forced: Bool = false) async throws -> String {
        if !forced, let accessToken, isFresh { return accessToken }
        if let running { return try await running.value }
        guard let refreshToken else { throw Failure.noRefreshToken }
        // No scope: that of the sign-in stays.
        let form = ["grant_type": "refresh_token", "refresh_token": refreshToken, "client_id": clientID]
        let task = Task { try self.take(await self.send(form)) }
        running = task
        defer { running = nil }
        return try await task.value
    }

    private var isFresh: Bool { expiresAt.map { $0.timeIntervalSince(now()) > Self.tolerance } ?? true }

    private func take(_ answer: HTTPTestAnswer?) throws -> String {
        guard let answer else { throw Failure.transient }
        guard answer.status == 200, let token = answer["access_token"]?.string, answer["token_type"]?.string != nil
        else {
            guard (400..<500).contains(answer.status), let error = answer["error"]?.string else {
                throw Failure.transient
            }
            if error == "invalid_grant" { (accessToken, refreshToken, idToken, expiresAt) = (nil, nil, nil, nil) }
            throw Failure.final(error)
        }
        accessToken = token
        expiresAt = answer["expires_in"]?.integer.map { now().addingTimeInterval(Double($0)) }
        // What is not there stays as it was.
        refreshToken = answer["refresh_token"]?.string ?? refreshToken
        scope = answer["scope"]?.string ?? scope
        idToken = answer["id_token"]?.string ?? idToken
        return token
    }
}
