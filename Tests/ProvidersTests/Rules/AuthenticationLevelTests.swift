import Providers
import Testing

@Suite struct `An authentication level` {
    @Test(
        arguments: zip(
            [
                "a1", "a3", "A3", "aal2", "AAL2", "loa4", "3", "03", "a13", "urn:telenor.identity.aal.3",
                "urn:example:loa:2", "urn:example:LoA-3",
            ],
            [1, 3, 3, 2, 2, 4, 3, 3, 13, 3, 2, 3]))
    func `an authentication level is read from every spelling of carriers`(acr: String, rank: Int) {
        #expect(AuthenticationLevel(acr)?.rank == rank)
    }

    @Test(arguments: [
        "", "a", "phr", "phrh", "a100", "a-1", "a3 ", " a3", "a3b", "b3", "3a", "a٣", "https://example.com/aal/3",
        "urn:telenor.identity.level.3", "telenor.aal.3", "urn:mace:incommon:iap:silver", "a3 a1", "0.3", "aal",
    ])
    func `an authentication level is not read from a class of another kind`(acr: String) {
        #expect(AuthenticationLevel(acr) == nil)
    }

    @Test func `an authentication level is compared as a number`() throws {
        let levels = try ["a1", "aal2", "a3", "a13"].map { try #require(AuthenticationLevel($0)) }
        #expect(levels == levels.shuffled().sorted())
    }

    @Test(
        arguments: zip(
            ["aal1", "aal3", "a3", "phr", "3", "urn:telenor.identity.aal.3", "aalto", "aal", ""],
            ["a1", "a3", "a3", "phr", "3", "urn:telenor.identity.aal.3", "aalto", "aal", ""]))
    func `an authentication level is written in its present spelling and any other class as it is`(
        acr: String, expected: String
    ) {
        #expect(AuthenticationLevel.normalized(acr) == expected)
    }
}

@Suite struct `A required authentication` {
    @Test(
        arguments: zip(
            ["a1", "a1", "a3", "a3", "aal3", "a3", "a1 a3", "a3 a1", "2", "3", "urn:telenor.identity.aal.2", "phr"],
            ["a1", "a3", "a3", "aal3", "a3", "a4", "a1", "a2", "3", "a3", "urn:telenor.identity.aal.3", "phr"]))
    func `a required authentication is met by the level asked or a higher one`(asked: String, shown: String) throws {
        #expect(try #require(RequiredAuthentication(values: asked)).isMet(by: shown))
    }

    @Test(
        arguments: zip(
            [
                "a3", "a3", "a3", "a13", "3", "urn:telenor.identity.aal.3", "phr", "phr", "phr", "phr", "a2", "a3",
                "phr a3", "a2 a3",
            ],
            [
                "a1", "aal2", "a31x", "a1", "2", "urn:telenor.identity.aal.2", "phrh", "a3", "PHR", "ph", "phr", "",
                "a2", "a1",
            ]))
    func `a required authentication is not met by less or by something else`(asked: String, shown: String) throws {
        #expect(try !#require(RequiredAuthentication(values: asked)).isMet(by: shown))
    }

    @Test func `a required authentication is not met by a token that does not say`() throws {
        #expect(try !#require(RequiredAuthentication(values: "a1")).isMet(by: nil))
        #expect(try !#require(RequiredAuthentication(values: "phr")).isMet(by: nil))
    }

    @Test func `a required authentication is met by any of several classes that are no levels`() throws {
        let required = try #require(RequiredAuthentication(values: "phr phrh"))
        #expect(required.isMet(by: "phr"))
        #expect(required.isMet(by: "phrh"))
        #expect(!required.isMet(by: "phr phrh"))
    }

    @Test(arguments: ["", " ", "   "])
    func `a required authentication is none when nothing is asked`(values: String) {
        #expect(RequiredAuthentication(values: values) == nil)
    }
}
