/// The grammar of host names (RFC 1123 §2.1), or an IPv4 address, which fits it.
public enum HostName {
    /// Whether only this machine reaches what listens there. Any other name than `localhost` may mean any address.
    public static func isLoopback(_ text: String) -> Bool {
        text.lowercased() == "localhost" || IPAddress(text)?.isLoopback == true
    }

    public static func isValid(_ text: some StringProtocol) -> Bool {
        guard !text.isEmpty, text.utf8.count <= 253 else { return false }
        // What ends in a number is an IPv4 address or nothing: 127.1 and 10.0.0.256 are no names.
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        if let last = labels.last, UInt64(digits: last) != nil { return IPAddress(text) != nil }
        return labels.allSatisfy { label in
            !label.isEmpty && label.utf8.count <= 63 && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy(isLabelByte)
        }
    }

    /// Letters, digits, hyphen, and the underscore that container networks put into names.
    private static func isLabelByte(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
