import Foundation
import HTTPTesting
import JSON
import Testing

/// What the sample apps of the providers' SDKs decode, to the letter: the same members, with the same types, and as
/// optional as there. What else an answer has they pass over.
enum StockApps {
    /// ZenKey's sample app for iOS, which decodes all of it with `convertFromSnakeCase`.
    enum ZenKeyIOS {
        struct SignIn: Decodable {
            let token: String
            let refreshToken: String
            let tokenType: String
            let expires: Int
        }

        struct User: Decodable {
            let zenkeySub: String
            let userId: Int
            let username: String?
            let name: String?
            let email: String?
            let postalCode: String?
            let phoneNumber: String?
        }

        /// Of every 403.
        struct Unlinked: Decodable {
            struct Attributes: Decodable {
                let sub: String
                let name: String?
                let phoneNumber: String?
                let postalCode: String?
                let email: String?
            }

            let zenkeyAttributes: Attributes
            let error: String
            let errorDescription: String
        }

        /// Of every other status but 200.
        struct Failure: Decodable {
            let error: String
            let errorDescription: String
        }

        static func decode<Body: Decodable>(_ type: Body.Type, _ answer: HTTPTestAnswer) throws -> Body {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return try decoder.decode(type, from: Data(answer.body))
        }
    }

    /// ZenKey's sample app for Android. Its converter stops where a member is there and is of another kind.
    enum ZenKeyAndroid {
        struct Tokens: Decodable {
            let token: String
            let refresh_token: String
            let token_type: String
            let expires: Int64
        }

        struct User: Decodable {
            struct Text: Decodable {
                let value: String?
                let verified: Int32?
            }

            struct Name: Decodable {
                let value: String?
                let verified: Int32?
                let given_name: String?
                let family_name: String?
            }

            struct Address: Decodable {
                let formatted: String?
                let street_address: String?
                let locality: String?
                let region: String?
                let postalCode: String?
                let country: String?
            }

            let username: String?
            let user_id: Int64?
            let zenkey_sub: String?
            let name: Name?
            let email: Text?
            let postal_code: Text?
            let phone_number: Text?
            let birthdate: Text?
            let address: Address?
            let proofing: Text?
            let last_4_social: Text?
        }

        /// Of whatever is no success: it looks for `unlinked_user`, and shows the rest.
        struct Failure: Decodable {
            let error: String?
            let error_description: String?
        }

        static func decode<Body: Decodable>(_ type: Body.Type, _ answer: HTTPTestAnswer) throws -> Body {
            try JSONDecoder().decode(type, from: Data(answer.body))
        }
    }

    /// The sample apps of Beyond Identity's SDKs: 200 is done, unless the body decodes as a failure.
    enum Beyond {
        struct Failure: Decodable {
            let code: String
            let message: String
        }

        struct Binding: Decodable {
            let credential_binding_link: String
        }

        static func isDone(_ answer: HTTPTestAnswer) -> Bool {
            answer.status == 200 && (try? JSONDecoder().decode(Failure.self, from: Data(answer.body))) == nil
        }

        static func link(_ answer: HTTPTestAnswer) throws -> String {
            try JSONDecoder().decode(Binding.self, from: Data(answer.body)).credential_binding_link
        }
    }
}
