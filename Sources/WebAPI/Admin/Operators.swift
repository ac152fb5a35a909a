public import Crypto
internal import HTTPServer
internal import SignIn
import Synchronization
internal import Syntax

/// Who is let in on the listener for operators: those who prove themselves by a bearer token of their own (RFC 6750
/// §2.1) or a certificate, or anyone on this machine where nobody has one.
public final class Operators: Sendable {
    /// One who has a token.
    public struct Entry: Sendable {
        public let name: String
        public let roles: Set<OperatorRole>
        /// From when on the token is refused, in seconds since 1970; nil: never.
        public let expiresAt: Int64?
        /// Of the token; nil for one who has none.
        fileprivate let digest: [UInt8]?
        /// The SHA-256 of the certificate; nil for one who has none.
        fileprivate let certificate: [UInt8]?

        public init(
            name: String, token: Secret?, certificate: [UInt8]? = nil, roles: Set<OperatorRole>, expiresAt: Int64?
        ) {
            (self.name, self.roles, self.expiresAt, self.certificate) = (name, roles, expiresAt, certificate)
            digest = token?.withBytes { Digest.sha256.hash($0) }
        }
    }

    /// What the audit trail calls anyone on this machine, where nobody has a token.
    public static let nameOnLoopback = "loopback"
    /// What it calls who has the token for metrics; no operator can be named so.
    public static let nameOfScraper = "admin.metricsToken"
    /// What it calls who has the one token without a name.
    public static let nameOfSingleToken = "admin"

    private let entries: Mutex<[Entry]>
    private let roleOnLoopback: OperatorRole

    /// - Parameters:
    ///   - entries: empty only where the listener is bound to a loopback address.
    ///   - roleOnLoopback: what anyone on this machine may do where there are none.
    public init(_ entries: [Entry], roleOnLoopback: OperatorRole) {
        self.entries = Mutex(entries)
        self.roleOnLoopback = roleOnLoopback
    }

    /// Takes others from the next request on.
    public func replace(with entries: [Entry]) {
        self.entries.withLock { $0 = entries }
    }

    /// Who sends a request. Digests are compared in constant time, and all of them whichever fits, so that neither a
    /// token's length nor its beginning nor whose it is can be found by timing.
    ///
    /// - Parameters:
    ///   - limits: of wrong tokens; a request without one guesses nothing and is not counted.
    ///   - now: seconds since 1970.
    /// - Returns: nil for who shows no token.
    /// - Throws: `ServiceError.invalidAdminToken` for a wrong token, `.expiredAdminToken` for one whose time is over,
    ///   `.rateLimited` after too many wrong ones.
    func admit(
        _ request: HTTPRequest, _ limits: AddressLimits, now: Int64
    ) throws(ServiceError) -> AdmittedOperator? {
        let entries = entries.withLock(\.self)
        // Who scrapes has a token that opens nothing else, and so closes nothing to others.
        let sent = PresentedToken(request).text
        guard entries.contains(where: { $0.roles != [.metrics] }) || !entries.isEmpty && sent != nil else {
            guard Self.isFromThisMachine(request) else { return nil }
            return AdmittedOperator(name: Self.nameOnLoopback, roles: [roleOnLoopback])
        }
        guard let sent else { return try byCertificate(request, entries, now: now) }
        let digest = Digest.sha256.hash(sent.utf8.span)
        var found: Entry?
        for entry in entries {
            if let own = entry.digest, constantTimeEqual(own, digest) { found = entry }
        }
        guard let found else {
            try limits.count(limits.clientAddress.network(of: request), as: .failedAdminTokens)
            throw .invalidAdminToken
        }
        if let end = found.expiresAt, end <= now { throw .expiredAdminToken(found.name) }
        return AdmittedOperator(name: found.name, roles: found.roles)
    }

    /// Who shows a certificate whose issuer the listener knows. One that nobody here has is as good as none.
    private func byCertificate(
        _ request: HTTPRequest, _ entries: [Entry], now: Int64
    ) throws(ServiceError) -> AdmittedOperator? {
        guard let shown = request.clientCertificate, let found = entries.first(where: { $0.certificate == shown })
        else { return nil }
        if let end = found.expiresAt, end <= now { throw .expiredAdminToken(found.name) }
        return AdmittedOperator(name: found.name, roles: found.roles)
    }

    /// Every web page that is open on this machine can reach a loopback address too. It gives itself away by its
    /// origin, which a GET does not have everywhere; by what the browser says of it (Fetch Metadata, `Sec-Fetch-Site`),
    /// which no script can change; or, where its own name has been made to point here, by that name. What a person has
    /// typed into the browser, or follows from one of our own pages, is none.
    private static func isFromThisMachine(_ request: HTTPRequest) -> Bool {
        guard request.header("origin") == nil, let host = request.header("host"), isOwn(host) else { return false }
        return request.headers("sec-fetch-site").allSatisfy { ["none", "same-origin"].contains($0) }
    }

    /// Whether a Host field names what only this machine is reached by. Without a token the listener is on loopback, so
    /// that it has no other name.
    private static func isOwn(_ host: String) -> Bool {
        guard let address = try? EndpointURL(configured: "http://" + host) else { return false }
        return address.path.isEmpty && !address.hasQuery && HostName.isLoopback(address.host)
    }
}
