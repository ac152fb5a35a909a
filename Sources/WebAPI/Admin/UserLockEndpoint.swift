internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// `/admin/users/{user_id}/lock`: who may not sign in, by an operator's word.
struct UserLockEndpoint: Sendable {
    private enum Parameter: String, ParameterNames {
        case reason, until
    }

    private static let parameters = ParameterTable<Parameter>()

    let store: AdminStore

    /// `POST`: locks a user. All sessions end, and what is under way to become one.
    func lock(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let user = try store.user(context.request)
        let parameters = try RequestParameters(context.request, Self.parameters)
        let reason = try Self.reason(parameters[.reason])
        let until = try Self.until(parameters[.until], now: store.now)
        let line = store.line()
        let wasThere = try await store.ask { repository, now throws(RepositoryError) in
            let lock = Lock(cause: .operator, reason: reason, since: now, until: until)
            return try await repository.lock(user, lock, line: line, now: now)
        }
        guard wasThere else { throw .unknownUser }
        var members: [JSONObject.Member] = [("user_id", .integer(user.rawValue)), ("locked", true)]
        if let until { members.append(("until", .integer(until))) }
        return .secretJSON(JSONValue.object(JSONObject(members)).serialized)
    }

    /// `DELETE`: lets a user in again, who has to authenticate anew at the provider; also one who was erased meanwhile.
    func unlock(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let user = try store.user(context.request)
        let line = store.line(reauthenticate: true)
        let wasLocked = try await store.ask { repository, now throws(RepositoryError) in
            try await repository.unlock(user, line: line, now: now)
        }
        guard wasLocked else { throw .notFound }
        let answer: JSONValue = ["user_id": .integer(user.rawValue), "locked": false]
        return .secretJSON(answer.serialized)
    }

    private static func reason(_ text: String?) throws(ServiceError) -> String? {
        guard let text, !text.isEmpty else { return nil }
        do throws(AuditReason.Fault) { return try AuditReason(text).text } catch {
            throw .invalidParameter(ParameterError("reason", "\(error)"))
        }
    }

    private static func until(_ text: String?, now: Int64) throws(ServiceError) -> Int64? {
        guard let text, !text.isEmpty else { return nil }
        guard let time = Int64(text), time > now else {
            throw .invalidParameter(ParameterError("until", "must be a time to come, in seconds since 1970"))
        }
        return time
    }
}
