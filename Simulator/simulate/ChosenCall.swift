import CSimulation
import Foundation
import Glibc

/// One thing that is done in a calm world, in which one call to the disk, or one allocation of SQLite, goes wrong.
struct ChosenCall: Sendable {
    /// What is done meanwhile.
    enum Flow: String, CaseIterable {
        case signIn, refresh, erasure, start, stop
        case backup, restore, changeMaster = "change-master", migration

        /// Whether somebody waits for an answer meanwhile, and asks again until the server is back.
        var isOfPhones: Bool { self == .signIn || self == .refresh || self == .erasure || self == .stop }
    }

    /// What comes of the call.
    enum Fault: String, CaseIterable {
        case fails, fills, power, memory

        var value: simulation_fault {
            switch self {
            case .fails: SIMULATION_FAILS
            case .fills: SIMULATION_FILLS
            case .power: SIMULATION_LOSES_POWER
            case .memory: SIMULATION_LACKS_MEMORY
            }
        }
    }

    let flow: Flow
    let fault: Fault
    let number: UInt64
    let story = Story()

    /// Does it, and looks whether everything that was answered before and meanwhile holds.
    func run() async {
        await Setting.with(story) { setting in
            let machine = setting.machine
            if let failure = await machine.start() { return story.find("the first start: \(failure)") }
            var phone = Phone(number: 0, crowd: setting.crowd)
            var other = Phone(number: 1, crowd: setting.crowd)
            await phone.begin()
            await other.begin()
            let watch = Task { if flow.isOfPhones { await restartAfterCrash(machine, until: setting.crowd.calm) } }
            await act(&phone, &other, setting)
            for _ in 0..<simulation_calls() { story.count("calls") }
            simulation_choose_call(0, 0, fault.value)
            if !machine.isRunning, !flow.isOfPhones || !simulation_has_crashed() { await open(machine) }
            setting.crowd.calm.set()
            await watch.value
            await phone.settle(after: .seconds(2))
            await other.settle(after: .zero)
        }
    }

    private func choose(_ owner: Int32) { simulation_choose_call(owner, number, fault.value) }

    private func act(_ phone: inout Phone, _ other: inout Phone, _ setting: Setting) async {
        let machine = setting.machine
        switch flow {
        case .signIn:
            choose(machine.owner)
            await phone.begin()
        case .refresh:
            choose(machine.owner)
            await phone.refreshAll()
        case .erasure:
            choose(machine.owner)
            await phone.leave()
        case .start:
            machine.kill(losesPower: false)
            choose(Owners.last + 1)
            await start(machine)
        case .stop:
            choose(machine.owner)
            await machine.stop()
        case .backup:
            await backUp(setting)
        case .restore:
            await restore(&phone, &other, setting)
        case .changeMaster:
            await changeMasterKey(setting)
        case .migration:
            await machine.stop()
            guard unsafe simulation_run_sql(setting.path("users.db"), Self.backToEarlierSchema) else {
                return story.find("the store can't be made an earlier one")
            }
            choose(Owners.last + 1)
            await start(machine)
        }
    }

    // MARK: What operators do

    /// A backup that was answered can be restored.
    private func backUp(_ setting: Setting) async {
        let file = setting.path("backup.db")
        let outcome = await setting.staff.run(["store", "backup", file], begun: choose)
        await goOn(setting.machine)
        if outcome == .done { await putBack(file, setting, began: simulation_now()) }
    }

    private func putBack(_ file: String, _ setting: Setting, began: Int64) async {
        await setting.machine.stop()
        let outcome = await setting.staff.run(["store", "restore", file])
        if outcome != .done { return story.find("a backup can't be restored: \(outcome)") }
        setting.crowd.noteRestore(of: began)
    }

    /// Who is erased after the backup stays erased.
    private func restore(_ phone: inout Phone, _ other: inout Phone, _ setting: Setting) async {
        let file = setting.path("backup.db")
        let began = simulation_now()
        guard await setting.staff.run(["store", "backup", file]) == .done else { return story.find("no backup") }
        await other.leave()
        await phone.refreshAll()
        await setting.machine.stop()
        let outcome = await setting.staff.run(["store", "restore", file], begun: choose)
        if outcome == .done { return setting.crowd.noteRestore(of: began) }
        // Before or after: the store opens. Then it is done again.
        await goOn(setting.machine)
        await putBack(file, setting, began: began)
    }

    private func changeMasterKey(_ setting: Setting) async {
        let (new, place) = (setting.path("new.key"), setting.path("users.db.key"))
        let words = ["keys", "change-master", "--new-key-file", new]
        await setting.machine.stop()
        var outcome = await setting.staff.run(words, begun: choose)
        simulation_choose_call(0, 0, fault.value)
        if outcome != .done { outcome = await setting.staff.run(words) }
        if outcome != .done { story.find("the master key can't be changed: \(outcome)") }
        guard unsafe rename(new, place) == 0 else { return story.find("the new key is not there") }
        await goOn(setting.machine)
    }

    // MARK: Starts

    /// A start that meets the fault may fail, and the power may go just when it listens; the next one may not fail.
    private func start(_ machine: Machine) async {
        if await machine.start() == nil, !simulation_has_crashed() { return }
        if simulation_has_crashed() { machine.noteCrash() }
        simulation_choose_call(0, 0, fault.value)
        await open(machine)
    }

    private func open(_ machine: Machine) async {
        if let failure = await machine.start() { story.find("the store does not open: \(failure)") }
    }

    /// Nothing goes wrong any more. Starts the server where it does not run, or has lost its power.
    private func goOn(_ machine: Machine) async {
        simulation_choose_call(0, 0, fault.value)
        if simulation_has_crashed() { machine.noteCrash() } else if machine.isRunning { return }
        await open(machine)
    }

    private func restartAfterCrash(_ machine: Machine, until calm: Flag) async {
        while true {
            if simulation_has_crashed() {
                machine.noteCrash()
                return await open(machine)
            }
            if calm.isSet { return }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// What the last steps of the schema have made, taken back. A store of that version has users already.
    private static let backToEarlierSchema = """
        DROP INDEX users_reference;
        DELETE FROM meta WHERE name = 'subject_form';
        DROP INDEX identities_provider;
        ALTER TABLE sessions DROP COLUMN merge_offered;
        ALTER TABLE sessions DROP COLUMN declined;
        ALTER TABLE failed_sign_ins DROP COLUMN correlations;
        ALTER TABLE tickets DROP COLUMN scope;
        ALTER TABLE tickets DROP COLUMN audience;
        ALTER TABLE sessions DROP COLUMN late_repeats;
        ALTER TABLE sessions DROP COLUMN late_generations;
        ALTER TABLE used_codes DROP COLUMN answer;
        ALTER TABLE tickets DROP COLUMN answer;
        ALTER TABLE app_codes DROP COLUMN answer;
        DROP TABLE consents;
        PRAGMA user_version = 23;
        """
}
