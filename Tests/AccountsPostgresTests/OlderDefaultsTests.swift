import Accounts
import AccountsSQL
import Postgres
import PostgresTestSupport
import TestSupport
import Testing

@testable import AccountsPostgres

/// As the suite of the same name for the file-backed store.
@Suite struct `The defaults of a shared store` {
    @Test func `keep versions away that would show users' numbers, where apps know the users otherwise`() async throws {
        for (form, expected) in [(SubjectForm.number, Int64(1)), (.reference, 18)] {
            try await SharedServer.withDatabase { address in
                try await withStore(at: address) { store in
                    let settled = try await store.subjectForm(form)
                    #expect(settled == form)
                }
                try await withPool(at: address) { pool in
                    let least = try await pool.query(
                        .once("SELECT min_compatible FROM gatehouse_schema"), timeout: .patience)
                    #expect(try least[0].integer(0) == expected)
                }
            }
        }
    }

    @Test func `are older ones where it was made before they changed`() async throws {
        try await SharedServer.withDatabase { address in
            try await withStore(at: address) { store in
                let isOlder = try await store.hasOlderDefaults()
                #expect(!isOlder)
            }
            try await withPool(at: address) { pool in
                for statement in [
                    """
                    ALTER TABLE sessions DROP COLUMN audience, DROP COLUMN challenged, DROP COLUMN source,
                        DROP COLUMN late_repeats, DROP COLUMN late_generations, DROP COLUMN declined,
                        DROP COLUMN merge_offered
                    """,
                    "ALTER TABLE used_codes DROP COLUMN answer", "ALTER TABLE app_codes DROP COLUMN answer",
                    """
                    ALTER TABLE tickets DROP COLUMN challenged, DROP COLUMN source, DROP COLUMN created,
                        DROP COLUMN answer, DROP COLUMN scope, DROP COLUMN audience
                    """,
                    """
                    ALTER TABLE identities DROP COLUMN exchange_room, DROP COLUMN exchange_room_of,
                        DROP COLUMN not_before, DROP COLUMN authenticated_after, DROP COLUMN locked_until
                    """,
                    "DROP TABLE not_before, locks, seen_tokens, consents",
                    """
                    ALTER TABLE audit DROP COLUMN fields, DROP COLUMN actor, DROP COLUMN app, DROP COLUMN session_id,
                        DROP COLUMN request, DROP COLUMN reason, DROP COLUMN count
                    """,
                    "DROP INDEX audit_at", "DROP INDEX identities_provider", "DROP INDEX users_reference",
                    "DROP INDEX audit_event",
                    "DROP TABLE audit_repeats",
                    "ALTER TABLE audit ALTER COLUMN writer SET DEFAULT pg_current_xact_id()",
                    "DROP SEQUENCE audit_epochs", "DROP TABLE code_uses",
                    "DELETE FROM meta WHERE name IN ('code_uses_since', 'session_walk')",
                    "ALTER TABLE pending_sign_ins DROP COLUMN narrow, DROP COLUMN wide, DROP COLUMN size",
                    "ALTER TABLE failed_sign_ins DROP COLUMN correlations",
                    "DROP TABLE budgets", "ALTER TABLE grants DROP COLUMN asked",
                    "ALTER TABLE outbox DROP COLUMN network, DROP COLUMN turn",
                    "ALTER TABLE unlock_keys DROP COLUMN user_id",
                    "ALTER TABLE directory_users DROP COLUMN recipient_hash, DROP COLUMN wanted_hash",
                    "DELETE FROM meta WHERE name = 'older_defaults'",
                    "UPDATE gatehouse_schema SET version = 1",
                ] {
                    _ = try await pool.query(.once(statement), timeout: .patience)
                }
            }
            for _ in 0..<2 {
                try await withStore(at: address) { store in
                    let isOlder = try await store.hasOlderDefaults()
                    #expect(isOlder)
                }
            }
        }
    }
}
