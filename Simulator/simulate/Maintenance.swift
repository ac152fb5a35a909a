import CSimulation
import Glibc
import Synchronization

/// What operators do to a store with its server beside them, and in its place. Each may be killed in the middle, and is
/// begun again then.
struct Maintenance: Sendable {
    /// So long after a server has stopped, all that it has answered is with those who asked.
    private static let silence: Duration = .seconds(2)
    private static let longestLife = 2000
    private static let tries = 5

    let setting: Setting
    /// Of a hundred commands, how many are killed.
    let kills: Int

    private var story: Story { setting.crowd.story }

    // MARK: Beside a server

    func beside() async {
        switch Draw.below(setting.engine == nil ? 4 : 2) {
        case 0: _ = await run(Draw.happens(50) ? ["keys", "rotate"] : ["keys", "rotate", "--now"])
        case 1: _ = await run(["store", "check"])
        default: await backUp()
        }
    }

    private func backUp() async {
        let backup = Backups.Backup(file: setting.path("backup-\(Owners.next()).db"), began: simulation_now())
        guard await run(["store", "backup", backup.file]) == .done else { return }
        setting.backups.add(backup)
    }

    // MARK: In its place

    /// - Parameter machine: that of the server, which does not run.
    func insteadOfServer(_ machine: Machine) async {
        try? await Task.sleep(for: Self.silence)
        switch Draw.below(3) {
        case 0: _ = await untilDone(["store", "compact"], machine)
        case 1: await changeMasterKey(machine)
        default: await restore(machine)
        }
    }

    private func changeMasterKey(_ machine: Machine) async {
        let new = setting.path("new.key")
        guard await untilDone(["keys", "change-master", "--new-key-file", new], machine) else { return }
        guard unsafe rename(new, setting.path("users.db.key")) == 0 else {
            return story.find("the new key is not there")
        }
        // Those from before open with the former key only.
        setting.backups.forgetAll()
    }

    private func restore(_ machine: Machine) async {
        guard let backup = setting.backups.any else { return }
        guard await untilDone(["store", "restore", backup.file], machine) else { return }
        setting.crowd.noteRestore(of: backup.began)
    }

    /// Runs a command again for as long as it is killed.
    ///
    /// - Returns: whether it is done.
    private func untilDone(_ words: [String], _ machine: Machine) async -> Bool {
        for attempt in 1...Self.tries {
            let isLast = attempt == Self.tries
            if isLast { simulation_set_disk_faults(Plan.calm.disk) }
            switch await run(words, mayBeKilled: !isLast) {
            case .done: return true
            case .failed(let reason):
                if isLast { story.find("gatehouse \(words.prefix(2).joined(separator: " ")) fails: \(reason)") }
            case .killed: machine.end(losesPower: Draw.happens(50))
            }
        }
        return false
    }

    /// One that is killed beside a server would leave its locks to it, since all are one process here.
    private func run(_ words: [String], mayBeKilled: Bool? = nil) async -> Operator.Outcome {
        let isKilled = (mayBeKilled ?? (setting.engine != nil)) && Draw.happens(kills)
        let life = isKilled ? Duration.milliseconds(Draw.below(Self.longestLife)) : nil
        return await setting.staff.run(words, killedAfter: life)
    }
}

/// The backups that there are.
final class Backups: Sendable {
    struct Backup {
        let file: String
        /// In nanoseconds of the world: what was answered before is in it.
        let began: Int64
    }

    private let all = Mutex<[Backup]>([])

    func add(_ backup: Backup) { all.withLock { $0.append(backup) } }
    func forgetAll() { all.withLock { $0 = [] } }
    var any: Backup? {
        let all = all.withLock(\.self)
        return all.isEmpty ? nil : Draw.one(of: all)
    }
}
