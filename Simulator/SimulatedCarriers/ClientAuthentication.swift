internal import Crypto
internal import HTTPServer
import Syntax

/// Client authentication at the token endpoint (RFC 6749 §2.3.1).
struct ClientAuthentication {
    let world: World
    let provider: Provider

    /// Who asks.
    ///
    /// - Throws: `invalid_client` for wrong credentials or a way the client is not registered for; `invalid_request`
    ///   for more than one way at once.
    func client(_ request: HTTPRequest, _ form: Fields) throws(OAuthError) -> SimulatedClient {
        let fields = request.headers("Authorization")
        guard let field = fields.first else {
            return try form["client_assertion"] == nil ? clientByPost(form) : clientByAssertion(form)
        }
        guard fields.count == 1, form["client_secret"] == nil, form["client_assertion"] == nil else {
            throw .invalidRequest("The client authenticates in more than one way.")
        }
        let (id, secret) = try credentials(field)
        if let stated = form["client_id"] {
            guard !provider.profile.refusesClientIDBesideBasic else {
                throw .invalidRequest("A client_id in the body does not go with Basic authentication.")
            }
            guard stated == id else { throw .invalidRequest("The client_id differs from the one in the header.") }
        }
        guard let client = world.client(id, at: provider.issuer), client.authentication.contains(.basic),
            isEqual(client.secret, secret)
        else { throw refusal }
        return client
    }

    /// Who asks, by what stands in the form alone.
    func clientByPost(_ form: Fields) throws(OAuthError) -> SimulatedClient {
        guard let client = world.client(form["client_id"], at: provider.issuer) else { throw refusalWithoutChallenge }
        if client.authentication.contains(.publicClient) {
            guard form["client_secret"] == nil else { throw refusal(.secretOfPublicClient) }
            return client
        }
        if client.authentication.contains(.apple) {
            let secret = form["client_secret"].flatMap(ClientAssertion.init)
            guard let secret, secret.holdsAsSecret(of: client, keys: world.keys(of: client), now: World.now) else {
                throw refusalWithoutChallenge
            }
            return client
        }
        guard client.authentication.contains(.post), isEqual(client.secret, form["client_secret"] ?? "")
        else { throw refusal(form["client_secret"] == nil ? .missingSecret : .client) }
        return client
    }

    /// RFC 7521 §4.2. Each assertion is good once.
    private func clientByAssertion(_ form: Fields) throws(OAuthError) -> SimulatedClient {
        guard form["client_secret"] == nil else {
            throw .invalidRequest("The client authenticates in more than one way.")
        }
        let now = World.now
        let issuer = world.url(provider.issuer)
        guard form["client_assertion_type"] == ClientAssertion.type,
            let assertion = form["client_assertion"].flatMap(ClientAssertion.init),
            form["client_id"] ?? assertion.clientID == assertion.clientID,
            let client = world.client(assertion.clientID, at: provider.issuer),
            assertion.holds(
                for: client, keys: world.keys(of: client),
                audiences: [issuer + provider.profile.path("token"), issuer], now: now),
            provider.isFirstUse(ofAssertion: assertion.identifier, by: client.id, now: now)
        else { throw refusalWithoutChallenge }
        return client
    }

    /// The two halves of Basic credentials, each form-encoded by itself.
    private func credentials(_ field: String) throws(OAuthError) -> (id: String, secret: String) {
        let words = field.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "basic", let bytes = Base64.decode(String(words[1])),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw refusal }
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, let id = Fields.decode(halves[0]), let secret = Fields.decode(halves[1]) else {
            throw refusal
        }
        return (id, secret)
    }

    /// RFC 6749 §5.2: 401 with a challenge when the header was tried.
    private var refusal: OAuthError {
        OAuthError(
            "invalid_client", "The client could not be authenticated.", status: .unauthorized,
            challenge: "Basic realm=\"\(provider.issuer.rawValue)\"", fault: .client)
    }

    private var refusalWithoutChallenge: OAuthError { refusal(.client) }

    private func refusal(_ fault: TokenFault) -> OAuthError {
        OAuthError("invalid_client", "The client could not be authenticated.", status: .unauthorized, fault: fault)
    }

    private func isEqual(_ left: String, _ right: String) -> Bool {
        constantTimeEqual(Array(left.utf8), Array(right.utf8))
    }
}
