/// The files that a configuration names, wherever they are read from.
struct SettingsFiles {
    /// Gives the bytes of the file at a path.
    let read: (String) throws(SettingsFileError) -> [UInt8]

    /// The text of the file at a path.
    func text(_ path: String) throws(SettingsFileError) -> String {
        let bytes = try read(path)
        do {
            return String(copying: try UTF8Span(validating: bytes.span))
        } catch {
            throw .notUTF8
        }
    }
}

/// Why a file can't be read.
public enum SettingsFileError: Error, Sendable, Equatable {
    case notFound
    case notPermitted
    /// Larger than any configuration or secret is.
    case tooLarge
    case notUTF8
    /// Anything else, as the system words it.
    case system(String)

    public var sentence: String {
        switch self {
        case .notFound: "a file that exists"
        case .notPermitted: "a file that this process may read"
        case .tooLarge: "a file of at most \(Settings.maximumFileBytes) bytes"
        case .notUTF8: "a file in UTF-8"
        case .system(let reason): "a readable file (\(reason))"
        }
    }
}
