"""A collector of spans: takes OTLP as JSON over HTTP, and keeps what comes."""

import base64
import gzip
import http.server
import json
import threading
from collections.abc import Mapping

from testbed.client import JSONObject

try:
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
except ImportError:
    json_format = None
# Whether spans are held to OpenTelemetry's own definitions.
HAS_DEFINITIONS = json_format is not None


class Collector:
    """`file` gets a line for each span, for those who look for secrets in it."""

    def __init__(self, file: str) -> None:
        self.spans: list[JSONObject] = []
        self.faults: list[str] = []
        self.requests = 0
        self.file = open(file, "w", encoding="utf-8")  # noqa: SIM115 -- `stop` closes it
        self.lock = threading.Lock()
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = collector.take(self.path, dict(self.headers.items()), body)
                answer = b'{"partialSuccess":{}}'
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def take(self, path: str, headers: Mapping[str, str], body: bytes) -> int:
        with self.lock:
            if self.file.closed:
                return 503
            self.requests += 1
            if path != "/v1/traces" or headers.get("Content-Type") != "application/json":
                self.faults.append(f"{path} with {headers.get('Content-Type')}")
            if headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            self.read(body)
            return 200

    def read(self, body: bytes) -> None:
        if json_format:
            try:
                # What OpenTelemetry's own definitions do not know is a fault of ours.
                json_format.Parse(hexadecimal_as_base64(body), ExportTraceServiceRequest())
            except json_format.ParseError as error:
                self.faults.append(str(error))
        for resource in json.loads(body)["resourceSpans"]:
            named = {entry["key"] for entry in resource["resource"]["attributes"]}
            missing = {"service.name", "service.version", "service.instance.id", "host.name"} - named
            if missing:
                self.faults.append(f"the resource has no {', '.join(sorted(missing))}")
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    self.spans.append(span)
                    self.file.write(json.dumps(span) + "\n")

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        with self.lock:
            self.file.close()


def hexadecimal_as_base64(body: bytes) -> str:
    """OTLP writes the names of traces and spans in hexadecimal digits, where JSON of Protocol Buffers has Base64."""
    def changed(value: object) -> object:
        if isinstance(value, list):
            return [changed(element) for element in value]
        if not isinstance(value, dict):
            return value
        return {name: base64.b64encode(bytes.fromhex(member)).decode()
                if name in ("traceId", "spanId", "parentSpanId") else changed(member) for name, member in value.items()}
    return json.dumps(changed(json.loads(body)))


def attributes(span: JSONObject) -> dict[str, str | int]:
    values: dict[str, str | int] = {}
    for entry in span.get("attributes", []):
        value = entry["value"]
        values[entry["key"]] = int(value["intValue"]) if "intValue" in value else value["stringValue"]
    return values
