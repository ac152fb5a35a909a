import HTTPClient
import JSON
import Providers
import Synchronization
import Syntax
import System
import TestSupport
import Testing

/// A kind of call to a provider, made by itself: what comes before it on the road has been had.
struct CallKind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let step: ProviderProblem.Step
    /// Where the call goes.
    let url: @Sendable (Port) -> String
    let make: @Sendable (Port, borrowing ProviderClient) async throws -> Void
    /// Whether a second try changes nothing at the provider.
    var isSafe = true

    static let all = [
        CallKind(testDescription: "discovery", step: .discovery) { _ in
            ProviderConfiguration.discoveryURL
        } make: { _, client in
            _ = try await client.issuer(serving: MobileNetwork("310260"))
        },
        CallKind(testDescription: "keys", step: .keys) {
            $0.carrier.keysEndpoint
        } make: { port, client in
            let tokens = try TokenResponse.holding(port.carrier.idToken())
            _ = try await client.verifiedIDToken(
                tokens, of: port.metadata(), for: port.carrier.clientID, expecting: .nothing, now: Port.now)
        },
        CallKind(testDescription: "a former carrier's metadata", step: .keys) {
            $0.former.metadataURL
        } make: {
            _ = try await $1.portTokens(of: $0.portedIDToken(), now: Port.now)
        },
        CallKind(testDescription: "a former carrier's keys", step: .keys) {
            $0.former.keysEndpoint
        } make: {
            _ = try await $1.portTokens(of: $0.portedIDToken(), now: Port.now)
        },
        CallKind(testDescription: "the token endpoint", step: .token) {
            $0.carrier.tokenEndpoint
        } make: {
            let request = TokenRequest(
                code: "code", redirectURI: "https://app.example", codeVerifier: nil, correlationID: nil,
                sdkVersion: nil)
            _ = try await $1.exchange(request, at: $0.metadata(), now: Port.now)
        },
        CallKind(testDescription: "userinfo", step: .userinfo) {
            $0.carrier.userinfoEndpoint
        } make: {
            _ = try await $1.userinfo("access", at: $0.metadata(), of: $0.idToken(aka: nil).subject)
        },
    ].map { kind in
        var kind = kind
        kind.isSafe = kind.step != .token
        return kind
    }

    /// Why the call gives nothing; nil when it gives what it should.
    func failure(_ port: Port, _ client: borrowing ProviderClient) async throws -> ProviderCallError? {
        do {
            try await make(port, client)
            return nil
        } catch ProviderError.call(let problem) {
            #expect(problem.step == step)
            return problem.failure
        }
    }
}

extension Port {
    /// Everything that is called answers as it should, and nothing that failed is remembered.
    static func answering(_ change: @escaping (inout ProviderConfiguration) -> Void = { _ in }) throws -> Port {
        let port = Port {
            $0.cacheBounds.afterFailure = .zero
            $0.cacheBounds.afterMiss = .zero
            // However busy the machine is; what a deadline does has a clock of its own.
            $0.signInTimeout = .seconds(3600)
            change(&$0)
        }
        port.carrier.publish(on: port.transport)
        port.transport.answer(ProviderConfiguration.discoveryURL, json: port.carrier.metadata)
        port.transport.answer(
            port.carrier.tokenEndpoint, json: SignInStage.tokens(idToken: try port.carrier.idToken()))
        port.transport.answer(port.carrier.userinfoEndpoint, json: SignInStage.userinfo)
        return port
    }

    func metadata() throws -> ProviderMetadata { try ProviderMetadata(carrier.metadata, allowLoopbackHTTP: false) }
    func portedIDToken() throws -> IDToken { try idToken(aka: .string(try former.portToken())) }
}

@Suite struct `A call to a provider` {
    @Test(arguments: CallKind.all)
    func `gives what it should`(kind: CallKind) async throws {
        let port = try Port.answering()
        #expect(try await kind.failure(port, port.provider.client(through: port.transport)) == nil)
        #expect(port.transport.requests(to: kind.url(port)).count == 1)
    }

    @Test(arguments: CallKind.all)
    func `a call to a provider is not made while the circuit of its host is open`(kind: CallKind) async throws {
        let port = try Port.answering {
            $0.circuit = CircuitBreaker.Limits(
                failures: 1, firstPause: .seconds(60), maximumPause: .seconds(60), probeLifetime: .seconds(60))
        }
        let url = kind.url(port)
        port.transport.fail(url, .tlsFailed)
        let client = try port.provider.client(through: port.transport)
        #expect(try await kind.failure(port, client) == .transport(.tlsFailed))
        let asked = port.transport.requests(to: url).count
        guard case .circuitOpen(let seconds) = try await kind.failure(port, client) else {
            Issue.record("the call was made")
            return
        }
        #expect((1...60).contains(seconds))
        #expect(port.transport.requests(to: url).count == asked)
    }

    @Test(arguments: CallKind.all)
    func `a call to a provider is not made while the bulkhead is full`(kind: CallKind) async throws {
        let port = try Port.answering { $0.inFlight = 1 }
        let first = try port.provider.client(through: port.transport)
        #expect(throws: Provider.NoPlace.self) { _ = try port.provider.client(through: port.transport) }
        #expect(port.transport.requests.isEmpty)
        _ = consume first
        #expect(try await kind.failure(port, port.provider.client(through: port.transport)) == nil)
    }

    @Test(arguments: CallKind.all)
    func `a call to a provider has a moment left, and no second try, when the deadline has passed`(kind: CallKind)
        async throws
    {
        let port = try Port.answering()
        let url = kind.url(port)
        port.transport.fail(url, .couldNotConnect)
        let time = Time()
        let client = try port.provider.client(through: port.transport) { time.now }
        time.pass(.seconds(3601))
        #expect(try await kind.failure(port, client) == .transport(.couldNotConnect))
        #expect(port.transport.requests(to: url).map(\.timeout) == [.milliseconds(1)])
    }

    @Test(arguments: CallKind.all)
    func `a call to a provider is made once more where that is safe, and never for a code`(kind: CallKind) async throws
    {
        let port = try Port.answering()
        let url = kind.url(port)
        let good = try #require(try await port.transport.answer(from: url))
        let tries = Atomic(0)
        port.transport.answer(url) { _ in
            tries.wrappingAdd(1, ordering: .relaxed).oldValue == 0 ? .failure(.couldNotConnect) : .success(good)
        }
        let failure = try await kind.failure(port, port.provider.client(through: port.transport))
        #expect(failure == (kind.isSafe ? nil : .transport(.couldNotConnect)))
        #expect(tries.load(ordering: .relaxed) == (kind.isSafe ? 2 : 1))
    }

    @Test(arguments: CallKind.all.filter(\.isSafe), [502, 503, 504])
    func `a call to a provider is made once more when a gateway answers in place of the provider`(
        kind: CallKind, status: Int
    ) async throws {
        let port = try Port.answering()
        let url = kind.url(port)
        port.transport.answer(url, .page(status: status))
        #expect(try await kind.failure(port, port.provider.client(through: port.transport)) == .status(status))
        #expect(port.transport.requests(to: url).count == 2)
    }
}

/// A clock that a test puts forward.
private final class Time: Sendable {
    private let passed = Mutex(Duration.zero)
    private let start = MonotonicTime.now

    var now: MonotonicTime { start + passed.withLock(\.self) }
    func pass(_ time: Duration) { passed.withLock { $0 += time } }
}

extension ScriptedTransport {
    /// What is answered from a URL now.
    fileprivate func answer(from url: String) async throws -> OutboundResponse? {
        let request = PlainCalls(through: self).get(
            try .init(url, allowLoopbackHTTP: false), accepting: "application/json")
        return try? await send(request)
    }
}
