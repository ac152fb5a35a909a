internal import Crypto

/// Beyond Identity takes no code challenge where its console says so, and has an API of its directory of users.
enum BeyondIdentity {
    static let dialect = Dialect(
        nil, "Beyond Identity",
        profile: ProviderProfile(
            "beyond-identity", displayName: "Beyond Identity", algorithms: [.rs256, .es256], hasUserAPI: true,
            mayOmitPKCE: true))
}
