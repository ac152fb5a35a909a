import Accounts

/// What keeps out somebody who has proven who they are: a lock, or a line in time that their sign-in lies behind.
struct SignInBar {
    let connection: any StoreConnection
    let sealer: StoreSealer
    /// What the lines are compared with.
    let beginning: SignInBeginning
    /// The provider's `auth_time`, in seconds since 1970.
    let authenticatedAt: Int64?
    let provider: String
    /// The `client_id` of our own app that it is for; nil where it is for none.
    let app: String?
    let upstreamSession: TokenHash?
    let now: Int64

    private var lines: NotBeforeRows { NotBeforeRows(connection: connection, sealer: sealer, now: now) }

    /// Of a user who is known by an identity.
    ///
    /// - Returns: nil where nothing bars the way.
    func refusal(of identity: IdentityRows.Bar) throws(RepositoryError) -> Refusal? {
        if identity.lockedUntil > now { return .locked }
        return refusal(behind: identity.line.joined(try line(unknown: nil)))
    }

    /// Of a subject that is nobody's yet.
    ///
    /// - Parameter user: whose it will be; nil where it makes a new one.
    func refusal(
        unknown subject: Subject, joining user: UserID? = nil
    ) throws(RepositoryError) -> Refusal? {
        var line = try line(unknown: subject)
        if try lines.isLocked(subject) { return .locked }
        // What was drawn, or locked for good, under a name that the issuer had before holds under the current one.
        for former in connection.formerIssuers.subjects(subject) {
            if try lines.isLocked(former) { return .locked }
            line = line.joined(try self.line(unknown: former))
        }
        if let user {
            if try LockRows(connection: connection, now: now).holds(user) { return .locked }
            line = line.joined(try lines.line(of: user))
        }
        return refusal(behind: line)
    }

    private func line(unknown subject: Subject?) throws(RepositoryError) -> NotBefore {
        try lines.line(
            app: app, provider: provider, upstreamSession: upstreamSession, unknown: subject, beginning)
    }

    private func refusal(behind line: NotBefore) -> Refusal? {
        guard line.bars(beginning, authenticatedAt: authenticatedAt, now: now) else { return nil }
        return .authenticationTooOld(maximumAgeSeconds: max(0, now - min(line.at, now * 1000) / 1000))
    }
}

extension SignInBar {
    init(_ record: SignInRecord, connection: any StoreConnection, sealer: StoreSealer) {
        self.init(
            connection: connection, sealer: sealer, beginning: record.beginning,
            authenticatedAt: record.session.authentication.time, provider: record.provider, app: record.session.app,
            upstreamSession: record.session.upstreamSession, now: record.now)
    }

    init(_ record: LinkRecord, connection: any StoreConnection, sealer: StoreSealer) {
        self.init(
            connection: connection, sealer: sealer, beginning: record.beginning,
            authenticatedAt: record.authenticationTime, provider: record.provider, app: nil,
            upstreamSession: record.upstreamSession, now: record.now)
    }
}
