import CSimulation
import HTTPTesting
import JSON

/// An answer, and whether it may be to a request that was sent before.
struct Answer {
    let status: Int
    let json: JSONValue
    let text: String
    let wasRepeated: Bool

    init(_ answer: HTTPTestAnswer, wasRepeated: Bool) {
        (status, text) = (answer.status, answer.text)
        json = (try? JSONValue(parsing: answer.body)) ?? .null
        self.wasRepeated = wasRepeated
    }

    init(_ answer: Answer, wasRepeated: Bool) {
        (status, json, text) = (answer.status, answer.json, answer.text)
        self.wasRepeated = wasRepeated
    }
}

/// The tokens of an answer.
struct Tokens {
    /// How long before its end an access token is no longer used, in seconds: clocks may be off.
    private static let margin: Int64 = 60

    let access: String
    let refresh: String
    /// When the access token ends, in nanoseconds of the world.
    let ends: Int64

    init?(_ json: JSONValue) {
        guard let access = json["access_token"]?.string, let refresh = json["refresh_token"]?.string,
            let seconds = json["expires_in"]?.integer
        else { return nil }
        (self.access, self.refresh) = (access, refresh)
        ends = simulation_now() + (seconds - Self.margin) * 1_000_000_000
    }
}
