import ArgumentParser
import Composition
internal import System

/// Times as other products' exports have them.
enum ExportTime {
    /// Reads a time of RFC 3339 §5.6, and those of databases, which have a space for the `T` and an offset of hours
    /// alone. Fractions of a second are cut off.
    ///
    /// - Returns: seconds since 1970; nil for what is no time, and for one without an offset, which could be any.
    static func seconds(_ text: String) -> Int64? {
        var rest = text.utf8[...]
        guard let year = number(&rest, digits: 4), skip(&rest, "-"), let month = number(&rest, digits: 2),
            skip(&rest, "-"), let day = number(&rest, digits: 2), skip(&rest, "Tt "),
            let hour = number(&rest, digits: 2), skip(&rest, ":"), let minute = number(&rest, digits: 2),
            skip(&rest, ":"), let second = number(&rest, digits: 2),
            // A leap second is one.
            hour < 24, minute < 60, second <= 60, let days = days(year, month, day)
        else { return nil }
        if skip(&rest, ".") {
            let digits = rest.prefix { isDigit($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
        }
        guard let offset = offset(rest) else { return nil }
        return days * 86_400 + hour * 3600 + minute * 60 + second - offset
    }

    /// Reads `Z`, `+02:00`, `+0200` or `+02`, to its end.
    private static func offset(_ text: Substring.UTF8View) -> Int64? {
        var rest = text
        if skip(&rest, "Zz") { return rest.isEmpty ? 0 : nil }
        let isWest = skip(&rest, "-")
        guard isWest || skip(&rest, "+"), let hours = number(&rest, digits: 2), hours < 24 else { return nil }
        var minutes: Int64 = 0
        if !rest.isEmpty {
            _ = skip(&rest, ":")
            guard let told = number(&rest, digits: 2), told < 60 else { return nil }
            minutes = told
        }
        return rest.isEmpty ? (hours * 3600 + minutes * 60) * (isWest ? -1 : 1) : nil
    }

    /// - Returns: days since 1970; nil for a day that its month does not have.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard year >= 1970, (1...12).contains(month), (1...lengths[Int(month) - 1]).contains(day) else { return nil }
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400 - (1969 / 4 - 1969 / 100 + 1969 / 400)
        return (year - 1970) * 365 + leapDays + lengths[..<(Int(month) - 1)].reduce(0, +) + day - 1
    }

    private static func number(_ rest: inout Substring.UTF8View, digits: Int) -> Int64? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy(isDigit) else { return nil }
        rest = rest.dropFirst(digits)
        return text.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// - Returns: whether one of those characters stands there, which is then passed.
    private static func skip(_ rest: inout Substring.UTF8View, _ characters: String) -> Bool {
        guard let first = rest.first, characters.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension ExportTime {
    /// What an option of a command says, in seconds since 1970.
    ///
    /// - Throws: `ValidationError`, which names the option.
    static func given(_ text: String, _ option: String) throws -> Int64 {
        guard let time = Int64(text) ?? CalendarTime.seconds(date: text) ?? seconds(text) else {
            throw ValidationError(
                "\(option) is \(text), and must be a day such as 2026-03-01, a time such as 2026-03-01T09:30:00Z, "
                    + "or seconds since 1970.")
        }
        return time
    }
}
