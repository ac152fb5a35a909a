import Accounts
import EventLoop
import Foundation
import GatehouseTesting
import Glibc
import JSON
import Providers
import Settings
import System
import Testing

@testable import Composition
@testable import Operations

@Suite struct `A line of an import` {
    private static let now: Int64 = 1_790_000_000
    private static let issuer = "https://id.example.com"

    private func line() throws -> ImportLine {
        let yaml = """
            providers: [plain, zenkey]
            provider:
              plain: {profile: openid, issuer: '\(Self.issuer)', clientID: c, clientSecret: s, redirectURIs: ['app:/x']}
              zenkey: {clientID: c, clientSecret: s}
            """
        let loaded = Settings.load(yaml: yaml)
        guard case .valid(let settings, _, _) = loaded else { throw CancellationError() }
        return ImportLine(
            providers: settings.providers.map { Provider($0) }, now: Self.now)
    }

    private func user(_ text: String) throws -> ImportedUser {
        try line().user(Array(text.utf8), reference: "reference")
    }

    private func fault(_ text: String) throws -> ImportError? {
        do {
            _ = try user(text)
            return nil
        } catch let fault as ImportError {
            return fault
        }
    }

    private static let identity = #"{"provider":"plain","issuer":"https://id.example.com","subject":"s"}"#

    @Test func `a line of an import is a user with identities, words of the provider and the user's own, and a time`()
        throws
    {
        let user = try user(
            """
            {"identities":[\(Self.identity),{"provider":"zenkey","issuer":"https://a.att.com","subject":"é"}],
             "profile":{"name":"Jane","postal_code":90210,"email_verified":true,"gone":null},"own":{"name":"J"},
             "created_at":7}\r
            """)
        #expect(user.identities.map(\.provider) == ["plain", "zenkey"])
        #expect(user.identities.last?.subject == Subject(issuer: "https://a.att.com", value: "é"))
        #expect(user.profile.carrier == ["name": "Jane", "postal_code": "90210", "email_verified": "true"])
        #expect(user.profile.own == ["name": "J"])
        #expect(user.createdAt == 7)
        #expect(user.reference == "reference")
    }

    @Test func `may say of an identity since when no mail reaches its address`() throws {
        func line(_ value: String) -> String {
            #"{"identities":[{"provider":"plain","issuer":"\#(Self.issuer)","subject":"s","email_stopped_at":\#(value)}]}"#
        }
        #expect(try user(line("7")).identities.map(\.emailStoppedAt) == [7])
        #expect(try user(line("null")).identities.map(\.emailStoppedAt) == [nil])
        for wrong in ["-1", "\(Self.now + 1)", "\"7\"", "true"] {
            #expect(try fault(line(wrong)) == .identity(1, .emailStopped))
        }
    }

    @Test func `needs nothing but identities`() throws {
        let user = try user(#"{"identities":[\#(Self.identity)]}"#)
        #expect(user.createdAt == Self.now)
        #expect(user.profile == Profile())
    }

    @Test(
        arguments: [
            ("{", .notJSON(offset: 1)), ("[]", .notAnObject), ("7", .notAnObject),
            (#"{"identities":[],"identities":[]}"#, .duplicateMember), ("{}", .noIdentities),
            (#"{"identities":[]}"#, .noIdentities), (#"{"identities":{}}"#, .noIdentities),
            (#"{"identities":[\#(identity)],"profil":{}}"#, .unknownMember),
            (#"{"identities":[\#(identity),7]}"#, .identity(2, .notAnObject)),
            (#"{"identities":[{"issuer":"https://id.example.com","subject":"s"}]}"#, .identity(1, .provider)),
            (
                #"{"identities":[{"provider":"x","issuer":"https://id.example.com","subject":"s"}]}"#,
                .identity(1, .provider)
            ),
            (
                #"{"identities":[{"provider":"plain","issuer":"https://id.example.com/","subject":"s"}]}"#,
                .identity(1, .issuer)
            ),
            (
                #"{"identities":[{"provider":"zenkey","issuer":"https://evil.example","subject":"s"}]}"#,
                .identity(1, .issuer)
            ),
            (#"{"identities":[{"provider":"plain","issuer":"https://id.example.com"}]}"#, .identity(1, .subject)),
            (
                #"{"identities":[{"provider":"plain","issuer":"https://id.example.com","subject":""}]}"#,
                .identity(1, .subject)
            ),
            (
                #"{"identities":[{"provider":"plain","issuer":"https://id.example.com","subject":7}]}"#,
                .identity(1, .subject)
            ),
            (
                #"{"identities":[{"provider":"plain","issuer":"https://id.example.com","subject_reference":"a.1"}]}"#,
                .identity(1, .exportedWithoutSubjects)
            ),
            (#"{"identities":[\#(identity)],"profile":[]}"#, .attributes("profile")),
            (#"{"identities":[\#(identity)],"own":{"name":{}}}"#, .attributes("own")),
            (#"{"identities":[\#(identity)],"own":{"":"x"}}"#, .attributes("own")),
            (#"{"identities":[\#(identity)],"own":{"\u200b":"x"}}"#, .attributes("own")),
            (
                #"{"identities":[\#(identity)],"own":{"name":"J\u202eane"}}"#,
                .attribute("own", "name", "has characters that change the direction of writing")
            ),
            (
                #"{"identities":[\#(identity)],"profile":{"picture":"javascript:x"}}"#,
                .attribute("profile", "picture", "must be an http or https URL")
            ),
            (#"{"identities":[\#(identity)],"profile":{"picture":{"url":"x:y"}}}"#, .attributes("profile")),
            (
                #"{"identities":[\#(identity)],"profile":{"address":{"formatted":"\u200b"}}}"#,
                .attribute("profile", "address", "has characters that nobody can see, or that set a direction")
            ),
            (
                #"{"identities":[{"provider":"plain","issuer":"https://id.example.com","subject":"s\u0000"}]}"#,
                .identity(1, .subject)
            ),
            (#"{"identities":[\#(identity)],"created_at":"now"}"#, .createdAt),
            (#"{"identities":[\#(identity)],"created_at":1790000001}"#, .createdAt),
            (#"{"identities":[\#(identity)],"created_at":-1}"#, .createdAt),
        ] as [(String, ImportError)])
    func `a line of an import is refused, saying what is wrong and nothing of what it says`(
        text: String, fault: ImportError
    ) throws {
        #expect(try self.fault(text) == fault)
        #expect(!"\(fault)".contains("example") && !"\(fault)".isEmpty)
    }

    @Test func `a line of an import is repaired in a name, and refused in what somebody is found by`() throws {
        let start = "\u{FEFF}" + #"{"identities":[\#(Self.identity)],"created_at":1700000000.0,"#
        let ann = try user(start + #""profile":{"name":"Ann \ud83d","nickname":"A","nickname":"A"}}"#)
        #expect(ann.profile.carrier["name"] == "Ann \u{FFFD}" && ann.profile.carrier["nickname"] == "A")
        #expect(ann.createdAt == 1_700_000_000)
        for profile in [#"{"email":"a\ud83d@b"}"#, #"{"email":"a@b.example","email":"a@b.example"}"#] {
            let told = try fault(start + #""profile":\#(profile)}"#)
            #expect(told == .attribute("profile", "email", "is there twice, or its text is no Unicode"))
        }
        let twice = Self.identity.replacing(#""subject""#, with: #""subject":"another","subject""#)
        #expect(try fault(#"{"identities":[\#(twice)]}"#) == .identity(1, .subject))
        #expect(try fault(start + #""lock":{},"lock":{}}"#) == .doubtfulMember("lock"))
    }

    @Test func `a line of an import is bounded`() throws {
        let many = Array(repeating: Self.identity, count: 101).joined(separator: ",")
        #expect(try fault(#"{"identities":[\#(many)]}"#) == .tooManyIdentities(most: 100))
        let attributes = (0...100).map { #""a\#($0)":"x""# }.joined(separator: ",")
        #expect(
            try fault(#"{"identities":[\#(Self.identity)],"own":{\#(attributes)}}"#)
                == .tooManyAttributes("own", most: 100))
        let subject = String(repeating: "s", count: 256)
        #expect(
            try fault(#"{"identities":[{"provider":"plain","issuer":"\#(Self.issuer)","subject":"\#(subject)"}]}"#)
                == .identity(1, .subject))
    }
}
