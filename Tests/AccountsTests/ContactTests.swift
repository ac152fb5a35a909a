import Accounts
import Testing

@Suite struct `An address or a number` {
    @Test(arguments: [
        ("jane@example.com", "jane@example.com"), ("Jane.Doe@EXAMPLE.com", "jane.doe@example.com"),
        ("\t jane@example.com \n", "jane@example.com"), ("JÜRGEN@Example.com", "jÜrgen@example.com"), ("", nil),
        (" \n", nil),
    ])
    func `an address or a number is found by its small letters`(value: String, normalized: String?) {
        #expect(Contact.email.normalized(value) == normalized)
    }

    @Test(arguments: [
        ("+12065550100", "+12065550100"), ("+1 (206) 555-0100", "+12065550100"), ("12065550100", "+12065550100"),
        ("0012065550100", "+12065550100"), ("tel:+1-206-555-0100;ext=12", "+12065550100"), ("+00", nil), ("none", nil),
        ("", nil),
    ])
    func `an address or a number is found by its digits`(value: String, normalized: String?) {
        #expect(Contact.phoneNumber.normalized(value) == normalized)
    }

    @Test func `an address or a number is never found by the other kind`() {
        #expect(Contact.email.searchTerm("+1") != Contact.phoneNumber.searchTerm("+1"))
    }
}
