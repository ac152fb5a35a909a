public import Accounts
import AccountsSQL
import Postgres
public import Syntax

/// Budgets, of which many instances take at once: the row's own lock decides, so that none is begun again.
extension PostgresAccounts {
    public func take(_ budget: Budget, for key: [UInt8], now: Int64) async throws(RepositoryError) -> Int64? {
        try await inTurn(of: .budget(key)) { () async throws(RepositoryError) in
            try await write(.readCommitted) { [sealer, knownSecretKeys] connection throws(RepositoryError) in
                try BudgetRows(connection: connection, sealer: sealer, keys: knownSecretKeys, now: now)
                    .take(budget, for: key)
            }
        }
    }

    public func take(_ budget: Budget, for address: IPAddress, now: Int64) async throws(RepositoryError) -> Int64? {
        try await inTurn(of: .budget(Array(address.description.utf8))) { () async throws(RepositoryError) in
            try await write(.readCommitted) { [sealer, knownSecretKeys] connection throws(RepositoryError) in
                try BudgetRows(connection: connection, sealer: sealer, keys: knownSecretKeys, now: now)
                    .take(budget, for: address)
            }
        }
    }
}
