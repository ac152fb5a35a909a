public import Accounts
internal import Crypto
package import HTTPClient
public import Providers
import Syntax
package import System
package import Telemetry

/// Tells providers what has ended here: revokes tokens (RFC 7009), signs users out; and passes on to their directories
/// who wants an account; again and again until it is done, or has taken too long.
public struct OutboxDelivery: Sendable {
    /// What came of one attempt, for the log.
    public struct Report: Sendable {
        public let message: OutboxMessage
        public let settlement: OutboxSettlement
        public let call: CallContext
    }

    /// How many are told at once.
    private static let batch = 16
    /// What is taken and not settled, for a crash, is due again after so many seconds.
    private static let leaseSeconds: Int64 = 120
    private static let stateBytes = 16
    private static let firstPauseSeconds: Int64 = 5
    private static let longestPauseSeconds: Int64 = 3600

    let repository: any OutboxRepository
    let providers: ProviderRegistry
    let transport: any HTTPTransport
    let clock: Clock
    /// How old what could not be told is given up, in seconds.
    let giveUpSeconds: Int64
    let observers: Observers
    private let carriers: [any OutboxCarrier]

    /// - Parameter carriers: of what wings have written down.
    package init(
        repository: any OutboxRepository, providers: ProviderRegistry, transport: any HTTPTransport, clock: Clock,
        giveUpSeconds: Int64, observers: Observers, carriers: [any OutboxCarrier] = []
    ) {
        (self.carriers, self.repository, self.providers) = (carriers, repository, providers)
        (self.transport, self.clock, self.giveUpSeconds) = (transport, clock, giveUpSeconds)
        self.observers = observers
    }

    /// Tells what is due.
    ///
    /// - Parameter told: called with what came of each, once it is on disk.
    public func deliver(told: @escaping @Sendable (Report) -> Void) async throws(RepositoryError) {
        while !Task.isCancelled {
            let due = try await repository.takeDueMessages(
                limit: Self.batch, leaseSeconds: Self.leaseSeconds, now: clock.seconds)
            if due.isEmpty { return }
            let reports = await withTaskGroup(of: Report.self, returning: [Report].self) { group in
                for message in due { group.addTask { await tell(message) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for report in reports {
                try await repository.settle(report.message, report.settlement, now: clock.seconds)
                told(report)
            }
        }
    }

    private func tell(_ message: OutboxMessage) async -> Report {
        let step = observers.beginAlone(
            .delivery(provider: StepName(message.provider), kind: StepName(message.content.kind)))
        let call = CallContext(observers, partOf: step.scope)
        let settlement = await settlement(of: message, in: call)
        step.end(settlement == .done ? .done : .failed(call.facts?.step.name ?? "not_done"))
        return Report(message: message, settlement: settlement, call: call)
    }

    private func settlement(of message: OutboxMessage, in call: CallContext) async -> OutboxSettlement {
        for carrier in carriers {
            guard let result = await carrier.deliver(message, in: call) else { continue }
            return switch result {
            case .done: .done
            case .never: .givenUp
            case .later(let seconds): later(message, atLeast: seconds ?? 0)
            }
        }
        return settlement(of: message, await answer(to: message, call))
    }

    private func answer(to message: OutboxMessage, _ call: CallContext) async -> RevocationAnswer? {
        guard let provider = providers.provider(named: message.provider),
            let client = ProviderClient(entering: provider, through: transport, in: call)
        else { return nil }
        do throws(ProviderError) {
            let issuer = try await client.issuer(ofStored: message.issuer)
            switch message.content {
            case .revocation(let token, let isRefreshToken, let ofClient):
                let request = RevocationRequest(
                    token: token, isRefreshToken: isRefreshToken, clientID: ofClient)
                return await client.revoke(request, at: issuer, now: clock.seconds)
            case .logout(let idToken):
                return await logOut(idToken, at: issuer, client)
            case .directory: return nil
            }
        } catch {
            return nil
        }
    }

    private func logOut(
        _ idToken: String, at issuer: ProviderMetadata, _ client: borrowing ProviderClient
    ) async -> RevocationAnswer? {
        // Where only browsers can sign users out (`end_session_endpoint`), they are sent there when the session ends,
        // or never.
        guard issuer.customLogoutEndpoint != nil else { return .done }
        let request = LogoutRequest(idToken: idToken, state: Random.token(byteCount: Self.stateBytes))
        return switch await client.logOut(request, at: issuer) {
        case .done: .done
        case .refused: .impossible
        case .later: nil
        }
    }

    private func settlement(of message: OutboxMessage, _ answer: RevocationAnswer?) -> OutboxSettlement {
        switch answer {
        case .done: return .done
        case .impossible: return .givenUp
        case .failed, nil: return later(message, atLeast: 0)
        }
    }

    /// - Parameter wait: how long a provider wants to be left alone, in seconds.
    private func later(_ message: OutboxMessage, atLeast wait: Int64) -> OutboxSettlement {
        let now = clock.seconds
        let pause = Self.pause(after: message.attempts, random: .random(in: 0.5...1))
        let next = now + max(pause, min(wait, Self.longestPauseSeconds))
        return next - message.createdAt > giveUpSeconds ? .givenUp : .again(at: next)
    }

    /// Doubles from attempt to attempt; shortened at random, so that what failed together does not come back together.
    ///
    /// - Parameters:
    ///   - attempts: how many there were; one at least.
    ///   - random: between 0.5 and 1.
    /// - Returns: seconds, one at least.
    static func pause(after attempts: Int64, random: Double) -> Int64 {
        let doubled = firstPauseSeconds << min(max(attempts - 1, 0), 20)
        return max(1, Int64(Double(min(doubled, longestPauseSeconds)) * random))
    }
}

/// Delivers what a wing has written down to be told to a provider.
package protocol OutboxCarrier: Sendable {
    /// - Parameter call: where a failed call to the provider is noted for the log.
    /// - Returns: nil for a message that is none of its own.
    func deliver(_ message: OutboxMessage, in call: CallContext) async -> OutboxDeliveryResult?
}

/// What came of one attempt to deliver.
package enum OutboxDeliveryResult: Sendable {
    case done
    case never
    /// - Parameter seconds: how long the provider wants to be left alone; nil where it does not say.
    case later(seconds: Int64?)
}
