/// Where a value comes from.
public enum SettingSource: Sendable, Equatable, CustomStringConvertible {
    /// Nobody gave one.
    case builtIn
    /// The configuration file, at this line.
    case file(line: Int)
    /// The environment variable of this name.
    case environment(String)
    /// The secret file at this path, which the file or the environment names.
    case secretFile(String)

    public var description: String {
        switch self {
        case .builtIn: "default"
        case .file(let line): "file, line \(line)"
        case .environment(let name): "environment \(name)"
        case .secretFile(let path): "secret file \(printable(path))"
        }
    }
}
