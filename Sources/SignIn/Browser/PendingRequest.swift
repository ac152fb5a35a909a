internal import Accounts
internal import Apps
internal import Crypto
internal import JSON
internal import Providers
import Syntax

/// What is remembered of an app's request while its user is at the provider.
struct PendingRequest: Sendable {
    /// What the browser was sent away for.
    enum Stage: Equatable, Sendable {
        /// Nowhere yet, and no browser has come for it: the first one that does has it.
        case unopened
        /// Nowhere yet: the user is asked whether the app is the one that they have just used.
        case asking
        /// To choose a carrier.
        case choosingCarrier
        /// To sign in with the issuer of that name, with a nonce and a verifier of ours; without the latter where the
        /// provider takes none.
        case signingIn(issuer: String, nonce: String, codeVerifier: String?)
        /// It has come back elsewhere, with that code, and the user there is asked whether it is theirs.
        case confirming(issuer: String, nonce: String, codeVerifier: String?, code: String, toldIssuer: String?)
        /// The user is signed in, and is asked whether the app may have what it asks for: that session, by that code.
        case consenting(session: SessionID, code: String)
    }

    /// How the user has confirmed an app that can be imitated.
    enum Confirmation: String, Sendable {
        /// In this sign-in.
        case given
        /// In an earlier one: this one counts only if the provider has the user authenticate in it.
        case earlier
    }

    /// The configured name of the provider: an answer that comes back to another one's address is not for this. While
    /// the user is asked and may choose, it is the first of them.
    var provider: String
    let clientID: String
    let redirectURI: String
    let state: String?
    let nonce: String?
    let codeChallenge: String
    let permissions: Permissions
    let audience: String?
    /// One for all requests of the sign-in.
    let correlationID: String
    var carried: CarriedParameters
    var stage = Stage.choosingCarrier
    /// When the browser was sent to the provider, in seconds since 1970; nil before that, and where an earlier version
    /// has written it.
    var sentAt: Int64?
    /// When the app's request came, in milliseconds since 1970; nil where an earlier version has written it.
    var begunAt: Int64?
    /// Whether the carrier was chosen anew, after the first did not know the user.
    var hasChosenAgain = false
    /// nil where nobody can imitate the app.
    var confirmation: Confirmation?
    /// The session whose user gets one more identity by it; nil where it signs somebody in.
    var linking: SessionID?

    init(_ request: AppRequest, provider: String, at milliseconds: Int64) {
        self.provider = provider
        begunAt = milliseconds
        clientID = request.address.app.clientID
        redirectURI = request.address.redirectURI
        state = request.address.state
        nonce = request.nonce
        codeChallenge = request.codeChallenge
        permissions = request.permissions
        audience = request.audience
        carried = request.carried
        correlationID = request.carried.correlationID ?? Hexadecimal.encode(Random.bytes(8))
    }

    /// One more identity for a signed-in user, through the browser.
    ///
    /// - Parameter session: whose user it is for.
    init(
        linkingTo session: SessionID, at address: AppAddress, provider: String, carried: CarriedParameters,
        at milliseconds: Int64
    ) {
        (self.provider, self.carried) = (provider, carried)
        clientID = address.app.clientID
        redirectURI = address.redirectURI
        state = address.state
        (nonce, audience, codeChallenge) = (nil, nil, "")
        permissions = address.app.granted([])
        correlationID = carried.correlationID ?? Hexadecimal.encode(Random.bytes(8))
        begunAt = milliseconds
        stage = .unopened
        linking = session
    }

    /// Whether the user can be asked for a carrier: who has not said one yet, or said one once that does not serve
    /// them.
    var mayChooseCarrier: Bool { !carried.isSilent && (carried.network == nil || !hasChosenAgain) }

    /// Where the app's answer goes; nil when the app was taken out of the configuration meanwhile, or the address from
    /// it.
    func address(_ apps: AppRegistry, issuer: String) -> AppAddress? {
        guard let app = apps[clientID], app.allows(redirectURI: redirectURI) else { return nil }
        return AppAddress(app: app, redirectURI: redirectURI, state: state, issuer: issuer)
    }
}

/// The `state` of a request to a provider: random, and the only key to what the store keeps under its hash. The store,
/// or a backup of it, shows neither the verifier nor whose sign-in it is.
struct PendingHandle: Sendable {
    private static let byteCount = 32
    private static let purpose = Array("gatehouse pending sign-in".utf8)

    let text: String

    /// - Parameter browser: the key of the sign-in, whose mark it begins with. The rest, 184 bits, is random and
    ///   the secret.
    init(for browser: BrowserKey) {
        text = browser.mark.text + Random.token(byteCount: Self.byteCount - SignInMark.byteCount)
    }

    /// - Returns: nil for what was never one.
    init?(_ text: String) {
        guard text.utf8.count == Base64URL.encodedCount(of: Self.byteCount), Base64URL.decode(text) != nil else {
            return nil
        }
        self.text = text
    }

    var hash: TokenHash { TokenHash(sha256: text) }
    /// Whose it is in its browser; of one that an earlier version has drawn, nobody's.
    var mark: SignInMark? { SignInMark(text.prefix(SignInMark.characterCount)) }

    func seal(_ content: [UInt8]) throws(CryptoError) -> [UInt8] {
        try AEAD.seal(content, key: key(), associatedData: hash.bytes)
    }

    /// - Returns: nil when it was sealed under another handle.
    func opened(_ sealed: [UInt8]) -> [UInt8]? {
        try? AEAD.open(sealed, key: key(), associatedData: hash.bytes)
    }

    /// - Returns: nil also for what is no request, or was written otherwise by another version.
    func open(_ sealed: [UInt8]) -> PendingRequest? { opened(sealed).flatMap(PendingRequest.init(encoded:)) }

    private func key() throws(CryptoError) -> SymmetricKey {
        try SymmetricKey(Secret(HMAC.sha256(Self.purpose, key: Array(text.utf8))))
    }
}

extension PendingRequest {
    var encoded: [UInt8] {
        var writer = JSONWriter(reservingCapacity: 1024)
        writer.object { body in
            body.member("provider", provider)
            body.member("client_id", clientID)
            body.member("redirect_uri", redirectURI)
            if let state { body.member("state", state) }
            if let nonce { body.member("nonce", nonce) }
            body.member("code_challenge", codeChallenge)
            body.member("scope", permissions.scope)
            if let audience { body.member("resource", audience) }
            body.member("correlation_id", correlationID)
            body.member("again", hasChosenAgain)
            if let sentAt { body.member("sent_at", sentAt) }
            if let begunAt { body.member("begun_at", begunAt) }
            if let confirmation { body.member("confirmation", confirmation.rawValue) }
            if let linking { body.member("linking", linking.description) }
            if let network = carried.network { body.member("mccmnc", network.mccmnc) }
            body.name("carried")
            body.object { carried in for field in self.carried.values { carried.member(field.name, field.value) } }
            body.stage(stage)
        }
        return writer.bytes
    }

    fileprivate init?(encoded: [UInt8]) {
        guard let document = try? JSONValue(parsing: encoded.span), let provider = document["provider"]?.string,
            let clientID = document["client_id"]?.string, let redirectURI = document["redirect_uri"]?.string,
            let codeChallenge = document["code_challenge"]?.string, let scope = document["scope"]?.string,
            let correlationID = document["correlation_id"]?.string, let again = document["again"]?.boolean,
            let carried = document["carried"]?.object, let stage = Stage(document)
        else { return nil }
        (self.provider, self.clientID, self.redirectURI) = (provider, clientID, redirectURI)
        state = document["state"]?.string
        nonce = document["nonce"]?.string
        self.codeChallenge = codeChallenge
        permissions = Permissions(scope: scope)
        audience = document["resource"]?.string
        self.correlationID = correlationID
        hasChosenAgain = again
        sentAt = document["sent_at"]?.integer
        begunAt = document["begun_at"]?.integer
        confirmation = document["confirmation"]?.string.flatMap(Confirmation.init)
        // What can't be read must not be taken for a sign-in.
        if let session = document["linking"]?.string {
            guard let session = SessionID(session) else { return nil }
            linking = session
        }
        self.stage = stage
        self.carried = CarriedParameters()
        for member in carried.members { self.carried[member.name] = member.value.string }
        self.carried.network = document["mccmnc"]?.string.flatMap { MobileNetwork($0) }
    }
}

extension JSONWriter {
    fileprivate mutating func stage(_ stage: PendingRequest.Stage) {
        switch stage {
        case .choosingCarrier: return
        case .unopened: member("unopened", true)
        case .asking: member("asking", true)
        case .consenting(let session, let code):
            member("session", session.description)
            member("app_code", code)
        case .signingIn(let issuer, let nonce, let codeVerifier):
            member("issuer", issuer)
            member("own_nonce", nonce)
            if let codeVerifier { member("code_verifier", codeVerifier) }
        case .confirming(let issuer, let nonce, let codeVerifier, let code, let toldIssuer):
            self.stage(.signingIn(issuer: issuer, nonce: nonce, codeVerifier: codeVerifier))
            member("code", code)
            if let toldIssuer { member("iss", toldIssuer) }
        }
    }
}

extension PendingRequest.Stage {
    fileprivate init?(_ document: JSONValue) {
        if let session = document["session"]?.string.flatMap({ SessionID($0) }), let code = document["app_code"]?.string
        {
            self = .consenting(session: session, code: code)
            return
        }
        guard let issuer = document["issuer"]?.string else {
            self =
                document["unopened"]?.boolean == true
                ? .unopened : document["asking"]?.boolean == true ? .asking : .choosingCarrier
            return
        }
        guard let nonce = document["own_nonce"]?.string else { return nil }
        let codeVerifier = document["code_verifier"]?.string
        if let code = document["code"]?.string {
            self = .confirming(
                issuer: issuer, nonce: nonce, codeVerifier: codeVerifier, code: code,
                toldIssuer: document["iss"]?.string)
        } else {
            self = .signingIn(issuer: issuer, nonce: nonce, codeVerifier: codeVerifier)
        }
    }
}
