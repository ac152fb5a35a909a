public import Apps
internal import HTML

/// Where a person is signed in, and what apps may do: what the account page shows.
public struct AccountOverview: Sendable {
    /// An app, with what it has.
    public struct App: Sendable {
        let name: String
        let client: String?
        let consent: Agreement?
        let places: [Place]

        /// - Parameters:
        ///   - name: what its operator calls it.
        ///   - client: by what its forms name it; nil where it has sessions alone that end one by one.
        ///   - consent: what the person has agreed to.
        ///   - places: its sessions.
        public init(name: String, client: String?, consent: Agreement?, places: [Place]) {
            (self.name, self.client, self.consent, self.places) = (name, client, consent, places)
        }
    }

    /// What the person has agreed to, and on which day.
    public struct Agreement: Sendable {
        let permissions: Permissions
        let day: String

        public init(permissions: Permissions, day: String) {
            (self.permissions, self.day) = (permissions, day)
        }
    }

    /// A session. Times are texts.
    public struct Place: Sendable {
        let session: String
        let provider: String
        let device: String?
        let since: String
        let lastUsed: String
        let permissions: Permissions

        /// - Parameter device: what the app says it is; nil where it says nothing that can be shown.
        public init(
            session: String, provider: String, device: String?, since: String, lastUsed: String,
            permissions: Permissions
        ) {
            (self.session, self.provider, self.device) = (session, provider, device)
            (self.since, self.lastUsed, self.permissions) = (since, lastUsed, permissions)
        }
    }

    let apps: [App]
    let here: String

    /// - Parameter here: the page's own session.
    public init(apps: [App], here: String) {
        (self.apps, self.here) = (apps, here)
    }
}
