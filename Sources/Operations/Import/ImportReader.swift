import Accounts
import Composition
import Crypto
import JSON
internal import Syntax
import System

/// What a file's records become users by.
enum ImportReading {
    case ours(ImportLine)
    case exported(ImportFormat, ProviderMap)
}

/// The users of a file, one at a time, whatever format it has.
struct ImportReader: ~Copyable {
    /// What a record is, by its number from 1.
    enum Found {
        case user(ImportedUser)
        case fault(ImportError)
        case nobody
    }

    private static let referenceBytes = 16

    private var lines: LineReader?
    private var elements: JSONElementReader?
    private let reading: ImportReading
    private var number = 0
    /// The rows of the user who is not complete yet, and the number of the first of them.
    private var pending: (number: Int, user: ExportedUser)?

    init(lines: consuming LineReader, _ reading: ImportReading) {
        self.lines = consume lines
        self.reading = reading
    }

    init(elements: consuming JSONElementReader, _ reading: ImportReading) {
        self.elements = consume elements
        self.reading = reading
    }

    /// How many bytes of the file were read so far.
    var offset: Int {
        switch lines {
        case .some(let lines): return lines.offset
        case .none: break
        }
        switch elements {
        case .some(let elements): return elements.offset
        case .none: return 0
        }
    }

    /// - Parameter summary: counts records, and what is left out of them.
    /// - Returns: nil after the last.
    mutating func next(_ summary: inout ImportSummary) throws(FileError) -> (number: Int, found: Found)? {
        while let record = try nextRecord() {
            number += 1
            do throws(ImportError) {
                guard let bytes = try record.get() else { continue }
                summary.lines += 1
                switch reading {
                case .ours(let line): return (number, .user(try line.user(bytes, reference: Self.reference())))
                case .exported(let format, let map):
                    let user = try ExportedUser(try ImportLine.value(bytes), of: format)
                    let whole = try take(user)
                    guard let whole else { continue }
                    return (whole.number, Self.found(whole.user, map, &summary))
                }
            } catch {
                if error == .tooLong || error == .brokenFile { summary.lines += 1 }
                return (number, .fault(error))
            }
        }
        guard case .exported(_, let map) = reading, let last = pending else { return nil }
        pending = nil
        return (last.number, Self.found(last.user, map, &summary))
    }

    /// Puts rows of one user together.
    ///
    /// - Returns: a user who is complete, if this record makes one so.
    private mutating func take(_ user: ExportedUser) throws(ImportError) -> (number: Int, user: ExportedUser)? {
        if user.key.isEmpty { return (number, user) }
        guard let held = pending else {
            pending = (number, user)
            return nil
        }
        if held.user.key.isExactly(user.key) {
            pending?.user.identities += user.identities
            pending?.user.createdAt = [held.user.createdAt, user.createdAt].compactMap(\.self).min()
            return nil
        }
        // In order, so that nobody's second row can come later and make them another user.
        guard held.user.key.utf8.lexicographicallyPrecedes(user.key.utf8) else { throw .notInOrder }
        pending = (number, user)
        return held
    }

    private static func found(_ user: ExportedUser, _ map: ProviderMap, _ summary: inout ImportSummary) -> Found {
        do throws(ImportError) {
            var leftOut = summary.leftOut ?? ImportSummary.LeftOut()
            let imported = try map.user(user, reference: reference(), leftOut: &leftOut)
            summary.leftOut = leftOut
            return imported.map { .user($0) } ?? .nobody
        } catch {
            return .fault(error)
        }
    }

    /// - Returns: nil after the last; a record that is nil is an empty line, which is none.
    private mutating func nextRecord() throws(FileError) -> Result<[UInt8]?, ImportError>? {
        do throws(SystemError) {
            if let line = try lines?.next() {
                switch line {
                case .tooLong: return .failure(.tooLong)
                case .text(let bytes): return .success(bytes.allSatisfy(JSONElementReader.isSpace) ? nil : bytes)
                }
            }
            switch try elements?.next() {
            case nil: return nil
            case .text(let bytes): return .success(bytes)
            case .tooLong: return .failure(.tooLong)
            case .broken: return .failure(.brokenFile)
            }
        } catch {
            throw FileError("the file can't be read", error)
        }
    }

    private static func reference() -> String { Random.token(byteCount: referenceBytes) }
}
