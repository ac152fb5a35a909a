import Providers
import Settings
import SignIn

extension ProviderDirectory {
    /// The configured providers, for commands that tell of users and ask no provider.
    ///
    /// - Parameter isWrittenBefore: as ``ProviderConfiguration/served(isWrittenBefore:)``.
    init(of settings: Settings, isWrittenBefore: Bool = false) {
        self.init(settings.providers.map { Provider($0.served(isWrittenBefore: isWrittenBefore)) })
    }
}
