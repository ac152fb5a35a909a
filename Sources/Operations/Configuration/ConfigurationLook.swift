import Accounts
import AccountsSQL
import Composition
import EventLoop
import Glibc
import Settings
import SignIn
import Syntax
internal import System
import Wings

/// What a configuration that holds meets on this machine: the addresses it listens on, the files it names, its store.
///
/// It is looked at for `check-config`, which may be asked beside the running server, by another user or on another
/// machine: what can be otherwise where the server runs is a notice, and a fault only what is wrong everywhere.
struct ConfigurationLook {
    let settings: Settings
    /// With the source of each value.
    let effective: [EffectiveSetting]
    /// Seconds since 1970.
    let now: Int64

    private(set) var faults: [SettingsError] = []
    private(set) var notices: [SettingsNotice] = []
    /// Of addresses where something listens already, which may be the server itself.
    private(set) var taken: [SettingsNotice] = []

    init(_ settings: Settings, _ effective: [EffectiveSetting], now: Int64) {
        (self.settings, self.effective, self.now) = (settings, effective, now)
    }

    mutating func look() async {
        lookAtListeners()
        lookAtSecretFiles()
        switch settings.storage.url {
        case .file(let path): await lookAtFile(path)
        case .postgres: await open()
        }
    }

    private mutating func lookAtListeners() {
        var listeners = [
            ("http", settings.http.host, settings.http.port), ("admin", settings.admin.host, settings.admin.port),
        ]
        if let host = settings.probes.host { listeners.append(("probes", host, settings.probes.port)) }
        for (section, host, port) in listeners where port != 0 {
            do throws(SystemError) {
                _ = try ListeningSocket(host: host, port: port, sharesPort: false)
            } catch {
                let told = notice(of: error, section, host, port)
                if error.code == EADDRINUSE { taken.append(told) } else { notices.append(told) }
            }
        }
    }

    private func notice(of error: SystemError, _ section: String, _ host: String, _ port: UInt16) -> SettingsNotice {
        switch error.code {
        case EADDRINUSE:
            SettingsNotice(
                "\(section).port", "is \(port), where something listens already: the server itself, or another program")
        case EACCES:
            SettingsNotice(
                "\(section).port",
                "is \(port), where this user may not listen: take one from 1024 on, or give the server CAP_NET_BIND_SERVICE"
            )
        case _ where error.meansNoSuchAddress:
            SettingsNotice("\(section).host", "is \(host), which is no address of this machine; 0.0.0.0 is all it has")
        default:
            SettingsNotice("\(section).host", "can't be listened on here: \(error)")
        }
    }

    /// Files of this user's own that everybody on the machine can read. Of others, such as an orchestrator mounts them,
    /// the rights are not this user's to change.
    private mutating func lookAtSecretFiles() {
        for setting in effective {
            guard case .secretFile(let path) = setting.source, let status = try? FileStatus(of: path),
                status.owner == Account.current, status.isReadableByOthers
            else { continue }
            notices.append(
                SettingsNotice(
                    "\(setting.key)File", "names \(path), which everybody on this machine can read: chmod 600 \(path)"))
        }
    }

    private mutating func lookAtFile(_ path: String) async {
        guard FileNames.exists(path) else {
            let folder = FileNames.folder(of: path)
            if FileNames.exists(folder), !FileNames.isWritable(folder) {
                notices.append(
                    SettingsNotice("storage.url", "names \(path), and this user may not write in the folder \(folder)"))
            }
            if let named = settings.storage.masterKeyFile, !settings.storage.create {
                notices.append(
                    SettingsNotice("storage.url", "\(StartError.missingStore(place: path, masterKeyFile: named))"))
            }
            return
        }
        await open()
    }

    /// Opens the store as a tool does, which changes nothing, and closes it.
    private mutating func open() async {
        do throws(StartError) {
            let store = try await OpenStore.open(
                settings.storage, tables: StoreTables(of: Wing.all),
                formerIssuers: FormerIssuers(settings.providers), for: .tool, now: now)
            await store.close()
        } catch {
            note(error)
        }
    }

    private mutating func note(_ error: StartError) {
        switch error {
        // What is in a file is the same for everybody who looks, and at any time.
        case .storage(_, .unavailable(.corrupt)), .storage(_, .unavailable(.notADatabase)):
            faults.append(SettingsError(.value, "storage.url", expected: "a store that can be opened: \(error)"))
        // Elsewhere, or later, it may be otherwise.
        case .storage(_, .unavailable(_)), .system, .stoppedWhileWaiting, .listen:
            notices.append(SettingsNotice("storage.url", "can't be looked at from here: \(error)"))
        case .storage(_, .notOpened(.noStore)) where settings.storage.create:
            notices.append(
                SettingsNotice("storage.create", "is true, and there is no store yet: the server will make one"))
        case .masterKey:
            faults.append(
                SettingsError(.value, "storage.masterKeyFile", expected: "the key that opens the store: \(error)"))
        default:
            faults.append(SettingsError(.value, "storage.url", expected: "a store that can be opened: \(error)"))
        }
    }
}
