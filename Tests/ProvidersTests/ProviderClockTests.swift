import HTTPClient
import System
import Testing

@testable import Providers

@Suite struct `A provider's clock` {
    private let moment = MonotonicTime.now

    private func clock(_ date: String?) -> ProviderClock {
        let clock = ProviderClock(limitSeconds: 60)
        let headers = date.map { [(name: "Date", value: $0)] } ?? []
        clock.note(OutboundResponse(status: 200, headers: headers, body: []), now: moment)
        return clock
    }

    @Test(
        arguments: [(1_000_000_000, 0), (999_999_990, 10), (999_999_900, 60), (1_000_000_100, 0)] as [(Int64, Int64)]
    )
    func `is ahead by what its answer says, within what tokens may be`(now: Int64, lead: Int64) {
        let clock = clock("Sun, 09 Sep 2001 01:46:40 GMT")
        #expect(clock.lead(now: now, at: moment) == lead)
        #expect(clock.lead(now: now + 3600, at: moment + .seconds(3600)) == lead, "it goes on")
    }

    @Test(arguments: [nil, "", "yesterday", "2001-09-09T01:46:40Z"])
    func `is right where it says nothing that can be read`(date: String?) {
        #expect(clock(date).lead(now: 0, at: moment) == 0)
    }
}
