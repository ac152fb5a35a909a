/// How the token endpoint learns who we are (OpenID Connect Core §9).
public enum ClientAuthenticationMethod: String, Sendable, CaseIterable {
    case basic = "client_secret_basic"
    case post = "client_secret_post"
    case secretJWT = "client_secret_jwt"
    case privateKey = "private_key_jwt"
    /// A secret that is made of a key, as Apple has it.
    case apple
    /// A public client: it says who it is and proves nothing.
    case publicClient = "none"
}
