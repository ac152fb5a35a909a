internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// `GET /admin/users`: users by number, a page at a time; or the one who has a subject, or a reference that apps know
/// as `sub`; or those who have an address or a number, each with whose word that is.
struct ListUsersEndpoint: Sendable {
    static let parameters = listing + ["limit"] + one + Contact.allCases.map(\.rawValue)

    private static let listing = ["after", "provider"]
    /// What finds one user at most.
    private static let one = ["issuer", "subject", "reference"]

    let store: AdminStore
    let providers: ProviderRegistry
    let admission: OperatorAdmission

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let query = try QueryParameters(context.request)
        let limit = try query.limit()
        if let (contact, value) = try Self.contact(query) {
            try admission.demand(.look, of: context)
            try await store.note(.usersSearched, [contact.rawValue])
            return try await find(contact, value, limit: limit)
        }
        if let reference = try Self.reference(query) {
            try admission.demand(.look, of: context)
            try await store.note(.usersSearched, ["reference"])
            return try await answer(
                one: limit, { repository throws(RepositoryError) in try await repository.user(reference: reference) })
        }
        if let subject = try Self.subject(query) {
            try admission.demand(.look, of: context)
            try await store.note(.usersSearched, ["subject"])
            return try await answer(
                one: limit, { repository throws(RepositoryError) in try await repository.user(with: subject) })
        }
        let after = try query.number("after").map(UserID.init(rawValue:))
        let provider = try query.text("provider")
        let users = try await store.ask { repository, _ throws(RepositoryError) in
            try await repository.users(after: after, limit: limit, provider: provider)
        }
        return try await answer(users, limit: limit)
    }

    private static func subject(_ query: QueryParameters) throws(ServiceError) -> Subject? {
        switch (try query.text("issuer"), try query.text("subject")) {
        case (nil, nil): return nil
        case (let issuer?, let value?): return Subject(issuer: issuer, value: value)
        default: throw .invalidRequest("The parameters issuer and subject go together.")
        }
    }

    private static func reference(_ query: QueryParameters) throws(ServiceError) -> String? {
        guard let reference = try query.text("reference") else { return nil }
        try refuse(one + listing, beside: "reference", query)
        return reference
    }

    private static func refuse(_ others: [String], beside name: String, _ query: QueryParameters) throws(ServiceError) {
        for other in others where other != name {
            guard try query.text(other) != nil else { continue }
            throw .invalidRequest("The parameters \(name) and \(other) do not go together.")
        }
    }

    private static let maximumValueBytes = 1024

    private static func contact(_ query: QueryParameters) throws(ServiceError) -> (Contact, String)? {
        var found: (Contact, String)?
        for contact in Contact.allCases {
            guard let value = try query.text(contact.rawValue) else { continue }
            try refuse(one + listing + Contact.allCases.map(\.rawValue), beside: contact.rawValue, query)
            guard value.utf8.count <= maximumValueBytes, contact.normalized(value) != nil else {
                throw .invalidRequest("The parameter \(contact.rawValue) is too long, or there is nothing in it.")
            }
            found = (contact, value)
        }
        return found
    }

    private func find(_ contact: Contact, _ value: String, limit: Int) async throws(ServiceError) -> HTTPResponse {
        let search = try await store.ask { repository, _ throws(RepositoryError) in
            try await repository.users(with: contact, value, limit: limit)
        }
        let answer: JSONValue = [
            "users": .array(search.matches.map { UserDocument.match($0, by: contact, value, at: providers) }),
            "more": .boolean(search.hasMore), "complete": .boolean(search.isComplete),
        ]
        return .secretJSON(answer.serialized)
    }

    private func answer(
        one limit: Int,
        _ find: @escaping @Sendable (any AdminStore.Repository) async throws(RepositoryError) -> UserID?
    ) async throws(ServiceError) -> HTTPResponse {
        let users = try await store.ask { repository, _ throws(RepositoryError) -> [UserSummary] in
            guard let owner = try await find(repository) else { return [] }
            let before = UserID(rawValue: owner.rawValue - 1)
            return try await repository.users(after: before, limit: 1, provider: nil).filter { $0.id == owner }
        }
        return try await answer(users, limit: limit)
    }

    private func answer(_ users: [UserSummary], limit: Int) async throws(ServiceError) -> HTTPResponse {
        // A page that is not full is the last.
        let next = users.count == limit ? users.last?.id.rawValue : nil
        let page = UserDocument.present([
            "users": .array(users.map { UserDocument.summary($0) }), "next_after": next.map { .integer($0) } ?? .null,
        ])
        return .secretJSON(page.serialized)
    }
}
