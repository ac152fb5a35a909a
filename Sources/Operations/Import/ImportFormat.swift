import ArgumentParser
import Composition

/// Whose file is imported. It is named and never guessed: a guess that is wrong would make users of something else.
enum ImportFormat: String, CaseIterable, ExpressibleByArgument {
    /// Our own, which our exports have too.
    case gatehouse
    /// What `firebase auth:export` writes, and `accounts:batchGet` of Identity Platform answers.
    case firebase
    /// The newline-delimited JSON of Auth0's export jobs.
    case auth0
    /// The rows of the table `auth.identities`, as JSON.
    case supabase
    /// A realm's export, or one of its files of users.
    case keycloak

    /// How the users lie in the file.
    enum Layout: Equatable {
        case lines
        /// Of the file itself where the name is nil, or of that member.
        case array(member: String?)
    }

    /// - Parameter startsWithArray: whether the first byte that is no white space opens an array.
    func layout(startsWithArray: Bool) -> Layout {
        switch self {
        case .gatehouse, .auth0: .lines
        case .firebase, .keycloak: .array(member: "users")
        case .supabase: startsWithArray ? .array(member: nil) : .lines
        }
    }

    /// What providers are called there whose identifier of a user is the `sub` of their ID tokens, by their issuers.
    /// Microsoft's is not here: what it calls a user differs from client to client, so only an operator can say that it
    /// fits.
    var wellKnown: [String: String] {
        let (google, apple, facebook) =
            ("https://accounts.google.com", "https://appleid.apple.com", "https://www.facebook.com")
        return switch self {
        case .gatehouse: [:]
        case .firebase: ["google.com": google, "apple.com": apple, "facebook.com": facebook]
        case .auth0: ["google-oauth2": google, "apple": apple, "facebook": facebook]
        case .supabase, .keycloak: ["google": google, "apple": apple, "facebook": facebook]
        }
    }

    /// What accounts are called there that no provider stands behind: by a password, an e-mail or a text message.
    var ownAccounts: Set<String> {
        switch self {
        case .gatehouse, .keycloak: []
        case .firebase: ["password", "phone"]
        case .auth0: ["auth0", "email", "sms"]
        case .supabase: ["email", "phone"]
        }
    }

    /// What is counted by number in messages.
    func noun(_ layout: Layout) -> String { layout == .lines ? "line" : "element" }
}
