public import Accounts

/// The challenges that were used, each until it would be refused for its age.
struct ChallengeRows {
    private static let insert = Query(
        "INSERT INTO used_challenges (hash, expires) VALUES (?, ?) ON CONFLICT DO NOTHING")
    private static let find = Query("SELECT 1 FROM used_challenges WHERE hash = ? AND expires > ?")

    let connection: Connection

    /// - Returns: false when it was used before.
    func consume(_ challenge: OneTimeUse) throws(RepositoryError) -> Bool {
        try connection.run(Self.insert, challenge.hash, challenge.expiresAt)
        return connection.changes == 1
    }

    func isUsed(_ hash: TokenHash, now: Int64) throws(RepositoryError) -> Bool {
        try connection.first(Self.find, hash, now) { _ in true } ?? false
    }
}

extension SQLiteAccounts {
    private static let randomWords = 2

    public func makeChallenge(expiresAt: Int64) async throws(RepositoryError) -> [UInt8] {
        // The standard library's generator is the kernel's (getrandom).
        let words =
            [UInt64(bitPattern: expiresAt)] + (0..<Self.randomWords).map { _ in UInt64.random(in: 0 ... .max) }
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - $0 * 8)) } }
        return try sealer.sealing(bytes, .challenge)
    }

    public func challengeExpiry(of challenge: [UInt8]) async throws(RepositoryError) -> Int64? {
        var opened = Self.open(challenge, with: try sealer.current)
        if case .failure(.unknownKey) = opened {
            // Another instance may have made it under a newer data key.
            let isRenewed = try await readers.read { [sealer] connection throws(RepositoryError) in
                try sealer.refresh(connection)
            }
            if isRenewed { opened = Self.open(challenge, with: try sealer.current) }
        }
        guard case .success(let bytes) = opened, bytes.count == 8 * (1 + Self.randomWords) else { return nil }
        return Int64(bitPattern: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) })
    }

    public func isChallengeUsed(_ hash: TokenHash, now: Int64) async throws(RepositoryError) -> Bool {
        try await readers.read { connection throws(RepositoryError) in
            try ChallengeRows(connection: connection).isUsed(hash, now: now)
        }
    }

    private static func open(_ challenge: [UInt8], with sealer: any Sealer) -> Result<[UInt8], SealingError> {
        Result { () throws(SealingError) in try sealer.open(challenge, for: .challenge) }
    }

    /// Runs a write that uses up a code and, where there is one, a challenge.
    ///
    /// - Parameter body: the rest; a failure it returns keeps what it did and the used code, one it throws does not.
    func write<Value: Sendable>(
        consuming code: OneTimeUse, _ challenge: OneTimeUse?, now: Int64,
        _ body: @escaping @Sendable (Connection) throws(RepositoryError) -> Result<Value, RepositoryError>
    ) async throws(RepositoryError) -> Value {
        let result = try await writer.write(
            { [usedCodes] connection throws(RepositoryError) -> Result<Value, RepositoryError> in
                try CodeRows(connection: connection, usedCodes: usedCodes, now: now).consume(code)
                if let challenge, try !ChallengeRows(connection: connection).consume(challenge) {
                    return .failure(.challengeAlreadyUsed)
                }
                return try body(connection)
            },
            settled: { [usedCodes] in usedCodes.settle(code, isUsed: $0 != nil) })
        return try result.get()
    }
}
