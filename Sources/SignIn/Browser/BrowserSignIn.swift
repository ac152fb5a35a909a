public import Accounts
public import Apps
internal import Crypto
internal import HTTPClient
public import Providers
public import Syntax
internal import System

/// The sign-in through the browser: from an app's authorization request to the provider, and back to the app with a
/// code.
///
/// Three secrets tie it together. `state` finds what was remembered, once; a cookie shows that it comes back to the
/// browser that began it, or somebody else's sign-in could be finished here; the verifier of the app's challenge never
/// leaves the app, so that the code is good for nobody who sees it.
public struct BrowserSignIn: Sendable {
    /// How long the user may take at the provider, in seconds.
    public static let lifetimeSeconds: Int64 = 600

    /// What the browser does next.
    public enum Step: Sendable {
        /// On to the provider, for another carrier.
        case goOn(to: String)
        /// Back to the app with a code. The key is used up.
        case finished(to: String, SignedIn, by: BrowserKey)
        /// Back to the app with a code for a ticket, since nobody is registered with the identity. The key is used up.
        case unlinked(to: String, by: BrowserKey)
        /// Back to the app: its user has one more identity. The key is used up.
        case linked(to: String, by: BrowserKey)
        /// It asks its user whether the app is the one that they have just used.
        case ask(AppAddress, Permissions, providers: [String], token: String)
        /// On to the provider, since its user has said so.
        case confirmed(AppAddress, to: String)
        /// It asks its user whether the sign-in is theirs.
        case confirm(app: RegisteredApp, provider: String, token: String, browser: BrowserKeys, redirectURI: String)
        /// It asks its user whether the app may have what it asks for. The user is signed in.
        case askForConsent(AppAddress, Permissions, SignedIn, provider: String, token: String)
        /// Back to the app with a code, since its user has agreed. The key is used up.
        case agreed(to: String, by: BrowserKey)
    }

    /// Why it ends, by who is told.
    public enum Failure: Error {
        /// The person at the browser: there is no app to tell, or none that this browser may go to.
        case page(PageProblem)
        /// The app.
        case app(AppAddress, ServiceError)
    }

    public enum PageProblem: Sendable, Equatable {
        /// What came back is not an answer to anything.
        case malformed(parameter: String)
        /// It is finished already, or took too long.
        case over
        /// Another browser began it.
        case otherBrowser
        case service(ServiceError)
    }

    /// What the operator allows.
    public struct Limits: Sendable {
        /// How many sign-ins may be under way.
        public let maximumPending: Int64
        /// What they may take in the store, in bytes.
        public let maximumBytes: Int64
        /// How many instances begin some in the same store.
        public let instances: Int64
        /// For how long an app that can be imitated stays confirmed in a browser, in seconds; 0 when each sign-in asks.
        public let confirmationSeconds: Int64

        public init(maximumPending: Int64, maximumBytes: Int64, instances: Int64, confirmationSeconds: Int64) {
            (self.maximumPending, self.maximumBytes, self.instances) = (maximumPending, maximumBytes, instances)
            self.confirmationSeconds = confirmationSeconds
        }
    }

    let signIn: SignInWithProvider
    let link: LinkIdentity
    let repository: any BrowserSignInRepository & ConsentRepository & SessionRepository & UserRepository
    let transport: any HTTPTransport
    let apps: AppRegistry
    public let limits: Limits
    let room: PendingSignInRoom
    let clock: Clock
    let configuration: TokenIssuer.Configuration

    /// The name of this service towards its apps, which is its public base URL.
    public let issuer: BaseURL

    /// Validates an app's request, as it comes at this moment.
    public func request(
        _ parameters: AuthorizationParameters, to address: AppAddress
    ) throws(AppRequest.Problem) -> AppRequest {
        try AppRequest(parameters, to: address, now: clock.seconds)
    }

    /// Begins a sign-in.
    ///
    /// - Parameters:
    ///   - browser: what the browser is known again by, in this sign-in and in no other.
    ///   - address: whom the request comes from.
    ///   - hasConfirmed: whether an app that can be imitated was confirmed in this browser before. The user is asked
    ///     again when they come back without having authenticated.
    /// - Returns: the address that the browser goes to: of the provider, or of the page where the user chooses a
    ///   carrier.
    public func begin(
        _ request: AppRequest, with provider: Provider, browser: BrowserKey, of address: IPAddress, hasConfirmed: Bool,
        in call: CallContext
    ) async throws(ServiceError) -> String {
        let network = try networkHash(of: address)
        var pending = PendingRequest(request, provider: provider.configuration.name, at: clock.milliseconds)
        call.correlationID = pending.correlationID
        if hasConfirmed { pending.confirmation = .earlier }
        return try await send(pending, with: request.lineToken, to: provider, browser, network, instead: nil, call)
    }

    /// Whose share of the room a request takes.
    func networkHash(of address: IPAddress) throws(ServiceError) -> NetworkHash {
        do throws(RepositoryError) { return try repository.networkHash(of: address) } catch {
            throw ServiceError(error)
        }
    }

    /// Where everything of a provider comes back to.
    public static func callbackPath(of provider: String) -> String { "/auth/\(provider)/callback" }

    /// The one address to which everything of a provider comes back.
    func callback(_ provider: String) -> String {
        issuer.address(Self.callbackPath(of: provider))
    }

    /// Sends the browser on, once what must be known again is on disk.
    ///
    /// - Parameter lineToken: what goes to the provider and is not remembered.
    func send(
        _ request: PendingRequest, with lineToken: LineToken? = nil, to provider: Provider, _ browser: BrowserKey,
        _ network: NetworkHash, instead: PendingHandle?, _ call: CallContext
    ) async throws(ServiceError) -> String {
        guard let client = ProviderClient(entering: provider, through: transport, in: call) else {
            throw .overloaded
        }
        var pending = request
        let handle = PendingHandle(for: browser)
        let address: String
        do throws(ServiceError) {
            address = try await signInAddress(&pending, lineToken, handle, client)
        } catch .providerNotFound where pending.mayChooseCarrier {
            pending.hasChosenAgain = pending.hasChosenAgain || pending.carried.network != nil
            pending.stage = .choosingCarrier
            address = try await carrierChoice(pending, handle, client)
        }
        guard try await store(pending.encoded, under: handle, browser, network, instead: instead) else {
            throw .notFound
        }
        return address
    }

    private func signInAddress(
        _ pending: inout PendingRequest, _ lineToken: LineToken?, _ handle: PendingHandle,
        _ client: borrowing ProviderClient
    ) async throws(ServiceError) -> String {
        let network = pending.carried.network
        let issuer = try await asked { () throws(ProviderError) in try await client.issuer(serving: network) }
        guard let endpoint = issuer.authorizationEndpoint else {
            throw .providerError(ProviderProblem(.discovery, .invalidMember("authorization_endpoint")))
        }
        // To find the provider may have taken longer than the session of the line lasts.
        if let lineToken, !lineToken.isValid(at: clock.seconds) { throw .authorizationRefused(.expiredLineToken) }
        let configuration = client.provider.configuration
        let nonce = Random.token(byteCount: 32)
        let codeVerifier = configuration.omitsPKCE ? nil : Random.token(byteCount: 32)
        pending.stage = .signingIn(issuer: issuer.issuer, nonce: nonce, codeVerifier: codeVerifier)
        pending.sentAt = clock.seconds
        let request = AuthenticationRequest(
            clientID: configuration.clientID, redirectURI: callback(configuration.name),
            scopes: ProviderScopes(of: configuration, for: pending.clientID, pending.permissions).names,
            state: handle.text, nonce: nonce,
            codeChallenge: codeVerifier.map(PKCE.challenge(of:)),
            responseMode: configuration.responseMode,
            others: pending.carried.values + [("correlation_id", pending.correlationID)]
                + (lineToken.map { [("aloha_token", $0.text)] } ?? []))
        return request.address(at: endpoint)
    }

    /// The page where the user chooses a carrier (ZenKey's discovery UI), which comes back with the carrier's network.
    private func carrierChoice(
        _ pending: PendingRequest, _ handle: PendingHandle, _ client: borrowing ProviderClient
    ) async throws(ServiceError) -> String {
        let provider = client.provider.configuration
        guard let page = await client.discoveryUI(),
            let url = try? EndpointURL(page, allowLoopbackHTTP: provider.allowsLoopbackHTTP)
        else { throw .providerNotFound(discoveryUI: nil) }
        var query = [
            ("client_id", provider.clientID), ("redirect_uri", callback(provider.name)), ("state", handle.text),
        ]
        if pending.hasChosenAgain { query.append(("prompt", "true")) }
        return url.appending(query: query).text
    }

    /// Keeps what must be known again, sealed under its handle.
    ///
    /// - Returns: false when what it was to take the place of is over.
    func store(
        _ content: [UInt8], under handle: PendingHandle, _ browser: BrowserKey, _ network: NetworkHash,
        instead: PendingHandle?, seconds: Int64 = lifetimeSeconds
    ) async throws(ServiceError) -> Bool {
        guard let content = try? handle.seal(content) else { throw .overloaded }
        let now = clock.seconds
        let row = PendingSignIn(
            handle: handle.hash, browser: browser.hash, content: content, expiresAt: now + seconds,
            network: network)
        try await room.admit(row.byteCount, limits) { bounds throws(ServiceError) in
            _ = try await stored { () throws(RepositoryError) in try await repository.boundSignIns(bounds) }
        }
        return try await stored { () throws(RepositoryError) in
            try await repository.beginSignIn(row, instead: instead?.hash, now: now)
        }
    }
}
