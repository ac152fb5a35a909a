import GatehouseTesting
import HTTPTesting
import JSON

/// An app as its maker is told to write it: what is not answered is sent again.
struct App {
    /// What is asked, to the byte.
    struct Request {
        let method: String
        let path: String
        let headers: [String: String]
        let body: [UInt8]?

        init(_ method: String, _ path: String, body: JSONValue? = nil, bearer: String? = nil) {
            (self.method, self.path, self.body) = (method, path, body?.serialized)
            var headers: [String: String] = [:]
            if let bearer { headers["Authorization"] = "Bearer \(bearer)" }
            if body != nil { headers["Content-Type"] = "application/json" }
            self.headers = headers
        }

        init(form: [String: String], to path: String) {
            (method, self.path) = ("POST", path)
            headers = ["Content-Type": "application/x-www-form-urlencoded"]
            body = Array(FormText.encode(form).utf8)
        }

        /// - Parameter client: the app that the session is of, where it came through the browser.
        init(refreshing token: String, of client: String? = nil) {
            var form = ["grant_type": "refresh_token", "refresh_token": token]
            form["client_id"] = client
            self.init(form: form, to: "/auth/token")
        }
    }

    private static let mostTries = 6
    /// Longer than anything may take.
    private static let patience: Duration = .seconds(30)
    private static let firstPause: Duration = .milliseconds(200)

    let name: String
    let story: Story
    /// Where servers listen; each try goes to one of them.
    let ports: [UInt16]
    /// Whether servers and connections never stand still.
    let isPrompt: Bool

    /// Asks, and asks the same again where no answer comes, or one that says that it went wrong there.
    ///
    /// - Parameter isCalm: whether nothing goes wrong, so that there must be an answer.
    func ask(_ request: Request, isCalm: Bool = false) async -> Answer? {
        var pause = Self.firstPause
        for attempt in 1...Self.mostTries {
            let began = ContinuousClock.now
            let answer = try? await LoopbackClient(port: Draw.one(of: ports)).send(
                request.method, request.path, headers: request.headers, body: request.body)
            if let answer, answer.status < 500 || attempt == Self.mostTries {
                return Answer(answer, wasRepeated: attempt > 1)
            }
            if attempt == Self.mostTries { break }
            story.count(answer == nil ? "unanswered" : "answers that say it went wrong")
            if answer == nil, isPrompt, ContinuousClock.now - began >= Self.patience {
                story.find("\(name): \(request.method) \(request.path) is neither answered nor closed")
            }
            try? await Task.sleep(for: pause)
            pause *= 2
        }
        if isCalm { story.find("\(name): \(request.method) \(request.path) is not answered though nothing is wrong") }
        return nil
    }
}
