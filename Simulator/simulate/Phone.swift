import CSimulation
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers

/// A person with an app: signs in, renews the session, looks, signs out, changes carriers, leaves. After each answer it
/// says what it knows to an ``Oracle``, and finds what contradicts it.
struct Phone {
    private static let mostTries = 6
    private static let firstPause: Duration = .milliseconds(200)

    let number: Int
    let crowd: Crowd
    private var oracle = Oracle()
    private var carrier: SimulatedIssuer = .aurora

    init(number: Int, crowd: Crowd) { (self.number, self.crowd) = (number, crowd) }

    private var name: String { "phone\(number)" }
    private var story: Story { crowd.story }

    mutating func live(think: Duration, until end: Int64) async {
        while simulation_now() < end {
            try? await Task.sleep(for: think.drawn)
            await act()
        }
    }

    /// Once nothing goes wrong any more, everything that was answered holds.
    mutating func settle(after time: Duration) async {
        while !crowd.calm.isSet { try? await Task.sleep(for: .seconds(1)) }
        try? await Task.sleep(for: time)
        for index in oracle.sessions.indices { await refresh(index, isCalm: true) }
        await signIn(isCalm: true)
        if let last = oracle.sessions.indices.last { await look(last, isCalm: true) }
    }

    private mutating func act() async {
        let open = oracle.sessions.indices.filter { oracle.sessions[$0].isOpen != .no }
        guard let index = open.isEmpty ? nil : Draw.one(of: open) else { return await signIn() }
        switch Draw.below(100) {
        case ..<15: await signIn()
        case ..<55: await refresh(index)
        case ..<70: await look(index)
        case ..<80: await signOut(index)
        case ..<88: await replay(index)
        case ..<95: changeCarrier()
        default: await erase(index)
        }
    }

    // MARK: Acts

    private mutating func signIn(isCalm: Bool = false) async {
        guard let approved = await approve(isCalm: isCalm) else { return }
        guard let answer = await ask("POST", "/auth/signin", body: approved.body(), isCalm: isCalm) else {
            return oracle.mayBeSignedIn()
        }
        guard answer.status == 200 else {
            story.count("sign-ins refused")
            // A code that its issuer has taken is gone where the answer was not stored.
            if answer.status >= 500 || answer.wasRepeated { oracle.mayBeSignedIn() }
            if isCalm, !answer.wasRepeated { find("a sign-in is refused: \(answer.status) \(answer.text)") }
            return
        }
        story.count("sign-ins")
        guard let user = answer.json["user"]?["user_id"]?.integer, let tokens = Tokens(answer.json) else {
            return find("a sign-in is answered without user or tokens")
        }
        if let other = crowd.owner(of: user, isNow: number) { find("user \(user) is phone\(other)'s") }
        let wrong = oracle.signedIn(
            as: user, isNew: answer.json["new_user"] == true, access: tokens.access, ends: tokens.ends,
            refresh: tokens.refresh)
        if answer.json["migrated"] == true {
            story.count("moves between carriers")
            oracle.movedToAnotherCarrier()
        }
        tell("signs in as user \(user)")
        if let wrong { find(wrong) }
        if Draw.happens(20) { await useAgain(approved) }
    }

    /// A code counts once, whatever else is said with it.
    private mutating func useAgain(_ approved: Authorized) async {
        let other: [String: JSONValue?] = ["code_verifier": .string(String(repeating: "v", count: 43))]
        // A code that comes twice may have been stolen: what it was good for ends (RFC 6749 §4.1.2).
        if let last = oracle.sessions.indices.last { oracle.sessions[last].isOpen = .unknown }
        guard let answer = await ask("POST", "/auth/signin", body: approved.body(other)) else { return }
        story.count("codes used again")
        if answer.status == 200 { find("a code was good for another request") }
    }

    private mutating func refresh(_ index: Int, isCalm: Bool = false) async {
        let session = oracle.sessions[index]
        let form = ["grant_type": "refresh_token", "refresh_token": session.refreshToken]
        guard let answer = await ask("POST", "/auth/token", form: form, isCalm: isCalm) else { return }
        switch answer.status {
        case 200:
            story.count("refreshes")
            guard let tokens = Tokens(answer.json) else { return find("a refresh is answered without tokens") }
            if session.isOpen == .no { find("session \(session.number) was ended, and is renewed") }
            oracle.sessions[index].isOpen = .yes
            // Presenting one shows that its parent has done its work.
            oracle.sessions[index].spent = session.spent + [session.refreshToken]
            oracle.sessions[index].accessToken = tokens.access
            oracle.sessions[index].accessTokenEnds = tokens.ends
            oracle.sessions[index].refreshToken = tokens.refresh
        case 400..<500 where answer.status != 429:
            story.count("refreshes refused")
            if session.isOpen == .yes {
                find("session \(session.number) is lost: \(answer.status) \(answer.text)")
            }
            oracle.sessions[index].isOpen = .no
        default:
            if isCalm { find("a refresh is refused: \(answer.status) \(answer.text)") }
        }
    }

    /// A thief presents a refresh token whose successor's successor is in use.
    private mutating func replay(_ index: Int) async {
        let session = oracle.sessions[index]
        guard let stolen = session.spent.dropLast().last else { return }
        let form = ["grant_type": "refresh_token", "refresh_token": stolen]
        tell("has a spent refresh token of session \(session.number) stolen")
        // That the theft shows may end the session, also where nobody is told.
        if session.isOpen == .yes { oracle.sessions[index].isOpen = .unknown }
        guard let answer = await ask("POST", "/auth/token", form: form) else { return }
        story.count("replays")
        if answer.status == 200 { find("a spent refresh token of session \(session.number) is good again") }
    }

    private mutating func look(_ index: Int, isCalm: Bool = false) async {
        let session = oracle.sessions[index]
        guard session.accessTokenEnds > simulation_now(),
            let answer = await ask("GET", "/users/me", bearer: session.accessToken, isCalm: isCalm)
        else { return }
        switch answer.status {
        case 200:
            story.count("looks")
            if session.isOpen == .no { find("session \(session.number) was ended, and is shown") }
            let user = answer.json["user_id"]?.integer
            if user != oracle.user, oracle.exists == .yes {
                find("session \(session.number) shows user \(user ?? 0) instead of \(oracle.user ?? 0)")
            }
        case 401 where session.isOpen == .yes && session.accessTokenEnds > simulation_now():
            find("session \(session.number) is not known: \(answer.text)")
        default:
            if isCalm, answer.status >= 500 { find("a look is refused: \(answer.status)") }
        }
    }

    private mutating func signOut(_ index: Int) async {
        let session = oracle.sessions[index]
        guard session.accessTokenEnds > simulation_now() else { return }
        if session.isOpen == .yes { oracle.sessions[index].isOpen = .unknown }
        guard let answer = await ask("DELETE", "/auth/token", bearer: session.accessToken), answer.status == 200 else {
            return
        }
        story.count("sign-outs")
        tell("signs session \(session.number) out")
        oracle.sessions[index].isOpen = .no
        await look(index)
        await refresh(index)
    }

    private mutating func changeCarrier() {
        carrier = carrier == .aurora ? .borealis : .aurora
        crowd.simulation.port(subscriber: name, to: carrier)
        tell("changes carriers")
    }

    private mutating func erase(_ index: Int) async {
        let session = oracle.sessions[index]
        guard session.accessTokenEnds > simulation_now() else { return }
        let before = oracle
        oracle.mayBeErased()
        guard let answer = await ask("DELETE", "/users/me", bearer: session.accessToken) else { return }
        if (200..<300).contains(answer.status) {
            story.count("erasures")
            tell("has the account erased")
            oracle.erasureAnswered()
            await look(index)
            await refresh(index)
        } else if answer.status < 500, !answer.wasRepeated {
            story.count("erasures refused")
            tell("erasure refused \(answer.status) \(answer.text)")
            oracle = before
        }
    }

    // MARK: Asking

    /// Has the carrier approve. It may fail as everything may.
    private func approve(isCalm: Bool) async -> Authorized? {
        let authorized = try? await crowd.simulation.authorize(name, at: carrier)
        if authorized == nil, isCalm { find("the carrier does not approve") }
        return authorized
    }

    /// Asks, and asks the same again where no answer comes, or one that says that it went wrong there.
    private func ask(
        _ method: String, _ path: String, body: JSONValue? = nil, form: [String: String]? = nil,
        bearer: String? = nil, isCalm: Bool = false
    ) async -> Answer? {
        var headers: [String: String] = [:]
        if let bearer { headers["Authorization"] = "Bearer \(bearer)" }
        if body != nil { headers["Content-Type"] = "application/json" }
        if form != nil { headers["Content-Type"] = "application/x-www-form-urlencoded" }
        let bytes = body?.serialized ?? form.map { Array(FormText.encode($0).utf8) }
        var pause = Self.firstPause
        for attempt in 1...Self.mostTries {
            let answer = try? await LoopbackClient(port: Machine.port).send(
                method, path, headers: headers, body: bytes)
            if let answer, answer.status < 500 || attempt == Self.mostTries {
                return Answer(answer, wasRepeated: attempt > 1)
            }
            if attempt == Self.mostTries { break }
            story.count(answer == nil ? "unanswered" : "answers that say it went wrong")
            try? await Task.sleep(for: pause)
            pause *= 2
        }
        if isCalm { find("\(method) \(path) is not answered though nothing is wrong") }
        return nil
    }

    private func tell(_ text: String) { story.tell("\(name) \(text)") }
    private func find(_ text: String) { story.find("\(name): \(text)") }
}
