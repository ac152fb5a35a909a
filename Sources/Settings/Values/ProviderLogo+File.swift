internal import Providers

extension ProviderLogo {
    /// It is fetched by everybody who has to choose.
    static let maximumBytes = 64 << 10

    static let expected =
        "a PNG of at most \(PNGPicture.largestSide) by \(PNGPicture.largestSide) pixels or an SVG that is nothing but a "
        + "picture, of at most \(maximumBytes) bytes"

    /// - Throws: for what is neither picture, or more than one.
    init(checking bytes: [UInt8]) throws(LogoFault) {
        guard bytes.count <= Self.maximumBytes else { throw LogoFault("\(bytes.count) bytes") }
        let isPNG = PNGPicture.isSigned(bytes)
        if isPNG { try PNGPicture.check(bytes) } else { try SVGPicture.check(bytes) }
        self.init(mediaType: isPNG ? .png : .svg, bytes: bytes)
    }
}

extension SettingsLoader {
    /// Reads the pictures that `provider.NAME.logoFile` names.
    mutating func readProviderLogos(into settings: inout Settings) {
        for index in settings.listedProviders.sections.indices {
            let section = settings.listedProviders.sections[index]
            guard let path = section.logoFile else { continue }
            let key = section.key("logoFile")
            do throws(SettingsFileError) {
                let bytes = try files.read(path)
                do throws(LogoFault) {
                    settings.listedProviders.sections[index].logo = try ProviderLogo(checking: bytes)
                } catch {
                    let expected = "\(ProviderLogo.expected): it has \(error.found)"
                    faults.append(
                        SettingsError(.value, key, value: path, expected: expected, source: sources[key]))
                }
            } catch {
                let isTooLarge = error == .tooLarge
                faults.append(
                    SettingsError(
                        isTooLarge ? .value : .unreadableFile, key, value: path,
                        expected: isTooLarge ? ProviderLogo.expected : error.sentence, source: sources[key]))
            }
        }
    }
}
