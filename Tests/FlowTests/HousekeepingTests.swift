import Foundation
import GatehouseTesting
import Logging
import Patience
import Synchronization
import System
import Testing
import Wings

@testable import Composition
@testable import Operations

@Suite struct `The housekeeping` {
    private struct Failure: Error {}

    private static func job(
        every interval: Duration = .milliseconds(1), _ work: @escaping @Sendable () async throws -> Void
    ) -> HousekeepingJob {
        HousekeepingJob(interval: interval, complaint: "the job failed", work: work)
    }

    @Test func `the housekeeping does every job at its own time, whichever of them hangs or fails`() async throws {
        let log = RecordedLog()
        let hanging = Atomic(0)
        let failing = Atomic(0)
        let healthy = Atomic(0)
        let housekeeping = Housekeeping(
            [
                Self.job {
                    hanging.wrappingAdd(1, ordering: .relaxed)
                    try await Task.sleep(for: .seconds(3600))
                },
                Self.job {
                    failing.wrappingAdd(1, ordering: .relaxed)
                    throw Failure()
                },
                Self.job { healthy.wrappingAdd(1, ordering: .relaxed) },
            ], clock: .system, logger: log.logger)
        let work = Task { await housekeeping.run() }
        try await eventually("five runs of both") {
            healthy.load(ordering: .relaxed) >= 5 && failing.load(ordering: .relaxed) >= 5
        }
        #expect(hanging.load(ordering: .relaxed) == 1)
        housekeeping.stop()
        await work.value
        #expect(log.text.components(separatedBy: "the job failed").count == 2, "told once, not with every run")
    }

    @Test func `removes nothing for good while the time of day is not known to be right`() async throws {
        let removals = Atomic(0)
        let others = Atomic(0)
        let housekeeping = Housekeeping(
            [
                HousekeepingJob(interval: .milliseconds(1), complaint: "the job failed", needsSteadyClock: true) {
                    removals.wrappingAdd(1, ordering: .relaxed)
                },
                Self.job { others.wrappingAdd(1, ordering: .relaxed) },
            ], clock: .system, logger: RecordedLog().logger)
        let work = Task { await housekeeping.run() }
        try await eventually("twenty runs of the other") { others.load(ordering: .relaxed) >= 20 }
        housekeeping.stop()
        await work.value
        #expect(removals.load(ordering: .relaxed) == 0)
    }

    @Test func `ends at once when it was stopped before it began`() async throws {
        let runs = Atomic(0)
        let housekeeping = Housekeeping(
            [Self.job(every: .seconds(3600)) { runs.wrappingAdd(1, ordering: .relaxed) }], clock: .system,
            logger: RecordedLog().logger)
        housekeeping.stop()
        await housekeeping.run()
        #expect(runs.load(ordering: .relaxed) <= 1)
    }
}
