internal import System

/// The Date field (RFC 9110 §6.6.1), made once a second.
struct DateField {
    /// The whole line with its CRLF; made by ``renew(at:)``.
    private(set) var line: [UInt8] = []
    private var validUntil = MonotonicTime(nanoseconds: .min)

    /// Makes the line anew when its second is over.
    mutating func renew(at now: MonotonicTime) {
        guard now >= validUntil else { return }
        let time = WallClock.now
        line = Array("Date: \(CalendarTime(secondsSince1970: time.seconds).imfFixdate)\r\n".utf8)
        validUntil = MonotonicTime(nanoseconds: now.nanoseconds + 1_000_000_000 - time.nanoseconds)
    }
}
