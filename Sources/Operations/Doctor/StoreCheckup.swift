import Accounts
import AccountsPostgres
import AccountsSQLite
import Composition
import EventLoop
import Glibc
import Postgres
import Settings
internal import System

/// How the store is, beside whether it opens, which `ConfigurationLook` has found out.
struct StoreCheckup: Sendable {
    private static let mebibyte: Int64 = 1 << 20
    private static let (fewBytes, hardlyAnyBytes) = (512 * mebibyte, 64 * mebibyte)
    private static let largeLog = 256 * mebibyte
    private static let syncs = 5
    private static let (slowSync, badSync) = (Duration.milliseconds(20), Duration.milliseconds(200))

    let settings: Settings
    /// Seconds since 1970.
    let now: Int64

    func diagnoses() async -> [Diagnosis] {
        switch settings.storage.url {
        case .file(let path):
            let folder = FileNames.folder(of: FileNames.resolved(path))
            guard FileNames.exists(folder) else {
                return [
                    Diagnosis("store", .warning, "\(path) is not there, nor its folder; the first start makes both")
                ]
            }
            return [space(folder), sync(folder)] + log(path)
        case .postgres(let address):
            return await DatabaseCheckup(settings: settings, address: address, now: now).diagnoses()
        }
    }

    private func space(_ folder: String) -> Diagnosis {
        guard let free = try? FileNames.freeBytes(at: folder) else {
            return Diagnosis("store, space", .warning, "nobody knows how much is free in \(folder)")
        }
        let found = "\(free / Self.mebibyte) MiB are free in \(folder)"
        guard free < Self.fewBytes else { return Diagnosis("store, space", .good, found) }
        return Diagnosis(
            "store, space", free < Self.hardlyAnyBytes ? .bad : .warning,
            "\(found); expected \(Self.fewBytes / Self.mebibyte) at least",
            remedy: "make room: where the disk is full nobody is signed in, and nothing that was stored is lost")
    }

    /// How long a commit waits for the disk, by a file without a name, of which nothing is left.
    private func sync(_ folder: String) -> Diagnosis {
        var times: [Duration] = []
        let page = [UInt8](repeating: 0, count: 4096)
        do throws(SystemError) {
            // O_TMPFILE, which Glibc's module does not have.
            let file = try File(folder, 0o20_200_000 | O_RDWR)
            for _ in 0..<Self.syncs {
                try file.write(page.span)
                let began = MonotonicTime.now
                try file.sync()
                times.append(MonotonicTime.now - began)
            }
        } catch {
            return Diagnosis("store, disk", .warning, "how fast it is can't be tried in \(folder): \(error)")
        }
        let median = times.sorted()[times.count / 2]
        let milliseconds = Double(median.components.attoseconds) / 1e15 + Double(median.components.seconds) * 1000
        let found = "a sync to the disk of \(folder) takes \(String(oneDigit: milliseconds)) ms"
        guard median > Self.slowSync else { return Diagnosis("store, disk", .good, found) }
        return Diagnosis(
            "store, disk", median > Self.badSync ? .bad : .warning, "\(found); expected a few",
            remedy: "each sign-in waits for one: take a local disk, and look at who else writes to it")
    }

    private func log(_ path: String) -> [Diagnosis] {
        guard let log = try? FileStatus(of: FileNames.resolved(path) + "-wal") else { return [] }
        let found = "the write-ahead log has \(log.size / Self.mebibyte) MiB"
        guard log.size > Self.largeLog else { return [Diagnosis("store, log", .good, found)] }
        return [
            Diagnosis(
                "store, log", .warning, "\(found); expected \(Self.largeLog / Self.mebibyte) at most",
                remedy: "find who reads for long, such as a backup that hangs; the log is used again when they are done"
            )
        ]
    }
}

extension String {
    /// A number with one digit after the point.
    fileprivate init(oneDigit number: Double) {
        let tenths = Int((number * 10).rounded())
        self = "\(tenths / 10).\(tenths % 10)"
    }
}
