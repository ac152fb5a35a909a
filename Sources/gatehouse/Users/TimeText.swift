import Glibc

/// Times as people read them.
enum TimeText {
    /// RFC 3339 of so many seconds since 1970, such as `2026-03-01T09:30:00Z`.
    static func utc(_ seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = unsafe tm()
        guard unsafe gmtime_r(&time, &parts) != nil else { return "\(seconds)" }
        func padded(_ number: Int32, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        let date = unsafe "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
        return unsafe "\(date)T\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))Z"
    }
}
