import Testing

@testable import Postgres

@Suite struct `Why there is no connection` {
    /// As libpq of version 15 says it.
    @Test(
        arguments: [
            (
                "connection to server at \"127.0.0.1\", port 1 failed: Connection refused\n\tIs the server running on that host "
                    + "and accepting TCP/IP connections?\n", .nobodyThere
            ),
            (
                "connection to server on socket \"/tmp/none/.s.PGSQL.5432\" failed: No such file or directory\n\tIs the server "
                    + "running locally and accepting connections on that socket?\n", .nobodyThere
            ),
            (
                "connection to server at \"db\" (10.0.0.1), port 5432 failed: fe_sendauth: no password supplied\n",
                .passwordMissing
            ),
            (
                "connection to server at \"db\" (10.0.0.1), port 5432 failed: server does not support SSL, but SSL was "
                    + "required\n", .tlsFailed
            ),
            (
                "connection to server at \"db\" (10.0.0.1), port 5432 failed: root certificate file \"/root/.postgresql/root.crt\" "
                    + "does not exist\n", .tlsFailed
            ),
            ("connection to server at \"db\", port 5432 failed: session is read-only\n", .otherRole),
            ("connection to server at \"db\" (10.0.0.1), port 5432 failed: timeout expired\n", .timedOut),
            ("connection to server at \"db\", port 5432 failed: FATAL:  28P01\n", .refused(.other("28P01"))),
            ("connection to server at \"db\", port 5432 failed: FATAL:  3D000\n", .refused(.other("3D000"))),
            ("connection to server failed: invalid port number: \"x\"\n", .unreachable), ("", .unreachable),
        ] as [(String, ConnectFailure)])
    func `is read from what libpq says`(message: String, failure: ConnectFailure) {
        #expect(ConnectFailure(message: message) == failure)
    }
}
