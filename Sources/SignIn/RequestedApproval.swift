package import Accounts
internal import Apps
internal import Providers

/// The approval of one text that an app asks for with a sign-in, through the browser or on the phone. Its receipt is
/// stored with the session; a sign-in that shows less than an approval takes is one without a receipt.
struct RequestedApproval: Equatable, Sendable {
    /// The very text that the user is shown.
    let context: String
    /// The app's own, which the receipt repeats.
    let nonce: String?
    /// How long ago the user may have authenticated, in seconds.
    let maximumAgeSeconds: Int64

    /// - Parameters:
    ///   - acrValues: the levels that the app asks for: without any, it asks for a sign-in and no approval.
    ///   - maximumAgeSeconds: as the app asks for it; nil for what is usual.
    ///   - permissions: of the session.
    /// - Returns: nil where no approval is asked for, or may be.
    init?(
        of context: String?, acrValues: String?, nonce: String?, maximumAgeSeconds: Int64?, by permissions: Permissions
    ) {
        guard let context, !context.isEmpty, acrValues?.isEmpty == false, permissions.contains(.transactions) else {
            return nil
        }
        (self.context, self.nonce) = (context, nonce)
        self.maximumAgeSeconds = min(
            maximumAgeSeconds ?? TransactionRequest.usualMaximumAgeSeconds, TransactionRequest.longestMaximumAgeSeconds)
    }

    /// What a verified ID token approves of it, whose level was held to what the app asks for.
    ///
    /// - Parameters:
    ///   - name: of the receipt.
    ///   - now: seconds since 1970.
    /// - Returns: nil unless the token has that very text, of a user who has authenticated just now.
    func approval(
        in idToken: IDToken, at provider: ProviderConfiguration, named name: String, now: Int64
    ) -> SignInApproval? {
        guard let shown = idToken.context, shown.utf8.elementsEqual(context.utf8),
            let time = idToken.authenticationTime, now - time <= maximumAgeSeconds + provider.clockSkewSeconds
        else { return nil }
        return SignInApproval(
            receipt: name, contextHash: TokenHash(sha256: context), nonce: nonce,
            minimumIdentityAgeSeconds: provider.minimumIdentityAgeSeconds)
    }
}

extension PushGrant {
    /// - Parameter permissions: of sessions that are opened by what is posted.
    func approval(byPosters permissions: Permissions) -> RequestedApproval? {
        RequestedApproval(
            of: content.context, acrValues: content.acrValues, nonce: nil, maximumAgeSeconds: nil, by: permissions)
    }
}

extension TokenIssuer {
    /// The receipt of what was approved with the sign-in that has opened a session.
    ///
    /// - Returns: nil where nothing was.
    package func receipt(
        ofSignInTo session: Session, in repository: any ReceiptRepository
    ) async throws(ServiceError) -> String? {
        let receipts = try await stored { () throws(RepositoryError) in try await repository.receipts(of: session.user)
        }
        // The oldest comes first, and what is approved under the session comes later.
        return try receipts.first { $0.session == session.id }.map { receipt throws(ServiceError) in
            try self.receipt(receipt, under: session)
        }
    }
}
