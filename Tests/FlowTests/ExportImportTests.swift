import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

/// A server with two simulated dialects, and files of other products' to import into its store.
struct ExportFlow {
    static let google = "110169484474386276334"
    static let apple = "001234.d3b07384d113edec49eaa6238ad5ff00.0912"
    /// What the products call Google and Apple.
    static let names = [
        "firebase": ("google.com", "apple.com"), "auth0": ("google-oauth2", "apple"), "supabase": ("google", "apple"),
        "keycloak": ("google", "apple"),
    ]

    let native: NativeFlow

    static func with(_ body: (ExportFlow) async throws -> Void) async throws {
        try await NativeFlow.with([.google, .apple]) { try await body(ExportFlow(native: $0)) }
    }

    /// The example in `Documentation/Operating.md`.
    static func example(_ format: String) throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Documentation/Operating.md")
        let section = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n#### ").first {
            $0.lowercased().hasPrefix(format)
        }
        let parts = try #require(section, "no section of \(format)").components(separatedBy: "```json\n")
        return try #require(parts.count == 2 ? parts[1].components(separatedBy: "```").first : nil)
    }

    /// The subject that an SDK's ID token names.
    static func subject(_ handed: NativeFlow.Handed) throws -> String {
        var payload = handed.idToken.split(separator: ".")[1].replacing("-", with: "+").replacing("_", with: "/")
        payload += String(repeating: "=", count: (4 - payload.count % 4) % 4)
        let claims = try JSONValue(parsing: Array(try #require(Data(base64Encoded: String(payload)))))
        return try #require(claims["sub"]?.string)
    }

    func run(_ format: String, _ file: String, _ more: [String] = []) async throws -> CommandRun {
        let gatehouse = native.gatehouse
        let configuration = gatehouse.folder.appending(path: "dialects.yaml")
        let sections = ["google": NativeFlow.section(.google), "apple": NativeFlow.section(.apple)]
        try Data(RunningGatehouse.yaml(gatehouse.simulation, gatehouse.folder, others: sections).utf8)
            .write(to: configuration)
        let path = try gatehouse.write([file], as: "export.json")
        return try await CommandRun(
            ["store", "import", path, "--format", format, "--config", configuration.path] + more)
    }

    /// With what the simulated providers' names need, whose issuers are on this machine.
    func runMapped(_ format: String, _ file: String, _ more: String...) async throws -> CommandRun {
        let (google, apple) = try #require(Self.names[format])
        return try await run(format, file, ["--map", "\(google)=google", "--map", "\(apple)=apple"] + more)
    }
}

@Suite struct `An export of another product's` {
    @Test(arguments: ["firebase", "auth0", "supabase", "keycloak"])
    func `is imported as it is documented, twice without harm, and its users sign in as themselves`(
        format: String
    ) async throws {
        try await ExportFlow.with { flow in
            let (google, apple) = (try await flow.native.ask(.google), try await flow.native.ask(.apple))
            let file = try ExportFlow.example(format)
                .replacing(ExportFlow.google, with: try ExportFlow.subject(google))
                .replacing(ExportFlow.apple, with: try ExportFlow.subject(apple))
            let dry = try await flow.runMapped(format, file, "--dry-run")
            #expect(dry.status == 0, "\(dry.everything)")
            #expect(dry.output.contains("Nothing was stored."))
            #expect(dry.output.contains("1 users had a password"), "\(dry.output)")
            #expect(try await flow.native.users() == 0)
            let imported = try await flow.runMapped(format, file, "--json")
            #expect(imported.status == 0, "\(imported.everything)")
            #expect(imported.json["created"] == 2 && imported.json["bad"] == 0, "\(imported.output)")
            #expect(imported.json["left_out"]?["passwords"] == 1)
            #expect(imported.json["left_out"]?["second_factors"] == (format == "supabase" ? 0 : 1))
            let again = try await flow.runMapped(format, file, "--json")
            #expect(again.status == 0)
            #expect(again.json["already_there"] == 2 && again.json["created"] == 0 && again.json["completed"] == 0)
            for (handed, provider) in [(google, "google"), (apple, "apple")] {
                let signedIn = try await flow.native.post(handed, to: provider)
                #expect(signedIn.status == 200 && signedIn["new_user"] == false, "\(provider) \(signedIn.text)")
            }
            #expect(try await flow.native.users() == 2)
            #expect(!(dry.everything + imported.everything).contains("jane"))
        }
    }

    @Test func `stops at providers without a mapping before anything is stored, and goes on without them when told`()
        async throws
    {
        try await ExportFlow.with { flow in
            let file = try ExportFlow.example("keycloak")
            let refused = try await flow.run("keycloak", file, ["--map", "google=google"])
            #expect(refused.status == 1)
            #expect(refused.errors.contains("identities of providers without a --map: 1 of apple"), "\(refused.errors)")
            #expect(refused.errors.contains("1 users who would have no identity here"))
            #expect(try await flow.native.users() == 0)
            let skipped = try await flow.run(
                "keycloak", file, ["--map", "google=google", "--skip-unmapped", "--json"])
            #expect(skipped.status == 0, "\(skipped.everything)")
            #expect(skipped.json["created"] == 1)
            #expect(skipped.json["left_out"]?["users"] == 1)
            #expect(skipped.json["left_out"]?["identities"]?["apple"] == 1)
        }
    }

    @Test func `is refused with the number of what is wrong in it, and nothing of it is stored`() async throws {
        try await ExportFlow.with { flow in
            let sound = #"{"providerUserInfo":[{"providerId":"google.com","rawId":"secret-a"}]}"#
            let users = [
                sound, #"{"providerUserInfo":[{"providerId":"google.com"}]}"#, "7",
                #"{"createdAt":"soon","providerUserInfo":[{"providerId":"google.com","rawId":"secret-b"}]}"#,
            ]
            let bad = try await flow.runMapped("firebase", #"{"users":["# + users.joined(separator: ",") + "]}")
            #expect(bad.status == 1)
            #expect(
                bad.errors == """
                    element 2: identity 1 has no provider, or no subject that an ID token could have
                    element 3: it is not a JSON object
                    element 4: its time of creation is none that has passed

                    """)
            #expect(bad.output == "4 elements, 3 bad. Nothing was stored.\n")
            let torn = try await flow.runMapped("firebase", #"{"users":["# + sound + #",{"providerUser"#)
            #expect(torn.status == 1)
            #expect(torn.errors.hasPrefix("element 2: here the file is not the JSON document"), "\(torn.errors)")
            let other = try await flow.runMapped("firebase", #"{"people":["# + sound + "]}")
            #expect(other.errors.hasPrefix("element 1: here the file is not the JSON document"))
            let row = #"{"user_id":"b","provider":"google","provider_id":"secret-c"}"#
            let unsorted = try await flow.runMapped("supabase", row + "\n" + row.replacing("\"b\"", with: "\"a\""))
            #expect(unsorted.errors.hasPrefix("line 2: it is out of order"), "\(unsorted.errors)")
            #expect(try await flow.native.users() == 0)
            #expect(!(bad.everything + torn.everything + unsorted.everything).contains("secret-"))
        }
    }

    @Test func `is not begun with a mapping that means nothing`() async throws {
        try await ExportFlow.with { flow in
            for (format, words, expected) in [
                ("auth0", ["google-oauth2"], "NAME=PROVIDER"), ("auth0", ["apple=nobody"], "no provider nobody"),
                ("auth0", ["apple=zenkey"], "several issuers"), ("auth0", ["auth0=google"], "stands no provider"),
                ("auth0", ["x=google", "x=apple"], "named twice"), ("gatehouse", ["x=google"], "of another product"),
            ] {
                let refused = try await flow.run(format, "", words.flatMap { ["--map", $0] })
                #expect(refused.status != 0)
                #expect(refused.errors.contains(expected), "\(refused.errors)")
            }
        }
    }
}
