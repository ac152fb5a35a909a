internal import HTTPServer
internal import JSON
internal import Logging
internal import Providers
internal import SignIn
internal import Syntax
internal import WebAPI

/// `POST /auth/{provider}/events`: a provider says what has happened to one of its users, each in its own dialect:
/// Apple's notifications, RISC's tokens (RFC 8935 §2), Facebook's signed requests.
///
/// Where a provider tells of nothing there is nothing at its path. What was taken gets the same answer whether anybody
/// was known, and whether it has come before.
struct ProviderEventsEndpoint: Sendable {
    static let suffix = "/events"
    static let deletionSuffix = "/events/deletion"

    let receiver: EventReceiver
    /// Where people reach this service, for the address of the page.
    let issuer: BaseURL

    func respond(_ context: RequestContext, _ provider: Provider) async throws(ServiceError) -> HTTPResponse {
        switch provider.configuration.events?.dialect {
        case .apple:
            let token = try notification(in: context.request)
            context.note(try await receiver.take(token: token, at: provider, in: context.call))
            return Self.done(.ok)
        case .risc:
            let token = try securityEvent(in: context.request)
            context.note(try await receiver.take(token: token, at: provider, in: context.call))
            return Self.done(.accepted)
        case .facebook:
            let text = try signedRequest(in: context.request)
            context.note(try await receiver.take(signedRequest: text, as: .deauthorized, at: provider))
            return Self.done(.ok)
        case nil: throw .unknownPath
        }
    }

    /// `POST /auth/{provider}/events/deletion`: somebody wants to be forgotten. Facebook shows its user the address and
    /// the code of the answer.
    func delete(_ context: RequestContext, _ provider: Provider) async throws(ServiceError) -> HTTPResponse {
        guard provider.configuration.events?.dialect == .facebook else { throw .unknownPath }
        let text = try signedRequest(in: context.request)
        let receipt = try await receiver.take(signedRequest: text, as: .deletionRequested, at: provider)
        context.note(receipt)
        guard let code = receipt.confirmation else { throw .unknownPath }
        let page = "/auth/\(provider.configuration.name)\(Self.deletionSuffix)?code=\(code)"
        var writer = JSONWriter()
        writer.object { body in
            body.member("url", issuer.address(page))
            body.member("confirmation_code", code)
        }
        return .secretJSON(writer.bytes)
    }

    private static func done(_ status: HTTPStatus) -> HTTPResponse {
        HTTPResponse(status: status, headers: [(name: "Cache-Control", value: "no-store")])
    }

    private func notification(in request: HTTPRequest) throws(ServiceError) -> String {
        guard case .json(let object) = try RequestBody(request) else { throw .unsupportedMediaType }
        guard let payload = object["payload"]?.string else { throw .invalidEvent(.malformed) }
        return payload
    }

    /// RFC 8935 §2.1: the token is the body. Whatever else comes is told in its way, too, and not as another media
    /// type.
    private func securityEvent(in request: HTTPRequest) throws(ServiceError) -> String {
        guard request.header("content-type").map(RequestBody.mediaType) == "application/secevent+jwt",
            let token = String(validating: request.body, as: UTF8.self)
        else { throw .invalidEvent(.malformed) }
        return token
    }

    private func signedRequest(in request: HTTPRequest) throws(ServiceError) -> String {
        guard case .form(let form) = try RequestBody(request) else { throw .unsupportedMediaType }
        let values = form.values("signed_request")
        guard let value = values.first, values.count == 1 else { throw .invalidEvent(.malformed) }
        return value
    }
}

extension RequestContext {
    /// What a provider has told, in words of ours, and never of whom.
    fileprivate func note(_ receipt: EventReceiver.Receipt) {
        if !receipt.kinds.isEmpty {
            logged["events"] = .string(receipt.kinds.map(\.rawValue).joined(separator: " "))
        }
        if receipt.unknown > 0 { logged["unknown_events"] = .stringConvertible(receipt.unknown) }
        if receipt.isRepeated { logged["repeated"] = "true" }
        if receipt.changes > 0 { logged["changes"] = .stringConvertible(receipt.changes) }
    }
}
