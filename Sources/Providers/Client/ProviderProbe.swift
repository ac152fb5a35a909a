internal import Crypto
public import HTTPClient
internal import JOSE
internal import JSON
internal import Synchronization
internal import Syntax
internal import System
internal import Telemetry

/// Asks a provider what a sign-in would, and judges the answers: for an operator who sets one up, or wants to know why
/// sign-ins fail.
///
/// The code that it presents is made up, so that nothing comes of it: that the provider refuses it as a code, and not
/// us as a client, is what shows that all is well.
public struct ProviderProbe: Sendable {
    public enum Step: String, Sendable, CaseIterable {
        /// Where the metadata lies, over the network and TLS, and whether it names the issuer that was asked.
        case discovery
        /// What a carrier announces that it can tell of its subscribers, where it announces anything.
        case signals
        /// Whether the provider's clock shows what ours does.
        case clock
        /// Whether there are keys for the algorithms that are allowed.
        case keys
        /// Whether the token endpoint knows us.
        case token
        /// Whether access tokens that apps hold can be proven as the section says, where it says so by introspection.
        case exchange
        /// Whether it compares verifiers, where there is a code to try that with.
        case pkce
    }

    public struct Finding: Sendable, Equatable {
        public let step: Step
        public let isGood: Bool
        /// What was seen, and where it is not good what to do; nothing in it is secret.
        public let sentence: String
        /// What was announced, of ``Step/signals``, by the names of the members of its metadata.
        public var announced: [(member: String, names: [String])] = []

        public static func == (left: Finding, right: Finding) -> Bool {
            left.step == right.step && left.isGood == right.isGood && left.sentence == right.sentence
        }
    }

    private static let codeBytes = 16
    static let verifierBytes = 32
    /// Beyond it `clockSkewSeconds`, which is a minute mostly, is used up sooner than it should.
    private static let greatestClockDifferenceSeconds: Int64 = 5

    let provider: Provider
    private let transport: WatchedTransport
    let call = CallContext(.none, partOf: nil)
    let redirectURI: String
    private let network: MobileNetwork?
    private let signedIn: SignedInCode?
    let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - redirectURI: what the request names, where the provider's section has none.
    ///   - network: a mobile network whose carrier is asked, for providers that are found by one.
    ///   - signedIn: a code that somebody has signed in for, which is used up.
    ///   - now: seconds since 1970.
    public init(
        _ provider: Provider, through transport: any HTTPTransport, redirectURI: String, network: MobileNetwork?,
        signedIn: SignedInCode? = nil, now: @escaping @Sendable () -> Int64
    ) {
        self.provider = provider
        self.transport = WatchedTransport(transport: transport)
        self.redirectURI = provider.configuration.redirectURIs.first ?? redirectURI
        (self.network, self.signedIn, self.now) = (network, signedIn, now)
    }

    /// - Returns: one finding for each step, up to the first one without which there are no others.
    public func run() async -> [Finding] {
        guard let client = ProviderClient(entering: provider, through: transport, in: call) else { return [] }
        let issuer: ProviderMetadata
        do throws(ProviderError) {
            issuer = try await client.issuer(serving: network)
        } catch {
            return [
                Finding(
                    step: .discovery, isGood: false,
                    sentence: ProbeWords.sentence(error, call.facts, by: provider.dialect.title))
            ]
        }
        var findings = [Finding(step: .discovery, isGood: true, sentence: "the issuer is \(issuer.issuer)")]
        if let signals = Self.signals(of: issuer) { findings.append(signals) }
        if let clock = clock() { findings.append(clock) }
        findings.append(await keys(of: issuer, client))
        findings.append(await token(at: issuer, client))
        if let exchange = exchange(at: issuer) { findings.append(exchange) }
        if let signedIn { findings.append(await pkce(of: signedIn, at: issuer, client)) }
        return findings
    }

    /// - Returns: nil where no access token is asked about.
    private func exchange(at issuer: ProviderMetadata) -> Finding? {
        guard provider.configuration.tokenExchange?.rule == .introspection else { return nil }
        guard issuer.introspectionEndpoint != nil else {
            let sentence =
                "its metadata name no introspection_endpoint that can be asked, so tokenExchange: introspection signs nobody "
                + "in: set tokenExchange: jwt, where its access tokens are JWTs for us, or false"
            return Finding(step: .exchange, isGood: false, sentence: sentence)
        }
        return Finding(step: .exchange, isGood: true, sentence: "names an introspection_endpoint for access tokens")
    }

    /// - Returns: nil where the provider announces nothing.
    private static func signals(of issuer: ProviderMetadata) -> Finding? {
        let announced = [("usertraits_supported", issuer.userTraits), ("events_supported", issuer.events)]
            .filter { !$0.1.isEmpty }
            .map { (member: $0.0, names: $0.1.map { PrintableName($0).description }) }
        if announced.isEmpty { return nil }
        let words = announced.map { "\($0.member): \($0.names.joined(separator: ", "))" }.joined(separator: "; ")
        return Finding(
            step: .signals, isGood: true, sentence: "it announces \(words)", announced: announced)
    }

    /// - Returns: nil where the provider does not say what time it is.
    private func clock() -> Finding? {
        guard let date = transport.lastDate, let theirs = CalendarTime.seconds(imfFixdate: date) else { return nil }
        let difference = theirs - now()
        // The answer has a second's precision, and was on its way.
        guard difference.magnitude > Self.greatestClockDifferenceSeconds.magnitude else {
            return Finding(step: .clock, isGood: true, sentence: "the clocks agree")
        }
        let direction = difference > 0 ? "ahead of" : "behind"
        return Finding(
            step: .clock, isGood: difference.magnitude <= provider.configuration.clockSkewSeconds.magnitude,
            sentence: "the provider's clock is \(difference.magnitude) s \(direction) this machine's: "
                + "clockSkewSeconds allows \(provider.configuration.clockSkewSeconds)")
    }

    private func keys(of issuer: ProviderMetadata, _ client: borrowing ProviderClient) async -> Finding {
        let set: JWKSet
        do throws(ProviderCallError) {
            let answer = try await client.transport.send(
                client.transport.get(
                    issuer.keysEndpoint, accepting: "application/jwk-set+json, application/json"), for: .keys)
            set = try ProviderKeys.keys(in: answer)
        } catch {
            let problem = ProviderError.call(ProviderProblem(.keys, error))
            return Finding(
                step: .keys, isGood: false, sentence: ProbeWords.sentence(problem, nil, by: provider.dialect.title))
        }
        let allowed = provider.configuration.algorithms
        let counts = allowed.map { algorithm in (algorithm, set.keys.count { $0.algorithms.contains(algorithm) }) }
        let words = counts.map { "\($0.0.rawValue): \($0.1)" }.joined(separator: ", ")
        guard counts.contains(where: { $0.1 > 0 }) else {
            let sentence = "no key is for what algorithms allows (\(words)); look which ones the provider signs with"
            return Finding(step: .keys, isGood: false, sentence: sentence)
        }
        guard set.publishedPrivateKeys.isEmpty else {
            let sentence =
                "keys for \(words), and the private halves of others, with which anybody can sign: tell the provider"
            return Finding(step: .keys, isGood: false, sentence: sentence)
        }
        return Finding(step: .keys, isGood: true, sentence: "keys for \(words)")
    }

    private func token(at issuer: ProviderMetadata, _ client: borrowing ProviderClient) async -> Finding {
        if issuer.tokenEndpoint == nil, provider.configuration.nativeTokens != nil {
            let sentence = "its metadata name no token endpoint: only ID tokens that apps post sign users in"
            return Finding(step: .token, isGood: true, sentence: sentence)
        }
        let request = TokenRequest(
            code: Random.token(byteCount: Self.codeBytes), redirectURI: redirectURI,
            codeVerifier: provider.configuration.requiresPKCE ? Random.token(byteCount: Self.verifierBytes) : nil,
            correlationID: nil, sdkVersion: nil)
        do throws(ProviderError) {
            _ = try await client.exchange(request, at: issuer, now: now())
            return Finding(step: .token, isGood: false, sentence: "gives tokens for a code that is made up")
        } catch {
            let isGood = ProbeWords.isRefusalOfCode(error)
            return Finding(
                step: .token, isGood: isGood,
                sentence: ProbeWords.sentence(error, call.facts, by: provider.dialect.title))
        }
    }
}

/// Keeps what time it was at the host that has answered last.
private final class WatchedTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let date = Mutex<String?>(nil)

    init(transport: any HTTPTransport) {
        self.transport = transport
    }

    var lastDate: String? { date.withLock(\.self) }

    func send(_ request: OutboundRequest) async throws(HTTPClientError) -> OutboundResponse {
        let response = try await transport.send(request)
        date.withLock { $0 = response.header("date") }
        return response
    }
}

extension ProviderProbe {
    /// A code that the operator has signed in for, with the verifier of the request's challenge by S256.
    public struct SignedInCode: Sendable {
        let code: String
        let verifier: String
        /// The request's; nil for that of the provider's section.
        let redirectURI: String?

        public init(code: String, verifier: String, redirectURI: String?) {
            (self.code, self.verifier, self.redirectURI) = (code, verifier, redirectURI)
        }
    }

    /// Tries the code with a wrong verifier, and where that is refused with the right one. Of the tokens that come
    /// nothing is kept.
    func pkce(
        of signedIn: SignedInCode, at issuer: ProviderMetadata, _ client: borrowing ProviderClient
    ) async -> Finding {
        switch await answer(to: signedIn, verifier: Random.token(byteCount: Self.verifierBytes), issuer, client) {
        case .tokens:
            let sentence =
                "gives tokens for a wrong verifier: it passes PKCE over, so that a code is good for anybody who comes by it; set "
                + "pkce: ignored, and every posted code needs a nonce"
            return Finding(step: .pkce, isGood: false, sentence: sentence)
        case .failed(let sentence): return Finding(step: .pkce, isGood: false, sentence: sentence)
        case .refused: break
        }
        switch await answer(to: signedIn, verifier: signedIn.verifier, issuer, client) {
        case .tokens:
            return Finding(step: .pkce, isGood: true, sentence: "refuses a wrong verifier, and takes the right one")
        case .refused:
            let sentence =
                "refuses the code with either verifier: the wrong one may have used it up, or it was no good from the start (too "
                + "old, used, of another client or redirect URI); nothing is shown of PKCE"
            return Finding(step: .pkce, isGood: false, sentence: sentence)
        case .failed(let sentence): return Finding(step: .pkce, isGood: false, sentence: sentence)
        }
    }

    /// What came of an exchange.
    private enum Answer {
        case tokens
        /// As the code's or the verifier's fault.
        case refused
        /// For another reason.
        case failed(String)
    }

    private func answer(
        to signedIn: SignedInCode, verifier: String, _ issuer: ProviderMetadata, _ client: borrowing ProviderClient
    ) async -> Answer {
        let request = TokenRequest(
            code: signedIn.code, redirectURI: signedIn.redirectURI ?? redirectURI, codeVerifier: verifier,
            correlationID: nil, sdkVersion: nil)
        do throws(ProviderError) {
            _ = try await client.exchange(request, at: issuer, now: now())
            return .tokens
        } catch {
            return ProbeWords.isRefusalOfVerifier(error)
                ? .refused : .failed(ProbeWords.sentence(error, call.facts, by: provider.dialect.title))
        }
    }
}
