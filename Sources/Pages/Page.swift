/// A page as it is sent: text/html in UTF-8.
public struct Page: Sendable {
    /// The document.
    public let html: [UInt8]
    /// The Content-Security-Policy of exactly this document (CSP Level 3): it allows what the page does, and nothing
    /// else.
    public let contentSecurityPolicy: String
    /// What the page is written in, for Content-Language.
    public let language: PageLanguage
}

/// Whose pages they are.
public struct Branding: Sendable {
    let name: String
    let logo: String?

    /// - Parameters:
    ///   - name: what people know the operator by.
    ///   - logo: an image as a `data:` URI, which the policy allows alone; nil for none.
    public init(name: String, logo: String? = nil) {
        (self.name, self.logo) = (name, logo)
    }
}
