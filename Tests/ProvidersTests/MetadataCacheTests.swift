import EventLoop
import HTTPClient
import JSON
import Patience
import Providers
import Synchronization
import System
import TestSupport
import Testing

/// Discovery that knows one network, and a crowd that asks for others.
@Suite(.timeLimit(.minutes(10))) struct `What is remembered of networks` {
    private static let network = "310260"

    private let transport = ScriptedTransport()
    private let carrier = SigningProvider()
    private let start = MonotonicTime.now

    init() {
        let metadata = carrier.metadata
        transport.answer(ProviderConfiguration.discoveryURL) { request in
            .success(.json(request.query.hasSuffix(Self.network) ? metadata : ["error": "provider_not_found"]))
        }
    }

    private func failure(
        _ provider: Provider, _ mccmnc: String = network, after time: Duration = .zero
    ) async -> ProviderCallError? {
        await provider.failure(serving: MobileNetwork(mccmnc), through: transport, at: start + time)
    }

    private func lookups(_ mccmnc: String = network) -> Int {
        transport.requests.count { $0.query.hasSuffix(mccmnc) }
    }

    private static func madeUp(_ number: Int) -> String { String(900_000 + number) }

    @Test func `what is remembered of networks is a good document, however many networks are made up meanwhile`() async
    {
        let provider = Provider(.zenkey())
        #expect(await failure(provider) == nil)
        for number in 0..<5000 {
            // As slowly as it takes for every one of them to be looked up.
            let time = Duration.milliseconds(100 * number)
            #expect(await failure(provider, Self.madeUp(number), after: time) == .noCarrier(discoveryUI: nil))
        }
        #expect(await failure(provider, after: .seconds(500)) == nil)
        #expect(lookups() == 1)
    }

    @Test func `costs discovery a hundred requests for made-up ones at once, and ten more a second`() async {
        let provider = Provider(.zenkey())
        #expect(await failure(provider) == nil)
        let before = transport.requests.count
        var refused = 0
        for number in 0..<1000 where await failure(provider, Self.madeUp(number)) == .tooManyLookups { refused += 1 }
        #expect(transport.requests.count - before <= 100)
        #expect(refused >= 900)
        for number in 1000..<2000 { _ = await failure(provider, Self.madeUp(number), after: .seconds(1)) }
        #expect(transport.requests.count - before <= 110)
        #expect(await failure(provider, after: .seconds(1)) == nil)
    }

    @Test func `what is remembered of networks is for a minute that nobody serves one`() async {
        let provider = Provider(.zenkey())
        for seconds in [0, 1, 30, 59] {
            #expect(
                await failure(provider, "999999", after: .seconds(seconds)) == .noCarrier(discoveryUI: nil))
        }
        #expect(lookups("999999") == 1)
        _ = await failure(provider, "999999", after: .seconds(70))
        #expect(lookups("999999") == 2)
    }

    @Test func `what is remembered of networks is asked for once by all who wait for it`() async {
        let provider = Provider(.zenkey())
        let gate = Gate()
        let metadata = carrier.metadata
        transport.answer(ProviderConfiguration.discoveryURL) { _ in
            await gate.pass()
            return .success(.json(metadata))
        }
        await withTaskGroup { group in
            for _ in 0..<200 { group.addTask { #expect(await self.failure(provider) == nil) } }
            await gate.arrivals()
            gate.open()
        }
        #expect(transport.requests.count == 1)
    }

    static let falseAnswers: [OutboundResponse] = [
        .json(["error": "provider_not_found"]), .json(["error": "server_error"]), .page, .page(status: 500),
        .page(status: 404), .json(["issuer": "https://carrier.example"]),
        .json(SigningProvider(issuer: "https://evil.example").metadata),
        .json(SigningProvider(issuer: "https://carrier.example?a=b").metadata), .json([]),
        .text("{", type: "application/json"),
    ]

    @Test(arguments: falseAnswers)
    func `stays good when a later answer is false or none`(answer: OutboundResponse) async throws {
        let provider = Provider(.zenkey { $0.cacheBounds = Self.briefly(stale: .seconds(3600)) })
        #expect(await failure(provider) == nil)
        transport.answer(ProviderConfiguration.discoveryURL, answer)
        let later = MonotonicTime.now - start + .seconds(1)
        #expect(await failure(provider, after: later) == nil)
        try await eventually("another request") { transport.requests.count >= 2 }
        for _ in 0..<20 {
            #expect(await failure(provider, after: later) == nil)
            await Task.yield()
        }
    }

    @Test func `what is remembered of networks is good no longer than its bound when only false answers come`() async {
        let provider = Provider(.zenkey { $0.cacheBounds = Self.briefly(stale: .seconds(3600)) })
        #expect(await failure(provider) == nil)
        transport.answer(ProviderConfiguration.discoveryURL, json: ["error": "provider_not_found"])
        #expect(await failure(provider, after: .seconds(3700)) == .noCarrier(discoveryUI: nil))
    }

    private static func briefly(stale: Duration) -> CacheBounds {
        CacheBounds(
            usual: .zero, shortest: .zero, longest: .zero, stale: stale, afterFailure: .zero, afterMiss: .zero)
    }

    @Test func `what is remembered of networks is looked up again after a failure, and then for good`() async {
        let provider = Provider(.zenkey())
        transport.answer(ProviderConfiguration.discoveryURL, .page(status: 500))
        #expect(await failure(provider) == .status(500))
        let metadata = carrier.metadata
        transport.answer(ProviderConfiguration.discoveryURL, json: metadata)
        #expect(await failure(provider, after: .seconds(20)) == nil)
        #expect(await failure(provider, after: .seconds(21)) == nil)
        #expect(transport.requests.count == 2)
    }

    @Test func `what is remembered of networks never keeps a configured issuer from being looked up`() async {
        let provider = Provider(
            .openID {
                $0.cacheBounds = Self.briefly(stale: .zero)
                $0.circuit.failures = .max
            })
        transport.answer(carrier.metadataURL, .page(status: 500))
        for number in 0..<300 {
            #expect(await failure(provider, after: .seconds(600 + number)) == .status(500))
        }
        #expect(transport.requests.count == 300)
    }
}

@Suite struct `The page for choosing a carrier` {
    private let transport = ScriptedTransport()

    private func page(_ provider: Provider) async -> String? {
        await (try? provider.client(through: transport))?.discoveryUI()
    }

    private func answer(_ page: String) {
        transport.answer(
            ProviderConfiguration.discoveryURL,
            json: ["error": "provider_not_found", "redirect_uri": .string(page)])
    }

    @Test func `the page for choosing a carrier is the configured one`() async {
        answer("https://app.example/named")
        #expect(await page(Provider(.zenkey { $0.discoveryUI = "https://app.example/ui" })) == "https://app.example/ui")
        #expect(transport.requests.isEmpty)
    }

    @Test func `the page for choosing a carrier is asked for once when discovery has named none yet`() async {
        answer("https://app.example/named")
        let provider = Provider(.zenkey())
        for _ in 0..<3 { #expect(await page(provider) == "https://app.example/named") }
        #expect(transport.requests.map(\.query) == ["client_id=ccid-0123456789abcdef&prompt=true"])
    }

    @Test func `the page for choosing a carrier is the one that discovery named last`() async {
        answer("https://app.example/named")
        let provider = Provider(.zenkey())
        _ = await provider.failure(serving: MobileNetwork("999999"), through: transport)
        #expect(await page(provider) == "https://app.example/named")
        #expect(transport.requests.count == 1)
    }

    @Test func `the page for choosing a carrier is none where discovery names none or can't be asked`() async {
        transport.answer(ProviderConfiguration.discoveryURL, json: SigningProvider().metadata)
        #expect(await page(Provider(.zenkey())) == nil)
        transport.fail(ProviderConfiguration.discoveryURL, .couldNotConnect)
        #expect(await page(Provider(.zenkey())) == nil)
        #expect(await page(Provider(.openID())) == nil)
    }
}
