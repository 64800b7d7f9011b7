// The reference of the http bench: one Fastify route with the schema and the serializer of led/state, and nothing else.
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { commands } from '../../../server/contract/commands.ts';

const { params, result, http } = commands['led.state'];
const answer = { status: 'ok', state: { on: true, red: 0, green: 128, blue: 255 } };

const server = fastify({ logger: false });
server.get(http!.path, async (request, reply) => {
  params.parse(request.query);
  reply.type('application/json; charset=utf-8');
  return JSON.stringify(result.parse(answer));
});
await server.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`listening on ${(server.server.address() as AddressInfo).port}\n`);
process.on('SIGTERM', () => void server.close());
