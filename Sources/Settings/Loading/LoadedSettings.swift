internal import FoundationEssentials
internal import Glibc
public import Observability
internal import System

/// What came of reading a configuration.
public enum LoadedSettings: Sendable {
    /// The configuration holds.
    ///
    /// - Parameters:
    ///   - effective: every key with its value and where that comes from, secrets redacted.
    ///   - notices: what is given but without effect.
    case valid(Settings, effective: [EffectiveSetting], notices: [SettingsNotice])
    /// It doesn't; these are all the faults there are.
    case faulty([SettingsError], notices: [SettingsNotice])
}

extension Settings {
    /// Size in bytes past which a file is neither a configuration nor a secret.
    public static let maximumFileBytes = 1 << 20

    /// Reads a configuration and checks all of it.
    ///
    /// A value is taken from the environment, else from the file, else it is the default. An environment variable that
    /// is empty counts as absent.
    ///
    /// - Parameters:
    ///   - file: path of the configuration file; nil for environment and defaults alone.
    ///   - environment: the environment variables.
    ///   - wings: whose keys there are beside ours.
    ///   - readFile: gives the bytes of the configuration file, and of every file that a key names.
    /// - Returns: the settings, or every fault at once.
    package static func load(
        file: String?, environment: [String: String], wings: [any WingSettings.Type],
        readFile: (String) throws(SettingsFileError) -> [UInt8]
    ) -> LoadedSettings {
        withoutActuallyEscaping(readFile) { readFile in
            var loader = SettingsLoader(
                file: file, environment: environment, wings: wings, files: SettingsFiles(read: readFile))
            return loader.load()
        }
    }

    /// How log lines are written, as far as that can be known: for a process whose configuration is faulty, and which
    /// says so in its log.
    ///
    /// - Returns: the configured format; that for people where none can be read.
    public static func logFormat(
        file: String?, environment: [String: String], readFile: (String) throws(SettingsFileError) -> [UInt8]
    ) -> LogFormat {
        withoutActuallyEscaping(readFile) { readFile in
            var loader = SettingsLoader(
                file: file, environment: environment, wings: [], files: SettingsFiles(read: readFile))
            return loader.logFormat()
        }
    }
}

extension Settings {
    /// Reads the configuration of this process: its environment, and files from its file system. Relative paths start
    /// at the working directory.
    ///
    /// - Parameters:
    ///   - file: path of the configuration file; nil for environment and defaults alone.
    ///   - wings: whose keys there are beside ours.
    /// - Returns: the settings, or every fault at once.
    package static func loadOfProcess(file: String?, wings: [any WingSettings.Type]) -> LoadedSettings {
        let environment = ServiceCredentials.ofProcess.added(to: ProcessInfo.processInfo.environment)
        return load(file: file, environment: environment, wings: wings) {
            path throws(SettingsFileError) in
            try bytes(of: path)
        }
    }

    /// How this process writes log lines, as far as that can be known; see `logFormat(file:environment:readFile:)`.
    public static func logFormatOfProcess(file: String?) -> LogFormat {
        logFormat(file: file, environment: ProcessInfo.processInfo.environment) { path throws(SettingsFileError) in
            try bytes(of: path)
        }
    }

    /// The text of a file of at most `maximumFileBytes` bytes.
    public static func contents(of path: String) throws(SettingsFileError) -> String {
        try SettingsFiles(read: bytes).text(path)
    }

    /// The bytes of a file of at most `maximumFileBytes` bytes.
    public static func bytes(of path: String) throws(SettingsFileError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) {
            // One byte more than there may be, so that it is seen when there are more.
            bytes = try File(path, O_RDONLY).readAll(limit: maximumFileBytes + 1)
        } catch {
            switch error.code {
            case ENOENT: throw .notFound
            case EACCES, EPERM: throw .notPermitted
            default: throw .system(error.reason)
            }
        }
        guard bytes.count <= maximumFileBytes else { throw .tooLarge }
        return bytes
    }
}
