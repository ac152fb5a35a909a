import CSimulation
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers

/// A person with an app: signs in, renews the session, looks, signs out, changes carriers, leaves. After each answer it
/// says what it knows to an ``Oracle``, and finds what contradicts it.
struct Phone {
    let number: Int
    let crowd: Crowd
    private var oracle = Oracle()
    private var carrier: SimulatedIssuer = .aurora
    /// By which the account was last signed in.
    private var knownCarrier: SimulatedIssuer = .aurora
    private let app: App
    /// Of the restores that there were, how many it has taken into account.
    private var seenRestores = 0

    init(number: Int, crowd: Crowd) {
        (self.number, self.crowd) = (number, crowd)
        app = App(name: "phone\(number)", story: crowd.story, ports: crowd.ports, isPrompt: crowd.isPrompt)
    }

    private var name: String { app.name }
    /// Of four people one signs in by a provider's SDK.
    private var isNative: Bool { number % 4 == 3 }
    private var story: Story { crowd.story }

    mutating func live(think: Duration, until end: Int64) async {
        while simulation_now() < end {
            try? await Task.sleep(for: think.drawn)
            await act()
        }
    }

    /// Signs in.
    mutating func begin() async { await signIn() }

    /// Renews every session.
    mutating func refreshAll() async { for index in oracle.sessions.indices { await refresh(index) } }

    /// Has the account erased.
    ///
    /// - Returns: whether it is.
    @discardableResult
    mutating func leave() async -> Bool {
        if let last = oracle.sessions.indices.last {
            if Draw.happens(50) { await link(last) }
            await erase(last)
        }
        return oracle.exists == .no
    }

    /// Once nothing goes wrong any more, everything that was answered holds.
    mutating func settle(after time: Duration) async {
        while !crowd.calm.isSet { try? await Task.sleep(for: .seconds(1)) }
        try? await Task.sleep(for: time)
        noteRestores()
        for index in oracle.sessions.indices { await refresh(index, isCalm: true) }
        await signIn(isCalm: true)
        if let last = oracle.sessions.indices.last { await look(last, isCalm: true) }
    }

    /// Of two sign-ins with one challenge at once, one counts.
    private mutating func signInTwiceWithOneChallenge() async {
        guard !isNative, carrier == knownCarrier, oracle.exists == .yes,
            let challenge = await ask(App.Request("POST", "/auth/challenge", body: [:]))?.json["nonce"]?.string,
            let first = await approve(at: carrier, ["nonce": challenge]),
            let second = await approve(at: carrier, ["nonce": challenge])
        else { return }
        story.count("challenges used twice at once")
        let app = app
        let nonce: [String: JSONValue?] = ["nonce": .string(challenge)]
        async let one = app.ask(App.Request("POST", "/auth/signin", body: first.body(nonce)))
        async let other = app.ask(App.Request("POST", "/auth/signin", body: second.body(nonce)))
        let answers = await [one, other].compactMap(\.self).filter { $0.status == 200 }
        if noteRestores() { return }
        if answers.count == 2 { find("one challenge was good for two sign-ins at once") }
        for answer in answers { noteSignIn(answer) }
    }

    private mutating func act() async {
        noteRestores()
        let open = oracle.sessions.indices.filter { oracle.sessions[$0].isOpen != .no }
        guard let index = open.isEmpty ? nil : Draw.one(of: open) else { return await signIn() }
        switch Draw.below(100) {
        case ..<15: await signIn()
        case ..<55: await refresh(index)
        case ..<70: await look(index)
        case ..<80: await signOut(index)
        case ..<88: await replay(index)
        case ..<91: await link(index)
        case ..<93: await signInTwiceWithOneChallenge()
        case ..<96: changeCarrier()
        default: await erase(index)
        }
    }

    // MARK: Signing in

    private mutating func signIn(isCalm: Bool = false) async {
        // It may move the account, whether or not that is answered.
        if carrier != knownCarrier { oracle.mayHaveChanged() }
        if !isNative, !crowd.takesTickets, Draw.happens(25) { return await signInByBrowser(isCalm: isCalm) }
        guard let proof = await prove(isCalm: isCalm) else { return }
        let request = App.Request("POST", "/auth/signin", body: proof.body)
        guard let answer = Draw.happens(20) ? await twice(request) : await ask(request, isCalm: isCalm) else {
            return oracle.mayBeSignedIn()
        }
        if answer.status == 403, let ticket = answer.json["link_ticket"]?.string {
            return await register(by: ticket, wasRepeated: answer.wasRepeated)
        }
        guard answer.status == 200 else {
            story.count("sign-ins refused")
            // A code that its issuer has taken is gone where the answer was not stored.
            if answer.status >= 500 || answer.wasRepeated { oracle.mayBeSignedIn() }
            if isCalm, !answer.wasRepeated { find("a sign-in is refused: \(answer.status) \(answer.text)") }
            return
        }
        if proof.provider == carrier { knownCarrier = carrier }
        noteSignIn(answer)
        if Draw.happens(20) { await useAgain(proof) }
    }

    private mutating func noteSignIn(_ answer: Answer) {
        story.count("sign-ins")
        guard let user = answer.json["user"]?["user_id"]?.integer, let tokens = Tokens(answer.json) else {
            return find("a sign-in is answered without user or tokens")
        }
        note(user, tokens, isNew: answer.json["new_user"] == true)
        if answer.json["migrated"] == true {
            story.count("moves between carriers")
            oracle.movedToAnotherCarrier()
        }
    }

    private mutating func note(_ user: Int64, _ tokens: Tokens, isNew: Bool?, client: String? = nil) {
        if let other = crowd.owner(of: user, isNow: number) { find("user \(user) is phone\(other)'s") }
        let wrong = oracle.signedIn(as: user, isNew: isNew, tokens, client: client)
        tell("signs in as user \(user)")
        if let wrong { find(wrong) }
    }

    /// What an app shows as a proof of who its user is.
    private struct Proof {
        let provider: SimulatedIssuer
        let body: JSONValue
        /// The same with something else in it, which proves nothing.
        let changed: JSONValue
        /// What may be used once, beside the code.
        var challenge: String?
    }

    private mutating func prove(isCalm: Bool) async -> Proof? {
        if isNative { return await proveNatively(isCalm: isCalm) }
        // Where the plain provider is known to be linked, it is as good as the carrier.
        let provider = oracle.isLinked == .yes && Draw.happens(30) ? SimulatedIssuer.plain : carrier
        var challenge: String?
        if Draw.happens(30) {
            challenge = await ask(App.Request("POST", "/auth/challenge", body: [:]))?.json["nonce"]?.string
        }
        guard let approved = await approve(at: provider, challenge.map { ["nonce": $0] } ?? [:], isCalm: isCalm) else {
            return nil
        }
        var nonce = issuer(of: provider)
        if let challenge { nonce["nonce"] = .string(challenge) }
        let verifier: JSONValue = .string(String(repeating: "v", count: 43))
        return Proof(
            provider: provider, body: approved.body(nonce),
            changed: approved.body(nonce.merging(["code_verifier": verifier]) { $1 }), challenge: challenge)
    }

    /// What comes back with a code where several providers could have given it (RFC 9207).
    private func issuer(of provider: SimulatedIssuer) -> [String: JSONValue?] {
        provider == .plain ? ["iss": .string(crowd.simulation.plain)] : [:]
    }

    /// By the SDK of a provider that people use.
    private func proveNatively(isCalm: Bool) async -> Proof? {
        let nonce = Authorized.makeVerifier()
        guard let token = try? await crowd.simulation.idToken(for: name, at: .google, nonce: nonce) else {
            if isCalm { find("the provider gives no ID token") }
            return nil
        }
        func body(_ nonce: String) -> JSONValue {
            ["provider": "google", "id_token": .string(token), "nonce": .string(nonce)]
        }
        return Proof(provider: .google, body: body(nonce), changed: body(Authorized.makeVerifier()))
    }

    /// A code or an ID token counts once, and so does a challenge, whatever else is said with it.
    private mutating func useAgain(_ proof: Proof) async {
        // What comes twice may have been stolen: what it was good for ends (RFC 6749 §4.1.2).
        if let last = oracle.sessions.indices.last { oracle.sessions[last].isOpen = .unknown }
        if let answer = await ask(App.Request("POST", "/auth/signin", body: proof.changed)) {
            story.count("codes used again")
            if answer.status == 200 { find("a code was good for another request") }
        }
        guard let challenge = proof.challenge, let other = await approve(at: carrier, ["nonce": challenge]),
            let answer = await ask(
                App.Request("POST", "/auth/signin", body: other.body(["nonce": .string(challenge)])))
        else { return }
        story.count("challenges used again")
        if answer.status == 200 { find("a challenge was good for another sign-in") }
    }

    /// Where people register, whom nobody knows yet.
    private mutating func register(by ticket: String, wasRepeated: Bool) async {
        story.count("tickets")
        if oracle.exists == .yes { find("user \(oracle.user ?? 0) is not known") }
        oracle.mayBeSignedIn()
        func request(_ name: String) -> App.Request {
            App.Request("POST", "/users", body: ["link_ticket": .string(ticket), "name": .string(name)])
        }
        guard let answer = Draw.happens(20) ? await twice(request(name)) : await ask(request(name)),
            answer.status == 201
        else { return }
        story.count("registrations")
        guard let tokens = Tokens(answer.json), let user = await user(of: tokens) else { return }
        note(user, tokens, isNew: nil)
        guard Draw.happens(30), let again = await ask(request("Somebody Else")) else { return }
        story.count("tickets used again")
        if again.status == 201 { find("a ticket was good for another registration") }
    }

    private mutating func user(of tokens: Tokens) async -> Int64? {
        await ask(App.Request("GET", "/users/me", bearer: tokens.access))?.json["user_id"]?.integer
    }

    // MARK: In the browser

    private mutating func signInByBrowser(isCalm: Bool) async {
        let browser = BrowserSignIn(app: app, simulation: crowd.simulation)
        guard let code = await browser.code(for: name, at: carrier) else {
            return oracle.mayBeSignedIn()
        }
        let request = App.Request(form: browser.redemption(of: code), to: "/auth/token")
        guard let answer = await ask(request, isCalm: isCalm), answer.status == 200,
            let tokens = Tokens(answer.json), let user = await user(of: tokens)
        else { return oracle.mayBeSignedIn() }
        story.count("sign-ins by browser")
        if carrier != knownCarrier { oracle.movedToAnotherCarrier(isCertain: false) }
        knownCarrier = carrier
        note(user, tokens, isNew: nil, client: BrowserSignIn.client)
        guard Draw.happens(20), let last = oracle.sessions.indices.last else { return }
        // With the right verifier it may be a repeat, or a theft.
        oracle.sessions[last].isOpen = .unknown
        var stolen = browser.redemption(of: code)
        stolen["code_verifier"] = Authorized.makeVerifier()
        guard let again = await ask(App.Request(form: stolen, to: "/auth/token")) else { return }
        story.count("codes of apps used again")
        if again.status == 200 { find("a code of an app's was good without its verifier") }
    }

    // MARK: Acts

    private mutating func refresh(_ index: Int, isCalm: Bool = false) async {
        let session = oracle.sessions[index]
        let request = App.Request(refreshing: session.refreshToken, of: session.client)
        guard let answer = Draw.happens(20) ? await twice(request) : await ask(request, isCalm: isCalm) else {
            return
        }
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
        tell("has a spent refresh token of session \(session.number) stolen")
        // That the theft shows may end the session, also where nobody is told.
        if session.isOpen == .yes { oracle.sessions[index].isOpen = .unknown }
        guard let answer = await ask(App.Request(refreshing: stolen, of: session.client)) else { return }
        story.count("replays")
        if answer.status == 200 { find("a spent refresh token of session \(session.number) is good again") }
    }

    private mutating func look(_ index: Int, isCalm: Bool = false) async {
        let session = oracle.sessions[index]
        guard session.accessTokenEnds > simulation_now(),
            let answer = await ask(App.Request("GET", "/users/me", bearer: session.accessToken), isCalm: isCalm)
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
        let request = App.Request("DELETE", "/auth/token", bearer: session.accessToken)
        guard let answer = await ask(request), answer.status == 200 else { return }
        story.count("sign-outs")
        tell("signs session \(session.number) out")
        oracle.sessions[index].isOpen = .no
        await look(index)
        await refresh(index)
    }

    /// From then on the plain provider signs the same user in.
    private mutating func link(_ index: Int) async {
        let session = oracle.sessions[index]
        guard !isNative, oracle.isLinked == .no, session.accessTokenEnds > simulation_now(),
            let approved = await approve(at: .plain)
        else { return }
        let request = App.Request(
            "POST", "/users/me/identities",
            body: approved.body(issuer(of: .plain).merging(["provider": "plain"]) { $1 }),
            bearer: session.accessToken)
        oracle.isLinked = .unknown
        oracle.mayHaveChanged()
        guard let answer = await ask(request) else { return }
        switch answer.status {
        case 200, 201:
            story.count("links")
            tell("links the plain provider")
            oracle.isLinked = .yes
        case 400..<500 where !answer.wasRepeated:
            story.count("links refused")
            oracle.isLinked = .no
        default: break
        }
    }

    private mutating func changeCarrier() {
        guard !isNative else { return }
        carrier = carrier == .aurora ? .borealis : .aurora
        crowd.simulation.port(subscriber: name, to: carrier)
        tell("changes carriers")
    }

    private mutating func erase(_ index: Int) async {
        let session = oracle.sessions[index]
        guard session.accessTokenEnds > simulation_now() else { return }
        let before = oracle
        oracle.mayBeErased()
        guard let answer = await ask(App.Request("DELETE", "/users/me", bearer: session.accessToken)) else {
            return
        }
        if (200..<300).contains(answer.status) {
            story.count("erasures")
            tell("has the account erased")
            if before.isLinked == .yes { crowd.noteLeaving() }
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

    /// - Returns: nil too for an answer that a restore may have made untrue.
    private mutating func ask(_ request: App.Request, isCalm: Bool = false) async -> Answer? {
        let answer = await app.ask(request, isCalm: isCalm)
        return noteRestores() ? nil : answer
    }

    /// - Returns: whether there was one since the last time.
    @discardableResult
    private mutating func noteRestores() -> Bool {
        let news = crowd.restores.dropFirst(seenRestores)
        seenRestores += news.count
        for began in news { oracle.restored(began) }
        return !news.isEmpty
    }

    /// An app that asks the same twice at once, as one with two threads does. Both have the same answer.
    private mutating func twice(_ request: App.Request) async -> Answer? {
        story.count("asked twice at once")
        let app = app
        async let one = app.ask(request)
        async let other = app.ask(request)
        let (first, second) = await (one, other)
        if noteRestores() { return nil }
        let tokens = [first, second].compactMap { $0 }.filter { $0.status == 200 }.compactMap { Tokens($0.json) }
        if tokens.count == 2, tokens[0].refresh != tokens[1].refresh {
            find("\(request.path) was asked twice at once, and gave two sessions")
        }
        let answers = [first, second].compactMap { $0 }
        let answer = answers.first { $0.status == 200 } ?? answers.first
        // One of them may have been answered after the other was lost.
        return answer.map { Answer($0, wasRepeated: true) }
    }

    /// Has the carrier approve. It may fail as everything may.
    private func approve(
        at provider: SimulatedIssuer, _ parameters: [String: String] = [:], isCalm: Bool = false
    ) async -> Authorized? {
        let authorized = try? await crowd.simulation.authorize(name, at: provider, parameters)
        if authorized == nil, isCalm { find("the carrier does not approve") }
        return authorized
    }

    private func tell(_ text: String) { story.tell("\(name) \(text)") }
    private func find(_ text: String) { story.find("\(name): \(text)") }
}
