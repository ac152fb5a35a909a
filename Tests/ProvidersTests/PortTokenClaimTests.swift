import Crypto
import JSON
import Providers
import TestSupport
import Testing

/// One change to a good port token, and whether it still proves anything.
struct PortTokenCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let isTaken: Bool
    let change: @Sendable (inout TokenDraft) -> Void

    static func set(_ claim: String, _ value: JSONValue?, _ isTaken: Bool) -> PortTokenCase {
        let shown = value.map { String(decoding: $0.serialized.prefix(40), as: UTF8.self) } ?? "missing"
        return PortTokenCase(testDescription: "\(claim) \(shown)", isTaken: isTaken) {
            $0.claims[setting: claim] = value
        }
    }

    static func type(_ value: JSONValue?, _ isTaken: Bool) -> PortTokenCase {
        PortTokenCase(testDescription: "typ \(value?.string ?? "missing")", isTaken: isTaken) {
            $0.header[setting: "typ"] = value
        }
    }

    static let client: JSONValue = "ccid-0123456789abcdef"
    static let now = SigningProvider.now
    static let oldest = now - 200 * 86_400

    static let all: [PortTokenCase] = [
        .set("aud", client, true), .set("aud", [client], true), .set("aud", "another", false), .set("aud", nil, false),
        .set("aud", [client, "another"], false), .set("aud", ["another"], false), .set("aud", [], false),
        .set("aud", 7, false),
        .set("sub", "310260-subject", false), .set("sub", "", false), .set("sub", nil, false), .set("sub", 7, false),
        .set("sub", "old\u{0}", false), .set("sub", "old\n", false),
        .set("sub", .string(String(repeating: "s", count: 255)), true),
        .set("sub", .string(String(repeating: "s", count: 256)), false),
        .set("iat", nil, false), .set("iat", .integer(now + 60), true), .set("iat", .integer(now + 61), false),
        .set("iat", .integer(oldest), true), .set("iat", .integer(oldest - 1), false),
        .set("iat", .string("\(now)"), true), .set("iat", .number(1e300), false), .set("iat", .integer(.max), false),
        .set("iat", .integer(.min), false), .set("iat", 0, false),
        .set("exp", .integer(now + 10), true), .set("exp", .integer(now - 59), true),
        .set("exp", .integer(now - 60), false),
        .set("exp", .integer(.max), false), .set("exp", .null, false), .set("unknown", ["x"], true),
        .type("JWT", false), .type("jwt", false), .type(nil, false), .type("port_token+jwt", true),
        .type("application/port_token+jwt", true),
        .type("PORT_TOKEN+JWT", true), .type("at+jwt", false), .type("logout+jwt", false), .type("id_token", false),
    ]
}

@Suite struct `The claims of a port token` {
    @Test(arguments: PortTokenCase.all)
    func `the claims of a port token are held to the rules`(rule: PortTokenCase) async throws {
        #expect(try await Port().verified(rule.change).count == (rule.isTaken ? 1 : 0))
    }

    @Test func `the claims of a port token may be of any age when no limit is set`() async throws {
        let port = Port { $0.portTokenMaximumAgeSeconds = 0 }
        #expect(try await port.verified { $0.claims[setting: "iat"] = 0 }.count == 1)
        #expect(try await port.verified { $0.claims[setting: "iat"] = .integer(Port.now + 61) }.isEmpty)
    }

    @Test func `prove nothing when there is a member twice`() async throws {
        let port = Port()
        let payload = #"{"iss":"https://id.former.example","iss":"https://id.former.example"}"#
        let token = try TokenDraft.signed(
            header: JSONValue.object(port.former.portTokenDraft.header).serialized, payload: Array(payload.utf8),
            by: TestKeys.otherRSA, with: .rs256)
        #expect(try await port.verified(.string(token)).isEmpty)
        #expect(port.transport.requests.isEmpty)
    }

    @Test func `the claims of a port token of a bad token keep no good one out`() async throws {
        let port = Port()
        let bad = JSONValue.string(try port.former.portToken { $0.claims[setting: "aud"] = "another" })
        let good = JSONValue.string(try port.former.portToken())
        #expect(try await port.verified(["garbage", bad, good]).map(\.subject) == ["old-subject"])
    }
}
