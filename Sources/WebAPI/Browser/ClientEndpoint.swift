internal import Apps
internal import HTTPServer
internal import SignIn
import Syntax

/// Answers a request of an OAuth client.
///
/// The app is nil where the request names none that is configured: stock apps of the SDKs are no clients of ours.
typealias ClientHandler =
    @Sendable (RequestContext, RequestParameters, RegisteredApp?) async throws(ServiceError) -> HTTPResponse

/// What an operation for OAuth clients does with a request: it finds out which of our own apps it comes from, asks
/// anybody else for the API key, and tells errors as the one or the other understands them.
struct ClientEndpoint: Sendable {
    let path: String
    let handler: ClientHandler
    let log: RequestLog
    let apiKeys: APIKeys
    let apps: AppDirectory
    let limits: AddressLimits
    let failedSignIns: FailedSignInCounter

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let context = RequestContext(request, limits.clientAddress)
        var namesApp = false
        let response: HTTPResponse
        do throws(ServiceError) {
            let parameters = try parameters(of: request)
            let credentials = try ClientCredentials(request, parameters)
            let app = credentials.app(in: apps)
            // Known before anything is refused, since it decides how that is told.
            namesApp = app != nil
            // Whoever guesses secrets is told no more than whoever guesses tokens.
            try limits.refuseAfterFailures(context.network, of: .failedRefreshes)
            if let app { try credentials.prove(app, in: apps) }
            guard app != nil || apiKeys.admit(request) else { throw .invalidAPIKey }
            response = try await handler(context, parameters, app)
            if context.signIn != nil { log.writeSignIn(context, nil) }
        } catch {
            if case .invalidClient = error { limits.countFailure(context.network, as: .failedRefreshes) }
            response =
                namesApp
                ? ErrorAnswer.client(error).clientResponse(requestID: request.id)
                : ErrorAnswer(error).response(requestID: request.id)
            if context.signIn != nil {
                log.writeSignIn(context, error)
                failedSignIns.count(error, provider: context.provider, from: context.network)
            } else {
                log.writeFailure(error, route: path, context)
            }
        }
        log.write(request, route: path, response, context)
        return response
    }

    /// Who can't be read names no app, and needs the API key before anything else is said.
    private func parameters(of request: HTTPRequest) throws(ServiceError) -> RequestParameters {
        do throws(ServiceError) {
            return try RequestParameters(request)
        } catch {
            throw apiKeys.admit(request) ? error : .invalidAPIKey
        }
    }
}

/// Who a client says it is, and how it proves that (RFC 6749 §2.3.1).
struct ClientCredentials {
    private typealias Pair = (id: String, secret: String)

    /// What a Basic header can be read as; nil without one. Both parts should be form-encoded before they are joined,
    /// but many libraries join them as they are, and nothing in the header tells which it was.
    private let basic: [Pair]?
    private let id: String?
    private let secret: String?

    /// - Throws: `ServiceError.invalidClient` for a Basic header that can't be read.
    init(_ request: HTTPRequest, _ parameters: RequestParameters) throws(ServiceError) {
        id = parameters["client_id"]
        secret = parameters["client_secret"]
        basic = try Self.basic(request.header("authorization"))
    }

    /// - Parameter field: a header field with Basic credentials.
    init(basic field: String?) throws(ServiceError) {
        (id, secret) = (nil, nil)
        basic = try Self.basic(field)
    }

    /// The app of ours that the request names, whether or not it comes from it.
    func app(in apps: AppDirectory) -> RegisteredApp? {
        let names = basic?.map(\.id) ?? [id].compactMap(\.self)
        return names.lazy.compactMap { apps[$0] }.first
    }

    /// Holds the request to the app that it names.
    ///
    /// - Throws: `ServiceError.invalidClient` when it proves nothing, or names two.
    func prove(_ app: RegisteredApp, in apps: AppDirectory) throws(ServiceError) {
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
    func introspector(in apps: AppDirectory) throws(ServiceError) -> Introspection.Caller {
        if let basic, secret == nil, basic.contains(where: { apps.isResourceServer($0.id, secret: $0.secret) }) {
            return .resourceServer
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

extension ErrorAnswer {
    /// As OAuth clients know errors (RFC 6749 §5.2).
    static func client(_ error: ServiceError) -> ErrorAnswer {
        var answer = ErrorAnswer(error)
        switch error {
        case .unsupportedGrantType: answer.code = "unsupported_grant_type"
        case .invalidGrant, .accessDenied: answer.status = .badRequest
        // Both are about the token that was handed in (RFC 8693 §2.2.2).
        case .invalidSubjectToken, .userinfoMismatch: (answer.status, answer.code) = (.badRequest, "invalid_request")
        default: break
        }
        return answer
    }

    /// The answer to an app of ours, which is an OAuth client.
    ///
    /// Where it may try again, `error` is left out: AppAuth for Android takes that for the last word, whatever the
    /// status.
    func clientResponse(requestID: String) -> HTTPResponse {
        let isTransient = status.code >= 500 || status == .tooManyRequests
        return response(requestID: requestID, hasError: !isTransient)
    }
}
