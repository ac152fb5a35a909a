import Accounts
import AccountsPostgres
import AccountsSQLite
import EventLoop
import Foundation
import Patience
import Postgres
import PostgresTestSupport
import TestSupport

@testable import AccountsSQL

/// A store in a file or in a database, to be copied from and into.
enum CopyPlace: Sendable {
    /// Smaller than a copy has it by itself: a few rows are several pages then.
    static let pageSize = 70

    case file(String)
    case database(String)

    /// Runs a test with the store, opened as a server would, and closes it.
    func use<Value: Sendable>(
        key: UInt8 = 0x5A, now: Int64 = Sample.now, tables: StoreTables = .tested,
        _ body: (any SQLStore) async throws -> Value
    ) async throws -> Value {
        try await with(
            { loop in
                let unlock = TransparentSealer.unlocker(key: key)
                return switch self {
                case .file(let path):
                    try await SQLiteAccounts.open(
                        SQLiteSettings(path: path, access: .server, tables: tables), now: now, unlockKeyRing: unlock)
                case .database(let address):
                    try await PostgresAccounts.open(
                        Self.settings(address, loop, tables), now: now, unlockKeyRing: unlock)
                }
            }, body)
    }

    /// Runs a test with the store as one that is being filled.
    func fill<Value: Sendable>(
        tables: StoreTables = .tested, _ body: (any SQLStore) async throws -> Value
    ) async throws -> Value {
        try await with(
            { loop in
                switch self {
                case .file(let path): try await SQLiteAccounts.openToFill(path, tables: tables, now: Sample.now)
                case .database(let address): try await PostgresAccounts.openToFill(Self.settings(address, loop, tables))
                }
            }, body)
    }

    /// Copies this store into another.
    @discardableResult
    func copy(
        to target: CopyPlace, key: UInt8 = 0x5A, now: Int64 = Sample.now, tables: StoreTables = .tested
    ) async throws -> StoreCopyOutcome {
        try await use(key: key, tables: tables) { source in
            try await target.fill(tables: tables) { target in
                try await StoreCopier(from: source, to: target, now: now, pageSize: Self.pageSize).run()
            }
        }
    }

    /// The same where there may be keys in it that open nothing.
    @discardableResult
    func copyUnopened(to target: CopyPlace) async throws -> StoreCopyOutcome {
        try await fill { source in
            try await target.fill { target in
                try await StoreCopier(from: source, to: target, now: Sample.now, pageSize: Self.pageSize).run()
            }
        }
    }

    private func with<Value: Sendable>(
        _ open: (EventLoop) async throws -> any SQLStore, _ body: (any SQLStore) async throws -> Value
    ) async throws -> Value {
        let loop = try EventLoop(label: "store")
        loop.start()
        defer { loop.stop() }
        let store = try await open(loop)
        do {
            let value = try await body(store)
            await store.close()
            return value
        } catch {
            await store.close()
            throw error
        }
    }

    private static func settings(
        _ address: String, _ loop: EventLoop, _ tables: StoreTables
    ) throws -> PostgresSettings {
        PostgresSettings(
            address: try ConnectionString(address), loops: [loop], mayCreate: true, tables: tables,
            limits: PoolLimits(connections: 2, connectTimeout: .seconds(60)), statementTimeout: .seconds(60),
            transactionTimeout: .seconds(120))
    }
}

/// Runs a test with a database of its own, and a folder for files.
func withCopyPlaces(
    _ body: (_ database: CopyPlace, _ file: (String) -> CopyPlace) async throws -> Void
) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-copy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await SharedServer.withDatabase { address in
        try await body(.database(address)) { .file(folder.appending(path: $0).path) }
    }
}

extension SQLStore {
    func execute(_ text: String) async throws {
        let query = Query(text)
        try await write { connection throws(RepositoryError) in try connection.run(query) }
    }

    /// All that is copied, read through each table's own pages.
    func everything() async throws -> [String: [[CopiedValue]]] {
        var tables: [String: [[CopiedValue]]] = [:]
        for table in StoreTables.tested.all {
            var rows: [[CopiedValue]] = []
            try await untilNothingIsLeft {
                let place = rows.last.map(table.key) ?? table.start(now: Sample.now)
                let page = try await read { connection throws(RepositoryError) in
                    try table.rows(connection, after: place, limit: 500)
                }
                rows += page
                return page.count
            }
            tables[table.name] = rows
        }
        return tables
    }

    /// Puts rows into each table that is copied: of every column something, but of some a NULL, and bytes and texts of
    /// all kinds.
    func fillEveryTable(_ count: Int, except others: Set<String> = []) async throws {
        for table in StoreTables.tested.all where !others.contains(table.name) {
            let rows = (1...count).map { number in table.columns.map { $0.sample(number, table.name) } }
            for start in stride(from: 0, to: rows.count, by: 200) {
                let some = rows[start..<min(start + 200, rows.count)]
                try await write { connection throws(RepositoryError) in try table.insert(some, connection) }
            }
        }
    }
}

extension Table.Column {
    private static let optional: Set = [
        "previous_hash", "next_wrapped", "rotated", "user_agent", "acr", "auth_time", "scope", "upstream_sid",
        "retired",
        "tokens", "leased_by", "email_said", "old_identity", "new_identity", "name_hash", "directory_hash", "joined",
        "carrier_id", "ticket", "fetched", "nonce", "network",
    ]

    /// Of the same row the same in every table, so that what refers to it does.
    fileprivate func sample(_ number: Int, _ table: String) -> CopiedValue {
        if isOptional, Self.optional.contains(name), number % 3 == 0 { return .null }
        switch kind {
        case .integer where table == "used_codes": return .integer(Sample.now + Int64(number % 7) + 1)
        // Names and texts are told by the number of their row, so numbers run on behind those that a store has made.
        case .integer: return .integer(Int64(1000 + number))
        case .text: return .text(Array("täxt ' \(number % 2 == 0 ? "\u{1F512}" : "") \(number)".utf8))
        case .bytes where number % 5 == 0 && ["sealed_key", "private_key", "content"].contains(name):
            return .bytes([])
        case .bytes:
            let digits = (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
            return .bytes(
                [UInt8(truncatingIfNeeded: number * 37), 0, 0xFF] + digits + Array(repeating: 0x80, count: 25))
        }
    }
}
