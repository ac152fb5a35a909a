internal import Syntax

extension OwnHost {
    /// Where a browser finds an app again that it has left by a redirect URI, without any answer to it.
    ///
    /// - Parameter redirectURI: as it is registered.
    /// - Returns: the origin of a web address; a private scheme's address, and one on the host of this service, as they
    ///   are; nil for a program on the person's machine, which waits at no port any more.
    public func wayBack(to redirectURI: RedirectURI) -> String? {
        guard redirectURI.home != nil else { return nil }
        guard redirectURI.isClaimedHTTPS, path(of: redirectURI) == nil else { return redirectURI.text }
        let scheme = "https://"
        return scheme + redirectURI.text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" } + "/"
    }
}
