import Foundation
import Glibc
import System
import Testing

private enum TemporaryFile {
    /// Calls `body` with the path of a file that holds the text.
    static func with<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
        let path = FileManager.default.temporaryDirectory.appending(path: "file-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(text.utf8).write(to: URL(filePath: path))
        return try body(path)
    }
}

@Suite struct `A file` {
    @Test func `a file is read whole, or as far as one likes`() throws {
        let text = String(repeating: "0123456789", count: 20_000)
        try TemporaryFile.with(text) { path in
            let whole = try File(path, O_RDONLY).readAll()
            let part = try File(path, O_RDONLY).readAll(limit: 70_001)
            let size = try File(path, O_RDONLY).status().size
            #expect(whole == Array(text.utf8))
            #expect(part == Array(text.utf8.prefix(70_001)))
            #expect(size == 200_000)
        }
    }

    @Test func `a file is read from any place`() throws {
        try TemporaryFile.with("0123456789") { path in
            let file = try File(path, O_RDONLY)
            var buffer = [UInt8](repeating: 0, count: 4)
            let count = try file.read(into: &buffer, at: 8)
            #expect(buffer.prefix(count) == Array("89".utf8)[...])
            _ = try file.read(into: &buffer)
            #expect(buffer == Array("0123".utf8))
            _ = try file.duplicate().read(into: &buffer)
            #expect(buffer == Array("4567".utf8))
        }
    }

    @Test func `a file that is locked is locked for every other opening, until it is unlocked`() throws {
        try TemporaryFile.with("") { path in
            let first = try File(path, O_RDWR)
            let second = try File(path, O_RDWR)
            var taken = [try first.lock(isShared: true), try second.lock(isShared: true)]
            taken.append(try first.lock(isShared: false))
            second.unlock()
            taken += [try first.lock(isShared: false), try second.lock(isShared: true)]
            first.unlock()
            taken.append(try second.lock(isShared: false))
            #expect(taken == [true, true, false, true, false, true])
        }
    }

    @Test func `a file that is missing, or there already, is told by its code`() throws {
        try TemporaryFile.with("") { path in
            #expect(throws: SystemError(call: "open", code: EEXIST)) { _ = try File(path, O_RDWR | O_CREAT | O_EXCL) }
            try FileNames.remove(path)
            #expect(!FileNames.exists(path))
            #expect(throws: SystemError(call: "open", code: ENOENT)) { _ = try File(path, O_RDONLY) }
            #expect(throws: SystemError(call: "stat", code: ENOENT)) { try FileStatus(of: path) }
        }
    }

    @Test func `a file that is made has folders for its owner alone`() throws {
        try TemporaryFile.with("") { path in
            try FileNames.remove(path)
            let file = path + "/a/b/c"
            try FileNames.makeFolders(of: file)
            try FileNames.makeFolders(of: file)
            try File(file, O_WRONLY | O_CREAT | O_EXCL).write("kept".utf8.span)
            try FileNames.syncFolder(of: file)
            try FileNames.link(file, as: file + "2")
            #expect(try FileStatus(of: file).names == 2)
            #expect(
                FileNames.names(in: FileNames.folder(of: file)).filter { $0.hasPrefix("c") }.sorted() == ["c", "c2"])
            let mode = try FileManager.default.attributesOfItem(atPath: path + "/a")[.posixPermissions] as? Int
            #expect(mode == 0o700)
        }
    }

    @Test func `a file is found behind links, and a link is no file`() throws {
        try TemporaryFile.with("") { path in
            let link = path + "-link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            defer { try? FileManager.default.removeItem(atPath: link) }
            #expect(FileNames.resolved(link) == FileNames.resolved(path))
            #expect(try FileStatus(of: link).isRegular)
            #expect(try !FileStatus(of: link, followsLinks: false).isRegular)
            #expect(FileNames.folder(of: "name") == "./")
        }
    }
}

@Suite struct `Lines of a file` {
    private func lines(_ text: String, longest: Int = 1 << 20) throws -> [LineReader.Line] {
        let path = FileManager.default.temporaryDirectory.appending(path: "lines-\(UUID().uuidString)").path
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        var reader = try LineReader(File(path, O_RDONLY), maximumLineBytes: longest)
        var lines: [LineReader.Line] = []
        while let line = try reader.next() { lines.append(line) }
        return lines
    }

    private func texts(_ texts: String...) -> [LineReader.Line] { texts.map { .text(Array($0.utf8)) } }

    @Test func `lines of a file end at line feeds, the last also without one`() throws {
        #expect(try lines("") == [])
        #expect(try lines("a") == texts("a"))
        #expect(try lines("a\nb\n") == texts("a", "b"))
        #expect(try lines("\n\nb") == texts("", "", "b"))
    }

    @Test func `lines of a file are whole across the pieces they are read in`() throws {
        let long = String(repeating: "x", count: 65_535)
        #expect(try lines("\(long)\n\(long)y\nz") == texts(long, long + "y", "z"))
    }

    @Test func `lines of a file are passed over when they are too long, and the next is whole again`() throws {
        let long = String(repeating: "x", count: 200_000)
        #expect(try lines("a\n\(long)\nb", longest: 1000) == texts("a") + [.tooLong] + texts("b"))
        #expect(try lines("abc\nabcd", longest: 3) == texts("abc") + [.tooLong])
    }

    @Test func `lines of a file tell whether the last had an end`() throws {
        for (text, isEnded) in [("a\nb\n", true), ("a\nb", false)] {
            try TemporaryFile.with(text) { path in
                var reader = try LineReader(File(path, O_RDONLY), maximumLineBytes: 10)
                var seen: [Bool] = []
                while let _ = try reader.next() { seen.append(reader.isEnded) }
                #expect(seen == [true, isEnded])
            }
        }
    }
}
