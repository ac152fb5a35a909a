import Foundation
package import HTTPTesting
package import JSON
public import SimulatedCarriers

extension RunningGatehouse {
    /// Has a subscriber approve a sign-in on their phone.
    ///
    /// - Parameters:
    ///   - subscriber: `ada`, `grace` or `linus`; or another of the simulated users.
    ///   - provider: `.aurora` or `.borealis`, the carriers behind `zenkey`, or `.plain`.
    ///   - parameters: more of the authorization request, such as `nonce`; an empty text leaves out what is usual.
    /// - Returns: the code for the app, and what belongs to it.
    /// - Throws: ``GatehouseTestingError/noCode(_:)`` where the provider refuses.
    public func authorize(
        _ subscriber: String, at provider: SimulatedIssuer = .aurora, _ parameters: [String: String] = [:]
    ) async throws -> Authorized {
        try await simulation.authorize(subscriber, at: provider, parameters)
    }

    /// Posts a sign-in as stock apps do.
    package func signIn(
        _ authorized: Authorized, _ changes: [String: JSONValue?] = [:]
    ) async throws -> HTTPTestAnswer {
        try await post("/auth/signin", authorized.body(changes))
    }

    /// Authorizes and signs in.
    package func signIn(
        _ subscriber: String, at carrier: SimulatedIssuer = .aurora, misbehaving name: String? = nil
    ) async throws -> HTTPTestAnswer {
        try await signIn(try await authorize(subscriber, at: carrier, name.map { ["misbehave": $0] } ?? [:]))
    }

    /// Authorizes and signs in with a challenge of ours: such a sign-in is known to have begun after whatever has ended
    /// before, within the same second too.
    package func challengedSignIn(
        _ subscriber: String, at carrier: SimulatedIssuer = .aurora
    ) async throws -> HTTPTestAnswer {
        guard let nonce = try await post("/auth/challenge", [:])["nonce"]?.string else {
            throw GatehouseTestingError.noCode("no challenge")
        }
        return try await signIn(
            try await authorize(subscriber, at: carrier, ["nonce": nonce]), ["nonce": .string(nonce)])
    }

    package func refresh(_ token: String) async throws -> HTTPTestAnswer {
        try await call("POST", "/auth/token", form: ["grant_type": "refresh_token", "refresh_token": token])
    }
}

/// Any request.
extension RunningGatehouse {
    /// - Parameter other: the port of another server with the same carriers; nil for this one.
    package func post(
        _ path: String, _ body: JSONValue, _ headers: [String: String] = [:], at other: UInt16? = nil
    ) async throws -> HTTPTestAnswer {
        try await LoopbackClient(port: other ?? port).send(
            "POST", path,
            headers: ["Content-Type": "application/json"].merging(headers) { _, new in new }, body: body.serialized)
    }

    /// - Parameter other: the port of another server with the same carriers; nil for this one.
    package func call(
        _ method: String, _ path: String, bearer: String? = nil, headers: [String: String] = [:],
        form: [String: String]? = nil, at other: UInt16? = nil
    ) async throws -> HTTPTestAnswer {
        var headers = headers
        if let bearer { headers["Authorization"] = "Bearer \(bearer)" }
        if form != nil { headers["Content-Type"] = "application/x-www-form-urlencoded" }
        return try await LoopbackClient(port: other ?? port).send(
            method, path, headers: headers,
            body: form.map { Array(FormText.encode($0).utf8) })
    }
}

extension Simulation {
    /// Has a subscriber approve a sign-in; see ``RunningGatehouse/authorize(_:at:_:)``.
    package func authorize(
        _ subscriber: String, at provider: SimulatedIssuer, _ parameters: [String: String] = [:]
    ) async throws -> Authorized {
        let verifier = Authorized.makeVerifier()
        let approved = { (code: String) in
            Authorized(
                code: code, verifier: verifier, mccmnc: self.mccmnc(of: provider),
                isPlain: provider == .plain)
        }
        let asked = approved("")
        var query = [
            "client_id": asked.clientID, "response_type": "code",
            "scope": "openid profile email phone name postal_code", "redirect_uri": asked.redirectURI, "state": "s",
            "prompt": "none", "login_hint": subscriber, "code_challenge": Authorized.challenge(verifier),
            "code_challenge_method": "S256",
        ]
        query.merge(parameters) { _, new in new }
        query = query.filter { !$0.value.isEmpty }
        let answer = try await LoopbackClient(port: port(of: provider)).send(
            "GET", "/authorize?" + FormText.encode(query))
        let location = answer.header("location") ?? "\(answer.status) \(answer.text)"
        guard let code = URLComponents(string: location)?.queryItems?.first(where: { $0.name == "code" })?.value else {
            throw GatehouseTestingError.noCode(location)
        }
        return approved(code)
    }

    private func port(of issuer: SimulatedIssuer) throws -> UInt16 {
        guard let port = URLComponents(string: url(of: issuer))?.port else { throw URLError(.badURL) }
        return UInt16(port)
    }
}
