internal import FoundationEssentials
internal import SystemPackage

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
        var bytes: [UInt8] = []
        do {
            let descriptor = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
            try descriptor.closeAfter {
                try read(descriptor, into: &bytes)
            }
        } catch let error as Errno {
            switch error {
            case .noSuchFileOrDirectory: throw .notFound
            case .permissionDenied, .notPermitted: throw .notPermitted
            default: throw .system(error.description)
            }
        } catch {
            throw .system("\(error)")
        }
        guard bytes.count <= largestFile else { throw .tooLarge }
        do {
            return String(copying: try UTF8Span(validating: bytes.span))
        } catch {
            throw .notUTF8
        }
    }

    /// Reads until the end, or until there is one byte more than a file may have.
    private static func read(_ descriptor: FileDescriptor, into bytes: inout [UInt8]) throws {
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count <= largestFile {
            let count = try unsafe chunk.withUnsafeMutableBytes { try unsafe descriptor.read(into: $0) }
            if count == 0 { return }
            bytes += chunk[..<count]
        }
    }
}
