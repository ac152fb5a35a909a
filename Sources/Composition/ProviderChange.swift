import Accounts
import JSON
import Logging
import Providers
import SignIn

/// What of the providers is configured otherwise than when the store was last served, where users are concerned.
///
/// What was configured stands in the store. Only where it is other than that all identities are counted, so that a
/// start costs no more for a large store.
struct ProviderChange {
    private enum Member {
        static let name = "name"
        static let client = "client"
        static let key = "cross_client_key"
    }

    let store: OpenStore
    let providers: [ProviderConfiguration]

    /// - Throws: `.strandedUsers`, `.otherClient` where users would get a second account each; `.storage`.
    func check(_ logger: Logger) async throws(StartError) {
        let content = JSONValue.array(providers.map(Self.entry)).serialized
        let noted: [UInt8]?
        let counts: [IdentityCount]
        do throws(RepositoryError) {
            noted = try await store.repository.notedProviders()
            if noted == content { return }
            counts = try await store.repository.identityCounts()
        } catch {
            throw .storage(place: store.place, error)
        }
        for users in StrandedUsers.of(counts, providers) {
            if case .issuer = users.reason { throw .strandedUsers(users) }
            Self.tell(users, logger)
        }
        if let noted, let before = try? JSONValue(parsing: noted) {
            try compareClients(with: before.array ?? [], counts, logger)
        }
        do throws(RepositoryError) {
            try await store.repository.noteProviders(content)
        } catch {
            throw .storage(place: store.place, error)
        }
    }

    private static func entry(_ provider: ProviderConfiguration) -> JSONValue {
        let issuer = provider.issuerSource.issuer.map { [$0] } ?? provider.trustedIssuers.map(\.text)
        let tenants: [String] = if case .only(let tenants)? = provider.tenants { tenants.sorted() } else { [] }
        let former = provider.formerIssuerNames.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
        return [
            Member.name: .string(provider.name), "issuers": list(issuer), "tenants": list(tenants),
            "former": list(former), Member.client: .string(provider.clientID),
            Member.key: provider.crossClientKey.map { .string($0) } ?? .null,
        ]
    }

    /// Compares our client of each section with the one by which its users were signed in.
    private func compareClients(
        with before: [JSONValue], _ counts: [IdentityCount], _ logger: Logger
    ) throws(StartError) {
        for provider in providers {
            let users = counts.filter { $0.provider == provider.name }.reduce(0) { $0 + $1.count }
            guard users > 0, let entry = before.first(where: { $0[Member.name]?.string == provider.name }) else {
                continue
            }
            let metadata: Logger.Metadata = ["provider": "\(provider.name)", "users": .stringConvertible(users)]
            if let client = entry[Member.client]?.string, client != provider.clientID, provider.crossClientKey == nil {
                if provider.subjectsAreOfClient {
                    throw .otherClient(provider: provider.name, from: client, to: provider.clientID, users: users)
                }
                logger.warning(
                    "the section has another client: where its issuer names users otherwise to every client, each of them gets a second account",
                    metadata: metadata)
            }
            if let key = entry[Member.key]?.string, key != provider.crossClientKey {
                logger.warning(
                    "the section has another crossClientKey: users are found by it once they have signed in with it",
                    metadata: metadata)
            }
        }
    }

    private static func tell(_ stranded: StrandedUsers, _ logger: Logger) {
        let sentence: String =
            switch stranded.reason {
            case .issuer: "their issuer is another one"
            case .narrowed: "users can't sign in: their section takes no tokens of their issuer any more"
            case .section(let others):
                "users' section is not configured; they sign in by another one: \(others.joined(separator: ", "))"
            case .removed: "users can't sign in: their provider is not configured any more"
            }
        logger.warning(
            "\(sentence)",
            metadata: [
                "provider": "\(stranded.provider)", "issuer": "\(stranded.issuer)",
                "users": .stringConvertible(stranded.count),
            ])
    }
}
