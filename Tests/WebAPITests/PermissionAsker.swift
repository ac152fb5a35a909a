import Accounts
import Apps
import HTTPServer
import HTTPTesting
import JSON
import TestSupport
import Testing

@testable import WebAPI

/// Who asks for an operation, by what they show. Each is the head of a column of the tables.
enum PermissionAsker: String, CaseIterable, Sendable {
    case nobody, madeUp = "made-up", address, expired, ended, backend, without, alone, posted, exchanged
    case other, probation, longAgo = "long-ago", iat, challenge, section, browser

    /// An operation and how it is asked for, as a row of the tables names it.
    struct Row: Sendable {
        let text: String
        /// What a token must hold; nil where any will do.
        let needed: Permission?

        /// What is behind the dot is how.
        var operation: String { String(text.prefix { $0 != "." }) }
        /// On the asker's own session or identity.
        var isOwn: Bool { text.hasSuffix(".own") }
    }

    /// By which they sign in.
    private var identity: PermissionStage.Identity {
        switch self {
        case .other: .john
        case .probation: .added
        default: .jane
        }
    }

    /// The token that they have; nil for none.
    func token(for row: Row, _ stage: inout PermissionStage) async throws -> String? {
        let now = stage.api.stage.now
        let all = Permissions(Permission.allCases)
        switch self {
        case .nobody: return nil
        case .madeUp: return "made-up"
        case .address, .expired, .ended, .other, .probation:
            let token = try await stage.appToken(of: "all", all, for: identity, authenticatedAt: now)
            if self == .expired { stage.api.stage.pass(seconds: 901) }
            if self == .ended {
                #expect(await stage.api.send(.delete, "/auth/token", headers: bearer(token)).status == 200)
            }
            return token
        case .backend:
            return try await stage.appToken(
                of: "all", all, for: .jane, authenticatedAt: now, resource: "https://backend.example")
        case .without:
            let others = Permissions(Permission.allCases.filter { $0 != row.needed })
            return try await stage.appToken(of: "all", others, for: .jane, authenticatedAt: now)
        case .alone:
            let permission = row.needed ?? .openid
            return try await stage.appToken(
                of: permission.rawValue, Permissions([permission]), for: .jane, authenticatedAt: now)
        case .posted: return try await stage.postedToken(authenticatedAt: now)
        case .exchanged: return try await stage.exchangedToken()
        case .longAgo: return try await stage.appToken(of: "all", all, for: .jane, authenticatedAt: now - 301)
        case .iat: return try await stage.postedToken(authenticatedAt: nil)
        case .challenge, .section:
            let nonce = try #require(await stage.api.post("/auth/challenge", json: [:]).json["nonce"]?.string)
            return try await stage.postedToken(authenticatedAt: nil, nonce: nonce)
        case .browser: return try await stage.appToken(of: "all", all, for: .jane, authenticatedAt: nil)
        }
    }

    /// Asks, so that nothing but who asks can be in the way.
    ///
    /// - Parameter app: whose token it is.
    func ask(
        for row: Row, with token: String?, of app: String, about target: PermissionStage.Target,
        _ stage: inout PermissionStage
    ) async throws -> HTTPTestAnswer {
        let operation = try #require(Operations.all(with: .ofTests).first { $0.description.id == row.operation })
        let (identity, session) = try await asked(row, token, target, stage)
        let body =
            row.operation == "mergeAccounts"
            ? try await merged(for: row, of: app, target, &stage) : try body(for: row, of: app, target, &stage)
        var headers = self == .address ? [] : token.map(bearer) ?? []
        if operation.access == .userAndClient {
            headers.append(("Client-Authorization", PermissionStage.basic(app).1))
        }
        if body != nil {
            let isPatch = operation.method == .patch
            headers.append(("Content-Type", isPatch ? "application/merge-patch+json" : "application/json"))
        }
        let path = operation.path.replacing("{identity_id}", with: String(identity))
            .replacing("{session_id}", with: session)
        return await stage.api.send(
            operation.method, path, query: self == .address ? token.map { "access_token=\($0)" } : nil,
            headers: headers, body: body?.serialized ?? [])
    }

    /// Another's account to be merged, of who has just authenticated.
    private func merged(
        for row: Row, of app: String, _ target: PermissionStage.Target, _ stage: inout PermissionStage
    ) async throws -> JSONValue {
        let now = stage.api.stage.now
        switch self {
        case .posted, .iat, .challenge, .section:
            let body = try stage.posted("310260-third-\(rawValue)-\(now)", authenticatedAt: now)
            let answer = await stage.api.post("/auth/zenkey-signin", json: body)
            return ["token": answer.json["token"] ?? .null]
        // Jane's, of the app that posts codes.
        case .other: return ["token": .string(target.token)]
        case .alone:
            // An app that may not ask for this has no such token of anybody's.
            guard let needed = row.needed, app == needed.rawValue else { return ["token": "none"] }
            let token = try await stage.appToken(of: app, Permissions([needed]), for: .john, authenticatedAt: now)
            return ["token": .string(token)]
        default:
            let all = Permissions(Permission.allCases)
            return ["token": .string(try await stage.appToken(of: "all", all, for: .john, authenticatedAt: now))]
        }
    }

    /// Which identity and which session: Jane's, or the asker's own.
    private func asked(
        _ row: Row, _ token: String?, _ target: PermissionStage.Target, _ stage: PermissionStage
    ) async throws -> (identity: Int64, session: String) {
        guard let token, self != .madeUp, row.isOwn else {
            // Of Jane's two, the one by which the asker does not sign in.
            let isOther = row.operation == "unlinkIdentity" && self != .probation
            return (isOther ? target.added : target.first, target.session)
        }
        return (try await stage.number(identity), try PermissionStage.session(of: token))
    }

    /// What is posted, and what the provider says of it.
    private func body(
        for row: Row, of app: String, _ target: PermissionStage.Target, _ stage: inout PermissionStage
    ) throws -> JSONValue? {
        let now = stage.api.stage.now
        switch row.text {
        case "credentialBindingLink":
            return ["username": .string(stage.subject(.jane)), "delivery_method": "return"]
        case "beginPush":
            // In the name of a session, nobody else can be named.
            let isNamed = self == .nobody || self == .address
            let named: [(String, JSONValue)] = [("login_hint", .string(SignInStage.pushHint)), ("mccmnc", "310260")]
            let always: [(String, JSONValue)] = [
                ("client_id", "ccid-0123456789abcdef"), ("context", .string(SignInStage.pushContext)),
            ]
            return .object(JSONObject(always + (isNamed ? named : [])))
        case "editCurrentUser": return ["email": "new@example.com"]
        case "editCurrentUser.name": return ["name": "Jane D."]
        case "matchCurrentUser": return ["name": "Jane Doe"]
        case "refreshProfile":
            stage.api.stage.answerUserinfo(["sub": .string(stage.subject(.jane))])
            return ["identity_id": .integer(target.first)]
        case "approveTransaction":
            let subject = stage.subject(self == .probation ? .added : .jane)
            var body = try stage.posted(subject, authenticatedAt: now).object ?? JSONObject()
            body[setting: "context"] = "Pay 20 dollars"
            return .object(body)
        case "linkIdentity":
            let third = "310260-third-\(target.session)"
            return try stage.posted(self == .other ? stage.subject(.added) : third, authenticatedAt: now)
        case "linkByBrowser":
            return ["provider": "zenkey", "redirect_uri": .string("https://app.example/\(app)")]
        default: return nil
        }
    }
}
