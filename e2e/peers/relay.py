"""A relay that is switched by HTTP, as Shelly's are: no CORS. Prints its port. With a certificate it speaks TLS."""

import json
import ssl
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

state = {"on": False}


class Relay(BaseHTTPRequestHandler):
    def do_GET(self):
        asked = urlparse(self.path)
        if asked.path != "/rpc/Switch.Set":
            self.send_error(404)
            return
        answer = json.dumps({"was_on": state["on"]}).encode()
        state["on"] = parse_qs(asked.query)["on"][0] == "true"
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Relay)
if len(sys.argv) > 1:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
