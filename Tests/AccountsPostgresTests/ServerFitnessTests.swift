import Accounts
import AccountsSQL
import Postgres
import PostgresTestSupport
import System
import TestSupport
import Testing

@testable import AccountsPostgres

@Suite struct `A server that a store is opened at` {
    @Test func `has its texts in UTF-8, or the store is not opened, and says in what they are`() async throws {
        for (encoding, found) in [("LATIN1", "LATIN1"), ("SQL_ASCII", "SQL_ASCII")] {
            let options = "ENCODING '\(encoding)' LC_COLLATE 'C' LC_CTYPE 'C'"
            try await SharedServer.withDatabase(options) { address in
                await #expect(throws: RepositoryError.notOpened(.otherEncoding(found: found))) {
                    try await withStore(at: address) { _ in }
                }
                // Nothing was made there.
                try await withPool(at: address, limits: PoolLimits(connections: 1)) { pool in
                    let tables = try await pool.query(
                        .once("SELECT 1 FROM pg_tables WHERE schemaname = 'public'"), timeout: .seconds(60))
                    #expect(tables.isEmpty)
                }
            }
        }
    }

    @Test(arguments: [
        (
            130_014, "13.14 (Debian 13.14-0)", "UTF8",
            StoreOpenError?.some(.olderServer(found: "13.14 (Debian 13.14-0)", least: "14"))
        ),
        (90_624, "9.6.24", "LATIN1", .olderServer(found: "9.6.24", least: "14")), (140_000, "14.0", "UTF8", nil),
        (150_006, "15.6", "EUC_JP", .otherEncoding(found: "EUC_JP")), (170_000, "17.0", "UTF8", nil),
    ])
    func `is new enough and in UTF-8, or is refused by what it is`(
        number: Int64, version: String, encoding: String, fault: StoreOpenError?
    ) {
        #expect(Schema.fault(ofServer: number, version, encoding) == fault)
    }
}

@Suite struct `The clock of this machine` {
    @Test func `is the server's as soon as that was looked at`() async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { store in
                let common = CommonClock(limitSeconds: 60)
                try await store.look(at: common)
                // The server of the tests is on this machine.
                #expect(common.now != nil && abs(common.lead(of: .now)) < 1000)
            }
        }
    }
}
