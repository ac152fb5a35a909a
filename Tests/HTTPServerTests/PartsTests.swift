import EventLoop
import Syntax
internal import System
import Testing

@testable import HTTPServer

@Suite struct `Parts of the server` {
    private static let peer = SocketAddress(address: IPAddress(v4: 0), port: 1)

    @Test func `the idle list knows the oldest, whichever connection leaves`() {
        var list = IdleList()
        #expect(list.oldest == nil)
        for number: Int32 in [5, 9, 7, 5] { list.enter(number) }
        #expect(list.oldest == 5)
        list.leave(9)
        list.leave(9)
        list.leave(5)
        #expect(list.oldest == 7)
        list.enter(5)
        list.leave(7)
        #expect(list.oldest == 5)
        list.leave(5)
        list.leave(1000)
        #expect(list.oldest == nil)
    }

    @Test func `request identifiers are short, plain and unlike each other`() {
        var generator = SystemRandomNumberGenerator()
        var identifiers = RequestIdentifiers(seededBy: &generator)
        let made = (0..<10_000).map { _ in identifiers.next() }
        #expect(Set(made).count == made.count)
        #expect(made.allSatisfy { $0.utf8.count == 15 && $0.utf8.allSatisfy { $0.isDigit || $0.isLetter } })
        #expect(Set(made.joined()).count == 32)
        #expect(made.allSatisfy { $0.first?.isLetter == true }, "one of digits alone looks like a phone number")
    }

    @Test(arguments: [
        ("abc-1.2_3", true), (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
        ("", false), ("a b", false), ("a\"b", false), ("é", false),
    ]) func `a client's identifier is taken when it is harmless`(_ value: String, isTaken: Bool) {
        #expect(RequestHead([("x-request-id", value)]).requestIdentifier == (isTaken ? value : nil))
    }

    @Test func `a request finds its headers whatever their case`() {
        let request = HTTPRequest(
            method: .get, path: "/", headers: [("Accept", "a"), ("X-Two", "1"), ("x-two", "2")], peer: Self.peer,
            id: "r", receivedAt: .now)
        #expect(request.header("ACCEPT") == "a")
        #expect(request.header("x-TWO") == "1")
        #expect(request.headers("X-Two") == ["1", "2"])
        #expect(request.header("X-Tw") == nil)
        #expect(request.headers("") == [])
    }

    @Test func `parts of the server every violation has the status it is answered with`() {
        let violations: [ProtocolError] = [
            .malformed(""), .requestTimeout, .bodyTooLarge, .targetTooLong, .headTooLarge,
            .methodNotImplemented, .transferCodingNotImplemented, .versionNotSupported, .expectationFailed, .overloaded,
        ]
        #expect(violations.map(\.status.code) == [400, 408, 413, 414, 431, 501, 501, 505, 417, 503])
        #expect(violations.allSatisfy { !$0.status.reasonPhrase.isEmpty })
    }

    @Test func `byte classes are those of the RFCs`() {
        let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        func bytes(_ isIn: (UInt8) -> Bool) -> Set<UInt8> { Set((UInt8.min...UInt8.max).filter(isIn)) }
        #expect(bytes(\.isToken) == Set((letters + "!#$%&'*+-.^_`|~").utf8))
        #expect(bytes(\.isPathCharacter) == Set((letters + "-._~!$&'()*+,;=:@").utf8))
        #expect(bytes(\.isNameCharacter) == Set((letters + "-._~!$&'()*+,;=").utf8))
        #expect(bytes(\.isFieldContent) == Set([9] + (0x20...0x7E) + (0x80...0xFF)))
    }
}
