internal import Crypto
internal import Synchronization

/// The directory of users of the issuer like Beyond Identity, and the mail that it sends.
final class DirectoryBook: Sendable {
    struct Account: Sendable, Equatable {
        /// The directory's own name for it.
        let id: String
        /// The client that made the account has chosen this; nil in the present API.
        let externalID: String?
        /// The subject of ID tokens: the user name in the API of 2021, the directory's own name in the present one.
        let subject: String
        let username: String
        let email: String?
        let displayName: String
        var isBound = false
    }

    struct Mail: Sendable, Equatable {
        let recipient: String
        let link: String
    }

    private struct State {
        var accounts: [Account] = []
        /// By what links carry, which account they bind; each is good once.
        var bindings: [String: String] = [:]
        var mails: [Mail] = []
        /// By token, until when it is good (Unix time).
        var tokens: [String: Int64] = [:]
    }

    static let tokenLifetime: Int64 = 3600
    private static let capacity = 20_000

    private let state = Mutex(State())

    var accounts: [Account] { state.withLock(\.accounts) }
    var mails: [Mail] { state.withLock(\.mails) }

    /// Those who can sign in, the newest first.
    var bound: [Account] { accounts.filter(\.isBound).reversed() }

    /// - Returns: false where a name of its is somebody's already; names are compared without regard to case.
    func add(_ account: Account) -> Bool {
        state.withLock { state in
            let isTaken = state.accounts.contains {
                $0.username.lowercased() == account.username.lowercased() || $0.subject == account.subject
                    || account.externalID != nil && $0.externalID == account.externalID
            }
            guard !isTaken, state.accounts.count < Self.capacity else { return false }
            state.accounts.append(account)
            return true
        }
    }

    func account(where isMeant: (Account) -> Bool) -> Account? { accounts.first(where: isMeant) }

    /// Who signs in by a login hint: any name of an account's.
    func account(hinted hint: String) -> Account? {
        account { [$0.username, $0.subject, $0.email, $0.externalID].contains(hint) }
    }

    /// A way to a credential for an account.
    func makeBinding(of id: String) -> String {
        let token = Random.token(byteCount: 16)
        state.withLock { $0.bindings[token] = id }
        return token
    }

    func account(bindingBy token: String) -> Account? {
        let id = state.withLock { $0.bindings[token] }
        return account { $0.id == id }
    }

    /// Gives the account of a link a credential.
    ///
    /// - Returns: nil for a link that is no good, or was followed before.
    func bind(by token: String) -> Account? {
        state.withLock { state in
            guard let id = state.bindings.removeValue(forKey: token),
                let index = state.accounts.firstIndex(where: { $0.id == id })
            else { return nil }
            state.accounts[index].isBound = true
            return state.accounts[index]
        }
    }

    func send(_ link: String, to recipient: String) {
        state.withLock { $0.mails.append(Mail(recipient: recipient, link: link)) }
    }

    func makeToken(now: Int64) -> String {
        let token = Random.token(byteCount: 24)
        state.withLock { $0.tokens[token] = now + Self.tokenLifetime }
        return token
    }

    func isGood(_ token: String, now: Int64) -> Bool { state.withLock { $0.tokens[token] ?? 0 } > now }

    /// Refuses every token from now on.
    func expireTokens() { state.withLock { $0.tokens = [:] } }
}

extension DirectoryBook.Account {
    /// As who signs in: by the subject, which is the name of a subscriber here.
    var subscriber: Subscriber {
        let words = displayName.split(separator: " ", maxSplits: 1).map(String.init)
        return Subscriber(
            name: subject, givenName: words.first ?? displayName, familyName: words.count > 1 ? words[1] : "",
            email: email ?? "", phoneNumber: username, postalCode: "", birthdate: "")
    }
}
