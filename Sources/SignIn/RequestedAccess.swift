internal import Apps

/// What a client wants an access token to be, where it says so (RFC 6749 §6, RFC 8707 §2.2). Every part was validated;
/// there is no other way to make one.
public struct RequestedAccess: Sendable {
    /// Nil for all that its session can be used for.
    let permissions: Permissions?
    /// Whom it is to be made out to; nil for whom its session's tokens usually are.
    let audience: String?

    /// All that its session can be used for, where its session's tokens usually are.
    init() { (permissions, audience) = (nil, nil) }

    /// - Parameters:
    ///   - scope: names with blanks between them; what is no permission of ours is passed over.
    ///   - resource: whom the token is for.
    /// - Throws: `ServiceError.invalidScope` for what is no scope.
    public init(scope: String?, resource: String?) throws(ServiceError) {
        if let scope, !Permissions.isWellFormed(scope: scope) { throw .invalidScope }
        permissions = scope.flatMap { $0.isEmpty ? nil : Permissions(scope: $0) }
        audience = resource.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// What is left of permissions.
    ///
    /// - Throws: `ServiceError.invalidScope` where that is nothing, and something was asked for.
    func granted(_ permissions: Permissions) throws(ServiceError) -> Permissions {
        if self.permissions != nil, permissions.isEmpty { throw .invalidScope }
        return permissions
    }
}
