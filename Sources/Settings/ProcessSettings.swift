internal import FoundationEssentials
internal import Glibc
internal import System

extension Settings {
    /// Reads the configuration of this process: its environment, and files from its file system. Relative paths start
    /// at the working directory.
    ///
    /// - Parameter file: path of the configuration file; nil for environment and defaults alone.
    /// - Returns: the settings, or every fault at once.
    public static func loadOfProcess(file: String?) -> LoadedSettings {
        load(file: file, environment: ProcessInfo.processInfo.environment) { path throws(SettingsFileError) in
            try contents(of: path)
        }
    }

    /// How this process writes log lines, as far as that can be known; see `logFormat(file:environment:readFile:)`.
    public static func logFormatOfProcess(file: String?) -> LogFormat {
        logFormat(file: file, environment: ProcessInfo.processInfo.environment) { path throws(SettingsFileError) in
            try contents(of: path)
        }
    }

    /// The text of a file of at most `largestFile` bytes.
    public static func contents(of path: String) throws(SettingsFileError) -> String {
        let bytes: [UInt8]
        do throws(SystemError) {
            // One byte more than there may be, so that it is seen when there are more.
            bytes = try File(path, O_RDONLY).readAll(limit: largestFile + 1)
        } catch {
            switch error.code {
            case ENOENT: throw .notFound
            case EACCES, EPERM: throw .notPermitted
            default: throw .system(error.reason)
            }
        }
        guard bytes.count <= largestFile else { throw .tooLarge }
        do {
            return String(copying: try UTF8Span(validating: bytes.span))
        } catch {
            throw .notUTF8
        }
    }
}
