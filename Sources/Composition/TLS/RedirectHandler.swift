import EventLoop
import Glibc
import HTTPServer
import Settings
import Syntax
import System

/// What answers plain http: the way to https, and, for an ACME server, what an ACME client has put into a folder
/// (RFC 8555 §8.3).
struct RedirectHandler: RequestHandler {
    private static let challenges = "/.well-known/acme-challenge/"
    /// A token is base64url (RFC 8555 §8.3), and so it is no way out of the folder.
    private static let longestToken = 256
    private static let longestAnswer = 4096

    /// Where clients are sent, without a path: `https://id.example`; nil: to the host that they have asked.
    let origin: String?
    /// Of https, at the host that they have asked.
    let port: UInt16
    let acmeFolder: String?

    var commonFields: [(name: String, value: String)] { [] }
    var transportFields: [(name: String, value: String)] { [] }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        if let acmeFolder, request.path.hasPrefix(Self.challenges) {
            return challenge(String(request.path.dropFirst(Self.challenges.count)), acmeFolder, request)
        }
        guard let origin = origin ?? asked(request) else {
            return Self.plain(.badRequest, "The Host field is missing.")
        }
        guard request.path.hasPrefix("/") else { return Self.plain(.badRequest, "This is about no page.") }
        let query = request.query.map { "?\($0)" } ?? ""
        var response = Self.plain(.permanentRedirect, "This service speaks https.")
        response.headers.append(("Location", origin + request.path + query))
        return response
    }

    func refuse(_ violation: ProtocolError, requestID: String, peer: SocketAddress) -> HTTPResponse {
        Self.plain(violation.status, "This is no request that is understood.")
    }

    private func challenge(_ token: String, _ folder: String, _ request: HTTPRequest) -> HTTPResponse {
        let isToken =
            !token.isEmpty && token.utf8.count <= Self.longestToken
            && token.utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        guard request.method == .get || request.method == .head, isToken,
            let bytes = try? File("\(folder)/\(token)", O_RDONLY).readAll(limit: Self.longestAnswer)
        else { return Self.plain(.notFound, "There is no such challenge.") }
        return HTTPResponse(status: .ok, headers: [("Content-Type", "application/octet-stream")], body: bytes)
    }

    static func origin(of issuer: EndpointURL) -> String {
        let usual = ":443"
        return "https://"
            + (issuer.server.hasSuffix(usual) ? String(issuer.server.dropLast(usual.count)) : issuer.server)
    }

    private func asked(_ request: HTTPRequest) -> String? {
        guard let host = request.header("host"), let address = try? EndpointURL(configured: "http://\(host)"),
            address.path.isEmpty, !address.hasQuery
        else { return nil }
        return "https://" + Authority.text(host: address.host, port: port)
    }

    private static func plain(_ status: HTTPStatus, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
            body: Array("\(text)\n".utf8))
    }
}

extension RedirectHandler {
    private static let connections = 256

    /// Binds the listener for plain http; it answers after ``HTTPServer/start()``.
    ///
    /// - Parameter port: of https.
    /// - Returns: nil where plain http is not answered.
    static func listener(
        _ settings: Settings, _ sockets: InheritedSockets, port: UInt16, on loop: EventLoop
    ) throws(StartError) -> HTTPServer? {
        guard let from = settings.http.redirectPort.flatMap({ UInt16(exactly: $0) }) else {
            try sockets.refuse(.redirect)
            return nil
        }
        let handler = RedirectHandler(
            origin: settings.session.issuer.map { Self.origin(of: $0) }, port: port,
            acmeFolder: settings.http.acmeFolder)
        let place = sockets.place(of: .redirect, host: settings.http.host, port: from)
        do throws(SystemError) {
            return try HTTPServer(
                at: place, loops: [loop],
                limits: HTTPServerLimits(settings.http, connections: connections)
            ) { _, _ in handler }
        } catch {
            throw .listen(place, error)
        }
    }
}
