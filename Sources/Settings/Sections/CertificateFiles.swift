import TLS

/// Where a certificate with what leads to its issuer is, and where its private key.
public struct CertificateFiles: Sendable, Equatable {
    public let certificateFile: String
    public let keyFile: String

    public init(certificateFile: String, keyFile: String) {
        (self.certificateFile, self.keyFile) = (certificateFile, keyFile)
    }
}

extension TextRule where Value == CertificateFiles {
    /// `certificateFile=PATH keyFile=PATH` in either order, which the file writes as a mapping.
    static var certificateFiles: Self {
        let (ofCertificate, ofKey) = ("certificateFile=", "keyFile=")
        return TextRule("{certificateFile: …, keyFile: …}, two files in PEM") {
            "\(ofCertificate)\($0.certificateFile) \(ofKey)\($0.keyFile)"
        } accept: { text in
            let (certificate, key): (Substring, Substring)
            if text.hasPrefix(ofCertificate), let range = text.firstRange(of: " \(ofKey)") {
                (certificate, key) = (
                    text[..<range.lowerBound].dropFirst(ofCertificate.count), text[range.upperBound...]
                )
            } else if text.hasPrefix(ofKey), let range = text.firstRange(of: " \(ofCertificate)") {
                (certificate, key) = (text[range.upperBound...], text[..<range.lowerBound].dropFirst(ofKey.count))
            } else {
                return nil
            }
            guard !certificate.isEmpty, !key.isEmpty,
                let certificateFile = try? TextRule<String>.path.read(String(certificate)),
                let keyFile = try? TextRule<String>.path.read(String(key))
            else { return nil }
            return CertificateFiles(certificateFile: certificateFile, keyFile: keyFile)
        }
    }
}

/// Whether a listener can be served from the files that its keys name.
enum CertificateRule {
    /// - Parameters:
    ///   - key: in which the files are named.
    ///   - certificates: what it names.
    static func faults(_ key: String, _ certificates: [CertificateFiles], _ files: SettingsFiles) -> [SettingsError] {
        certificates.flatMap { faults(key, $0, files) }
    }

    private static func faults(_ key: String, _ named: CertificateFiles, _ files: SettingsFiles) -> [SettingsError] {
        var texts: [[UInt8]] = []
        for path in [named.certificateFile, named.keyFile] {
            do throws(SettingsFileError) {
                texts.append(Array(try files.text(path).utf8))
            } catch {
                return [SettingsError(.unreadableFile, key, value: path, expected: error.sentence)]
            }
        }
        do throws(CertificateFault) {
            _ = try ServerCertificate(chain: texts[0], key: texts[1])
            return []
        } catch {
            let isOfKey = error == .noKey || error == .otherKey
            let expected =
                "a certificate in PEM, with those that lead to its issuer, and its private key: the file \(error)"
            return [
                SettingsError(
                    .value, key, value: isOfKey ? named.keyFile : named.certificateFile, expected: expected)
            ]
        }
    }
}
