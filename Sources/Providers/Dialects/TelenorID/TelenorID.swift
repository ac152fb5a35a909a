/// TelenorID+ takes the session of a line authentication with the authorization request (`aloha_token`).
enum TelenorID {
    static let dialect = Dialect(
        nil, "TelenorID+",
        profile: ProviderProfile(
            "telenor-id", displayName: "TelenorID+", place: ProviderProfile.Place(issuer: "https://id.telenor.no"),
            scopes: ["openid", "profile", "email", "phone", "offline_access"], subjectsAreOfClient: true,
            takesLineTokens: true))
}
