internal import Syntax

/// A picture for pages that load nothing from elsewhere.
struct Logo {
    /// It is part of every page.
    static let maximumBytes = 64 << 10

    /// The whole picture (RFC 2397).
    let dataURI: String

    /// - Returns: nil for bytes that begin like none of the pictures that browsers show.
    init?(_ bytes: [UInt8]) {
        guard let type = Self.mediaType(bytes) else { return nil }
        dataURI = "data:\(type);base64," + Base64.encode(bytes)
    }

    /// By the first bytes, as browsers tell pictures apart (MIME Sniffing §6.1).
    private static func mediaType(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) { return "image/gif" }
        if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
        return isSVG(bytes) ? "image/svg+xml" : nil
    }

    /// An SVG document has an element of that name at its root, before which may stand a byte order mark, blanks, an
    /// XML declaration, comments and a document type.
    private static func isSVG(_ bytes: [UInt8]) -> Bool {
        guard let whole = String(validating: bytes, as: UTF8.self) else { return false }
        var text = whole[...]
        if text.first == "\u{FEFF}" { text.removeFirst() }
        while true {
            text = text.drop(while: \.isWhitespace)
            guard let (_, end) = [("<?", "?>"), ("<!--", "-->"), ("<!", ">")].first(where: { text.hasPrefix($0.0) })
            else { break }
            guard let close = text.firstRange(of: end) else { return false }
            text = text[close.upperBound...]
        }
        guard text.hasPrefix("<svg"), let next = text.dropFirst("<svg".count).first else { return false }
        return next.isWhitespace || next == ">" || next == "/"
    }
}

extension SettingsLoader {
    /// Reads the picture that `browser.logoFile` names.
    mutating func readLogo(into settings: inout Settings) {
        let key = "browser.logoFile"
        guard let path = settings.browser.logoFile else { return }
        let expected = "a PNG, JPEG, GIF, WebP or SVG of at most \(Logo.maximumBytes) bytes"
        do {
            let bytes = try files.read(path)
            settings.browser.logo = bytes.count <= Logo.maximumBytes ? Logo(bytes)?.dataURI : nil
            guard settings.browser.logo == nil else { return }
            faults.append(SettingsError(.value, key, value: path, expected: expected, source: sources[key]))
        } catch {
            let isTooLarge = error == .tooLarge
            faults.append(
                SettingsError(
                    isTooLarge ? .value : .unreadableFile, key, value: path,
                    expected: isTooLarge ? expected : error.sentence, source: sources[key]))
        }
    }
}
