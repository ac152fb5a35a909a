import Glibc
import Synchronization

/// A PostgreSQL of the tests' own, on a Unix socket in a folder of its own, without a port.
///
/// A shell watches over it, and reads what it is to do from a socket, which ends with this process, however
/// that ends; then the shell stops the server and removes the folder.
public final class PostgresServer: Sendable {
    public struct NotStarted: Error {}

    /// Where it is told to connect to, as libpq's keywords.
    public let address: String
    /// Our end of what the shell reads from and writes to.
    private let channel: Mutex<Int32>
    private let shell: pid_t

    public init() throws {
        var ends: [Int32] = [0, 0]
        // Not a pipe, which can't be made close-on-exec here: no other program of the tests' may keep it open.
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw NotStarted() }
        defer { close(ends[1]) }
        shell = try Self.startShell(channel: ends[1])
        channel = Mutex(ends[0])
        guard let folder = Self.line(ends[0]), folder.hasPrefix("/") else { throw NotStarted() }
        address = "host=\(folder) user=gatehouse"
    }

    deinit {
        channel.withLock { _ = close($0) }
        waitpid(shell, nil, 0)
    }

    /// Ends all sessions and stops.
    public func stop() throws { try tell("stop") }

    public func start() throws { try tell("start") }

    private func tell(_ word: String) throws {
        let isDone = channel.withLock { channel in
            let text = word + "\n"
            return unsafe write(channel, text, text.utf8.count) == text.utf8.count && Self.line(channel) == "done"
        }
        guard isDone else { throw NotStarted() }
    }

    private static func startShell(channel: Int32) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, channel, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, channel, 1)
        // The test run blocks what the server must hear.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let arguments = ["sh", "-c", asNobodySpecial, "sh", script]
        var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var process: pid_t = 0
        guard unsafe posix_spawn(&process, "/bin/sh", &actions, &attributes, &words, environ) == 0 else {
            throw NotStarted()
        }
        return process
    }

    private static func line(_ descriptor: Int32) -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while unsafe read(descriptor, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// PostgreSQL refuses to run as root.
    private static let asNobodySpecial = """
        cd /tmp
        if [ "$(id -u)" -ne 0 ]; then exec sh -c "$1"; fi
        user=postgres
        id "$user" >/dev/null 2>&1 || user=nobody
        exec setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups sh -c "$1"
        """

    /// Interrupts are for the test run, whose end the shell then sees. Nothing here has to survive a crash of the
    /// machine.
    private static let script = #"""
        set -eu
        trap '' INT HUP TERM
        bin=$(pg_config --bindir 2>/dev/null || :)
        if ! [ -x "$bin/initdb" ]; then bin=$(dirname "$(command -v initdb)"); fi
        folder=$(mktemp -d /tmp/gatehouse-postgres-XXXXXX)
        control() { "$bin/pg_ctl" -D "$folder/data" -w "$@" >/dev/null; }
        start() {
            control -l "$folder/log" start -o "-c listen_addresses='' -c unix_socket_directories='$folder' -F \
                -c full_page_writes=off -c max_connections=700 -c shared_buffers=32MB"
        }
        finish() {
            control -m immediate stop 2>/dev/null || :
            rm -rf "$folder"
        }
        trap finish EXIT
        "$bin/initdb" -D "$folder/data" -U gatehouse -A trust --no-sync --no-locale -E UTF8 >/dev/null
        printf 'local all gatehouse trust\nlocal all all scram-sha-256\n' >"$folder/data/pg_hba.conf"
        start
        echo "$folder"
        while read -r word; do
            case $word in
                stop) control -m fast stop ;;
                start) start ;;
            esac
            echo "done"
        done
        """#
}
