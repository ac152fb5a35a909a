internal import CCurl

/// What curl calls while it runs, always on the loop. None of it may call curl, and a wrong count stops the transfer.
extension Transfer {
    func receiveHead(_ line: UnsafeRawBufferPointer) -> Int {
        do throws(HTTPClientError) {
            try head.receive(unsafe line.assumingMemoryBound(to: UInt8.self).span)
            return line.count
        } catch {
            refusal = error
            return 0
        }
    }

    /// - Parameter bytes: decompressed, in pieces small enough to stop a body that explodes.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard bytes.count <= maximumBodyBytes - body.count else {
            refusal = .responseTooLarge
            return 0
        }
        unsafe body.append(contentsOf: bytes)
        return bytes.count
    }

    /// - Parameter received: the body's bytes so far, as they came. A compressed body may grow without end and yet yield
    ///   nothing.
    func noteProgress(received: Int) -> Bool {
        guard received <= maximumBodyBytes else {
            refusal = refusal ?? .responseTooLarge
            return false
        }
        return true
    }

    /// Asked once there is a connection, before any byte of the request goes out on it.
    ///
    /// Curl repeats a request by itself when a connection that was idle ends without an answer. The server may have
    /// acted on it nevertheless, and a code counts once: so only a GET is repeated (RFC 9110 §9.2.2).
    ///
    /// - Parameter port: our end of the connection.
    func mayBeSent(from port: Int32) -> Bool {
        localPort = UInt16(truncatingIfNeeded: port)
        guard timesSent == 0 || isRepeatable else {
            refusal = .connectionBroken(requestSent: true)
            return false
        }
        timesSent += 1
        return true
    }

    /// Opens a socket for one address of the host, if the policy allows it.
    func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        let isAllowed =
            unsafe allowsPrivateAddresses || withUnsafePointer(to: &address.pointee.addr, AddressFilter.isPublic)
        guard isAllowed else {
            addressesRefused += 1
            return -1
        }
        socketsOpened += 1
        return unsafe sockets.open(
            family: address.pointee.family, type: address.pointee.socktype, protocol: address.pointee.protocol)
    }
}
