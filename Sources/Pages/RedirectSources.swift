internal import Syntax

/// What form-action must allow besides ourselves for the answer to a form to redirect to an app (CSP Level 3 §2.3.1).
///
/// Browsers hold every redirect that follows a form to the policy of the form's page, Chrome those that the app answers
/// with as well. An app's web server often sends the browser on to another of its hosts, so a web address allows https
/// altogether: with the app's host alone such a sign-in would stop after the form, with nothing to see.
struct RedirectSources {
    /// Of characters that end no directive.
    let text: String

    /// - Parameter address: the app's redirect URI.
    /// - Returns: nil for what is no URI, and for a host that the grammar of the policy has no words for, such as an
    ///   IPv6 address.
    init?(_ address: String) {
        guard let colon = address.utf8.firstIndex(of: .colon),
            address.allBytes({ $0.isPathCharacter || Self.separators.contains($0) })
        else { return nil }
        let scheme = address[..<colon].lowercased()
        switch scheme {
        case "https":
            guard (try? EndpointURL(configured: address)) != nil else { return nil }
            text = "https:"
        case "http":
            // A loopback redirect (RFC 8252 §7.3). Its little server may send the browser to a page of the app's.
            guard let url = try? EndpointURL(configured: address), url.host.allBytes(Self.isHostByte) else {
                return nil
            }
            text = "http://\(url.host):\(url.port) https:"
        default:
            guard let first = scheme.utf8.first, first.isLetter, scheme.allBytes(Self.isSchemeByte) else { return nil }
            text = "\(scheme):"
        }
    }

    /// What a URI has besides the characters of a path's segment (RFC 3986 §2).
    private static let separators = Array("/?#[]%".utf8)

    /// `host-char` of the policy's grammar, and dots: no underscore, no colon.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    /// RFC 3986 §3.1.
    private static func isSchemeByte(_ byte: UInt8) -> Bool { isHostByte(byte) || byte == .plus }
}
