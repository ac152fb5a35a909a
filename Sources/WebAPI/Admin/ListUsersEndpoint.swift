internal import Accounts
internal import HTTPServer
internal import JSON

/// `GET /admin/users`: users by number, a page at a time; or the one who has a subject.
struct ListUsersEndpoint: Sendable {
    let store: AdminStore

    func respond(to request: HTTPRequest) async throws(APIError) -> HTTPResponse {
        let query = try QueryParameters(request)
        let limit = try query.limit()
        if let subject = try Self.subject(query) { return try await answer(try await owner(of: subject), limit: limit) }
        let after = try query.number("after").map(UserID.init(rawValue:))
        let provider = try query.text("provider")
        let users = try await store.ask { repository, _ throws(RepositoryError) in
            try await repository.users(after: after, limit: limit, provider: provider)
        }
        return try await answer(users, limit: limit)
    }

    private static func subject(_ query: QueryParameters) throws(APIError) -> Subject? {
        switch (try query.text("issuer"), try query.text("subject")) {
        case (nil, nil): return nil
        case (let issuer?, let value?): return Subject(issuer: issuer, value: value)
        default: throw .invalidRequest("The parameters issuer and subject go together.")
        }
    }

    private func owner(of subject: Subject) async throws(APIError) -> [UserSummary] {
        try await store.ask { repository, _ throws(RepositoryError) in
            guard let owner = try await repository.user(with: subject) else { return [] }
            let before = UserID(rawValue: owner.rawValue - 1)
            return try await repository.users(after: before, limit: 1, provider: nil).filter { $0.id == owner }
        }
    }

    private func answer(_ users: [UserSummary], limit: Int) async throws(APIError) -> HTTPResponse {
        // A page that is not full is the last.
        let next = users.count == limit ? users.last?.id.rawValue : nil
        let page: JSONValue = [
            "users": .array(users.map { UserDocument.summary($0) }), "next_after": next.map { .integer($0) } ?? .null,
        ]
        return .secretJSON(page.serialized)
    }
}
