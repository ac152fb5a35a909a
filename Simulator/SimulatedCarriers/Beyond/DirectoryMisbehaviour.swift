internal import HTTPServer

/// What the APIs of the directory can do wrong, beside what any endpoint can.
public enum DirectoryMisbehaviour: String, Sendable, CaseIterable {
    // Instead of doing what was asked.
    case badRequest = "directory_400"
    case unauthorized = "directory_401"
    case forbidden = "directory_403"
    case notFound = "directory_404"
    case conflict = "directory_409"
    case unprocessable = "directory_422"
    /// After doing it: the answer lacks the account's name, or the link.
    case withoutID = "directory_without_id"
    /// The account's name is a number.
    case numericID = "directory_numeric_id"

    var status: HTTPStatus? {
        switch self {
        case .badRequest: .badRequest
        case .unauthorized: .unauthorized
        case .forbidden: .forbidden
        case .notFound: .notFound
        case .conflict: HTTPStatus(409)
        case .unprocessable: HTTPStatus(422)
        case .withoutID, .numericID: nil
        }
    }
}
