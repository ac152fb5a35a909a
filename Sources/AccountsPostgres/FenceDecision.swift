import Accounts

/// Whether a database that is found is the one that has acknowledged everything, or one that lacks some of it.
///
/// A server that was put back in time, or promoted without all of the log, gives the numbers of users to others, and
/// lives on with sessions and keys that were ended. Two servers that both take writes lose those of one.
struct FenceDecision {
    /// A commit whose answer has come, by its transaction, and where the log stood after its first record.
    struct Commit: Equatable, Sendable {
        var timeline: Int64
        var transaction: Int64
        var position: Int64
    }

    enum Verdict: Equatable {
        /// Nothing has happened to it.
        case same
        /// It has all that is known of, if these transactions are committed there; it goes on in a way of its own.
        case goesOn(ifCommitted: [Int64])
        /// An operator has had it go on after a loss, or it was moved.
        case newEpoch
        case behind(StoreRegression)
    }

    /// The server that was last taken for the right one by this process.
    let known: ServerPosition?
    /// What was acknowledged, as far as this process and the ledger have seen.
    let mark: StoreMark?
    /// The last commits of this process.
    let commits: [Commit]

    func verdict(on found: ServerPosition) -> Verdict {
        if let mark, found.epoch < mark.epoch {
            return .behind(.epoch(found: found.epoch, acknowledged: mark.epoch))
        }
        // What was known before it, and the last commits, are of no account any more.
        if let epoch = [mark?.epoch, known?.epoch].compactMap(\.self).min(), epoch < found.epoch { return .newEpoch }
        if let known, found.isSameServer(as: known) {
            return mark.flatMap { lag($0, found) }.map(Verdict.behind) ?? .same
        }
        if let mark, let lag = lag(mark, found) { return .behind(lag) }
        return fate(ofCommitsOn: found)
    }

    /// What the mark has and the database lacks.
    private func lag(_ mark: StoreMark, _ found: ServerPosition) -> StoreRegression? {
        if found.beat < mark.beat { return .beat(found: found.beat, acknowledged: mark.beat) }
        if found.record < mark.record { return .record(found: found.record, acknowledged: mark.record) }
        guard let log = found.log else { return nil }
        for end in mark.ends where end.system == log.system {
            if end.timeline > log.timeline {
                return .timeline(found: log.timeline, acknowledged: end.timeline)
            }
            let reached = end.timeline == log.timeline ? log.end : found.fork
            guard let reached else { return .unproven(timeline: log.timeline, acknowledged: end.timeline) }
            if end.end > reached {
                return .log(timeline: log.timeline, reached: reached, acknowledged: end.end, on: end.timeline)
            }
        }
        return nil
    }

    /// What has become of the last commits where the server has recovered since: those behind the end of what it has
    /// recovered are lost, and of the others their transactions are asked for. Nobody else can have the number of such
    /// a transaction, because the server has seen a record of it.
    private func fate(ofCommitsOn found: ServerPosition) -> Verdict {
        guard let log = found.log, let known, known.log?.system == log.system else { return .goesOn(ifCommitted: []) }
        var asked: [Int64] = []
        for commit in commits {
            let reached = commit.timeline == log.timeline ? log.recovered ?? log.end : found.fork
            guard let reached else { return .behind(.unproven(timeline: log.timeline, acknowledged: commit.timeline)) }
            if commit.position > reached {
                return .behind(
                    .log(
                        timeline: log.timeline, reached: reached, acknowledged: commit.position, on: commit.timeline))
            }
            asked.append(commit.transaction)
        }
        return .goesOn(ifCommitted: asked)
    }
}
