/// The places of the store's values, in whatever engine: what is sealed in one opens in another.
extension SealContext {
    public static func grant(of identity: IdentityID) -> SealContext {
        SealContext(table: "grants", column: "tokens", row: identity.rawValue)
    }

    public static func idToken(of session: SessionID) -> SealContext {
        SealContext(table: "kept_id_tokens", column: "token", row: session.bytes)
    }

    public static func tokens(of ticket: TokenHash) -> SealContext {
        SealContext(table: "tickets", column: "tokens", row: ticket.bytes)
    }

    public static func outbox(_ number: Int64) -> SealContext {
        SealContext(table: "outbox", column: "content", row: number)
    }

    public static func profile(of user: UserID) -> SealContext {
        SealContext(table: "users", column: "profile", row: user.rawValue)
    }

    public static func profile(of ticket: TokenHash) -> SealContext {
        SealContext(table: "tickets", column: "profile", row: ticket.bytes)
    }

    /// Whoever can write into the database can't make a key sign what it is not for.
    public static func signingKey(_ kid: String, _ purpose: SigningKeyEntry.Purpose) -> SealContext {
        // The keys of sessions were there before there were any others. No kid has a colon.
        let row = purpose == .session ? kid : "\(purpose.rawValue):\(kid)"
        return SealContext(table: "signing_keys", column: "private_key", row: Array(row.utf8))
    }

    public static func secretKey(_ number: Int64, _ purpose: SecretKey.Purpose) -> SealContext {
        SealContext(table: "secret_keys", column: "sealed_key", row: Array("\(purpose.rawValue):\(number)".utf8))
    }

    public static let proof = SealContext(table: "meta", column: "value", row: Array("seal_proof".utf8))
}
