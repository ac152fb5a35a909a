import Accounts
import JSON
import Testing

@testable import SignIn

@Suite struct `The attributes of a userinfo` {
    static let jane: Attributes = [
        "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe", "email": "jane@example.com",
        "phone_number": "+12065550100", "postal_code": "90210",
    ]

    @Test func `are read when they are flat`() {
        let claims: JSONValue = [
            "sub": "s", "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe", "email": "jane@example.com",
            "phone_number": "+12065550100", "postal_code": "90210",
        ]
        #expect(AttributesOfUserinfo.attributes(in: claims) == Self.jane)
    }

    @Test func `are read when they are nested`() {
        let claims: JSONValue = [
            "sub": "s", "name": ["value": "Jane Doe", "given_name": "Jane", "family_name": "Doe"],
            "email": ["value": "jane@example.com", "verified": true], "phone": ["value": "+12065550100"],
            "postal_code": ["value": "90210"],
        ]
        #expect(AttributesOfUserinfo.attributes(in: claims) == Self.jane)
    }

    @Test func `are read when they are mixed`() {
        let claims: JSONValue = [
            "sub": "s", "name": ["value": "Jane Doe", "family_name": "Doe"], "given_name": "Jane",
            "email": "jane@example.com", "phone": "+12065550100", "postal_code": ["value": 90210],
        ]
        let attributes = AttributesOfUserinfo.attributes(in: claims)
        for member in Self.jane.members { #expect(attributes[member.name] == member.value) }
        #expect(attributes.members.count == Self.jane.members.count)
    }

    @Test func `are kept in the spelling that came first`() {
        let claims: JSONValue = ["phone_number": "+1", "phone": ["value": "+2"]]
        #expect(AttributesOfUserinfo.attributes(in: claims) == ["phone_number": "+1"])
    }

    @Test func `may be numbers and flags`() {
        let claims: JSONValue = [
            "isAdult18": true, "isAdult21": false, "last_4_social": 1234, "birthdate": "1990-02-29",
        ]
        #expect(
            AttributesOfUserinfo.attributes(in: claims)
                == ["isAdult18": "true", "isAdult21": "false", "last_4_social": "1234", "birthdate": "1990-02-29"])
    }

    @Test func `leave out what nobody can use`() {
        let claims: JSONValue = [
            "a": .null, "b": "", "c": ["x"], "d": .number(1.5), "e": ["other": "x"], "f": ["value": ["value": "x"]],
            "g": .string(String(repeating: "x", count: 1025)), "address": ["formatted": "1 Main St"],
            "h": .string(String(repeating: "x", count: 1024)),
        ]
        #expect(AttributesOfUserinfo.attributes(in: claims).members.map(\.name) == ["h"])
    }

    @Test(arguments: [
        "sub", "iss", "aud", "exp", "iat", "nbf", "jti", "nonce", "at_hash", "c_hash", "azp", "auth_time", "acr", "amr",
        "aka", "context", "sid",
    ])
    func `hold no claim about the token`(name: String) {
        let claims = JSONValue.object(JSONObject([(name, "x"), ("email", "e")]))
        #expect(AttributesOfUserinfo.attributes(in: claims) == ["email": "e"])
    }

    @Test func `are bounded in number and in the length of their names`() {
        var members: [JSONObject.Member] = [(String(repeating: "n", count: 65), "x")]
        members += (0..<100).map { ("attribute-\($0)", .string("x")) }
        let attributes = AttributesOfUserinfo.attributes(in: .object(JSONObject(members)))
        #expect(attributes.members.count == AttributesOfUserinfo.mostAttributes)
        #expect(attributes.members.first?.name == "attribute-0")
    }

    @Test func `are none when there are none`() {
        #expect(AttributesOfUserinfo.attributes(in: .object(JSONObject())).isEmpty)
        #expect(AttributesOfUserinfo.attributes(in: ["x"]).isEmpty)
    }
}
