import Syntax
import Testing

@Suite struct `A byte` {
    private static func bytes(where isMember: (UInt8) -> Bool) -> String {
        String(decoding: (UInt8.min...UInt8.max).filter(isMember), as: UTF8.self)
    }

    private static let digits = "0123456789"
    private static let upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    private static let lower = "abcdefghijklmnopqrstuvwxyz"

    @Test func `a byte is unreserved when RFC 3986 names it so`() {
        #expect(Self.bytes(where: \.isUnreserved) == "-." + Self.digits + Self.upper + "_" + Self.lower + "~")
    }

    @Test func `stands for itself in a path when RFC 3986 lets it`() {
        #expect(
            Self.bytes(where: \.isPathCharacter) == "!$&'()*+,-." + Self.digits + ":;=@" + Self.upper + "_" + Self.lower
                + "~")
    }

    @Test func `stands for itself in a name when RFC 3986 lets it`() {
        #expect(
            Self.bytes(where: \.isNameCharacter) == "!$&'()*+,-." + Self.digits + ";=" + Self.upper + "_" + Self.lower
                + "~")
    }

    @Test func `a byte is of a token when RFC 9110 says so`() {
        #expect(Self.bytes(where: \.isToken) == "!#$%&'*+-." + Self.digits + Self.upper + "^_`" + Self.lower + "|~")
    }

    @Test func `a byte is a letter, a digit, or the value of one`() {
        #expect(Self.bytes(where: \.isAlphanumeric) == Self.digits + Self.upper + Self.lower)
        #expect(Self.bytes { $0.hexadecimalValue != nil } == Self.digits + "ABCDEFabcdef")
        for number in UInt8(0)..<16 {
            #expect(number.hexadecimalDigit.hexadecimalValue == number)
            #expect(number.uppercaseHexadecimalDigit.hexadecimalValue == number)
        }
        #expect(Hexadecimal.encode([0, 0x0F, 0xA5, 0xFF]) == "000fa5ff")
    }
}
