internal import Accounts
internal import Crypto
internal import HTTPServer
internal import JSON
internal import SignIn
internal import Syntax
internal import WebAPI

/// `/keyservice/v1`, where the configuration has it nowhere else: the protocol of TIM's clients.
///
/// They know what happened by the status alone, and read a success of exactly 200.
struct KeyServiceEndpoint: Sendable {
    /// Nil where it is off.
    let keys: KeyService?
    let limits: AddressLimits

    /// - Parameters:
    ///   - path: below which they are.
    ///   - hashing: where passwords are hashed; nil where the service is off.
    ///   - keysPerDay: how many keys one address may make in a day; nil: no limit.
    static func operations(
        at path: String, _ hashing: PasswordHashing?, keysPerDay: Int64?
    ) -> [Operation<APIServices>] {
        @Sendable func endpoint(_ services: APIServices) -> KeyServiceEndpoint {
            let parts = services.parts
            return KeyServiceEndpoint(
                keys: hashing.map { hashing in
                    KeyService(
                        keys: UnlockKeys(parts.repository), budgets: parts.repository, locks: parts.repository,
                        hashing: hashing,
                        keysPerDay: keysPerDay, clock: parts.clock)
                },
                limits: services.limits)
        }
        let operations = [
            Operation.keylessOrUser(.post, path + "/createkey", KeyServiceDescriptions.create) { endpoint($0).create },
            .keylessOrUser(.post, path + "/key", KeyServiceDescriptions.unlock) { endpoint($0).unlock },
            .keylessOrUser(.post, path + "/revokekey", KeyServiceDescriptions.revoke) { endpoint($0).revoke },
        ]
        return operations.map { operation in
            var operation = operation
            operation.otherPaths = KeyServicePaths.spellings(of: operation.path)
            return operation
        }
    }

    /// `POST …/createkey`: makes a key.
    func create(_ context: RequestContext, _ principal: Principal?) async throws(ServiceError) -> HTTPResponse {
        guard let keys else { throw .unknownPath }
        try limits.count(context.network, as: .keys)
        let parameters = try KeyServiceParameters(context.request)
        guard let password = parameters.secret else { throw .invalidParameter(ParameterError("secret", "is missing")) }
        return Self.answer(try await keys.create(password: password, for: Self.caller(context, principal)))
    }

    /// `POST …/key`: unlocks one, by its password or by its long secret.
    func unlock(_ context: RequestContext, _ principal: Principal?) async throws(ServiceError) -> HTTPResponse {
        Self.answer(try await open(context, for: .unlocking, principal))
    }

    /// `POST …/revokekey`: takes one out of use, for who has its password or its long secret.
    func revoke(_ context: RequestContext, _ principal: Principal?) async throws(ServiceError) -> HTTPResponse {
        let key = try await open(context, for: .revoking, principal)
        var writer = JSONWriter()
        writer.object { body in
            body.member("keyid", key.keyID)
            body.member("revoked", true)
        }
        return .secretJSON(writer.bytes)
    }

    private static func caller(_ context: RequestContext, _ principal: Principal?) -> KeyService.Caller {
        KeyService.Caller(
            address: context.network.base, lane: context.network.lane, user: principal?.session.user)
    }

    private func open(
        _ context: RequestContext, for purpose: UnlockPurpose, _ principal: Principal?
    ) async throws(ServiceError) -> UnlockedKey {
        guard let keys else { throw .unknownPath }
        let parameters = try KeyServiceParameters(context.request)
        guard let keyID = parameters.keyID else { throw .invalidParameter(ParameterError("keyid", "is missing")) }
        let caller = Self.caller(context, principal)
        switch (parameters.secret, parameters.longSecret) {
        case (let password?, nil): return try await keys.unlock(keyID, password: password, for: purpose, by: caller)
        case (nil, let longSecret?):
            return try await guessing(context) { () throws(ServiceError) in
                try await keys.unlock(keyID, longSecret: longSecret, for: purpose, by: caller)
            }
        case (nil, nil): throw .invalidParameter(ParameterError("secret", "is missing, and so is longsecret"))
        case (_?, _?): throw .invalidParameter(ParameterError("secret", "is there beside longsecret"))
        }
    }

    /// Who gets long secrets wrong too often has to wait; passwords need no such limit, for a key takes three.
    private func guessing(
        _ context: RequestContext, _ open: () async throws(ServiceError) -> UnlockedKey
    ) async throws(ServiceError) -> UnlockedKey {
        try limits.refuseAfterFailures(context.network, of: .failedLongSecrets)
        do throws(ServiceError) {
            return try await open()
        } catch {
            if error == .ofWing(.badPassword) { limits.countFailure(context.network, as: .failedLongSecrets) }
            throw error
        }
    }

    /// Base64 as RFC 4648 §4 has it, padded: the other alphabet corrupts the key on iOS.
    private static func answer(_ key: UnlockedKey) -> HTTPResponse {
        var writer = JSONWriter()
        writer.object { body in
            body.member("keyid", key.keyID)
            body.member("key", key.key.withBytes { Base64.encode($0) })
            body.member("longsecret", key.longSecret.revealedText)
        }
        return .secretJSON(writer.bytes)
    }
}

/// What TIM's clients send. It is read here and not with the parameters of all other requests, whose reading costs by
/// the name.
private struct KeyServiceParameters {
    private(set) var secret: Secret?
    private(set) var longSecret: Secret?
    private(set) var keyID: String?

    init(_ request: HTTPRequest) throws(ServiceError) {
        switch try RequestBody(request) {
        case .json(let object):
            for member in object.members { try set(member.name, member.value.string) }
        case .form(let form):
            for field in form.fields { try set(field.name, field.value) }
        }
    }

    private mutating func set(_ name: String, _ value: String?) throws(ServiceError) {
        switch name {
        case "secret": try Self.set(name, value, &secret)
        case "longsecret": try Self.set(name, value, &longSecret)
        case "keyid":
            guard keyID == nil else { throw .invalidParameter(ParameterError(name, "is there twice")) }
            keyID = try Self.text(name, value)
        default: return
        }
    }

    private static func set(_ name: String, _ value: String?, _ place: inout Secret?) throws(ServiceError) {
        guard place == nil else { throw .invalidParameter(ParameterError(name, "is there twice")) }
        place = Secret(try text(name, value))
    }

    private static func text(_ name: String, _ value: String?) throws(ServiceError) -> String {
        guard let value, !value.isEmpty else {
            throw .invalidParameter(ParameterError(name, "must be a text that is not empty"))
        }
        guard value.utf8.count <= KeyService.maximumSecretBytes else {
            throw .invalidParameter(ParameterError(name, "is longer than \(KeyService.maximumSecretBytes) bytes"))
        }
        return value
    }
}

/// Where TIM's clients look for the KeyService and for the issuer beside it.
enum KeyServicePaths {
    /// Below a realm's path its clients look for both the KeyService and the issuer.
    static let realmSuffix = "/keyservice/v1"

    /// The other spellings of a path: on Android the clients append a slash, and where the address that they are given
    /// ends with one, the path begins with two.
    static func spellings(of path: String) -> [String] { [path + "/", "/" + path, "/" + path + "/"] }

    /// Where the issuer's metadata is found beside a KeyService at `/PREFIX/keyservice/v1`: the clients that are told
    /// one address look for their issuer at `/PREFIX`.
    static func metadataPaths(beside path: String) -> [String] {
        guard path.hasSuffix(realmSuffix), path != realmSuffix else { return [] }
        let document = path.dropLast(realmSuffix.utf8.count) + IssuerMetadata.paths[0]
        return [String(document), "/" + document]
    }
}
