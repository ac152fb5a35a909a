/// A time of day in UTC, taken apart as people write it.
public struct CalendarTime: Sendable, Equatable {
    public let year: Int
    public let month: Int
    public let day: Int
    /// 0 is a Sunday.
    public let weekday: Int
    public let hour: Int
    public let minute: Int
    public let second: Int

    /// - Parameter secondsSince1970: any that Int64 holds; those before 1970 are negative.
    public init(secondsSince1970 seconds: Int64) {
        let (days, second) = Self.floored(seconds, by: 86_400)
        // The Gregorian calendar, counted in years that begin in March, so that the leap day comes last.
        let (era, dayOfEra) = Self.floored(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        month = Int(marchMonth < 10 ? marchMonth + 3 : marchMonth - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
        day = Int(dayOfYear - (153 * marchMonth + 2) / 5 + 1)
        // 1 January 1970 was a Thursday.
        weekday = Int(Self.floored(days + 4, by: 7).remainder)
        hour = Int(second / 3600)
        minute = Int(second / 60 % 60)
        self.second = Int(second % 60)
    }

    /// RFC 3339 §5.6, such as `2026-03-01T09:30:00Z`.
    public var rfc3339: String {
        String(utf8Capacity: Self.maximumTextBytes) { output in
            appendDateAndTime(to: &output)
            output.append(UInt8(ascii: "Z"))
        }
    }

    /// RFC 3339 of so many seconds since 1970.
    public static func rfc3339(_ secondsSince1970: Int64) -> String { Self(secondsSince1970: secondsSince1970).rfc3339 }

    /// RFC 3339 §5.6 with so many thousandths of a second, such as `2026-03-01T09:30:00.042Z`.
    public func rfc3339(milliseconds: Int64) -> String {
        String(utf8Capacity: Self.maximumTextBytes) { output in
            appendDateAndTime(to: &output)
            Self.append(Int(milliseconds), 3, after: ".", to: &output)
            output.append(UInt8(ascii: "Z"))
        }
    }

    /// IMF-fixdate (RFC 9110 §5.6.7), such as `Sun, 01 Mar 2026 09:30:00 GMT`.
    public var imfFixdate: String {
        let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][weekday]
        let month = Self.months[month - 1]
        return String(utf8Capacity: Self.maximumTextBytes) { output in
            for byte in weekday.utf8 { output.append(byte) }
            output.append(UInt8(ascii: ","))
            Self.append(day, 2, after: " ", to: &output)
            output.append(UInt8(ascii: " "))
            for byte in month.utf8 { output.append(byte) }
            Self.append(year, 4, after: " ", to: &output)
            appendTime(after: " ", to: &output)
            for byte in " GMT".utf8 { output.append(byte) }
        }
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Reads an IMF-fixdate.
    ///
    /// - Returns: seconds since 1970; nil for any other form, which servers must not send any more, and for what is no
    ///   date. The weekday is not compared.
    public static func seconds(imfFixdate text: String) -> Int64? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT", let day = number(parts[1], 1...31),
            let month = months.firstIndex(of: String(parts[2])).map({ Int64($0) + 1 }),
            let year = number(parts[3], 1970...9999)
        else { return nil }
        let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let hour = number(clock[0], 0...23), let minute = number(clock[1], 0...59),
            // A leap second is one.
            let second = number(clock[2], 0...60)
        else { return nil }
        return midnight(year, month, day).map { $0 + hour * 3600 + minute * 60 + second }
    }

    /// Reads a date of RFC 3339 §5.6, such as `2026-03-01`.
    ///
    /// - Returns: when that day begins, in seconds since 1970; nil for any other form, and for what is no date.
    public static func seconds(date text: some StringProtocol) -> Int64? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Substring($0) }
        guard parts.map(\.utf8.count) == [4, 2, 2], let year = number(parts[0], 1970...9999),
            let month = number(parts[1], 1...12), let day = number(parts[2], 1...31)
        else { return nil }
        return midnight(year, month, day)
    }

    /// The date alone, such as `2026-03-01`.
    public static func date(_ secondsSince1970: Int64) -> String {
        String(rfc3339(secondsSince1970).prefix { $0 != "T" })
    }

    /// - Returns: nil for a day that its month does not have.
    private static func midnight(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
        // Years that begin in March, as above.
        let marchYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = (marchYear / 400, marchYear % 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        return CalendarTime(secondsSince1970: days * 86_400).day == Int(day) ? days * 86_400 : nil
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int64>) -> Int64? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Int64(text).flatMap { range.contains($0) ? $0 : nil }
    }

    /// Room for any of the texts, with a year that does not fit into four digits too.
    private static let maximumTextBytes = 48

    private func appendDateAndTime(to output: inout OutputSpan<UInt8>) {
        Self.append(year, 4, to: &output)
        Self.append(month, 2, after: "-", to: &output)
        Self.append(day, 2, after: "-", to: &output)
        appendTime(after: "T", to: &output)
    }

    private func appendTime(after separator: Unicode.Scalar, to output: inout OutputSpan<UInt8>) {
        Self.append(hour, 2, after: separator, to: &output)
        Self.append(minute, 2, after: ":", to: &output)
        Self.append(second, 2, after: ":", to: &output)
    }

    private static func append(
        _ number: Int, _ width: Int, after separator: Unicode.Scalar? = nil, to output: inout OutputSpan<UInt8>
    ) {
        if let separator { output.append(UInt8(ascii: separator)) }
        if number < 0 { output.append(UInt8(ascii: "-")) }
        var weight = 1
        var digits = 1
        while digits < width || number.magnitude / UInt(weight) > 9 {
            weight *= 10
            digits += 1
        }
        while weight > 0 {
            output.append(UInt8(ascii: "0") + UInt8(number.magnitude / UInt(weight) % 10))
            weight /= 10
        }
    }

    private static func floored(_ number: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
