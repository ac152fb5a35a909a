internal import Syntax

/// An https address on our own host that an app has claimed (RFC 8252 §7.2). A phone's system opens it in the app;
/// where it does not, because the browser came by a redirect that nobody has tapped, the browser asks us. Then all that
/// is left is a link for a person to tap.
public struct Landing: Sendable, Equatable {
    /// As it stands in a request.
    public let path: String
    /// The app's name; nil where several have claimed the same address, such as one for each kind of phone.
    public let app: String?
    /// What the link leads to, without what came in the query.
    private let target: String

    /// - Parameters:
    ///   - address: the app's claimed address.
    ///   - apps: all that have it.
    init(path: String, address: RedirectURI, apps: [RegisteredApp]) {
        self.path = path
        app = apps.count == 1 ? apps.first?.name : nil
        // Browsers follow a link to the host that they are on by themselves, and leave the app where it is. An address
        // in a scheme of the app's own opens it from any page.
        //
        // The code is no less safe there. It is worth nothing without the verifier, since PKCE with S256 is demanded,
        // and `redirect_uri` at the token endpoint stays the one of the request. Who begins a sign-in to catch its code
        // at the app's scheme could have asked for that address as well: it is one of the app's redirect URIs.
        let own = apps.first?.redirectURIs.first { address in
            address.hasSchemeOfDomain && apps.allSatisfy { $0.redirectURIs.contains(address) }
        }
        target = own?.text ?? String(address.text.prefix { $0 != "?" })
    }

    /// Where a tap leads: to the app's address, with what came.
    ///
    /// Its origin and path are those of the configuration, whatever is asked.
    ///
    /// - Parameter query: as it was sent, without the question mark.
    public func link(query: String?) -> String {
        guard let query, !query.isEmpty else { return target }
        return target + (target.contains("?") ? "&" : "?") + Self.written(query)
    }

    /// A query with an escape for all that has no place in one (RFC 3986 §3.4). None such gets past the reader of
    /// requests; what is written into a page does not rely on that.
    private static func written(_ query: String) -> String {
        let bytes = query.utf8.span
        var written: [UInt8] = []
        written.reserveCapacity(bytes.count)
        for index in bytes.indices {
            let byte = bytes[index]
            let isWritten =
                byte == .percent
                ? bytes.isPercentEncoded(at: index, before: bytes.count)
                : byte.isPathCharacter || byte == .slash || byte == .questionMark
            if isWritten {
                written.append(byte)
            } else {
                PercentEncoding.append(bytes.extracting(index..<index + 1), to: &written, spaceIsPlus: false)
            }
        }
        return String(decoding: written, as: UTF8.self)
    }
}
