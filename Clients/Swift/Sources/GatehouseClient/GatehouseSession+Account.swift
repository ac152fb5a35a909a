import Foundation

/// What a signed-in user does with their account. Each call throws `GatehouseError`, and `CancellationError` where its
/// task is cancelled.
extension GatehouseSession {
    /// What the service knows of the user (`GET /users/me`).
    public func user() async throws -> User { try await call("GET", "users/me") }

    /// Changes values of the user's own (`PATCH /users/me`).
    @discardableResult
    public func edit(_ values: [String: String]) async throws -> User {
        try await call("PATCH", "users/me", json: values)
    }

    /// Links another identity to the user (`POST /users/me/identities`). It takes a recent sign-in.
    @discardableResult
    public func link(_ evidence: Evidence, at provider: String? = nil) async throws -> LinkedIdentity {
        try await call("POST", "users/me/identities", json: evidence.members(at: provider))
    }

    /// Links the identity of a ticket to the user (`POST /users/me/identities`). It takes a recent sign-in; a ticket
    /// that is refused with `.insufficientUserAuthentication` is not used up.
    @discardableResult
    public func link(ticket: LinkTicket) async throws -> LinkedIdentity {
        try await call("POST", "users/me/identities", json: ["link_ticket": ticket.text])
    }

    /// Makes two accounts of one person one (`POST /users/me/merge`): this session's, and that of another session of
    /// this app, which ends and is cleared. Both take a recent sign-in by an identity that was not just added.
    ///
    ///     let other = try GatehouseSession(base: address, store: anotherStore)
    ///     try await other.signIn(with: evidence)      // as the user of the other account
    ///     let merged = try await session.merge(absorbing: other)
    ///
    /// - Returns: the number of the user that is no more. Move what your own backend keeps under it.
    @discardableResult
    public func merge(absorbing other: GatehouseSession) async throws -> MergedAccount {
        let merged: MergedAccount = try await call(
            "POST", "users/me/merge", json: ["token": try await other.accessToken()])
        // It has ended with its account. What it has stored is good for nothing, and goes as far as it can.
        try? await other.signOut()
        return merged
    }

    /// Where a browser goes to add an identity (`POST /users/me/identities/authorize`), for apps that sign users in by
    /// the browser. It comes back to the redirect URI with `linked_identity`, `state` and `iss`, or with `error`.
    ///
    /// - Parameters:
    ///   - provider: the name of the provider's section.
    ///   - redirectURI: one that the app's section has.
    ///   - state: what the app has drawn; compare it with the one that comes back.
    ///   - parameters: for the provider, by their names in the API, such as `max_age` and `login_hint`.
    public func linkByBrowser(
        at provider: String, redirectURI: String, state: String, parameters: [String: String] = [:]
    ) async throws -> LinkAddress {
        let members = parameters.merging(
            ["provider": provider, "redirect_uri": redirectURI, "state": state]) { $1 }
        let address: LinkAddress = try await call("POST", "users/me/identities/authorize", json: members)
        guard API.isSecure(address.url) else { throw GatehouseError.unreachable }
        return address
    }

    /// Proves that the user has just approved a text (`POST /auth/transaction`).
    ///
    /// - Parameters:
    ///   - context: the text, which the provider has shown to the user.
    ///   - evidence: what the provider gave for it, with the nonce of its request.
    ///   - acrValues: the levels that it was asked for at; `a3` where nothing is said.
    ///   - maximumAge: how long ago, in seconds, the user may have authenticated; 300 where nothing is said.
    /// - Throws: `GatehouseError.anotherUser` for a receipt that is not of this session's user, too.
    public func approve(
        _ context: String, with evidence: Evidence, at provider: String? = nil, acrValues: String? = nil,
        maximumAge: Int? = nil
    ) async throws -> Receipt {
        guard let token = current?.accessToken, let subject = API.claim("sub", of: token) else {
            throw GatehouseError.notSignedIn
        }
        var members = evidence.members(at: provider)
        members["context"] = context
        members["acr_values"] = acrValues ?? members["acr_values"]
        members["max_age"] = maximumAge.map(String.init) ?? members["max_age"]
        let receipt: Receipt = try await call("POST", "auth/transaction", json: members)
        guard receipt.subject == subject else { throw GatehouseError.anotherUser }
        return receipt
    }

    /// Where the user is signed in, the oldest first (`GET /users/me/sessions`).
    public func sessions() async throws -> [UserSession] { try await call("GET", "users/me/sessions") }

    /// Ends one of the user's sessions (`DELETE /users/me/sessions/{session_id}`); this one by signing out. One that
    /// has ended already is no error. Another one takes a recent sign-in.
    public func end(_ session: UserSession) async throws {
        if session.id == current?.name { return try await signOut() }
        do {
            let _: Nothing = try await call("DELETE", "users/me/sessions/\(session.id)")
        } catch GatehouseError.refused(404, "not_found", _) {
            // What was wanted is so.
        }
    }

    /// Ends all of the user's sessions but this one, each by itself: where one fails, those before it have ended. It
    /// takes a recent sign-in where there are others.
    ///
    /// - Returns: how many there were.
    @discardableResult
    public func endOtherSessions() async throws -> Int {
        let sessions = try await sessions()
        // Of a list that does not say which one this is each might be.
        guard sessions.filter(\.isCurrent).count == 1 else { throw GatehouseError.unreachable }
        let others = sessions.filter { !$0.isCurrent }
        for session in others { try await end(session) }
        return others.count
    }

    /// Ends all of the user's sessions, and so this one (`DELETE /users/me/sessions`). It takes a recent sign-in where
    /// there are others.
    ///
    /// - Returns: how many there were.
    /// - Throws: `GatehouseError.notStored`, too, where the store could not be cleared of what has ended.
    @discardableResult
    public func signOutEverywhere() async throws -> Int {
        let left = left
        let ended: Ended = try await call("DELETE", "users/me/sessions")
        try forget(after: left)
        return ended.revoked
    }
}

/// An answer with nothing to tell.
private struct Nothing: Decodable, Sendable {}

private struct Ended: Decodable, Sendable {
    let revoked: Int
}
