import Accounts
import AccountsSQL
import AccountsSQLite
import GatehouseTesting
import HTTPTesting
import JSON
import SignIn
import SimulatedCarriers
import Testing

@testable import Composition
@testable import Operations

@Suite struct `A directory that is not well` {
    /// What goes wrong, and whether it may pass.
    static let passing: [Misbehaviour] = [
        .answer(.internalServerError), .answer(.serviceUnavailable), .answer(.tooManyRequests), .answer(.html),
        .answer(.redirect), .answer(.oversized), .answer(.deep), .answer(.notHTTP), .answer(.reset), .answer(.close),
        .answer(.truncated), .answer(.duplicateMembers), .answer(.invalidUTF8), .directory(.unauthorized),
        .directory(.forbidden), .directory(.withoutID), .directory(.numericID),
    ]

    @Test(arguments: DirectoryFlow.API.allCases, passing)
    func `is asked again until a sign-up has one account and a mail`(
        api: DirectoryFlow.API, misbehaviour: Misbehaviour
    ) async throws {
        try await DirectoryFlow.with(api) { flow in
            for endpoint in [api.first, api.again] {
                // A job that is mailed names nothing that we need.
                if endpoint == .directoryJobs, case .directory(.withoutID) = misbehaviour { continue }
                if endpoint == .directoryJobs, case .directory(.numericID) = misbehaviour { continue }
                flow.simulation.misbehave(misbehaviour, at: endpoint, of: .beyond, times: 1)
                let name = "jane-\(endpoint.rawValue)"
                if endpoint == .directoryRecovery {
                    try await flow.signUp(name, "\(name)@example.com")
                    #expect(try await flow.post("/recover-user", ["username": name]).status == 200)
                    try await flow.deliver()
                } else {
                    try await flow.signUp(name, "\(name)@example.com")
                }
                for _ in 0..<4 where try await flow.gatehouse.server.repository.outboxStatus().pending > 0 {
                    flow.pass(seconds: 60)
                    try await flow.deliver()
                }
                #expect(try await flow.gatehouse.server.repository.outboxStatus().pending == 0)
                #expect(try await flow.accounts().filter { $0["email"]?.string == "\(name)@example.com" }.count == 1)
                let mails = try await flow.mails(to: "\(name)@example.com")
                #expect(!mails.isEmpty)
                try await flow.bind(mails.last)
            }
            let trail = try await flow.gatehouse.server.repository.auditEvents(after: 0, limit: 100, user: nil).map(
                \.kind)
            #expect(!trail.contains(.directoryGivenUp), "\(trail)")
            let users = try await flow.users()
            #expect(trail.filter { $0 == .userSignedUp }.count == users)
        }
    }

    @Test(arguments: DirectoryFlow.API.allCases, [DirectoryMisbehaviour.badRequest, .notFound, .unprocessable])
    func `that will never do it is asked once, and the answer was the same`(
        api: DirectoryFlow.API, misbehaviour: DirectoryMisbehaviour
    ) async throws {
        try await DirectoryFlow.with(api) { flow in
            flow.simulation.misbehave(.directory(misbehaviour), at: api.first, of: .beyond)
            try await flow.signUp("jane", "jane@example.com")
            #expect(flow.simulation.counts[.beyond, api.first] == 1)
            #expect(try await flow.gatehouse.server.repository.outboxStatus().pending == 0)
            let trail = try await flow.gatehouse.server.repository.auditEvents(after: 0, limit: 100, user: nil).map(
                \.kind)
            #expect(trail == [.userSignedUp, .directoryGivenUp])
            #expect(try await flow.mails().isEmpty)
        }
    }

    @Test func `honours how long it is to be left alone`() async throws {
        try await DirectoryFlow.with(.of2021) { flow in
            flow.simulation.misbehave(.answer(.tooManyRequests), at: .directoryUsers, of: .beyond, times: 1)
            #expect(try await flow.post("/users/signup", ["username": "jane@example.com"]).status == 200)
            let reports = try await flow.deliver()
            guard case .again = reports.first?.settlement else {
                Issue.record("\(reports)")
                return
            }
        }
    }

    @Test func `has its token fetched once for all, and once more when it is refused`() async throws {
        try await DirectoryFlow.with(.v1) { flow in
            for number in 0..<10 {
                #expect(try await flow.post("/users/signup", ["username": "u\(number)@example.com"]).status == 200)
            }
            try await flow.deliver()
            #expect(try await flow.accounts().count == 10)
            #expect(flow.simulation.counts[.beyond, .directoryToken] == 1)
            try await flow.expireTokens()
            try await flow.signUp(nil, "last@example.com")
            #expect(try await flow.accounts().count == 11)
            #expect(flow.simulation.counts[.beyond, .directoryToken] == 2)
        }
    }

    @Test func `with somebody of that name gives that account to nobody else`() async throws {
        try await DirectoryFlow.with(.v1) { flow in
            // Whom the operator has there already, by another way.
            try await flow.addIdentity("jane", "jane@example.com")
            try await flow.signUp("Jane", "thief@example.com")
            #expect(try await flow.mails().isEmpty)
            let trail = try await flow.gatehouse.server.repository.auditEvents(after: 0, limit: 100, user: nil).map(
                \.kind)
            #expect(trail == [.userSignedUp, .directoryGivenUp])
            try await flow.addIdentity("john", "john@example.com")
            try await flow.signUp("john", "john@example.com")
            #expect(try await flow.mails(to: "john@example.com").count == 1)
            #expect(try await flow.accounts().count == 2)
        }
    }

    @Test(arguments: DirectoryFlow.API.allCases)
    func `and its secrets and users stand in no line of the log`(api: DirectoryFlow.API) async throws {
        try await DirectoryFlow.with(api) { flow in
            for misbehaviour in [Misbehaviour.directory(.unauthorized), .directory(.badRequest), .answer(.html)] {
                flow.simulation.misbehave(misbehaviour, at: api.first, of: .beyond, times: 1)
                try await flow.signUp("jane-doe", "jane-doe@example.com")
                flow.pass(seconds: 60)
                try await flow.deliver()
            }
            try await flow.signUp("jane-doe", "jane-doe@example.com")
            let log = flow.gatehouse.log.text
            #expect(log.contains("directory"))
            for secret in ["demo-api-token", "demo-secret", "jane-doe", "Bearer"] {
                #expect(!log.contains(secret), "the log has \(secret)")
            }
            for account in try await flow.accounts() {
                for name in ["id", "external_id"] {
                    guard let value = account[name]?.string else { continue }
                    #expect(!log.contains(value))
                }
            }
        }
    }
}
