/**
 * Node's HTTP, for every file that uses it. An ES import of `node:http` reads all its exports, the lazy `WebSocket` among
 * them, and so loads Node's fetch client, HTTP/2 and TLS with it: 46 ms of CPU at each start (Node 24).
 */
export const { createServer, request, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http');
