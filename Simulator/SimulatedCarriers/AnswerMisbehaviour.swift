internal import HTTPServer
internal import JSON

/// What any endpoint can do wrong.
public enum AnswerMisbehaviour: String, Sendable, CaseIterable {
    // Instead of doing what was asked.
    case internalServerError = "status_500"
    /// With `Retry-After: 1`.
    case serviceUnavailable = "status_503"
    /// With `Retry-After: 1`.
    case tooManyRequests = "status_429"
    case html = "html"
    /// 302 to the plain provider's configuration.
    case redirect = "redirect"
    /// 307 to the plain provider's token endpoint: a client that follows it hands over its secret.
    case redirectKeepingMethod = "redirect_307"
    /// 8 MiB of JSON.
    case oversized = "oversized_body"
    /// 8 MiB of JSON in about 50 KiB of gzip.
    case gzipBomb = "gzip_bomb"
    /// Arrays in arrays, 100,000 deep.
    case deep = "deep_nesting"
    /// Bytes that are no HTTP.
    case notHTTP = "not_http"
    /// Nothing, until the client leaves.
    case hang = "hang"

    // After doing what was asked: the answer is lost or spoilt.
    /// The connection is reset (TCP RST).
    case reset = "reset"
    /// The connection is closed in good order, without an answer.
    case close = "close_before_answer"
    /// Half of the body, then the connection closes.
    case truncated = "truncated_body"
    /// One byte of the body every 100 ms.
    case drip = "drip_body"
    case duplicateMembers = "duplicate_members"
    case invalidUTF8 = "invalid_utf8"
    case wrongContentType = "wrong_content_type"
}

extension AnswerMisbehaviour {
    /// The answer that is given instead of doing what was asked; nil for those that spoil the right one, or give none.
    func replacement(_ world: World) -> HTTPResponse? {
        switch self {
        case .internalServerError: Self.status(.internalServerError, "Something went wrong.")
        case .serviceUnavailable: Self.status(.serviceUnavailable, "Come back later.", retryAfter: 1)
        case .tooManyRequests: Self.status(.tooManyRequests, "Not so fast.", retryAfter: 1)
        case .html: .html(.ok, "<!DOCTYPE html><title>Maintenance</title><p>We are back soon.</p>")
        case .redirect:
            HTTPResponse(
                status: .found,
                headers: [("Location", world.url(.plain) + "/.well-known/openid-configuration")])
        case .redirectKeepingMethod:
            HTTPResponse(status: HTTPStatus(307), headers: [("Location", world.url(.plain) + "/token")])
        case .oversized: Self.uncompressed(.json(.ok, GzipBomb.plain))
        case .gzipBomb:
            Self.uncompressed(
                HTTPResponse(
                    status: .ok, headers: [("Content-Type", "application/json"), ("Content-Encoding", "gzip")],
                    body: GzipBomb.compressed))
        case .deep:
            .json(.ok, [UInt8](repeating: 0x5B, count: 100_000) + [UInt8](repeating: 0x5D, count: 100_000))
        case .notHTTP, .hang, .reset, .close, .truncated, .drip, .duplicateMembers, .invalidUTF8, .wrongContentType:
            nil
        }
    }

    /// The right answer with its content spoilt; nil when it is not the content that this spoils.
    func spoilt(_ response: HTTPResponse) -> HTTPResponse? {
        var spoilt = response
        switch self {
        case .duplicateMembers:
            guard var object = (try? JSONValue(parsing: response.body))?.object, let first = object.members.first
            else { return nil }
            object.append(first.name, "another value")
            spoilt.body = JSONValue.object(object).serialized
        case .invalidUTF8:
            guard response.body.last == UInt8(ascii: "}") else { return nil }
            spoilt.body = response.body.dropLast() + Array(#","note":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)
        case .wrongContentType:
            spoilt.headers = response.headers.map {
                $0.name == "Content-Type" ? (name: $0.name, value: "text/plain") : $0
            }
        default: return nil
        }
        return spoilt
    }

    private static func status(_ status: HTTPStatus, _ text: String, retryAfter: Int? = nil) -> HTTPResponse {
        var response = HTTPResponse(
            status: status, headers: [("Content-Type", "text/plain")], body: Array("\(text)\n".utf8))
        if let retryAfter { response.headers.append(("Retry-After", String(retryAfter))) }
        return response
    }

    private static func uncompressed(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.isCompressible = false
        return response
    }
}
