/// The methods that are understood (RFC 9110 §9, RFC 5789). Every other one is answered 501.
public enum HTTPMethod: String, Sendable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"

    /// Whether a request with this method is about its body, so that one without a length can't be meant.
    var requiresBody: Bool {
        switch self {
        case .post, .put, .patch: true
        case .get, .head, .delete, .options: false
        }
    }
}
