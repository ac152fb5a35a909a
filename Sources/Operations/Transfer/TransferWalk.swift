import Accounts
import Composition
import HTTPClient
import Providers
import SignIn
internal import System
import Telemetry

/// Asks Apple about every user of a provider's by what they will be known, and notes it, a page in one transaction:
/// whatever stops it, at most a page is asked about again.
struct TransferWalk {
    private static let pageSize = 200
    /// So many questions are under way at once.
    private static let questionsAtOnce = 16
    /// After so many failures in a row that are not about one user, Apple is not asked on.
    private static let failuresInRow = 5
    /// And after so many refusals in a row: then it is not the users, but the team that is wrong.
    private static let refusalsInRow = 100

    let repository: any SubjectTransferRepository
    let provider: Provider
    let transfer: TeamTransfer
    let transport: any HTTPTransport
    let clock: Clock

    private typealias Answer = Result<SubjectTransfer, TransferFailure>

    func run() async throws -> TransferSummary {
        var summary = TransferSummary(counts: try await repository.transferCounts(transfer))
        let total = summary.counts.identities - summary.counts.noted
        let progress = ProgressReport("users asked about")
        var (asked, last, streak) = (0, IdentityID?.none, Streak())
        while summary.stopped == nil {
            let page = try await repository.identitiesToTransfer(transfer, after: last, limit: Self.pageSize)
            guard let end = page.last else { break }
            last = end.id
            switch await token() {
            case .failure(let failure): summary.stopped = failure.sentence
            case .success(let (issuer, token)):
                let answers = await answers(about: page, at: issuer, token, &streak)
                summary.failed += answers.count { if case .failure = $0 { true } else { false } }
                let told = answers.compactMap { try? $0.get() }
                for note in try await repository.noteTransfers(told, of: transfer) { summary.add(note) }
                summary.stopped = streak.verdict
                asked += answers.count
                progress.tell(asked, of: total)
            }
        }
        summary.counts = try await repository.transferCounts(transfer)
        return summary
    }

    /// Failures that come in a row.
    private struct Streak {
        private var (failures, refusals) = (0, 0)
        /// Why the failures began: those that come after may only tell that Apple is not asked any more.
        private var cause = ""
        private(set) var verdict: String?

        mutating func add(_ answer: Answer) {
            guard case .failure(let failure) = answer else { return (failures, refusals) = (0, 0) }
            if failure.isOfUser {
                refusals += 1
                if refusals >= refusalsInRow { verdict = failure.sentence }
            } else {
                if failures == 0 { cause = failure.sentence }
                failures += 1
                if failures >= failuresInRow { verdict = cause }
            }
        }
    }

    /// The token is fetched anew for every page: a page takes minutes at most, and a token is good for an hour.
    private func token() async -> Result<(ProviderMetadata, MigrationToken), TransferFailure> {
        await call { client throws(ProviderError) in
            let issuer = try await client.issuer(serving: nil)
            return (issuer, try await client.migrationToken(at: issuer, now: clock.seconds))
        }
    }

    /// - Returns: of how many Apple was asked, in their order; no more once it fails too often.
    private func answers(
        about page: [TransferableIdentity], at issuer: ProviderMetadata, _ token: MigrationToken, _ streak: inout Streak
    ) async -> [Answer] {
        var answers: [Answer] = []
        var rest = page[...]
        while !rest.isEmpty, streak.verdict == nil {
            let together = rest.prefix(places)
            rest = rest.dropFirst(places)
            for answer in await self.answers(about: together, at: issuer, token) {
                streak.add(answer)
                answers.append(answer)
            }
        }
        return answers
    }

    /// No more than the provider may be asked at once.
    private var places: Int {
        let limit = provider.configuration.inFlight
        return limit > 0 ? min(limit, Self.questionsAtOnce) : Self.questionsAtOnce
    }

    private func answers(
        about identities: ArraySlice<TransferableIdentity>, at issuer: ProviderMetadata, _ token: MigrationToken
    ) async -> [Answer] {
        await withTaskGroup { group in
            for identity in identities { group.addTask { await answer(about: identity.subject, at: issuer, token) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func answer(
        about subject: Subject, at issuer: ProviderMetadata, _ token: MigrationToken
    ) async -> Answer {
        let asked = UserMigrationRequest(subject: subject.value, team: transfer.team, token: token)
        return await call { client throws(ProviderError) in
            let told = try await client.transferSubject(asked, at: issuer, now: clock.seconds)
            return SubjectTransfer(subject: subject, hash: TransferKey.hash(of: told, at: transfer.issuer))
        }
    }

    private func call<Value: Sendable>(
        _ body: (borrowing ProviderClient) async throws(ProviderError) -> Value
    ) async -> Result<Value, TransferFailure> {
        let call = CallContext(.none, partOf: nil)
        guard let client = ProviderClient(entering: provider, through: transport, in: call) else {
            return .failure(.noPlace)
        }
        do throws(ProviderError) {
            return .success(try await body(client))
        } catch {
            return .failure(TransferFailure(error, call.facts))
        }
    }
}
