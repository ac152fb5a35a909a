import Accounts
import Testing

@Suite struct `Who a sign-in belongs to` {
    let new = Subject(issuer: "https://carrier.example", value: "new")
    let jane = Migration.Known(identity: IdentityID(rawValue: 1), user: UserID(rawValue: 1))
    let janesOther = Migration.Known(identity: IdentityID(rawValue: 2), user: UserID(rawValue: 1))
    let john = Migration.Known(identity: IdentityID(rawValue: 3), user: UserID(rawValue: 2))

    func token(
        _ value: String = "old", isUsed: Bool = false, known: Migration.Known?
    ) -> Migration.Ported {
        Migration.Ported(
            subject: Subject(issuer: "https://former.example", value: value), isUsed: isUsed, known: known)
    }

    @Test func `a known subject signs in as its user`() {
        #expect(Migration.decide(subject: new, current: jane, ported: []) == .signIn(jane))
    }

    @Test func `an unknown subject without port tokens is new`() {
        #expect(Migration.decide(subject: new, current: nil, ported: []) == .create)
    }

    @Test func `a port token that names nobody known leaves the subject new`() {
        #expect(Migration.decide(subject: new, current: nil, ported: [token(known: nil)]) == .create)
    }

    @Test func `a port token that names a known user moves that identity`() {
        let ported = [token(known: nil), token(known: jane)]
        #expect(Migration.decide(subject: new, current: nil, ported: ported) == .migrate(jane))
    }

    @Test func `who a sign-in belongs to of two identities of one user the first named is moved`() {
        let ported = [token("a", known: janesOther), token("b", known: jane)]
        #expect(Migration.decide(subject: new, current: nil, ported: ported) == .migrate(janesOther))
    }

    @Test func `port tokens that name two users are a conflict`() {
        let ported = [token("a", known: jane), token("b", known: john)]
        #expect(Migration.decide(subject: new, current: nil, ported: ported) == .conflict)
        // A known user signs in all the same.
        #expect(Migration.decide(subject: new, current: jane, ported: ported) == .offer(jane, other: john))
    }

    @Test func `a used port token is ignored`() {
        #expect(Migration.decide(subject: new, current: nil, ported: [token(isUsed: true, known: jane)]) == .create)
        #expect(
            Migration.decide(subject: new, current: john, ported: [token(isUsed: true, known: jane)]) == .signIn(john))
        let ported = [token("a", isUsed: true, known: john), token("b", known: jane)]
        #expect(Migration.decide(subject: new, current: nil, ported: ported) == .migrate(jane))
    }

    @Test func `a port token with the new sub names no old account`() {
        #expect(Migration.decide(subject: new, current: nil, ported: [token("new", known: jane)]) == .create)
    }

    @Test func `a subject that meanwhile belongs to the ported user signs in`() {
        #expect(
            Migration.decide(subject: new, current: janesOther, ported: [token(known: jane)]) == .signIn(janesOther))
    }

    @Test func `a subject that belongs to another user signs in as that one, who is offered to make them one`() {
        let ported = [token(isUsed: true, known: janesOther), token("b", known: jane)]
        #expect(Migration.decide(subject: new, current: john, ported: ported) == .offer(john, other: jane))
    }

    @Test func `a subject that meanwhile has a user signs in when the port token names nobody`() {
        #expect(Migration.decide(subject: new, current: john, ported: [token(known: nil)]) == .signIn(john))
    }
}
