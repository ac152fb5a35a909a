/// A line in time: sign-ins that began before it open nothing any more, in whatever order the two arrive.
///
/// Who ends sessions draws one and deletes, in one transaction. What opens a session compares with it in its own.
public struct NotBefore: Equatable, Sendable {
    /// For how long an authorization code may live (RFC 6749 §4.1.2), in seconds: for so long a code that tells nothing
    /// of its beginning may be from before a line.
    public static let codeSeconds: Int64 = 600
    /// For how long the lines of a user and of a subject are kept, in seconds: the longest-lived access tokens that
    /// providers give work for sixty days.
    public static let memorySeconds: Int64 = 65 * 86_400
    /// The same for a session at the provider, and for a subject that nobody has any more, in seconds: for as long as
    /// an ID token may be presented that names it, by whatever configuration and clock.
    public static let shortMemorySeconds: Int64 = 86_400 + 3600

    /// Milliseconds since 1970; 0 for none.
    public var at: Int64
    /// The users must have authenticated after this, in seconds since 1970, for good; nil where an earlier
    /// authentication will do, as that of a single sign-on does.
    public var authenticatedAfter: Int64?

    public static let none = NotBefore(at: 0, authenticatedAfter: nil)

    public init(at: Int64, authenticatedAfter: Int64?) {
        (self.at, self.authenticatedAfter) = (at, authenticatedAfter)
    }

    /// One that is drawn now.
    ///
    /// - Parameter reauthenticate: whether users have to authenticate anew at the provider.
    public init(drawnAt milliseconds: Int64, reauthenticate: Bool = false) {
        at = milliseconds
        authenticatedAfter = reauthenticate ? milliseconds / 1000 : nil
    }

    /// Both of two lines.
    public func joined(_ other: NotBefore) -> NotBefore {
        let times = [authenticatedAfter, other.authenticatedAfter].compactMap(\.self)
        return NotBefore(at: max(at, other.at), authenticatedAfter: times.max())
    }

    /// Whether a sign-in lies behind the line, and may open nothing.
    ///
    /// Where a time is told in seconds only, the second in which the line was drawn lies behind it.
    ///
    /// - Parameters:
    ///   - beginning: when the sign-in began.
    ///   - authenticatedAt: the provider's `auth_time`, in seconds since 1970.
    ///   - now: seconds since 1970.
    public func bars(_ beginning: SignInBeginning, authenticatedAt: Int64?, now: Int64) -> Bool {
        if let authenticatedAfter, authenticatedAt.map({ $0 <= authenticatedAfter }) ?? true { return true }
        if at < beginning.leastLine(now: now) { return false }
        guard case .untold = beginning else { return true }
        return authenticatedAt.map { $0 <= at / 1000 } ?? true
    }
}

/// When a sign-in began, as far as anything tells: what is compared with the lines in time.
public enum SignInBeginning: Equatable, Sendable {
    /// We saw it: the browser's transaction, our challenge, our push. In milliseconds since 1970.
    case seen(Int64)
    /// The token that an app holds says when it was issued (`iat`), in seconds since 1970.
    case issued(Int64)
    /// A code that an app posts of a request that was none of ours.
    case untold
    /// An access token that says nothing of when it was issued: it may be as old as any is.
    case undated

    /// The earliest line that could bar it, in milliseconds since 1970.
    ///
    /// - Parameter now: seconds since 1970.
    public func leastLine(now: Int64) -> Int64 {
        switch self {
        case .seen(let time): time
        // A provider may write any number; none is later than now.
        case .issued(let time): min(max(time, 0), now) * 1000
        case .untold: (now - NotBefore.codeSeconds) * 1000
        case .undated: (now - NotBefore.memorySeconds) * 1000
        }
    }
}

/// Whose sessions end all together.
public enum SessionScope: Equatable, Sendable {
    case everybody
    /// An app of ours, by its `client_id`.
    case app(String)
    /// All that came of a provider, by its configured name.
    case provider(String)
}
