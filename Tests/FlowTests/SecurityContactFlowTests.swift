import GatehouseTesting
import HTTPTesting
import Testing

@testable import Composition
@testable import Operations

@Suite struct `Whom to tell about a vulnerability, over sockets` {
    @Test func `is told to everybody where somebody is named, and nowhere else`() async throws {
        let path = "/.well-known/security.txt"
        try await RunningGatehouse.with(top: "securityTxt: {contacts: ['mailto:security@example.com']}") { gatehouse in
            let answer = try await gatehouse.call("GET", path)
            #expect(answer.status == 200)
            #expect(answer.text.hasPrefix("Contact: mailto:security@example.com\nExpires: "))
            #expect(answer.header("Content-Type") == "text/plain; charset=utf-8")
        }
        try await RunningGatehouse.with { gatehouse in
            let answer = try await gatehouse.call("GET", path)
            #expect(answer.status == 404)
        }
    }
}
