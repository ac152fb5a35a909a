// swift-tools-version: 6.0
import Foundation
import PackageDescription

/// The repository of the service, for the tests of the sample app. A copy of this folder in an app's own repository has
/// the client alone.
let service = "../.."
let isBesideService = FileManager.default.fileExists(
    atPath: "\(Context.packageDirectory)/\(service)/Sources/GatehouseTesting")

let package = Package(
    name: "gatehouse-client",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8)],
    products: [.library(name: "GatehouseClient", targets: ["GatehouseClient"])],
    dependencies: isBesideService ? [.package(name: "gatehouse", path: service)] : [],
    targets: [
        .target(name: "GatehouseClient"),
        .testTarget(name: "GatehouseClientTests", dependencies: ["GatehouseClient"]),
    ]
        + (isBesideService
            ? [
                .testTarget(
                    name: "SampleAppTests",
                    dependencies: [
                        "GatehouseClient",
                        // The service runs on Linux only.
                        .product(name: "GatehouseTesting", package: "gatehouse", condition: .when(platforms: [.linux])),
                    ])
            ] : []),
    swiftLanguageModes: [.v6])
