internal import Accounts
internal import HTTPServer
internal import SignIn

/// What a request shows of a session of ours in its Authorization field (RFC 6750 §2.1).
///
/// A request without the field asks in nobody's name. One whose field holds something else wants to be somebody's and
/// can't be read: it is refused where a session token may be shown, and never answered as if it had shown nothing.
package enum PresentedToken {
    case absent
    case unreadable
    case bearer(String)

    init(_ request: HTTPRequest) {
        guard let field = request.header("authorization") else {
            self = .absent
            return
        }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            self = .unreadable
            return
        }
        self = .bearer(String(parts[1]))
    }

    /// The bearer token; nil where there is none that can be read.
    package var text: String? {
        if case .bearer(let text) = self { text } else { nil }
    }

    /// The bearer token, where one may be shown and need not be.
    ///
    /// - Returns: nil for a request that shows nothing.
    /// - Throws: `ServiceError.invalidToken` for what can't be read.
    func optional() throws(ServiceError) -> String? {
        switch self {
        case .absent: nil
        case .unreadable: throw .invalidToken
        case .bearer(let text): text
        }
    }
}
