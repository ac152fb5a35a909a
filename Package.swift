// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]
let package = Package(
    name: "gatehouse",
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0")
    ],
    targets: [
        .target(name: "CSystem"),
        .target(
            name: "EventLoop",
            dependencies: ["CSystem", .product(name: "HeapModule", package: "swift-collections")],
            swiftSettings: settings),
        .testTarget(name: "EventLoopTests", dependencies: ["EventLoop"], swiftSettings: settings),
        .target(name: "JSON", swiftSettings: settings),
        .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: settings),
    ]
)
