internal import JSON
internal import Syntax

/// The two files by which a phone's system learns that an app belongs to this host. The system says nothing where it
/// can't use one: links then open in the browser, so whatever would be passed over in silence is a fault here.
enum AssociationFile: String, CaseIterable {
    case apple, android

    /// What Apple's servers read at most; Android's are no smaller.
    static let maximumBytes = 128 << 10

    var key: String { "associationFiles.\(rawValue)" }

    var servedAt: String {
        switch self {
        case .apple: "/.well-known/apple-app-site-association"
        case .android: "/.well-known/assetlinks.json"
        }
    }

    static var size: String { "a file of at most \(maximumBytes) bytes" }

    /// What is expected of a file instead of what it is; nil where it is right. Never shows what stands in the file.
    func expectation(of bytes: [UInt8]) -> String? {
        guard bytes.count <= Self.maximumBytes else { return Self.size }
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONValue(parsing: bytes)
        } catch {
            return Self.expectation(error)
        }
        switch self {
        case .apple: return Self.ofApple(document)
        case .android: return Self.ofAndroid(document)
        }
    }

    private static func expectation(_ error: JSONError) -> String {
        switch error {
        case .syntax(let offset): "a file of JSON, which this one is up to byte \(offset)"
        case .invalidText(let offset): "a file of JSON in UTF-8, which this one is up to byte \(offset)"
        case .duplicateMember, .doubtfulMember: "a file of JSON whose objects have each member once"
        case .tooDeep: "a file of JSON that nests less deep"
        }
    }

    /// Universal links and shared credentials; for callbacks of ASWebAuthenticationSession an app needs the latter.
    private static func ofApple(_ document: JSONValue) -> String? {
        let (links, credentials) = (document["applinks"], document["webcredentials"])
        guard links != nil || credentials != nil else { return "a JSON object with applinks or webcredentials" }
        let identifiers = "app IDs such as ABCDE12345.com.example.app"
        if let links {
            guard let details = links["details"]?.array, !details.isEmpty else {
                return "applinks with details, a list of objects"
            }
            for (index, detail) in details.enumerated() {
                // appID is what iOS 12 reads.
                let named = detail["appIDs"] ?? .array(detail["appID"].map { [$0] } ?? [])
                guard isList(named, of: isAppID) else {
                    return "\(identifiers) in applinks.details, object \(index + 1)"
                }
            }
        }
        if let credentials, !isList(credentials["apps"], of: isAppID) { return "\(identifiers) in webcredentials.apps" }
        return nil
    }

    /// Statements as Digital Asset Links has them.
    private static func ofAndroid(_ document: JSONValue) -> String? {
        guard let statements = document.array, !statements.isEmpty else { return "a JSON array of statements" }
        for (index, statement) in statements.enumerated() {
            let place = "in statement \(index + 1)"
            guard isList(statement["relation"], of: { $0.contains("/") }) else {
                return "relation \(place), a list such as delegate_permission/common.handle_all_urls"
            }
            if let expectation = ofTarget(statement["target"]) { return "\(expectation) \(place)" }
        }
        return nil
    }

    /// What a statement is about: an app, or a site that an app shares what it knows with.
    private static func ofTarget(_ target: JSONValue?) -> String? {
        if target?["namespace"].isExactly("web") == true {
            return target?["site"]?.string?.hasPrefix("https://") == true ? nil : "a target with a site in https"
        }
        guard target?["namespace"].isExactly("android_app") == true else {
            return "a target of namespace android_app or web"
        }
        guard let name = target?["package_name"]?.string, isPackage(name) else {
            return "a target with a package_name such as com.example.app"
        }
        guard isList(target?["sha256_cert_fingerprints"], of: isFingerprint) else {
            return "sha256_cert_fingerprints, each of 32 bytes as AA:BB:…, in upper case,"
        }
        return nil
    }

    private static func isList(_ value: JSONValue?, of isElement: (String) -> Bool) -> Bool {
        guard let elements = value?.array, !elements.isEmpty else { return false }
        return elements.allSatisfy { $0.string.map(isElement) == true }
    }

    /// The team's identifier, and a bundle's behind the first dot.
    private static func isAppID(_ text: String) -> Bool {
        guard let dot = text.utf8.firstIndex(of: UInt8(ascii: ".")), dot != text.startIndex else { return false }
        let bundle = text.utf8[dot...].dropFirst()
        return text.utf8[..<dot].allSatisfy(isUpperCase) && !bundle.isEmpty && bundle.first != UInt8(ascii: ".")
            && bundle.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
    }

    /// Two words at least between dots, each of which begins with a letter.
    private static func isPackage(_ text: String) -> Bool {
        let words = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return words.count > 1
            && words.allSatisfy { word in
                word.first?.isLetter == true && word.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "_") }
            }
    }

    private static func isFingerprint(_ text: String) -> Bool {
        let bytes = text.utf8.split(separator: .colon, omittingEmptySubsequences: false)
        return bytes.count == 32
            && bytes.allSatisfy { byte in
                byte.count == 2 && byte.allSatisfy { isUpperCase($0) && $0.hexadecimalValue != nil }
            }
    }

    /// A letter in upper case, or a digit.
    private static func isUpperCase(_ byte: UInt8) -> Bool { byte.isDigit || byte &- 0x41 < 26 }
}

extension SettingsLoader {
    /// Reads the files that `associationFiles` names.
    mutating func readAssociationFiles(into settings: inout Settings) {
        let files = settings.associationFiles
        settings.associationFiles.apple = files.appleFile.flatMap { read(.apple, $0) }
        settings.associationFiles.android = files.androidFile.flatMap { read(.android, $0) }
    }

    private mutating func read(_ file: AssociationFile, _ path: String) -> [UInt8]? {
        let (kind, expected): (SettingsError.Kind, String)
        do {
            let bytes = try files.read(path)
            guard let expectation = file.expectation(of: bytes) else { return bytes }
            (kind, expected) = (.value, expectation)
        } catch {
            let isTooLarge = error == .tooLarge
            (kind, expected) = isTooLarge ? (.value, AssociationFile.size) : (.unreadableFile, error.sentence)
        }
        faults.append(SettingsError(kind, file.key, value: path, expected: expected, source: sources[file.key]))
        return nil
    }
}
