#if canImport(Security)
    import Foundation
    import Security

    /// Keeps a session in the keychain of this device: readable after the first unlock, so that an app may refresh in
    /// the background, and in no backup that another device could restore.
    public struct KeychainStore: SessionStore {
        /// What the keychain has answered.
        public struct Failure: Error, Equatable {
            public let status: OSStatus
        }

        private let service: String
        private let account: String
        private let accessGroup: String?

        /// - Parameter accessGroup: shared with an app's extensions.
        public init(service: String, account: String = "session", accessGroup: String? = nil) {
            self.service = service
            self.account = account
            self.accessGroup = accessGroup
        }

        private var query: [CFString: Any] {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
            ]
            if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
            return query
        }

        public func load() throws -> StoredSession? {
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query.merging([kSecReturnData: true]) { $1 } as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = found as? Data else { throw Failure(status: status) }
            return try JSONDecoder().decode(StoredSession.self, from: data)
        }

        public func save(_ session: StoredSession) throws {
            let content: [CFString: Any] = [
                kSecValueData: try JSONEncoder().encode(session),
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            var status = SecItemUpdate(query as CFDictionary, content as CFDictionary)
            if status == errSecItemNotFound { status = SecItemAdd(query.merging(content) { $1 } as CFDictionary, nil) }
            guard status == errSecSuccess else { throw Failure(status: status) }
        }

        public func clear() throws {
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw Failure(status: status) }
        }
    }
#endif
