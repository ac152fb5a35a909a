internal import HTTPServer
internal import SignIn

/// The operator's files by which phones learn which apps belong to this host, so that its links open them: sent to
/// everybody who asks, byte for byte and without a detour, since Apple's and Google's servers follow none. All loops
/// share one.
public struct AssociationFiles: Sendable {
    static let applePath = "/.well-known/apple-app-site-association"
    static let androidPath = "/.well-known/assetlinks.json"

    private let appleFile: SharedBody?
    private let androidFile: SharedBody?

    /// - Parameters:
    ///   - apple: what Apple's servers fetch; nil: there is none.
    ///   - android: what Google's servers and Android fetch; nil: there is none.
    public init(apple: [UInt8]?, android: [UInt8]?) {
        appleFile = apple.map { SharedBody($0) }
        androidFile = android.map { SharedBody($0) }
    }

    func apple(for request: HTTPRequest) -> HTTPResponse { Self.answer(appleFile, to: request) }

    func android(for request: HTTPRequest) -> HTTPResponse { Self.answer(androidFile, to: request) }

    private static func answer(_ file: SharedBody?, to request: HTTPRequest) -> HTTPResponse {
        guard let file else { return ErrorAnswer(.unknownPath).response(requestID: request.id) }
        var response = HTTPResponse(
            status: .ok,
            headers: [
                (name: "Content-Type", value: "application/json"),
                (name: "Cache-Control", value: "public, max-age=300"),
            ], shared: file)
        // Nobody says which codings those servers undo.
        response.isCompressible = false
        return response.unlessKnown(to: request)
    }
}
