import Accounts

/// Values sealed and opened, with failures named as the repository names them.
extension Sealer {
    func sealing(_ plaintext: [UInt8], _ context: SealContext) throws(RepositoryError) -> [UInt8] {
        do throws(SealingError) { return try seal(plaintext, for: context) } catch { throw .unavailable(.brokenSeal) }
    }

    func opening(_ sealed: [UInt8], _ context: SealContext) throws(RepositoryError) -> [UInt8] {
        do throws(SealingError) { return try open(sealed, for: context) } catch { throw .unavailable(.brokenSeal) }
    }

    func sealing(_ profile: Profile, _ context: SealContext) throws(RepositoryError) -> [UInt8] {
        try sealing(profile.encoded, context)
    }

    func profile(_ sealed: [UInt8], _ context: SealContext) throws(RepositoryError) -> Profile {
        let encoded = try opening(sealed, context)
        do throws(ProfileCodingError) { return try Profile(encoded: encoded) } catch { throw .unavailable(.corrupt) }
    }
}

extension SealContext {
    static func profile(of user: UserID) -> SealContext {
        SealContext(table: "users", column: "profile", row: user.rawValue)
    }

    static func profile(of ticket: TokenHash) -> SealContext {
        SealContext(table: "tickets", column: "profile", row: ticket.bytes)
    }
}
