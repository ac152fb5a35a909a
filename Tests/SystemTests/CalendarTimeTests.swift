import System
import Testing

@Suite struct `A time of day` {
    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (-2_208_988_800, "Mon, 01 Jan 1900 00:00:00 GMT"),
    ]) func `a time of day is written as HTTP does`(_ seconds: Int64, text: String) {
        #expect(CalendarTime(secondsSince1970: seconds).imfFixdate == text)
    }

    @Test(arguments: [0, 784_111_777, 951_782_400, 1_735_689_599, 4_107_542_399, 4_107_542_400, 253_402_300_799])
    func `is read as HTTP writes it`(seconds: Int64) {
        #expect(CalendarTime.seconds(imfFixdate: CalendarTime(secondsSince1970: seconds).imfFixdate) == seconds)
    }

    @Test(arguments: [
        "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT", "Sun, 06 Nov 1969 08:49:37 GMT",
    ])
    func `is no date in any other form`(text: String) {
        #expect(CalendarTime.seconds(imfFixdate: text) == nil)
    }

    @Test(
        arguments: [
            (0, 0, "1970-01-01T00:00:00.000Z"), (951_782_400, 7, "2000-02-29T00:00:00.007Z"),
            (1_000_000_000, 42, "2001-09-09T01:46:40.042Z"), (1_790_000_000, 999, "2026-09-21T14:13:20.999Z"),
            (2_147_483_648, 0, "2038-01-19T03:14:08.000Z"), (253_402_300_799, 999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, Int64, String)])
    func `a time of day is written as RFC 3339 wants it, to the millisecond`(
        seconds: Int64, milliseconds: Int64, text: String
    ) {
        #expect(CalendarTime(secondsSince1970: seconds).rfc3339(milliseconds: milliseconds) == text)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1_709_210_096, "2024-02-29T12:34:56Z"),
            (4_102_444_799, "2099-12-31T23:59:59Z"),
            (253_402_300_800, "10000-01-01T00:00:00Z"), (-62_198_755_200, "-0001-01-01T00:00:00Z"),
            (.max, "292277026596-12-04T15:30:07Z"), (.min, "-292277022657-01-27T08:29:52Z"),
        ] as [(Int64, String)])
    func `a time of day is written as people read it, however far away`(seconds: Int64, text: String) {
        #expect(CalendarTime.rfc3339(seconds) == text)
    }
}
