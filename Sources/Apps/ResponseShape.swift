public import Crypto

/// How an app is told of its user: stock apps differ in what they decode.
public enum ResponseShape: String, Sendable, CaseIterable {
    /// Texts, as the sample backend of ZenKey has them. Of somebody unknown it has objects, and so has this.
    case flat
    /// Texts, of somebody unknown too: ZenKey's sample app for iOS decodes nothing else.
    case zenkeyIOS = "zenkey-ios"
    /// An object for each attribute, `{"value": …}`, as ZenKey's sample app for Android decodes it.
    case zenkeyAndroid = "zenkey-android"
}

/// What an app sends as `X-API-KEY`, and how it is answered.
public struct APIKey: Sendable, Equatable {
    public let key: Secret
    public let responses: ResponseShape

    public init(_ key: Secret, responses: ResponseShape = .flat) {
        (self.key, self.responses) = (key, responses)
    }
}
