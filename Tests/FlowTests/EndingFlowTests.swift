import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Patience
import SimulatedCarriers
import Testing

/// What a user has when something is ended, with what it takes to use it.
private struct Held {
    var sessions: [OpenedBefore: Tokens] = [:]
    /// What is under way: does the rest of the way at the other server, and tells whether it has opened a session.
    var underWay: [OpenedBefore: () async throws -> Bool] = [:]

    /// Begins everything at the first server.
    init(at stage: EndingStage, for act: EndingAct) async throws {
        for thing in OpenedBefore.allCases where thing != act.last { try await begin(thing, at: stage) }
        if let last = act.last { try await begin(last, at: stage) }
    }

    private mutating func begin(_ thing: OpenedBefore, at stage: EndingStage) async throws {
        let gatehouse = stage.gatehouse
        var browser = BrowserFlow(gatehouse)
        switch thing {
        case .appSession:
            let tokens = try await browser.redeem(try await browser.code(EndingStage.asPlain))
            sessions[thing] = try await gatehouse.tokens(tokens, isApps: true)
        case .postedSession:
            sessions[thing] = try await gatehouse.tokens(try await gatehouse.challengedSignIn("ada", at: .plain))
        case .otherSession:
            sessions[thing] = try await gatehouse.tokens(try await gatehouse.challengedSignIn("grace"))
        case .appCode:
            let code = try await browser.code(EndingStage.asPlain)
            browser.port = stage.there
            underWay[thing] = { [browser] in try await browser.redeem(code).status == 200 }
        case .postedCode:
            let authorized = try await gatehouse.authorize("ada", at: .plain)
            underWay[thing] = { [200, 201].contains(try await stage.post(authorized).status) }
        case .browserReturn:
            let address = try await browser.throughProvider(EndingStage.asPlain)
            browser.port = stage.there
            underWay[thing] = { [browser] in
                var browser = browser
                return try await browser.comeBack(address).header("location")?.contains("code=") ?? false
            }
        }
    }

    /// Does what ends.
    func end(_ cell: EndingCase, at stage: EndingStage) async throws {
        let gatehouse = stage.gatehouse
        let app = try #require(sessions[.appSession])
        let posted = try #require(sessions[.postedSession])
        let (user, session) = (String(app.user), app.session)
        let isByCommand = cell.way == .commandLine
        /// All of a scope, by the command's option, or the query's.
        func endAll(_ option: [String], _ query: String, reauthenticate: Bool) async throws {
            if isByCommand {
                try await stage.command(["sessions", "end"] + option + (reauthenticate ? ["--reauthenticate"] : []))
            } else {
                let path = "/admin/sessions?\(query)" + (reauthenticate ? "&reauthenticate=true" : "")
                _ = try await stage.admin("DELETE", path)
            }
        }
        func tell(_ dialect: ToldAs, _ command: [String: JSONValue] = [:]) async throws {
            let all = command.merging(["subscriber": "ada"]) { own, _ in own }
            let answer = try await gatehouse.tell(dialect, all)
            #expect(answer.status == dialect.status, "\(answer.text)")
        }
        func logOut(by naming: String) async throws {
            let token = try await gatehouse.logoutToken(["subscriber": "ada", "by": .string(naming)])
            #expect(try await gatehouse.logOut(token).status == 200)
        }
        func own(_ method: String, _ path: String, _ form: [String: String]? = nil) async throws {
            let answer = try await gatehouse.call(method, path, bearer: form == nil ? posted.access : nil, form: form)
            #expect(answer.status == 200, "\(method) \(path): \(answer.text)")
        }
        switch cell.act {
        case .userSessions, .userSessionsReauthenticate:
            let reauthenticate = cell.act == .userSessionsReauthenticate
            if isByCommand {
                try await stage.command(["users", "sign-out", user] + (reauthenticate ? ["--reauthenticate"] : []))
            } else {
                let query = reauthenticate ? "?reauthenticate=true" : ""
                _ = try await stage.admin("DELETE", "/admin/users/\(user)/sessions\(query)")
            }
        case .oneSession:
            if isByCommand {
                try await stage.command(["sessions", "end", "--session", session])
            } else {
                _ = try await stage.admin("DELETE", "/admin/sessions/\(session)")
            }
        case .appSessions: try await endAll(["--app", "desk"], "app=desk", reauthenticate: false)
        case .appSessionsReauthenticate: try await endAll(["--app", "desk"], "app=desk", reauthenticate: true)
        case .providerSessions: try await endAll(["--provider", "plain"], "provider=plain", reauthenticate: false)
        case .providerSessionsReauthenticate:
            try await endAll(["--provider", "plain"], "provider=plain", reauthenticate: true)
        case .everybody: try await endAll(["--all"], "all=true", reauthenticate: false)
        case .everybodyReauthenticate: try await endAll(["--all"], "all=true", reauthenticate: true)
        case .lock, .unlock:
            if isByCommand {
                try await stage.command(["users", "lock", user])
                if cell.act == .unlock { try await stage.command(["users", "unlock", user]) }
            } else {
                _ = try await stage.admin("POST", "/admin/users/\(user)/lock", [:])
                if cell.act == .unlock { _ = try await stage.admin("DELETE", "/admin/users/\(user)/lock") }
            }
        case .unlink, .ownUnlink:
            // The last identity can't be taken.
            _ = try await stage.admin(
                "POST", "/admin/users/\(user)/identities",
                [
                    "provider": "plain", "issuer": .string(gatehouse.simulation.plain),
                    "subject": "brought-by-hand",
                ])
            let shown = try await stage.admin("GET", "/admin/users/\(user)")
            let identity = try #require(shown["identities"]?.array?.first?["identity_id"]?.integer)
            if cell.act == .ownUnlink {
                try await own("DELETE", "/users/me/identities/\(identity)")
            } else if isByCommand {
                try await stage.command(["users", "unlink", user, String(identity)])
            } else {
                _ = try await stage.admin("DELETE", "/admin/users/\(user)/identities/\(identity)")
            }
        case .erasure:
            if isByCommand {
                try await stage.command(["users", "erase", user, "--yes"])
            } else {
                _ = try await stage.admin("DELETE", "/admin/users/\(user)")
            }
        case .merge:
            let other = try #require(sessions[.otherSession]).user
            if isByCommand {
                try await stage.command(["users", "merge", String(other), user, "--yes"])
            } else {
                _ = try await stage.admin("POST", "/admin/users/\(other)/merge", ["user_id": .integer(app.user)])
            }
        case .signOut: try await own("DELETE", "/auth/token")
        case .revocation: try await own("POST", "/auth/revoke", ["token": posted.refresh])
        case .signOutEverywhere: try await own("DELETE", "/users/me/sessions")
        case .oneOfOwnSessions: try await own("DELETE", "/users/me/sessions/\(session)")
        case .ownErasure: try await own("DELETE", "/users/me")
        case .logoutTokenBySubject: try await logOut(by: "sub")
        case .logoutTokenBySession, .logoutTokenByTheSessionOfACode: try await logOut(by: "sid")
        case .appleEvent: try await tell(.apple)
        case .riscEvent: try await tell(.risc)
        case .facebookEvent: try await tell(.facebook)
        case .riscLock: try await tell(.risc, ["event": "account-disabled"])
        case .riscHijacking: try await tell(.risc, ["event": "account-disabled", "reason": "hijacking"])
        }
    }
}

@Suite struct `An end of sessions` {
    @Test(arguments: EndingCase.all)
    func `holds at the other of two servers, also against what had begun`(cell: EndingCase) async throws {
        try await EndingStage.withTwo(cell.act) { try await Self.check(cell, at: $0) }
    }

    @Test(arguments: EndingCase.all)
    func `holds at a server with a file, also against what had begun`(cell: EndingCase) async throws {
        try await EndingStage.withFile(cell.act) { try await Self.check(cell, at: $0) }
    }

    private static func check(_ cell: EndingCase, at stage: EndingStage) async throws {
        let held = try await Held(at: stage, for: cell.act)
        try await held.end(cell, at: stage)
        let isOver = ContinuousClock.now
        for (thing, tokens) in held.sessions.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let expected = cell.act.ends.contains(thing) ? [] : EndingStage.allEndpoints
            #expect(try await stage.openEndpoints(tokens) == expected, "\(thing)")
        }
        for (thing, goOn) in held.underWay.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let hasOpened = try await goOn()
            #expect(hasOpened != cell.act.ends.contains(thing), "\(thing)")
        }
        try await checkAfterwards(cell.act, at: stage, since: isOver)
    }

    /// What begins when it is over.
    private static func checkAfterwards(
        _ act: EndingAct, at stage: EndingStage, since isOver: ContinuousClock.Instant
    ) async throws {
        switch act.afterwards {
        case .locked:
            let refused = try await stage.signInThere("ada")
            #expect(refused.status == 423, "\(refused.text)")
            return
        case .goodByANewAuthentication:
            // The simulated provider authenticates its users each time, and tells the second.
            try await eventually("a second after the line") { ContinuousClock.now - isOver > .seconds(1) }
        case .good: break
        }
        let posted = try await stage.signInThere("ada")
        #expect([200, 201].contains(posted.status), "\(posted.text)")
        var browser = stage.browser
        let redeemed = try await browser.redeem(try await browser.code(EndingStage.asPlain))
        #expect(redeemed.status == 200, "\(redeemed.text)")
        let tokens = try await stage.gatehouse.tokens(redeemed, isApps: true)
        #expect(try await stage.openEndpoints(tokens) == EndingStage.allEndpoints)
    }
}
