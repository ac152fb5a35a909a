import Foundation

/// The page on which users choose their mobile carrier (ZenKey's discovery UI).
public struct DiscoveryUI: Sendable, Equatable {
    /// Where the page is.
    public let page: URL

    /// - Returns: nil for an address that is neither https nor of this machine.
    init?(_ address: String?) {
        guard let page = address.flatMap(URL.init(string:)), API.isSecure(page) else { return nil }
        self.page = page
    }

    /// The address to open in a browser. It has the user choose even where the page remembers a choice
    /// (`prompt=true`), for that one has just failed.
    ///
    /// - Parameters:
    ///   - clientID: the app's client at ZenKey.
    ///   - redirectURI: where `mccmnc`, the network for the next sign-in, comes back to, with `state`.
    ///   - state: what the app has drawn; compare it with the one that comes back.
    public func address(clientID: String, redirectURI: String, state: String) -> URL {
        let query = [
            ("client_id", clientID), ("redirect_uri", redirectURI), ("state", state), ("prompt", "true"),
        ]
        .map { "\($0)=\(Self.encoded($1))" }.joined(separator: "&")
        guard var components = URLComponents(url: page, resolvingAgainstBaseURL: false) else { return page }
        components.percentEncodedQuery = [components.percentEncodedQuery, query].compactMap(\.self)
            .joined(separator: "&")
        return components.url ?? page
    }

    /// A plus sign is a blank to who reads forms, and stands for itself in Foundation's queries.
    private static func encoded(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
