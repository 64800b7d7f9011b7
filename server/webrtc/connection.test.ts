import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { classes, DtlsClient, Message, methods } from 'werift';
import { timeToGoWrong, until } from '../testing/waiting.ts';
import { WebRtcConnection } from './connection.ts';
import { createCertificate, type DtlsCertificate } from './dtls/dtls.ts';
import { LoopbackSocket } from './ice/loopbackSocket.ts';

const FIRST_OF_HANDSHAKE = 22;
const FIRST_OF_STUN_ANSWER = 1;
const browserDescription = {
  iceUfrag: 'theirs',
  fingerprints: [{ algorithm: 'sha-256', digest: '00' }] as const,
};

/** A connection that has made an offer, and the socket of a program that may be its browser. */
async function offer(t: TestContext) {
  const socket = new LoopbackSocket();
  await socket.start();
  t.after(() => socket.stop());
  const certificate = await createCertificate();
  const connection = new WebRtcConnection({
    socket,
    certificate,
    maxResent: 1,
    tracks: { audio: { payloadType: 0, ringSize: 32 }, video: undefined },
    events: { onReady: () => {}, onFeedback: () => {}, onClosed: () => {} },
  });
  t.after(() => connection.close());
  connection.listen();
  const program = createSocket('udp4');
  program.bind(0, '127.0.0.1');
  await once(program, 'listening');
  t.after(() => program.close());
  /** First bytes of what it received. */
  const received: number[] = [];
  program.on('message', (data) => received.push(data[0]!));
  const send = (datagram: Buffer): void => program.send(datagram, socket.port, '127.0.0.1');
  const check = (password: string): void => {
    const username = `${connection.localUfrag}:theirs`;
    const request = new Message(methods.BINDING, classes.REQUEST).setAttribute('USERNAME', username);
    send(request.addMessageIntegrity(Buffer.from(password)).addFingerprint().bytes);
  };
  return { socket, connection, received, send, check, hello: await clientHello(certificate) };
}

/** The first datagram of a handshake. */
async function clientHello(certificate: DtlsCertificate): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const client = new DtlsClient({
    cert: certificate.certPem,
    key: certificate.privateKey,
    signatureHash: certificate.signatureHash,
    transport: {
      type: 'udp',
      address: { address: '', family: 'IPv4', port: 0 },
      closed: false,
      onData: () => {},
      send: async (datagram) => resolve(datagram),
      close: async () => {},
    },
  });
  void client.connect();
  const hello = await promise;
  // It would repeat it.
  client.dtls.flight = Number.MAX_SAFE_INTEGER;
  return hello;
}

test('should let a browser begin to connect before its description has arrived', async (t) => {
  const { connection, received, send, check, hello } = await offer(t);
  check(connection.localPassword);
  await until(() => received.includes(FIRST_OF_STUN_ANSWER), 'the answer to its check');
  send(hello);
  await timeToGoWrong(50);
  assert.ok(!received.includes(FIRST_OF_HANDSHAKE), 'its fingerprint is not known yet');
  connection.accept(browserDescription);
  await until(() => received.includes(FIRST_OF_HANDSHAKE), 'the answer to its handshake');
});

test('security: should take nothing early from a program without the password of the offer', async (t) => {
  const { connection, received, send, check, hello } = await offer(t);
  check('guessed');
  send(hello);
  await timeToGoWrong(50);
  connection.accept(browserDescription);
  await timeToGoWrong(50);
  assert.deepEqual(received, []);
});

test('should leave nothing on the socket when no description arrives', async (t) => {
  const { socket, connection } = await offer(t);
  assert.equal(socket.size, 1);
  connection.close();
  connection.listen();
  assert.equal(socket.size, 0);
});
