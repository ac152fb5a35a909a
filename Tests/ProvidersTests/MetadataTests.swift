import EventLoop
import HTTPClient
import JSON
import Providers
import Syntax
import System
import TestSupport
import Testing

@Suite struct `The metadata of a provider` {
    private let transport = ScriptedTransport()
    private let carrier = SigningProvider()

    private func failure(_ provider: Provider, _ mccmnc: String? = "310260") async -> ProviderCallError? {
        await provider.failure(serving: mccmnc.flatMap { MobileNetwork($0) }, through: transport)
    }

    private func issuer(_ provider: Provider, _ mccmnc: String? = "310260") async -> String? {
        try? await provider.client(through: transport).issuer(serving: mccmnc.flatMap { MobileNetwork($0) }).issuer
    }

    @Test func `the metadata of a provider is asked of the discovery service by client and network`() async throws {
        transport.answer(ProviderConfiguration.discoveryURL, json: carrier.metadata)
        #expect(await issuer(Provider(.zenkey())) == carrier.issuer)
        let request = try #require(transport.requests.first)
        #expect(transport.requests.count == 1)
        #expect(request.method == .get)
        #expect(request.query == "client_id=ccid-0123456789abcdef&mccmnc=310260")
        #expect(request.header("Accept") == "application/json")
        #expect(request.timeout <= .seconds(5))
    }

    @Test func `the metadata of a provider is remembered for each network`() async {
        transport.answer(ProviderConfiguration.discoveryURL, json: carrier.metadata)
        let provider = Provider(.zenkey())
        for network in ["310260", "310260", "311480", "310260", "311480"] { _ = await issuer(provider, network) }
        #expect(transport.requests.map(\.query).map { $0.suffix(6) } == ["310260", "311480"])
    }

    @Test func `the metadata of a provider is nobody's without a network`() async {
        #expect(await failure(Provider(.zenkey()), nil) == .noCarrier(discoveryUI: nil))
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [
        "https://evil.example", "https://former.example", "http://carrier.example",
        "https://carrier.example.evil.example",
    ])
    func `the metadata of a provider is refused when discovery names an issuer that is not trusted`(issuer: String)
        async
    {
        transport.answer(ProviderConfiguration.discoveryURL, json: SigningProvider(issuer: issuer).metadata)
        var metadata = carrier.metadata.object ?? JSONObject()
        metadata[setting: "issuer"] = .string(issuer)
        transport.answer(ProviderConfiguration.discoveryURL, json: .object(metadata))
        #expect(await failure(Provider(.zenkey())) == .untrustedIssuer(PrintableName(issuer)))
        #expect(transport.requests.map(\.address) == [ProviderConfiguration.discoveryURL])
    }

    @Test func `the metadata of a provider is found at the issuer of any other provider`() async {
        carrier.publish(on: transport)
        #expect(await issuer(Provider(.openID()), nil) == carrier.issuer)
        #expect(transport.requests.map(\.url.text) == ["https://carrier.example/.well-known/openid-configuration"])
    }

    @Test(arguments: ["https://carrier.example/", "https://other.example", "https://Carrier.example"])
    func `the metadata of a provider is refused when it names another issuer than the one asked`(issuer: String) async {
        var metadata = carrier.metadata.object ?? JSONObject()
        metadata[setting: "issuer"] = .string(issuer)
        transport.answer(carrier.metadataURL, json: .object(metadata))
        let expected = ProviderCallError.issuerMismatch(
            found: PrintableName(issuer), expected: PrintableName("https://carrier.example"))
        #expect(await failure(Provider(.openID()), nil) == expected)
    }

    @Test func `refuses a name of the issuer that only looks the same`() async {
        // The Kelvin sign, which Unicode has for equal to the letter.
        var metadata = carrier.metadata.object ?? JSONObject()
        metadata[setting: "issuer"] = "https://carrier.example/\u{212A}"
        transport.answer("https://carrier.example/K/.well-known/openid-configuration", json: .object(metadata))
        let provider = Provider(.openID { $0.issuerSource = .configured(issuer: "https://carrier.example/K") })
        guard case .issuerMismatch = await failure(provider, nil) else {
            Issue.record("the metadata of another issuer are taken")
            return
        }
    }

    @Test func `the metadata of a provider is not remembered when it was refused`() async {
        transport.answer(carrier.metadataURL, json: SigningProvider(issuer: "https://other.example").metadata)
        let provider = Provider(.openID { $0.cacheBounds.afterFailure = .zero })
        #expect(await failure(provider, nil) != nil)
        carrier.publish(on: transport)
        #expect(await issuer(provider, nil) == carrier.issuer)
    }

    @Test func `fails as the transport does`() async {
        transport.fail(carrier.metadataURL, .timedOut(requestSent: true))
        #expect(await failure(Provider(.openID()), nil) == .transport(.timedOut(requestSent: true)))
    }

    @Test func `says that discovery found nobody`() async {
        transport.answer(
            ProviderConfiguration.discoveryURL,
            json: ["error": "provider_not_found", "redirect_uri": "https://app.example/ui"])
        let named = ProviderCallError.noCarrier(discoveryUI: "https://app.example/ui")
        #expect(await failure(Provider(.zenkey())) == named)
        #expect(await failure(Provider(.zenkey { $0.discoveryUI = "https://other.example" })) == named)
    }

    @Test func `leads to the configured page where discovery names none`() async {
        transport.answer(ProviderConfiguration.discoveryURL, json: ["error": "provider_not_found"])
        let provider = Provider(.zenkey { $0.discoveryUI = "https://app.example/configured" })
        #expect(await failure(provider) == .noCarrier(discoveryUI: "https://app.example/configured"))
        #expect(await failure(provider, nil) == .noCarrier(discoveryUI: "https://app.example/configured"))
    }

    @Test(arguments: [
        ("https://discovery.example/x", true), ("https://Discovery.example:8443/x", true),
        ("https://carrier.example/x", true),
        ("https://id.former.example/x", false), ("https://former.example/x", false), ("https://keys.example/x", false),
        ("https://x.carrier.example/x", false),
    ])
    func `leads to private addresses only at hosts the operator named`(text: String, isNamed: Bool) throws {
        let url = try EndpointURL(text, allowLoopbackHTTP: false)
        #expect(Provider(.zenkey()).policy(for: url).allowsPrivateAddresses == isNamed)
        #expect(Provider(.zenkey { $0.allowsLoopbackHTTP = true }).policy(for: url).allowsPrivateAddresses)
    }

    @Test func `leads to calls as the operator bounded them`() throws {
        let issuer = try EndpointURL("https://carrier.example/x", allowLoopbackHTTP: false)
        let other = try EndpointURL("https://keys.example/x", allowLoopbackHTTP: false)
        let provider = Provider(
            .openID {
                $0.caFile = "/etc/ca.pem"
                $0.trustedIssuers = []
            })
        #expect(provider.policy(for: issuer).allowsPrivateAddresses)
        #expect(!provider.policy(for: other).allowsPrivateAddresses)
        #expect(provider.policy(for: other).caFile == "/etc/ca.pem")
        #expect(provider.policy(for: other).connectionsPerHost == 4)
        #expect(provider.policy(for: other).maximumBodyBytes == 262_144)
    }

    @Test func `leads to one set of keys for each address of keys`() async throws {
        carrier.publish(on: transport)
        let provider = Provider(.openID())
        for _ in 0..<2 {
            let client = try provider.client(through: transport)
            let issuer = try await client.issuer(serving: nil)
            _ = try await client.verifiedIDToken(
                TokenResponse.holding(try carrier.idToken()), of: issuer, for: carrier.clientID, expecting: .nothing,
                now: SigningProvider.now)
        }
        let request = try #require(transport.requests(to: carrier.keysEndpoint).first)
        #expect(transport.requests(to: carrier.keysEndpoint).count == 1)
        #expect(request.method == .get)
        #expect(request.timeout <= .seconds(5))
    }
}

@Suite struct `A deadline` {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    @Test func `gives each call its time until the whole is used up`() {
        let deadline = Deadline(now: start, total: .seconds(12), perCall: .seconds(5))
        #expect(deadline.nextCall(now: start) == .seconds(5))
        #expect(deadline.nextCall(now: start + .seconds(7)) == .seconds(5))
        #expect(deadline.nextCall(now: start + .seconds(10)) == .seconds(2))
        #expect(deadline.nextCall(now: start + .seconds(12)) == .milliseconds(1))
        #expect(deadline.nextCall(now: start + .seconds(99)) == .milliseconds(1))
    }
}

@Suite struct `A mobile network` {
    @Test(arguments: ["31026", "310260", "00101"])
    func `a mobile network is five or six digits`(text: String) {
        #expect(MobileNetwork(text)?.mccmnc == text)
        #expect(MobileNetwork(text)?.hasSixDigits == (text.utf8.count == 6))
    }

    @Test(arguments: ["", "3102", "3102601", "31026a", "31 260", "+31026", "-31026", "٣١٠٢٦٠", "310.60"])
    func `a mobile network is nothing else`(text: String) {
        #expect(MobileNetwork(text) == nil)
    }
}
