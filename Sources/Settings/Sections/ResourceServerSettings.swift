internal import Apps
internal import Crypto

/// The section of one service that takes our access tokens and may ask what they are good for.
struct ResourceServerSettings: NamedSection {
    static let word = "resourceServer"
    static let list = "resourceServers"
    static let noun = "a resource server"
    static var keys: [SettingKey<Self>] { SettingKey<Self>.all }
    static var place: any WritableKeyPath<Settings, Listed<Self>> & Sendable { \.listedResourceServers }

    let name: String
    var id = ""
    var secret: Secret?

    init(name: String) {
        self.name = name
    }

    /// The resource server as it is served.
    ///
    /// - Throws: the fault without which there would be one.
    func resourceServer() throws(SettingsError) -> ResourceServer {
        guard let secret else {
            let expected = "the secret that the resource server sends, here or in a file that secretFile names"
            throw SettingsError(.missing, key("secret"), value: "", expected: expected)
        }
        return ResourceServer(id: id, secret: secret)
    }
}
