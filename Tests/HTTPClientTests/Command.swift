import Glibc

/// A program that runs beside the test, and is ended with its owner.
final class Command {
    private let process: pid_t
    private let output: Int32
    private var hasEnded = false

    /// Starts a program of the search path, with nothing to read and its output, errors included, kept for the test.
    init(_ arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        // Not a pipe: two of these at a time must not inherit each other's ends, and a pipe can't be made
        // close-on-exec.
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw CommandError.notStarted }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
        var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let status = unsafe posix_spawnp(&process, arguments.first ?? "", &actions, nil, &words, environ)
        close(ends[1])
        guard status == 0 else {
            close(ends[0])
            throw CommandError.notStarted
        }
        self.process = process
        output = ends[0]
    }

    deinit {
        if !hasEnded {
            // A signal that can be blocked would be: the program inherits what the thread that started it blocks.
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        close(output)
    }

    /// Reads on until the output has such a line, and returns it without its end.
    func line(startingWith start: String) throws -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while unsafe read(output, &byte, 1) == 1 {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix(start) { return text }
            line = []
        }
        throw CommandError.ended
    }

    /// Waits for the program's end.
    ///
    /// - Returns: whether it succeeded.
    func succeeds() -> Bool {
        var byte: UInt8 = 0
        while unsafe read(output, &byte, 1) == 1 {}
        var status: Int32 = 0
        hasEnded = true
        return unsafe waitpid(process, &status, 0) == process && status == 0
    }

    static func run(_ arguments: [String]) throws {
        guard try Command(arguments).succeeds() else { throw CommandError.failed }
    }
}

enum CommandError: Error { case notStarted, ended, failed }
