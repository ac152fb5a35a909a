import EventLoop
import Glibc

/// The Date field (RFC 9110 §6.6.1), made once a second.
struct DateField {
    /// The whole line with its CRLF; made by ``renew(at:)``.
    private(set) var line: [UInt8] = []
    private var validUntil = MonotonicTime(nanoseconds: .min)

    /// Makes the line anew when its second is over.
    mutating func renew(at now: MonotonicTime) {
        guard now >= validUntil else { return }
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        line = Array("Date: \(Self.text(secondsSince1970: Int(time.tv_sec)))\r\n".utf8)
        validUntil = MonotonicTime(nanoseconds: now.nanoseconds + 1_000_000_000 - Int64(time.tv_nsec))
    }

    /// IMF-fixdate (RFC 9110 §5.6.7).
    static func text(secondsSince1970 seconds: Int) -> String {
        let days = seconds / 86_400
        let (year, month, day) = date(daysSince1970: days)
        let second = seconds % 86_400
        // 1 January 1970 was a Thursday.
        let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][(days + 4) % 7]
        let name = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ][month - 1]
        let time = [second / 3600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
        return "\(weekday), \(twoDigits(day)) \(name) \(year) \(time) GMT"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The Gregorian calendar, counted in years that begin in March, so that the leap day comes last.
    private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}
