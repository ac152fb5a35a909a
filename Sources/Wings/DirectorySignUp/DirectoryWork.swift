internal import Accounts
internal import Providers
internal import SignIn

/// What is done at a directory for one account of ours, in either version of its API.
struct DirectoryWork: ~Copyable, Sendable {
    /// What came of it.
    enum Outcome {
        /// A mail is on its way.
        case mailed(directoryID: String)
        case link(BindingJob, directoryID: String)
        /// The directory will never do it, or has an account of that name which is not ours.
        case never
    }

    let client: ProviderClient
    let api: UserAPI
    let account: DirectoryAccount

    /// Has a mail sent, for a new account or one that is there.
    func mail(_ provisioning: ProvisioningRequest) async throws(DirectoryFailure) -> Outcome {
        switch api.version {
        case .of2021: try await mailOf2021(provisioning)
        case .v1:
            if let id = account.directoryID {
                try await bind(id, .email)
            } else if let name = provisioning.name, let email = provisioning.email {
                try await makeAndBind(name, email: email, provisioning.displayName ?? name, .email, isOurs: false)
            } else {
                .never
            }
        }
    }

    /// Has a link made for an account whose name at the directory nobody else can have.
    func link(displayName: String) async throws(DirectoryFailure) -> Outcome {
        if let id = account.directoryID { return try await bind(id, .returned) }
        return try await makeAndBind(account.externalID, email: nil, displayName, .returned, isOurs: true)
    }

    /// Has a link made for a new account under a name that a stranger has chosen.
    func link(named name: String, displayName: String) async throws(DirectoryFailure) -> Outcome {
        try await makeAndBind(name, email: nil, displayName, .returned, isOurs: false)
    }

    private func mailOf2021(_ provisioning: ProvisioningRequest) async throws(DirectoryFailure) -> Outcome {
        if account.directoryID != nil || provisioning.kind == .recovery {
            return try await recover(id: account.directoryID)
        }
        guard let email = provisioning.email else { return .never }
        // What is `user_name` there becomes the subject of ID tokens, and one that a stranger has chosen could be
        // another's.
        let call = DirectoryCall.addUser(
            externalID: account.externalID, email: email, userName: account.externalID,
            displayName: provisioning.displayName ?? provisioning.name ?? email)
        switch try await client.ask(call) {
        case .account(let id): return .mailed(directoryID: id)
        // It was made by a call whose answer was lost: nobody else has the external identifier.
        case .taken: return try await recover(id: nil)
        case .refused, .identities, .job: return .never
        }
    }

    private func recover(id known: String?) async throws(DirectoryFailure) -> Outcome {
        guard case .account(let id) = try await client.ask(.recoverUser(externalID: account.externalID)) else {
            return .never
        }
        return .mailed(directoryID: known ?? id)
    }

    /// - Parameter isOurs: whether the name is random, so that nobody else has it.
    private func makeAndBind(
        _ name: String, email: String?, _ displayName: String, _ delivery: CredentialBinding.Delivery, isOurs: Bool
    ) async throws(DirectoryFailure) -> Outcome {
        switch try await client.ask(.addIdentity(username: name, email: email, displayName: displayName)) {
        case .account(let id): return try await bind(id, delivery)
        case .taken:
            guard let id = try await madeBefore(name, email, isOurs: isOurs) else { return .never }
            return try await bind(id, delivery)
        case .refused, .identities, .job: return .never
        }
    }

    /// The identity that a call has made whose answer was lost: it alone has that name, and the address of this
    /// sign-up. One with another address is somebody else's.
    private func madeBefore(
        _ name: String, _ email: String?, isOurs: Bool
    ) async throws(DirectoryFailure) -> String? {
        guard isOurs || email != nil,
            case .identities(let found, let total) = try await client.ask(.findIdentity(username: name)),
            found.count == 1, total == 1, let identity = found.first,
            identity.username.map(ProvisioningRequest.normalized) == ProvisioningRequest.normalized(name)
        else { return nil }
        let hasAddress = identity.email.map(ProvisioningRequest.normalized) == email.map(ProvisioningRequest.normalized)
        return isOurs || hasAddress ? identity.id : nil
    }

    private func bind(
        _ id: String, _ delivery: CredentialBinding.Delivery
    ) async throws(DirectoryFailure) -> Outcome {
        guard let binding = api.binding else { return .never }
        let call = DirectoryCall.bind(
            id: id,
            CredentialBinding(
                delivery, authenticatorConfigID: binding.authenticatorConfigID,
                postBindingRedirectURI: binding.postBindingRedirectURI))
        guard case .job(let job) = try await client.ask(call) else { return .never }
        return delivery == .returned ? .link(job, directoryID: id) : .mailed(directoryID: id)
    }
}
