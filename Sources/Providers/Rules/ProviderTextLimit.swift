/// How long the codes and tokens may be that providers draw, in bytes.
///
/// Providers draw them as they like: codes of Azure AD B2C have 2,400 to more than 4,096 characters, and tokens grow
/// with the groups of their user. So these are bounds of what is carried, and no guesses at what is drawn.
public enum ProviderTextLimit {
    /// In a body: what apps post, what a provider's form posts, and what its endpoints answer.
    public static let inBody = 16_384
    /// In an address, which has to leave room in a request line for the rest.
    public static let inAddress = 12_288
}
