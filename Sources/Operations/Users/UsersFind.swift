import Accounts
import AccountsSQL
import AccountsSQLite
import ArgumentParser
import Composition
import Providers
import Settings
import SignIn
import System
import WebAPI

/// Who has a subject, a reference, an address or a number.
struct UsersFind: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Find users by subject, reference, e-mail address or telephone number.",
        discussion: """
            By --issuer and --subject: who signs in so, with identities and sessions. By --reference: whom apps know \
            by it, as `sub` (session.subject) and as `zenkey_sub`. By --email or --phone-number: \
            everybody who has it, each with whose word that is: a provider's, which has verified it or not, or \
            nobody's but the user's own. Anybody can say so of themselves: the word of a provider counts. \
            - for a value reads it from standard input, which keeps it out of the shell's history. Exits 1 when \
            nobody is found.
            """)

    private static let maximumMatches = 1000

    @Option(help: "The issuer, to the letter as ID tokens name it.")
    var issuer: String?
    @Option(help: "The subject at that issuer.")
    var subject: String?
    @Option(help: "What apps know the user as.")
    var reference: String?
    @Option(help: "An e-mail address, in large or small letters.")
    var email: String?
    @Option(help: "A telephone number; only its digits count.")
    var phoneNumber: String?
    @Flag(help: "Print JSON; of an address or a number one object a line.")
    var json = false
    @OptionGroup var options: StoreOptions

    private var contact: (Contact, String)? {
        email.map { (.email, $0) } ?? phoneNumber.map { (.phoneNumber, $0) }
    }

    func validate() throws {
        guard (issuer == nil) == (subject == nil) else {
            throw ValidationError("--issuer and --subject go together.")
        }
        guard [subject, reference, email, phoneNumber].filter({ $0 != nil }).count == 1 else {
            throw ValidationError(
                "Say whom to find: --issuer and --subject, or --reference, or --email, or --phone-number.")
        }
    }

    func run() async throws {
        try await options.withStore(looksAtSomebody: true) { store, settings, clock in
            let asked = contact?.0.rawValue ?? (reference == nil ? "subject" : "reference")
            try await store.repository.note(.usersSearched, of: nil, [asked], now: clock.seconds)
            if let (contact, value) = contact {
                let providers = ProviderRegistry(settings.providers.map { Provider($0) })
                return try await find(contact, Self.given(value), store, providers)
            }
            guard let found = try await one(in: store.repository) else { throw UsersCommand.noSuchUser() }
            UserText.write(try await store.record(of: found.rawValue, now: clock.seconds), json: json)
        }
    }

    private func one(in repository: any AccountRepository) async throws(RepositoryError) -> UserID? {
        if let reference { return try await repository.user(reference: Self.given(reference)) }
        guard let subject = Subject.given(issuer: issuer ?? "", value: Self.given(subject ?? "")) else { return nil }
        return try await repository.user(with: subject)
    }

    private static func given(_ value: String) -> String {
        value == "-" ? readLine(strippingNewline: true) ?? "" : value
    }

    private func find(
        _ contact: Contact, _ value: String, _ store: OpenStore, _ providers: ProviderRegistry
    ) async throws {
        let search = try await store.repository.users(with: contact, value, limit: Self.maximumMatches)
        for match in search.matches {
            if json {
                StandardOutput.write(UserDocument.match(match, by: contact, value, at: providers))
            } else {
                let givers = match.givers.map {
                    Self.words($0, providers.counts(GivenContact(contact, value, by: $0), in: nil))
                }.joined(separator: "; ")
                StandardOutput.write(
                    "user \(match.user.id)  since \(CalendarTime.rfc3339(match.user.createdAt))  \(givers)\n")
            }
        }
        if search.hasMore { StandardError.write("There are more than \(Self.maximumMatches).\n") }
        if !search.isComplete {
            StandardError.write("Not every user is in the index yet; a running server is still making it.\n")
        }
        if search.matches.isEmpty { throw UsersCommand.noSuchUser() }
    }

    /// - Parameter counts: whether a provider's word counts; nil where that depends on more.
    private static func words(_ giver: GivenContact.Giver, _ counts: Bool?) -> String {
        switch giver {
        case .user: "the user's own word"
        case .provider(let name, let isVerified):
            "given by \(name ?? "a provider")" + (isVerified ? ", verified" : ", not verified")
                + (isVerified && counts == false ? ", which does not count by trustEmails" : "")
        }
    }
}
