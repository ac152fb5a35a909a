import Composition
import Glibc
import System

/// Why a file could not be read, or written to on the way.
struct FileError: Error, CustomStringConvertible {
    let description: String

    init(_ what: String, _ error: SystemError) {
        description = "\(what): error: \(error.reason)"
    }
}

/// What is imported: a file that can be read twice.
struct ImportSource: ~Copyable {
    private static let chunkBytes = 1 << 16

    private let file: File
    let byteCount: Int

    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - folder: where what comes through a pipe is kept meanwhile, in a file without a name: it holds what the
    ///     database will hold, so it lies where that lies.
    init(path: String, spoolingIn folder: String) throws(FileError) {
        try self.init(path == "-" ? Self.standardInput(folder) : Self.open(path), path)
    }

    private init(_ file: consuming File, _ path: String) throws(FileError) {
        let status: FileStatus
        do throws(SystemError) { status = try file.status() } catch {
            throw FileError("the file \(path) can't be read", error)
        }
        guard status.isRegular else {
            throw FileError(
                "\(path) is no file; - reads standard input", SystemError(call: "fstat", code: EINVAL))
        }
        byteCount = Int(status.size)
        self.file = file
    }

    /// Reads it from its start.
    func lines(maximumLineBytes: Int) throws(FileError) -> LineReader {
        do throws(SystemError) { return LineReader(try file.duplicate(), maximumLineBytes: maximumLineBytes) } catch {
            throw FileError("the file can't be read", error)
        }
    }

    /// - Returns: the next of ``lines(maximumLineBytes:)``; nil after the last.
    static func next(of lines: inout LineReader) throws(FileError) -> LineReader.Line? {
        do throws(SystemError) { return try lines.next() } catch {
            throw FileError("the file can't be read", error)
        }
    }

    /// Reads users from its start.
    ///
    /// - Parameter maximumBytes: of a line, or an element.
    func users(_ reading: ImportReading, maximumBytes: Int) throws(FileError) -> ImportReader {
        guard case .array(let member) = try layout(of: reading) else {
            return ImportReader(lines: try lines(maximumLineBytes: maximumBytes), reading)
        }
        do throws(SystemError) {
            return ImportReader(
                elements: JSONElementReader(try file.duplicate(), member: member, maximumBytes: maximumBytes), reading)
        } catch {
            throw FileError("the file can't be read", error)
        }
    }

    /// How users lie in it.
    func layout(of reading: ImportReading) throws(FileError) -> ImportFormat.Layout {
        guard case .exported(let format, _) = reading else { return .lines }
        var start = [UInt8](repeating: 0, count: Self.chunkBytes)
        do throws(SystemError) {
            let count = try file.read(into: &start, at: 0)
            let mark = JSONElementReader.byteOrderMark
            let text = start[..<count].starts(with: mark) ? start[mark.count..<count] : start[..<count]
            let first = text.first { !JSONElementReader.isSpace($0) }
            return format.layout(startsWithArray: first == UInt8(ascii: "["))
        } catch {
            throw FileError("the file can't be read", error)
        }
    }

    private static func open(_ path: String) throws(FileError) -> File {
        do throws(SystemError) { return try File(path, O_RDONLY) } catch {
            throw FileError("the file \(path) can't be read", error)
        }
    }

    private static func standardInput(_ folder: String) throws(FileError) -> File {
        let spool = try makeUnnamedFile(in: folder)
        var chunk = [UInt8](repeating: 0, count: chunkBytes)
        while true {
            let count: Int
            do throws(SystemError) { count = try File.standardInput().read(into: &chunk) } catch {
                throw FileError("standard input can't be read", error)
            }
            if count == 0 { return spool }
            do throws(SystemError) { try spool.write(chunk.span.extracting(0..<count)) } catch {
                throw FileError("standard input can't be kept beside the database", error)
            }
        }
    }

    private static func makeUnnamedFile(in folder: String) throws(FileError) -> File {
        let name = "\(folder)/import.\(UInt64.random(in: 0 ... .max))"
        do throws(SystemError) {
            let file = try File(name, O_RDWR | O_CREAT | O_EXCL)
            try FileNames.remove(name)
            return file
        } catch {
            throw FileError("no file can be made in \(folder)", error)
        }
    }
}
