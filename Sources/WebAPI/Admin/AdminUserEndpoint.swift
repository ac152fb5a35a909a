internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// `/admin/users/{user_id}`: one user, for operators.
struct AdminUserEndpoint: Sendable {
    let store: AdminStore
    let providers: ProviderRegistry

    /// `GET`: what there is of a user, and nothing personal.
    func show(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let record = try await record(context, noted: .userViewed)
        return .secretJSON(UserDocument.overview(record).serialized)
    }

    /// `GET …/export`: everything that is kept about a user, but the subjects.
    func export(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let record = try await record(context, noted: .userExported)
        return .secretJSON(UserDocument.export(record, subjects: .asReferences, at: providers).serialized)
    }

    /// The record, once it is on disk that somebody looks.
    private func record(
        _ context: RequestContext, noted kind: AuditEvent.Kind
    ) async throws(ServiceError) -> UserRecord {
        let user = try store.user(context.request)
        let record = try await store.ask { repository, now throws(RepositoryError) in
            try await repository.record(of: user, now: now)
        }
        guard let record else { throw .unknownUser }
        try await store.note(kind, of: user)
        return record
    }

    /// `DELETE`: erases a user for good.
    func erase(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let user = try store.user(context.request)
        let wasThere = try await store.ask { repository, now throws(RepositoryError) in
            try await repository.erase(user, line: store.line(), now: now)
        }
        guard wasThere else { throw .unknownUser }
        let answer: JSONValue = ["user_id": .integer(user.rawValue), "erased": true]
        return .secretJSON(answer.serialized)
    }

    /// `DELETE …/identities/{identity_id}`: takes an identity from a user, with the sessions that it has opened.
    func unlink(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let user = try store.user(context.request)
        guard let number = context.request.parameters["identity_id"].flatMap({ Int64($0) }) else { throw .notFound }
        let line = store.line()
        let outcome = try await store.ask { repository, now throws(RepositoryError) in
            try await repository.unlink(IdentityID(rawValue: number), of: user, line: line, now: now)
        }
        switch outcome {
        case .unlinked:
            let answer: JSONValue = [
                "user_id": .integer(user.rawValue), "identity_id": .integer(number), "unlinked": true,
            ]
            return .secretJSON(answer.serialized)
        case .lastIdentity: throw .lastIdentity
        case .notFound, .refused: throw .notFound
        }
    }

    /// `DELETE …/sessions`: ends all of a user's sessions, at once.
    func endSessions(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let user = try store.user(context.request)
        let line = store.line(reauthenticate: try QueryParameters(context.request).flag("reauthenticate"))
        let ended = try await store.ask { repository, now throws(RepositoryError) -> Int? in
            guard try await repository.user(user) != nil else { return nil }
            return try await repository.revokeSessions(of: user, except: nil, line: line, now: now)
        }
        guard let ended else { throw .unknownUser }
        let answer: JSONValue = ["user_id": .integer(user.rawValue), "sessions_ended": .integer(Int64(ended))]
        return .secretJSON(answer.serialized)
    }
}
