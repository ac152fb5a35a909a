import Foundation
import GatehouseTesting

/// A small configuration that holds, in a folder of a test's own, for commands that look at one.
enum ShopConfiguration {
    static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "shop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    /// - Parameters:
    ///   - storage: what its section says; nil for a file in the folder.
    ///   - provider: where the provider is.
    ///   - secret: how the client's is given.
    ///   - top: lines beside the sections.
    /// - Returns: the file's path.
    static func write(
        in folder: URL, storage: String? = nil, provider: String = "issuer: 'https://id.shop.test'",
        secret: String = "clientSecret: the-secret-of-the-shop", top: String = ""
    ) throws -> String {
        let file = folder.appending(path: "gatehouse.yaml")
        let yaml = """
            http: {port: 0}
            admin: {port: 0}
            storage: {\(storage ?? "url: 'file:\(folder.path)/users.db'")}
            providers: [plain]
            provider:
              plain:
                {displayName: Shop, profile: openid, \(provider), clientID: shop, \(secret),
                 redirectURIs: ['shop.app:/back']}
            \(top)

            """
        try Data(yaml.utf8).write(to: file)
        return file.path
    }
}
