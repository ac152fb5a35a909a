import Accounts
import JSON
import Testing

@testable import SignIn

@Suite struct `What a provider says of a user` {
    static let jane: Attributes = [
        "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe", "email": "jane@example.com",
        "phone_number": "+12065550100", "postal_code": "90210",
    ]

    func said(
        _ userinfo: JSONValue?, idToken: JSONValue = ["sub": "s"], subject: String = "s", isSubjectPrivate: Bool = true,
        names: AttributeNames = .zenkey, claims: [String] = []
    ) -> ProviderAssertion {
        ProviderAssertion(
            idToken: idToken, userinfo: userinfo, subject: subject, isSubjectPrivate: isSubjectPrivate, names: names,
            furtherClaims: claims)
    }

    @Test func `what a provider says of a user is read when it is flat`() {
        let claims: JSONValue = [
            "sub": "s", "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe", "email": "jane@example.com",
            "phone_number": "+12065550100", "postal_code": "90210",
        ]
        #expect(said(claims).attributes == Self.jane)
    }

    @Test func `what a provider says of a user is read when it is nested, with what is verified`() {
        let claims: JSONValue = [
            "sub": "s", "name": ["value": "Jane Doe", "given_name": "Jane", "family_name": "Doe"],
            "email": ["value": "jane@example.com", "verified": true],
            "phone": ["value": "+12065550100", "verified": false], "postal_code": ["value": "90210"],
        ]
        let attributes = said(claims).attributes
        for member in Self.jane.members { #expect(attributes[member.name] == member.value) }
        #expect(attributes["email_verified"] == "true")
        #expect(attributes["phone_number_verified"] == nil)
        #expect(attributes.members.count == Self.jane.members.count + 1)
    }

    @Test func `what a provider says of a user has levels, nested and flat, and those above 0 are verified`() {
        let nested: JSONValue = [
            "name": ["value": "Jane Doe", "given_name": "Jane", "family_name": "Doe", "verified": 2],
            "email": ["value": "jane@example.com", "verified": 1], "phone": ["value": "+12065550100", "verified": 0],
            "postal_code": ["value": "90210", "verified": "3"], "birthdate": ["value": "1985-12-10", "verified": 0],
        ]
        let flat: JSONValue = [
            "name": "Jane Doe", "name_verified": 2, "email_verified": 1, "email": "jane@example.com",
            "phone_number": "+12065550100", "phone_number_verified": 0, "postal_code": "90210",
            "postal_code_verified": "3", "birthdate": "1985-12-10", "birthdate_verified": 0,
        ]
        for claims in [nested, flat] {
            let attributes = said(claims).attributes
            #expect(attributes["email_verified"] == "true" && attributes["phone_number_verified"] == nil)
            let levels = [("name", 2), ("email", 1), ("phone_number", 0), ("postal_code", 3), ("birthdate", 0)]
            for (name, level) in levels {
                #expect(attributes.assurance(of: name) == .level(level), "\(name)")
            }
            #expect(attributes["name_verified"] == nil && attributes["postal_code_verified"] == nil)
        }
    }

    @Test(
        arguments: [
            .number(1.5), .number(1), -1, "-1", "1.5", "+2", "two", "", [2], ["value": 2], .null, 1001, "9999",
        ] as [JSONValue])
    func `what a provider says of a user is not verified by what is no level`(odd: JSONValue) {
        for claims in [
            [
                "email": ["value": "j@example.com", "verified": odd],
                "postal_code": ["value": "90210", "verified": odd],
            ],
            ["email": "j@example.com", "email_verified": odd, "postal_code": "90210", "postal_code_verified": odd],
        ] as [JSONValue] {
            let attributes = said(claims).attributes
            #expect(attributes.members.map(\.name) == ["email", "postal_code"])
            for name in ["email", "postal_code"] { #expect(attributes.assurance(of: name) == nil) }
        }
    }

    @Test func `what a provider says of a user is no level elsewhere than at ZenKey`() {
        let claims: JSONValue = ["email": "j@example.com", "email_verified": 2, "name": "Jane", "name_verified": 2]
        let attributes = said(claims, names: .openid).attributes
        #expect(attributes == ["email": "j@example.com", "name": "Jane"])
    }

    @Test func `what a provider says of a user has no level where it was said twice`() throws {
        for text in [
            #"{"postal_code":{"value":"90210","verified":2,"verified":2}}"#,
            #"{"postal_code":"90210","postal_code_verified":0,"postal_code_verified":2}"#,
            #"{"postal_code":"90210","postal_code":"90210","postal_code_verified":2}"#,
        ] {
            let claims = try JSONValue(repairing: Array(text.utf8).span, strict: [])
            let attributes = said(claims).attributes
            #expect(attributes["postal_code"] == "90210" && attributes.assurance(of: "postal_code") == nil, "\(text)")
        }
    }

    @Test func `what a provider says of a user is read when it is mixed`() {
        let claims: JSONValue = [
            "sub": "s", "name": ["value": "Jane Doe", "family_name": "Doe"], "given_name": "Jane",
            "email": "jane@example.com", "phone": "+12065550100", "postal_code": ["value": 90210],
        ]
        let attributes = said(claims).attributes
        for member in Self.jane.members { #expect(attributes[member.name] == member.value) }
        #expect(attributes.members.count == Self.jane.members.count)
    }

    @Test(
        arguments: [
            ("picture", "javascript:alert(1)"), ("picture", ["value": "data:text/html,x"]), ("profile", "x:y"),
            ("picture", ["data": ["url": "javascript:alert(1)"]]), ("locale", "../../etc"), ("zoneinfo", "../../etc"),
            ("birthdate", "not-a-date"), ("birthdate", 19_900_101), ("name", "Jane\u{202E}"), ("nickname", "J\u{200B}"),
            ("email", "jane\u{200B}@example.com"), ("phone_number", "+1\u{0}"), ("gender", "\u{7}"),
            ("address", ["formatted": "1 Main St\u{2066}"]), ("address", ["\u{200B}": "x"]),
        ] as [(String, JSONValue)])
    func `what a provider says of a user is left out where it can't be, and keeps nobody out`(
        name: String, value: JSONValue
    ) {
        let odd = said(.object(JSONObject([(name, value), ("family_name", "Doe")])), names: .openid)
        #expect(odd.attributes == ["family_name": "Doe"])
    }

    @Test func `what a provider says of a user besides is left out where it is not as it looks`() {
        let claims: JSONValue = [
            "bio": "one\ntwo", "role": "ad\u{200B}min", "groups": ["a", "b\u{202E}"], "tree": ["x\u{0}": 1], "level": 7,
        ]
        let odd = said(claims, claims: ["bio", "role", "groups", "tree", "level"])
        #expect(odd.claims.members.map(\.name) == ["bio", "level"])
    }

    @Test func `what a provider says of a user is kept in the spelling that came first`() {
        #expect(said(["phone_number": "+1", "phone": ["value": "+2"]]).attributes == ["phone_number": "+1"])
    }

    @Test func `what a provider says of a user may be numbers and flags`() {
        let claims: JSONValue = [
            "isAdult18": true, "isAdult21": false, "last_4_social": 1234, "birthdate": "1990-02-28",
        ]
        #expect(
            said(claims).attributes
                == ["isAdult18": "true", "isAdult21": "false", "last_4_social": "1234", "birthdate": "1990-02-28"])
    }

    @Test func `what a provider says of a user is taken by the names of the profile, and nothing else is`() {
        let everything: JSONValue = [
            "sub": "s", "name": "Jane", "preferred_username": "jane", "gender": "f", "postal_code": "90210",
            "isAdult18": true, "customer_number": "4711", "picture_internal": "x", "updated_at": 1_700_000_000,
            "zoneinfo": "Europe/Berlin", "aka": "x", "nonce": "x", "sid": "x",
        ]
        #expect(
            said(everything, names: .openid).attributes.members.map(\.name)
                == ["name", "preferred_username", "gender", "updated_at", "zoneinfo"])
        #expect(
            said(everything, names: .zenkey).attributes.members.map(\.name)
                == ["name", "postal_code", "isAdult18", "zoneinfo"])
    }

    @Test func `what a provider says of a user has no claim about the token, whatever the profile`() {
        let names = [
            "sub", "iss", "aud", "exp", "iat", "nbf", "jti", "nonce", "at_hash", "c_hash", "azp", "auth_time", "acr",
            "amr", "aka", "AKA", "context", "sid", "scope", "client_id", "port_data",
        ]
        for name in names { #expect(!AttributeNames.any.contains(name)) }
    }

    @Test func `leaves out what nobody can use`() {
        let longest = String(repeating: "x", count: ProviderAssertion.maximumValueBytes)
        let claims: JSONValue = [
            "name": .null, "given_name": "", "family_name": ["x"], "birthdate": .number(1.5), "locale": ["other": []],
            "middle_name": ["other": []],
            "email": ["value": ["value": "x"]], "postal_code": .string(longest + "x"),
            "last_4_social": .string(longest),
            "proofing": ["level": .string(String(repeating: "x", count: ProviderAssertion.maximumObjectBytes))],
        ]
        let attributes = said(claims).attributes
        #expect(attributes.members.map(\.name) == ["last_4_social"])
        #expect(attributes.objects.members.map(\.name) == ["middle_name"])
        #expect(said(["x"]).attributes.isEmpty)
        #expect(said(nil).attributes.isEmpty)
    }

    @Test func `keeps an address with its parts and their types`() {
        let address: JSONValue = [
            "formatted": "1 Main St\nSpringfield", "postal_code": "90210", "verified": true, "floor": 3,
            "lines": ["1 Main St", "Springfield"], "geo": ["lat": .number(1.5)],
        ]
        for names in [AttributeNames.openid, .zenkey] {
            for sent in [["address": address], ["address": ["value": address]]] as [JSONValue] {
                let attributes = said(sent, names: names).attributes
                let kept = attributes.objects["address"].flatMap { try? JSONValue(parsing: Array($0.utf8)) }
                #expect(kept == address)
                #expect(attributes["address"] == nil)
            }
        }
        #expect(said(["address": "1 Main St"]).attributes == ["address": "1 Main St"])
    }

    @Test func `comes from the ID token first, and userinfo fills the gaps`() {
        let both = said(
            ["sub": "s", "name": "Userinfo", "birthdate": "1990-02-28", "address": ["country": "US"]],
            idToken: ["sub": "s", "iss": "x", "name": "Token", "locale": "en", "address": ["country": "DE"]],
            names: .openid
        ).attributes
        #expect(both.members.map(\.name) == ["name", "locale", "birthdate"])
        #expect(both.name == "Token")
        #expect(both.objects["address"] == #"{"country":"DE"}"#)
    }

    @Test func `what a provider says of a user has whether it is verified from the document that has the value`() {
        func verified(_ idToken: JSONValue, _ userinfo: JSONValue) -> String? {
            let attributes = said(userinfo, idToken: idToken, names: .openid).attributes
            #expect(attributes.email == "a@example.com")
            return attributes["email_verified"]
        }
        let (a, b): (JSONValue, JSONValue) = ("a@example.com", "b@example.com")
        #expect(verified(["email": a], ["email": b, "email_verified": true]) == nil)
        #expect(verified(["email": a], ["email_verified": true]) == nil)
        #expect(verified(["email_verified": true], ["email": a]) == nil)
        #expect(verified(["email": a, "email_verified": false], ["email": a, "email_verified": true]) == nil)
        #expect(verified(["email": a, "email_verified": true], ["email": a, "email_verified": false]) == "true")
        // Both documents have the value, and one of them says more about it.
        #expect(verified(["email": a], ["email": a, "email_verified": "true"]) == "true")
        #expect(verified([:], ["email": a, "email_verified": true]) == "true")
        #expect(verified([:], ["email": a, "email_verified": "yes"]) == nil)
    }

    @Test func `what a provider says of a user has further claims only by their names, with their types`() {
        let roles: JSONValue = ["admin", 7, true, .number(1.5), ["nested": .null]]
        let userinfo: JSONValue = [
            "sub": "s", "roles": roles, "level": 3, "secret": "x", "staff": false, "gone": .null,
        ]
        let claims = said(
            userinfo, idToken: ["level": .number(2.5)], names: .openid,
            claims: ["roles", "level", "staff", "gone", "email"]
        ).claims
        #expect(claims == ["level": "2.5", "roles": #"["admin",7,true,1.5,{"nested":null}]"#, "staff": "false"])
        #expect(said(userinfo, names: .openid).claims.isEmpty)
    }

    @Test func `what a provider says of a user never has the subject for a value, at any depth`() {
        let claims: JSONValue = [
            "sub": "4711", "preferred_username": "4711", "updated_at": 4711, "nickname": ["value": "4711"],
            "email": "4711", "address": ["formatted": "4711", "lines": ["4711", "x"], "4711": "key"],
            "id": "4711", "ids": ["4711", 4711, ["4711": 1, "deep": "4711"], "other"], "number": 4711,
        ]
        let said = said(claims, subject: "4711", names: .openid, claims: ["id", "ids", "number"])
        #expect(said.attributes.members.isEmpty)
        #expect(said.attributes.objects == ["address": #"{"lines":["x"]}"#])
        #expect(said.claims == ["ids": #"[{},"other"]"#])
    }

    @Test func `what a provider says of a user keeps an address that the user is called by, but behind ZenKey`() {
        let claims: JSONValue = [
            "sub": "ann@example.com", "email": "ann@example.com", "email_verified": true, "nickname": "ann@example.com",
        ]
        let elsewhere = said(claims, subject: "ann@example.com", isSubjectPrivate: false, names: .openid)
        #expect(elsewhere.attributes == ["email": "ann@example.com", "email_verified": "true"])
        #expect(said(claims, subject: "ann@example.com").attributes.members.isEmpty)
    }

    @Test func `what a provider says of a user has half an emoji repaired in a name and nothing repaired in a role`()
        throws
    {
        let text =
            #"{"sub":"s","name":"Ann \ud83d","nickname":"A","nickname":"B","picture":"https://a.example/1","#
            + #""picture":"https://a.example/1","roles":["a","b\ud83d"],"address":{"locality":"Z\udc00rich"}}"#
        let document = try JSONValue(repairing: Array(text.utf8).span, strict: ["sub"])
        let said = said(document, names: .openid, claims: ["roles"])
        #expect(said.attributes["name"] == "Ann \u{FFFD}" && said.attributes["nickname"] == nil)
        #expect(said.attributes["picture"] == "https://a.example/1")
        #expect(said.attributes.objects == ["address": "{\"locality\":\"Z\u{FFFD}rich\"}"])
        #expect(said.claims.isEmpty)
    }

    @Test func `what a provider says of a user has further claims of a bounded size`() {
        let large = JSONValue.string(String(repeating: "x", count: ProviderAssertion.maximumClaimBytes))
        #expect(said(["large": large, "small": 1], claims: ["large", "small"]).claims == ["small": "1"])
        let most = JSONValue.string(String(repeating: "x", count: ProviderAssertion.maximumClaimBytes - 2))
        let names = (0..<8).map { "claim\($0)" }
        let claims = said(.object(JSONObject(names.map { ($0, most) })), claims: names).claims
        #expect(claims.members.count == ProviderAssertion.maximumClaimsBytes / ProviderAssertion.maximumClaimBytes)
    }
}
