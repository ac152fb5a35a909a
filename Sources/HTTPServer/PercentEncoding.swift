/// Percent-encoding (RFC 3986 §2.1).
enum PercentEncoding {
    /// Undoes it.
    ///
    /// - Parameter plusIsSpace: as in forms.
    /// - Returns: the text, or nil when a percent sign lacks its two digits or what comes out is not UTF-8.
    static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case .percent:
                guard let high = iterator.next()?.hexadecimalValue, let low = iterator.next()?.hexadecimalValue
                else { return nil }
                decoded.append(high << 4 | low)
            case .plus where plusIsSpace: decoded.append(.space)
            default: decoded.append(byte)
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }
}
