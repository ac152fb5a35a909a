internal import Apps
internal import HTTPServer
internal import SignIn
internal import Syntax

/// The parameters of OAuth clients, at the token endpoint and beside it.
package enum ClientParameter: String, ParameterNames {
    case clientID = "client_id"
    case clientSecret = "client_secret"
    case grantType = "grant_type"
    case code
    case redirectURI = "redirect_uri"
    case codeVerifier = "code_verifier"
    case refreshToken = "refresh_token"
    /// A token of the session that a redeemed code's takes the place of.
    case replacesToken = "replaces_token"
    case token, scope, resource

    fileprivate static let table = ParameterTable<ClientParameter>()
}

package typealias ClientParameters = RequestParameters<ClientParameter>

extension ClientParameters {
    /// - Throws: what reading any parameters throws.
    init(_ request: HTTPRequest) throws(ServiceError) {
        try self.init(request, ClientParameter.table)
    }
}

/// Who a client says it is, and how it proves that (RFC 6749 §2.3.1).
struct ClientCredentials {
    /// Where a client proves who it is while `Authorization` has the user's token.
    static let clientHeader = "Client-Authorization"

    private typealias Pair = (id: String, secret: String)

    /// What a Basic header can be read as; nil without one. Both parts should be form-encoded before they are joined,
    /// but many libraries join them as they are, and nothing in the header tells which it was.
    private let basic: [Pair]?
    private let id: String?
    private let secret: String?

    /// - Throws: `ServiceError.invalidClient` for a Basic header that can't be read.
    init(_ request: HTTPRequest, _ parameters: ClientParameters) throws(ServiceError) {
        id = parameters[.clientID]
        secret = parameters[.clientSecret]
        basic = try Self.basic(request.header("authorization"))
    }

    /// - Parameter field: a header field with Basic credentials.
    init(basic field: String?) throws(ServiceError) {
        (id, secret) = (nil, nil)
        basic = try Self.basic(field)
    }

    /// What an app with a secret shows beside its user's session token: both in `Authorization`, each in a field of its
    /// own, or the client's in ``clientHeader``; one of a kind at most.
    ///
    /// - Throws: `ServiceError.invalidToken`, `.invalidClient` where there are two of a kind.
    static func besideToken(_ request: HTTPRequest) throws(ServiceError) -> (bearer: String?, basic: String?) {
        var (bearer, basic): (String?, String?)
        for field in request.headers("authorization") + request.headers(clientHeader) {
            let parts = field.split(separator: " ", maxSplits: 1)
            switch parts.first?.lowercased() {
            case "bearer":
                guard bearer == nil, parts.count == 2 else { throw .invalidToken }
                bearer = String(parts[1])
            case "basic":
                guard basic == nil else { throw .invalidClient }
                basic = field
            default: continue
            }
        }
        return (bearer, basic)
    }

    /// The app of ours that the request names, whether or not it comes from it.
    func app(in apps: AppRegistry) -> RegisteredApp? { names.lazy.compactMap { apps[$0] }.first }

    /// Whether the request names no client at all, or one that providers know us by, as those who post codes may.
    func areOfPoster(at providers: ProviderRegistry) -> Bool {
        let names = names
        return names.isEmpty || names.contains(where: providers.isClientOfOurs)
    }

    /// What the client calls itself: one name, which a Basic header may spell in two ways.
    private var names: [String] { basic?.map(\.id) ?? [id].compactMap(\.self) }

    /// Holds the request to the app that it names.
    ///
    /// - Throws: `ServiceError.invalidClient` when it proves nothing, or names two.
    func prove(_ app: RegisteredApp, in apps: AppRegistry) throws(ServiceError) {
        guard id == nil || id == app.clientID else { throw .invalidClient }
        // More than one way at a time is none (RFC 6749 §2.3).
        guard basic == nil || secret == nil else { throw .invalidClient }
        let presented = basic?.filter { $0.id == app.clientID }.map(\.secret) ?? [secret].compactMap(\.self)
        let isProven =
            app.secret == nil
            ? presented.allSatisfy(\.isEmpty) : presented.contains { apps.accepts(secret: $0, of: app) }
        guard isProven else { throw .invalidClient }
    }

    /// Who may ask what a token is good for.
    ///
    /// - Throws: `ServiceError.invalidClient` for everybody else, public apps among them.
    func introspector(in apps: AppRegistry) throws(ServiceError) -> Introspection.Caller {
        if secret == nil, let shown = basic?.first(where: { apps.isResourceServer($0.id, secret: $0.secret) }) {
            return .resourceServer(shown.id)
        }
        guard let app = app(in: apps), app.secret != nil else { throw .invalidClient }
        try prove(app, in: apps)
        return .app(app)
    }

    private static func basic(_ field: String?) throws(ServiceError) -> [Pair]? {
        guard let field else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.first?.lowercased() == "basic" else { return nil }
        guard parts.count == 2, let bytes = Base64.decode(String(parts[1])),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon != bytes.startIndex
        else { throw .invalidClient }
        let pairs = [formDecoded, plain].compactMap { read -> Pair? in
            guard let id = read(bytes[..<colon]), let secret = read(bytes[(colon + 1)...]) else { return nil }
            return (id, secret)
        }
        guard !pairs.isEmpty else { throw .invalidClient }
        return pairs
    }

    private static func formDecoded(_ bytes: ArraySlice<UInt8>) -> String? {
        var scratch: [UInt8] = []
        let bytes = Array(bytes)
        return PercentEncoding.decode(bytes.span, 0..<bytes.count, plusIsSpace: true, scratch: &scratch)
    }

    private static func plain(_ bytes: ArraySlice<UInt8>) -> String? {
        String(validating: bytes, as: UTF8.self)
    }
}
