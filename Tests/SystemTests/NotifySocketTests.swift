import Glibc
import Testing

@testable import System

@Suite struct `A socket of a service manager` {
    @Test(arguments: ["", "@", "/", "notify", "./notify", "/" + String(repeating: "x", count: 200)])
    func `is none by a name that no socket has`(path: String) {
        #expect(NotifySocket(path: path) == nil)
    }

    @Test func `says so when nobody listens`() throws {
        let socket = try #require(NotifySocket(path: "/nowhere/notify"))
        #expect(throws: SystemError.self) { try socket.send(["READY=1"]) }
    }
}
