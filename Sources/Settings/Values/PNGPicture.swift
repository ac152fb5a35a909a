/// A PNG image, from its signature to its last chunk (PNG, third edition, §5).
///
/// Nothing is decompressed here. What it may take of a browser's memory is in its dimensions, and what stands behind
/// its end is no part of the picture, so that a file is not a picture and something else as well.
enum PNGPicture {
    /// In pixels, of either side.
    static let largestSide = 1024

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// Of length, type and checksum.
    private static let chunkOverhead = 12
    private static let headerBytes = 13

    static func isSigned(_ bytes: [UInt8]) -> Bool { bytes.starts(with: signature) }

    static func check(_ bytes: [UInt8]) throws(LogoFault) {
        var rest = bytes.dropFirst(signature.count)
        var types: [String] = []
        while !rest.isEmpty {
            guard rest.count >= chunkOverhead else { throw LogoFault("an end in the middle of a chunk") }
            let length = Self.number(rest.prefix(4))
            let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
            guard length <= rest.count - chunkOverhead else { throw LogoFault("an end in the middle of a chunk") }
            let content = rest.dropFirst(8).prefix(length)
            guard (type == "IHDR") == types.isEmpty else { throw LogoFault("no header, or not at its beginning") }
            if types.isEmpty { try checkHeader(content) }
            types.append(type)
            rest = rest.dropFirst(chunkOverhead + length)
            if type == "IEND", !rest.isEmpty { throw LogoFault("\(rest.count) bytes behind its end") }
        }
        guard types.last == "IEND", types.contains("IDAT") else { throw LogoFault("no end, or no picture") }
        // An animation (§11.3.8) is no logo to click on.
        guard !types.contains("acTL") else { throw LogoFault("an animation") }
    }

    private static func checkHeader(_ header: ArraySlice<UInt8>) throws(LogoFault) {
        guard header.count == headerBytes else { throw LogoFault("a header of \(header.count) bytes") }
        let (width, height) = (number(header.prefix(4)), number(header.dropFirst(4).prefix(4)))
        guard 1...largestSide ~= width, 1...largestSide ~= height else {
            throw LogoFault("\(width) by \(height) pixels")
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
