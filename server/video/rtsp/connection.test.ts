import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { FaceplateError } from '../../contract/errors.ts';
import { until } from '../../testing/waiting.ts';
import { openAccess } from '../testing/openAccess.ts';
import { RtspConnection } from './connection.ts';

/** Far more than a connection may have waiting (64 KiB): reaching it means that there is no limit. */
const LIMIT = 64 * 1024;
const NO_LIMIT = 1024 * 1024;

/** A camera that reads nothing, and a connection to it. */
async function connectToDeafCamera(t: TestContext) {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  let ours: Socket | undefined;
  const onSocket = (message: unknown): void => {
    ours ??= (message as { socket: Socket }).socket;
  };
  subscribe('net.client.socket', onSocket);
  const failures: FaceplateError[] = [];
  const connection = new RtspConnection(60_000, openAccess, {
    onInterleaved: () => {},
    onClosed: (error) => failures.push(error),
  });
  await connection.connect('127.0.0.1', (server.address() as AddressInfo).port, 4_000, false);
  unsubscribe('net.client.socket', onSocket);
  const [camera] = (await accepted) as [Socket];
  camera.on('error', () => {});
  t.after(async () => {
    await connection.close();
    camera.destroy();
    server.close();
  });
  return { connection, camera, socket: ours!, failures };
}

test('security: should cut off a camera that sends requests and reads nothing', async (t) => {
  const { camera, socket, failures } = await connectToDeafCamera(t);
  let waiting = 0;
  const requests = Buffer.from('OPTIONS * RTSP/1.0\r\nCSeq: 1234567890\r\n\r\n'.repeat(1_000));
  await until(() => {
    waiting = Math.max(waiting, socket.writableLength);
    if (!camera.destroyed && camera.writableLength < requests.length) camera.write(requests);
    return failures.length > 0 || waiting > NO_LIMIT;
  }, 'the end of the connection');
  assert.deepEqual(
    failures.map(({ code, message }) => `${code} ${message}`),
    ['CAMERA_PROTOCOL The camera sends too many requests.'],
  );
  assert.ok(waiting <= LIMIT, `${waiting} bytes waited`);
  assert.equal(socket.destroyed, true);
});

test('security: should cut off a camera that sends more than 100 requests in a second, even one that reads', async (t) => {
  const { camera, failures } = await connectToDeafCamera(t);
  let answers = 0;
  camera.setEncoding('utf8').on('data', (text: string) => {
    answers += text.split('200 OK').length - 1;
  });
  camera.resume();
  // As many as are read in one turn of the event loop.
  camera.write('OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n'.repeat(1_000));
  await until(() => failures.length > 0 || answers === 1_000, 'the end of the connection');
  assert.deepEqual(
    failures.map(({ code }) => code),
    ['CAMERA_PROTOCOL'],
  );
  assert.ok(answers <= 200, `${answers} answers`);
});

test('security: should cut off a camera that does not read our own requests', async (t) => {
  const { connection, socket, failures } = await connectToDeafCamera(t);
  const told: string[] = [];
  const headers = { 'X-Long': 'x'.repeat(8_000) };
  let waiting = 0;
  for (let sent = 0; failures.length === 0 && waiting < NO_LIMIT && sent < 10_000; sent++) {
    connection.request('OPTIONS', '*', headers).catch((error: FaceplateError) => told.push(error.message));
    waiting = Math.max(waiting, socket.writableLength);
  }
  assert.ok(waiting <= LIMIT, `${waiting} bytes waited`);
  await until(() => told.length > 0);
  assert.deepEqual(new Set(told), new Set(['The camera does not read what it is sent.']));
  // A goodbye does not wait for it either.
  await connection.close({ method: 'TEARDOWN', uri: '*', headers: {} });
  assert.equal(socket.closed, true);
});
