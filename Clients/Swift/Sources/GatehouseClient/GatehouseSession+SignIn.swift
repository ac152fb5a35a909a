/// The ways in which a session begins.
extension GatehouseSession {
    /// Signs a user in, in the place of the one who was signed in before: that session ends at the service too, once
    /// the new one is kept. Where the service can't be told, that one ends there by itself.
    ///
    /// - Parameter provider: the name of the provider's section, where there are several.
    /// - Returns: what the service says of the user, and of the sign-in.
    /// - Throws: `GatehouseError`. An answer that got lost is not asked for again: a code is good for one use. With
    ///   `.notStored` the session of before stays, if there was one.
    @discardableResult
    public func signIn(
        with evidence: Evidence, at provider: String? = nil
    ) async throws(GatehouseError) -> SignedIn {
        try await begin("auth/signin", evidence.members(at: provider), for: nil) {
            (answer, session) throws(GatehouseError) in
            let signedIn = try SignedIn(answer)
            guard String(signedIn.user.id) == session.user else { throw .anotherUser }
            return signedIn
        }
    }

    /// Signs a user in by the code of a sign-in through the browser (`POST /auth/token`, RFC 6749 §4.1.3), likewise in
    /// the place of the one before.
    ///
    /// - Returns: what was granted, and the receipt where the user has approved a text with it.
    /// - Throws: `GatehouseError`, as of the other sign-in; `.notRenewable` where there is no refresh token.
    @discardableResult
    public func signIn(with code: BrowserCode) async throws(GatehouseError) -> SessionGrant {
        try await begin("auth/token", code.members, for: code.clientID, SessionGrant.init)
    }

    /// Makes a user of an identity that is nobody's yet, and signs them in (`POST /users`), in the place of the one
    /// before.
    ///
    /// - Parameters:
    ///   - ticket: of `GatehouseError.unlinkedUser`; it is good once.
    ///   - values: what the user typed, by its names in the API, such as `name` and `email`.
    /// - Throws: `GatehouseError`, as of a sign-in.
    @discardableResult
    public func register(
        ticket: LinkTicket, values: [String: String] = [:]
    ) async throws(GatehouseError) -> SessionGrant {
        var members = values
        members["link_ticket"] = ticket.text
        members["client_id"] = ticket.clientID
        return try await begin("users", members, for: ticket.clientID, SessionGrant.init)
    }

    /// Opens a session in the place of the one before.
    ///
    /// - Parameters:
    ///   - clientID: of the app of the service's that it is for; nil for who posts codes.
    ///   - told: what the answer says beside the tokens.
    private func begin<Told: Sendable>(
        _ path: String, _ members: [String: String], for clientID: String?,
        _ told: (API.Answer, StoredSession) throws(GatehouseError) -> Told
    ) async throws(GatehouseError) -> Told {
        let sent = now()
        guard let answer = await api.send(api.request("POST", path, json: members)) else {
            throw .unreachable
        }
        guard answer.isGood else { throw answer.refusal(to: clientID) }
        guard let session = StoredSession(answer, now: sent, clientID: clientID) else {
            guard let token = answer.body["access_token"] as? String, answer.body["refresh_token"] == nil else {
                throw .unreachable
            }
            _ = await revoke(token, of: clientID)
            throw .notRenewable
        }
        do throws(GatehouseError) {
            let told = try told(answer, session)
            let former = (try? store.load()) ?? current
            guard (try? store.save(session)) != nil else { throw .notStored }
            leave()
            current = session
            if let former { _ = await revoke(former) }
            return told
        } catch {
            // Nobody has it, so nobody shall.
            _ = await revoke(session)
            throw error
        }
    }
}
