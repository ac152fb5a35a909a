public import Crypto
internal import Syntax

/// One of our own apps, as the operator registers it: a client of this service in the sense of RFC 6749 §2, so that it
/// can sign its users in through the browser.
public struct RegisteredApp: Sendable, Equatable {
    /// What becomes of a sign-in that comes back in another browser than the one that began it.
    public enum OtherBrowser: String, Sendable, CaseIterable {
        /// It is refused, and the user may begin again in the app.
        case refuse
        /// The user is asked whether they began it; only for apps to which nobody else can be sent.
        case confirm
    }

    /// Whether its users are asked before it is given anything (OpenID Connect Core §3.1.2.4). Where others can imitate
    /// the app, a page names it in any case.
    public enum Consent: String, Sendable, CaseIterable {
        /// Never: the operator answers for it, or the provider asks.
        case implicit
        /// The first time, and where it asks for more than its user has agreed to.
        case explicit
        /// Each time.
        case systematic
    }

    /// How long its refresh tokens last, and whether they are replaced.
    public struct RefreshTokens: Sendable, Equatable {
        public enum Use: String, Sendable, CaseIterable {
            /// Each is used once, for the next one. A replaced one that comes again ends the session (RFC 9700
            /// §4.14.2).
            case rotating
            /// One stays good as long as the session lasts, for clients that store the first one again and again.
            /// The use of a stolen one is not noticed, so such a session has to end by itself.
            case reusable
        }

        public let use: Use
        /// For how long a session lasts that nobody refreshes, in seconds; nil for as long as other sessions.
        public let inactivitySeconds: Int64?
        /// For how long a session lasts however often it is refreshed, in seconds; nil for as long as other sessions.
        public let absoluteSeconds: Int64?

        public init(use: Use = .rotating, inactivitySeconds: Int64? = nil, absoluteSeconds: Int64? = nil) {
            (self.use, self.inactivitySeconds, self.absoluteSeconds) = (use, inactivitySeconds, absoluteSeconds)
        }
    }

    /// When it gets a refresh token.
    public enum OfflineAccess: String, Sendable, CaseIterable {
        /// Where it asks for `offline_access` and may have it (OpenID Connect Core §11).
        case asked
        /// With every sign-in.
        case always
    }

    /// By what it gets its tokens (RFC 6749 §1.3).
    public enum GrantType: String, Sendable, CaseIterable {
        case authorizationCode = "authorization_code"
        case refreshToken = "refresh_token"
        /// A provider's access token that it holds (RFC 8693).
        case tokenExchange = "token_exchange"
    }

    /// What it may ask for.
    public struct Rights: Sendable, Equatable {
        public let permissions: Permissions
        /// What of that it has without asking, for an app whose code can't ask.
        public let implied: Permissions
        public let offlineAccess: OfflineAccess
        public let grants: [GrantType]
        /// Whom its access tokens may be made out to beside this service (RFC 8707 §2).
        public let audiences: [String]

        public init(
            permissions: Permissions = .usual, implied: Permissions = [], offlineAccess: OfflineAccess = .asked,
            grants: [GrantType] = [.authorizationCode, .refreshToken], audiences: [String] = []
        ) {
            (self.permissions, self.implied, self.offlineAccess) = (permissions, implied, offlineAccess)
            (self.grants, self.audiences) = (grants, audiences)
        }
    }

    /// The name in the configuration.
    public let name: String
    /// What its users are shown.
    public let displayName: String
    public let clientID: String
    /// nil for a public client (RFC 6749 §2.1): an app that anybody can take apart keeps no secret.
    public let secret: Secret?
    /// Where authorization responses may go; one at least.
    public let redirectURIs: [RedirectURI]
    /// The names of the providers that its users may sign in with; empty for all.
    public let providers: [String]
    /// The web origins that may call the API from scripts (Fetch, "CORS protocol").
    public let origins: [String]
    /// Where its users may be sent once they are signed out.
    public let postLogoutRedirectURIs: [RedirectURI]
    public let otherBrowser: OtherBrowser
    public let consent: Consent
    public let idTokenAlgorithm: SigningAlgorithm
    /// The names of the providers whose access tokens it may have; only where it has a secret.
    public let providerTokens: [String]
    public let refreshTokens: RefreshTokens
    public let rights: Rights
    /// How it is told of its users.
    public let responses: ResponseShape

    public init(
        name: String, displayName: String? = nil, clientID: String, secret: Secret?, redirectURIs: [RedirectURI],
        providers: [String],
        origins: [String], postLogoutRedirectURIs: [RedirectURI], otherBrowser: OtherBrowser,
        consent: Consent, idTokenAlgorithm: SigningAlgorithm, providerTokens: [String] = [],
        refreshTokens: RefreshTokens = RefreshTokens(), rights: Rights = Rights(),
        responses: ResponseShape = .flat
    ) {
        self.name = name
        self.displayName = displayName ?? name
        (self.clientID, self.secret, self.redirectURIs, self.providers) = (clientID, secret, redirectURIs, providers)
        (self.origins, self.postLogoutRedirectURIs) = (origins, postLogoutRedirectURIs)
        (self.otherBrowser, self.consent, self.idTokenAlgorithm) = (otherBrowser, consent, idTokenAlgorithm)
        (self.providerTokens, self.refreshTokens, self.rights) = (providerTokens, refreshTokens, rights)
        self.responses = responses
    }

    /// What is granted of what it asks for.
    public func granted(_ asked: Permissions) -> Permissions {
        asked.union(rights.implied).intersection(rights.permissions)
    }

    /// Whether a session with these permissions has refresh tokens.
    public func hasRefreshTokens(with permissions: Permissions) -> Bool {
        rights.grants.contains(.refreshToken)
            && (rights.offlineAccess == .always || permissions.contains(.offlineAccess))
    }

    /// Whether an authorization response may go to an address.
    public func allows(redirectURI: String) -> Bool { redirectURIs.contains { $0.matches(redirectURI) } }

    /// Whether a user who is signed out may be sent to an address.
    public func allows(postLogoutRedirectURI address: String) -> Bool {
        postLogoutRedirectURIs.contains { $0.matches(address) }
    }

    /// Whether its users may sign in with the provider of that name.
    public func allows(provider: String) -> Bool { providers.isEmpty || providers.contains(provider) }

    /// Whether every address that it may be sent to is one that only this app can claim, so that a code goes to nobody
    /// else on the same device (RFC 8252 §7.2).
    public var isReachedByClaimedAddressesOnly: Bool { redirectURIs.allSatisfy(\.isClaimedHTTPS) }
}

/// A redirect URI as it is registered, and which addresses it stands for (RFC 9700 §4.1.3): those that are the same to
/// the letter, and for a loopback address also those with another port, which apps on a desk are given by their system
/// (RFC 8252 §7.3).
public struct RedirectURI: Sendable, Equatable {
    public let text: String
    /// Of a loopback address: what stands before the port and what stands behind it.
    private let loopback: (head: String, tail: String)?

    /// - Parameter text: an absolute URI without a fragment, which the reader of the configuration has checked.
    public init(_ text: String) {
        self.text = text
        loopback = Self.loopbackParts(text)
    }

    public static func == (left: RedirectURI, right: RedirectURI) -> Bool { left.text.isExactly(right.text) }

    /// Whether an authorization response for this URI may go to that address.
    public func matches(_ address: String) -> Bool {
        if text.isExactly(address) { return true }
        guard let loopback, let other = Self.loopbackParts(address) else { return false }
        return loopback.head.isExactly(other.head) && loopback.tail.isExactly(other.tail)
    }

    /// Whether it is an https address, which an app can only have by the word of the host's owner.
    public var isClaimedHTTPS: Bool { text.hasPrefix("https://") && loopback == nil }

    /// What a person would say that it leads to: a host, or a scheme of the app's own; nil for a program on the same
    /// machine, and for what can't be shown as what it is.
    public var home: String? {
        if loopback != nil { return nil }
        let home =
            if let url = try? EndpointURL(configured: text) { url.host } else { String(text.prefix { $0 != ":" }) }
        return VisibleText.fault(of: home) == nil ? home : nil
    }

    /// Whether its scheme is made of a domain, as an app's own has to be (RFC 8252 §7.1): none that a browser runs,
    /// shows or loads by itself has a dot.
    var hasSchemeOfDomain: Bool { text.prefix { $0 != ":" }.contains(".") }

    /// The literal addresses only, as RFC 8252 §8.3 has it: what a name such as `localhost` leads to is for others to
    /// say.
    private static func loopbackParts(_ text: String) -> (head: String, tail: String)? {
        guard let head = ["http://127.0.0.1", "http://[::1]"].first(where: { text.hasPrefix($0) }) else { return nil }
        let rest = text.dropFirst(head.count)
        let authorityEnd = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let port = rest[..<authorityEnd]
        guard port.isEmpty || isPort(port) else { return nil }
        return (head, String(rest[authorityEnd...]))
    }

    private static func isPort(_ text: Substring) -> Bool {
        guard text.first == ":" else { return false }
        let digits = text.dropFirst()
        return (1...5).contains(digits.utf8.count) && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && (1...65_535).contains(Int(digits) ?? 0)
    }
}
