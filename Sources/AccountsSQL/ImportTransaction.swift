public import Accounts

/// Users from elsewhere, each as a sign-in would have stored it, but without a session.
struct ImportTransaction {
    let connection: any StoreConnection
    let sealer: StoreSealer
    let now: Int64

    private var identities: IdentityRows { IdentityRows(connection: connection) }
    private var audit: AuditTrail { AuditTrail(connection: connection, now: now) }

    func run(_ entry: ImportedUser) throws(RepositoryError) -> ImportResult {
        guard !entry.identities.isEmpty else { return .noIdentity }
        var owners: Set<UserID> = []
        for identity in entry.identities {
            if let owner = try identities.find(identity.subject)?.known.user { owners.insert(owner) }
        }
        guard owners.count <= 1 else { return .conflict }
        guard let owner = owners.first else {
            var profile = entry.profile
            let providers = Set(entry.identities.map(\.provider))
            if providers.count == 1, let provider = providers.first { profile.attribute(to: provider) }
            let user = try UserRows(connection: connection, sealer: sealer)
                .insert(reference: entry.reference, profile: profile, now: entry.createdAt)
            try audit.add(.userImported, user: user)
            _ = try addMissing(entry, to: user, linkedAt: entry.createdAt)
            if let lock = entry.lock { try LockRows(connection: connection, now: now).put(lock, on: user) }
            return .created(user)
        }
        // What completes a user who was there is as old as its being here.
        return try addMissing(entry, to: owner, linkedAt: now) ? .completed(owner) : .alreadyThere(owner)
    }

    /// - Returns: whether any was missing. Looking again before each one takes care of one that is named twice.
    private func addMissing(
        _ entry: ImportedUser, to user: UserID, linkedAt: Int64
    ) throws(RepositoryError) -> Bool {
        var isMissing = false
        for identity in entry.identities where try !identities.exists(identity.subject) {
            let id = try identities.insertUnused(
                identity.subject, user: user, provider: identity.provider, linkedAt: linkedAt)
            if let stopped = identity.emailStoppedAt {
                try IdentityEventRows(connection: connection, sealer: sealer, now: now).stopEmail(of: id, at: stopped)
            }
            try audit.add(.identityImported, user: user, new: id)
            isMissing = true
        }
        return isMissing
    }
}

extension SQLStore {
    public func importUsers(
        _ batch: [ImportedUser], now: Int64
    ) async throws(RepositoryError) -> [ImportResult] {
        try await write { [sealer] connection throws(RepositoryError) in
            let transaction = ImportTransaction(connection: connection, sealer: sealer, now: now)
            var results: [ImportResult] = []
            for entry in batch { results.append(try transaction.run(entry)) }
            return results
        }
    }
}
