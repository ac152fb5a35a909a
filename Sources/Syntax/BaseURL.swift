/// A URL, or the path of one, below which others lie: of an issuer, of this service, of somebody's API. It may end with
/// a slash or without one, and stands for the same addresses.
public struct BaseURL: Sendable, Hashable {
    /// As it was given, which is how an issuer is named to the letter (OpenID Connect Core §2).
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    /// The address of something below it.
    ///
    /// - Parameter path: begins with a slash; empty for the base itself, without a slash at its end.
    public func address(_ path: String) -> String {
        (text.hasSuffix("/") ? String(text.dropLast()) : text) + path
    }
}
