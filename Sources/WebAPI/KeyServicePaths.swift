/// Where TIM's clients look for the KeyService and for the issuer beside it.
enum KeyServicePaths {
    /// Below a realm's path its clients look for both the KeyService and the issuer.
    private static let realmSuffix = KeyServiceEndpoint.usualPath

    /// The other spellings of a path: on Android the clients append a slash, and where the address that they are given ends
    /// with one, the path begins with two.
    static func spellings(of path: String) -> [String] { [path + "/", "/" + path, "/" + path + "/"] }

    /// Where the issuer's metadata is found beside a KeyService at `/PREFIX/keyservice/v1`: the clients that are told one
    /// address look for their issuer at `/PREFIX`.
    static func metadataPaths(beside path: String) -> [String] {
        guard path.hasSuffix(realmSuffix), path != realmSuffix else { return [] }
        let document = path.dropLast(realmSuffix.utf8.count) + IssuerMetadata.paths[0]
        return [String(document), "/" + document]
    }
}
