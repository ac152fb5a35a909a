import Accounts
import SignIn
import TestSupport
import Testing

@Suite struct `A session` {
    @Test func `a session is found by its access token`() async throws {
        let stage = try await SignInStage()
        let outcome = try await stage.signIn()
        let session = try await stage.sessions.principal(of: outcome.tokens.accessToken).session
        #expect(session.user == outcome.signedIn.user)
        #expect(session.userAgent == "App/1.0")
        let user = try await stage.sessions.user(of: outcome.tokens.accessToken)
        #expect(user.id == outcome.signedIn.user)
        #expect(user.profile.carrier.email == "jane@example.com")
    }

    @Test func `a session is not found by a token that has expired or is none`() async throws {
        let stage = try await SignInStage()
        let token = try await stage.signIn().tokens.accessToken
        await #expect(throws: ServiceError.invalidToken) { try await stage.sessions.principal(of: "garbage") }
        stage.pass(seconds: 899)
        _ = try await stage.sessions.principal(of: token).session
        stage.pass(seconds: 1)
        await #expect(throws: ServiceError.invalidToken) { try await stage.sessions.principal(of: token).session }
        await #expect(throws: ServiceError.invalidToken) { try await stage.sessions.user(of: token) }
    }

    @Test func `a session is over at once after signing out`() async throws {
        let stage = try await SignInStage()
        let tokens = try await stage.signIn().tokens
        try await stage.sessions.signOut(tokens.accessToken)
        await #expect(throws: ServiceError.invalidToken) {
            try await stage.sessions.principal(of: tokens.accessToken).session
        }
        await #expect(throws: ServiceError.invalidToken) { try await stage.sessions.signOut(tokens.accessToken) }
        await #expect(throws: ServiceError.invalidGrant(.unknownRefreshToken)) {
            try await stage.sessions.refresh(tokens.refreshToken)
        }
    }

    @Test func `ends by an access token that has expired`() async throws {
        let stage = try await SignInStage()
        let tokens = try await stage.signIn().tokens
        stage.pass(seconds: 3600)
        try await stage.sessions.signOut(tokens.accessToken)
        await #expect(throws: ServiceError.invalidGrant(.unknownRefreshToken)) {
            try await stage.sessions.refresh(tokens.refreshToken)
        }
        await #expect(throws: ServiceError.invalidToken) { try await stage.sessions.signOut("garbage") }
    }

    @Test func `lasts no longer than it may, however often it is refreshed`() async throws {
        let stage = try await SignInStage(absoluteSeconds: 100_000)
        var token = try await stage.signIn().tokens.refreshToken
        stage.pass(seconds: 80_000)
        token = try await stage.sessions.refresh(token).refreshToken
        stage.pass(seconds: 19_999)
        token = try await stage.sessions.refresh(token).refreshToken
        stage.pass(seconds: 1)
        await #expect(throws: ServiceError.invalidGrant(.unknownRefreshToken)) {
            try await stage.sessions.refresh(token)
        }
    }

    @Test func `ends with its absolute lifetime where that is shorter than a refresh token's`() async throws {
        let stage = try await SignInStage(absoluteSeconds: 600)
        let tokens = try await stage.signIn().tokens
        #expect(try await stage.sessions.principal(of: tokens.accessToken).session.expiresAt == stage.now + 600)
    }

    @Test func `goes on beside another that is signed out`() async throws {
        let stage = try await SignInStage()
        let first = try await stage.signIn().tokens
        let second = try await stage.signIn(["code": "another"]).tokens
        try await stage.sessions.signOut(first.accessToken)
        _ = try await stage.sessions.principal(of: second.accessToken).session
    }

    @Test func `tells that the store can't be asked`() async throws {
        let stage = try await SignInStage()
        let tokens = try await stage.signIn().tokens
        await stage.repository.close()
        await #expect(throws: ServiceError.storageUnavailable(.closed)) {
            try await stage.sessions.principal(of: tokens.accessToken).session
        }
        await #expect(throws: ServiceError.storageUnavailable(.closed)) {
            try await stage.sessions.refresh(tokens.refreshToken)
        }
    }
}

@Suite struct `A refresh` {
    @Test func `gives a new pair for the same session`() async throws {
        let stage = try await SignInStage()
        let outcome = try await stage.signIn()
        stage.pass(seconds: 800)
        let next = try await stage.sessions.refresh(outcome.tokens.refreshToken)
        #expect(next.refreshToken != outcome.tokens.refreshToken)
        #expect(next.accessToken != outcome.tokens.accessToken)
        #expect(next.expiresIn == 900)
        stage.pass(seconds: 800)
        let session = try await stage.sessions.principal(of: next.accessToken).session
        #expect(session.user == outcome.signedIn.user)
        #expect(session.authentication.acr == "a3")
        #expect(session.authentication.time == SigningProvider.now - 10)
        _ = try await stage.sessions.refresh(next.refreshToken)
    }

    @Test func `gives the same successor again to a client that lost the answer`() async throws {
        let stage = try await SignInStage()
        let first = try await stage.signIn().tokens.refreshToken
        let second = try await stage.sessions.refresh(first)
        for seconds in [0, 30, 30] as [Int64] {
            stage.pass(seconds: seconds)
            let again = try await stage.sessions.refresh(first)
            #expect(again.refreshToken == second.refreshToken)
            _ = try await stage.sessions.principal(of: again.accessToken).session
        }
        _ = try await stage.sessions.refresh(second.refreshToken)
        // The audit trail tells of each, for it may have been a thief who asked.
        let trail = try await stage.repository.auditEvents(after: 0, limit: 9)
        #expect(trail.map(\.kind) == [.userCreated] + Array(repeating: .refreshAnswerRepeated, count: 3))
        #expect(trail.allSatisfy { $0.user == trail.first?.user })
    }

    @Test func `gives a user's answers again so many times in an hour, and the token that is good is good`()
        async throws
    {
        let stage = try await SignInStage(
            budgets: UserBudgets(exchanges: nil, refreshRepeats: 6, attributeMatches: nil))
        var sessions: [String] = []
        for code in ["one", "two"] {
            sessions.append(try #require(try await stage.signIn(["code": code]).tokens.refreshToken))
        }
        var successors: [String] = []
        for token in sessions {
            successors.append(try #require(try await stage.sessions.refresh(token).refreshToken))
        }
        for number in 0..<6 { _ = try await stage.sessions.refresh(sessions[number % 2]) }
        for token in sessions {
            await #expect(throws: ServiceError.rateLimited(.refreshRepeats, retryAfterSeconds: 3600)) {
                try await stage.sessions.refresh(token)
            }
        }
        for token in successors { _ = try await stage.sessions.refresh(token) }
    }

    @Test(arguments: [0, 1, 3600])
    func `gives it again for as long as is configured`(grace: Int64) async throws {
        let stage = try await SignInStage(refreshRepeats: grace == 0 ? .never : .within(seconds: grace))
        let first = try await stage.signIn().tokens.refreshToken
        let second = try await stage.sessions.refresh(first).refreshToken
        if grace > 0 {
            stage.pass(seconds: grace)
            #expect(try await stage.sessions.refresh(first).refreshToken == second)
            stage.pass(seconds: 1)
        }
        await #expect(throws: ServiceError.invalidGrant(.reusedRefreshToken)) {
            try await stage.sessions.refresh(first)
        }
    }

    @Test func `gives two that ask at once one successor, and the same`() async throws {
        let stage = try await SignInStage()
        var token = try await stage.signIn().tokens.refreshToken
        for _ in 0..<100 {
            let presented = token
            async let one = stage.sessions.refresh(presented)
            async let other = stage.sessions.refresh(presented)
            let (first, second) = try await (one.refreshToken, other.refreshToken)
            #expect(first == second)
            token = first
        }
    }

    @Test func `gives a thief of the parent the same successor, and notices the second use of that one`()
        async throws
    {
        let stage = try await SignInStage()
        let stolen = try await stage.signIn().tokens.refreshToken
        let hers = try await stage.sessions.refresh(stolen).refreshToken
        stage.pass(seconds: 5)
        let thiefs = try await stage.sessions.refresh(stolen).refreshToken
        #expect(thiefs == hers)
        let next = try await stage.sessions.refresh(thiefs).refreshToken
        // What she presents is the parent of the thief's, which she could have lost: so it is given, and found out by
        // that.
        stage.pass(seconds: 61)
        #expect(try await stage.sessions.refresh(hers).refreshToken == next)
        _ = try await stage.sessions.refresh(next)
        await #expect(throws: ServiceError.invalidGrant(.reusedRefreshToken)) { try await stage.sessions.refresh(hers) }
    }

    @Test func `gives nothing again while the clock is put back, and does not end the session for it`() async throws {
        let stage = try await SignInStage(refreshRepeats: .within(seconds: 3600))
        let first = try await stage.signIn().tokens.refreshToken
        let second = try await stage.sessions.refresh(first).refreshToken
        stage.pass(seconds: -100)
        await #expect(throws: ServiceError.invalidGrant(.unknownRefreshToken)) {
            try await stage.sessions.refresh(first)
        }
        _ = try await stage.sessions.refresh(second)
        await #expect(throws: ServiceError.invalidGrant(.reusedRefreshToken)) {
            try await stage.sessions.refresh(first)
        }
    }

    @Test func `takes a clock that was put forward for time that has passed`() async throws {
        let stage = try await SignInStage(refreshRepeats: .within(seconds: 60))
        let first = try await stage.signIn().tokens.refreshToken
        _ = try await stage.sessions.refresh(first)
        stage.pass(seconds: 3600)
        await #expect(throws: ServiceError.invalidGrant(.reusedRefreshToken)) {
            try await stage.sessions.refresh(first)
        }
    }

    @Test func `goes on over new keys, and repeats an answer from before in the same bytes`() async throws {
        let stage = try await SignInStage()
        func rotate() async throws {
            try await stage.repository.rotateSecretKey(
                for: .refresh, keepingSeconds: RefreshTokens.keyMemorySeconds, now: stage.now)
        }
        let first = try await stage.signIn().tokens.refreshToken
        stage.pass(seconds: 1000)
        let second = try await stage.sessions.refresh(first).refreshToken
        try await rotate()
        stage.pass(seconds: 50)
        #expect(try await stage.sessions.refresh(first).refreshToken == second)
        let third = try await stage.sessions.refresh(second).refreshToken
        #expect(third?.prefix(60) == second?.prefix(60), "not every instance knows the new key yet")
        stage.pass(seconds: 10)
        let fourth = try await stage.sessions.refresh(third).refreshToken
        #expect(fourth?.prefix(60) != third?.prefix(60), "the header names another key")
        try await rotate()
        stage.pass(seconds: 80_000)
        try await rotate()
        let fifth = try await stage.sessions.refresh(fourth).refreshToken
        // The oldest still proves that it was one of the session's.
        #expect(try await stage.repository.secretKeys(for: .refresh).count == 4)
        await #expect(throws: ServiceError.invalidGrant(.reusedRefreshToken)) {
            try await stage.sessions.refresh(third)
        }
        await #expect(throws: ServiceError.invalidGrant(.unknownRefreshToken)) {
            try await stage.sessions.refresh(fifth)
        }
    }

    @Test func `gives the successor again to a phone that opens its app days later, three times`() async throws {
        let stage = try await SignInStage()
        let first = try await stage.signIn().tokens.refreshToken
        let second = try await stage.sessions.refresh(first).refreshToken
        for _ in 1...3 {
            stage.pass(seconds: 20_000)
            #expect(try await stage.sessions.refresh(first).refreshToken == second)
        }
        await #expect(throws: ServiceError.invalidGrant(.reusedRefreshToken)) {
            try await stage.sessions.refresh(first)
        }
        let trail = try await stage.repository.auditEvents(after: 0, limit: 9).map(\.kind)
        #expect(
            trail == [.userCreated] + Array(repeating: .refreshAnswerRepeatedLate, count: 3) + [.refreshTokenReused])
    }

    @Test func `takes late repeats in three generations running for a thief's, and such as a bad day's not`()
        async throws
    {
        let stage = try await SignInStage()
        var token = try await stage.signIn().tokens.refreshToken
        /// Loses an answer, and comes back an hour later.
        func loseAnswer() async throws {
            let parent = token
            token = try await stage.sessions.refresh(parent).refreshToken
            stage.pass(seconds: 3600)
            #expect(try await stage.sessions.refresh(parent).refreshToken == token)
        }
        for _ in 1...3 {
            for _ in 1...2 { try await loseAnswer() }
            // One that arrives ends the row.
            token = try await stage.sessions.refresh(token).refreshToken
            token = try await stage.sessions.refresh(token).refreshToken
        }
        for _ in 1...2 { try await loseAnswer() }
        await #expect(throws: ServiceError.invalidGrant(.reusedRefreshToken)) { try await loseAnswer() }
    }

    @Test func `gives nothing late of a session that has ended, or whose user is locked`() async throws {
        for code in ["one", "two"] {
            let stage = try await SignInStage()
            let outcome = try await stage.signIn(["code": code])
            let first = outcome.tokens.refreshToken
            _ = try await stage.sessions.refresh(first)
            stage.pass(seconds: 3600)
            if code == "one" {
                let ended = try await stage.sessions.refresh(first)
                try await stage.sessions.signOut(ended.accessToken)
            } else {
                _ = try await stage.repository.lock(
                    outcome.signedIn.user, Lock(cause: .operator, reason: nil, since: stage.now, until: nil),
                    line: .none,
                    now: stage.now)
            }
            await #expect(throws: ServiceError.self) { try await stage.sessions.refresh(first) }
        }
    }

    @Test func `revokes the session when a rotated token comes back after the time that is configured`() async throws {
        let stage = try await SignInStage(refreshRepeats: .within(seconds: 60))
        let first = try await stage.signIn().tokens.refreshToken
        let second = try await stage.sessions.refresh(first)
        stage.pass(seconds: 61)
        await #expect(throws: ServiceError.invalidGrant(.reusedRefreshToken)) {
            try await stage.sessions.refresh(first)
        }
        await #expect(throws: ServiceError.invalidToken) {
            try await stage.sessions.principal(of: second.accessToken).session
        }
        await #expect(throws: ServiceError.invalidGrant(.unknownRefreshToken)) {
            try await stage.sessions.refresh(second.refreshToken)
        }
    }

    @Test func `revokes the session when a token from before the last one comes back`() async throws {
        let stage = try await SignInStage()
        let first = try await stage.signIn().tokens.refreshToken
        let second = try await stage.sessions.refresh(first).refreshToken
        _ = try await stage.sessions.refresh(second)
        await #expect(throws: ServiceError.invalidGrant(.reusedRefreshToken)) {
            try await stage.sessions.refresh(first)
        }
    }

    @Test func `a refresh is refused once the refresh token has expired`() async throws {
        let stage = try await SignInStage()
        let token = try await stage.signIn().tokens.refreshToken
        stage.pass(seconds: 86_400)
        await #expect(throws: ServiceError.invalidGrant(.unknownRefreshToken)) {
            try await stage.sessions.refresh(token)
        }
    }

    @Test func `keeps a session alive that is used`() async throws {
        let stage = try await SignInStage()
        var token = try await stage.signIn().tokens.refreshToken
        for _ in 0..<3 {
            stage.pass(seconds: 86_399)
            token = try await stage.sessions.refresh(token).refreshToken
        }
    }

    @Test func `a refresh is refused for what is no refresh token of ours`() async throws {
        let stage = try await SignInStage()
        let tokens = try await stage.signIn().tokens
        let session = try await stage.sessions.principal(of: tokens.accessToken).session.id
        for text in ["", "garbage", tokens.accessToken, "\(session).guess", "00000000000000000000000000000000.x"] {
            await #expect(throws: ServiceError.invalidGrant(.unknownRefreshToken)) {
                try await stage.sessions.refresh(text)
            }
        }
        // A guess says nothing about the session, which lives on.
        _ = try await stage.sessions.refresh(tokens.refreshToken)
    }
}
