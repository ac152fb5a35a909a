import Glibc

/// What the program was called with, as the kernel has it.
public enum ProgramArguments {
    /// Long enough for whatever a command line may be (`getconf ARG_MAX`).
    private static let maximumBytes = 2 << 20

    /// Without the name of the program.
    ///
    /// A statically linked runtime looks for them in front of the environment, where they are no more when a library
    /// that is loaded before everything else, such as faketime's, has set a variable: the environment has moved then.
    ///
    /// - Parameter otherwise: what counts where the kernel does not tell.
    public static func read(otherwise: [String]) -> [String] {
        guard let file = try? File("/proc/self/cmdline", O_RDONLY) else { return otherwise }
        var bytes = [UInt8](repeating: 0, count: maximumBytes)
        var length = 0
        while length < bytes.count {
            var part = [UInt8](repeating: 0, count: 1 << 16)
            guard let count = try? file.read(into: &part, at: length), count > 0 else { break }
            bytes.replaceSubrange(length..<length + count, with: part[..<count])
            length += count
        }
        // Each ends with a NUL, an empty one too.
        guard length > 0, bytes[length - 1] == 0 else { return otherwise }
        return bytes[..<(length - 1)].split(separator: 0, omittingEmptySubsequences: false).dropFirst()
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
