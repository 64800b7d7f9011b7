import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type ClientOptions, WebSocket } from 'ws';
import { type AuditRecord, Dispatcher, type Handlers } from '../../commands/dispatch.ts';
import { type Identity, OWNER } from '../../contract/access.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { LiveWatcher } from '../../kiosk/host.ts';
import type { LiveInput } from '../../kiosk/live/contract.ts';
import { LiveScreen } from '../../kiosk/live/service.ts';
import { systemClock } from '../../platform/clock.ts';
import { silentLogger } from '../../platform/log.ts';
import { until } from '../../testing/waiting.ts';
import { testServer } from '../testing/testServer.ts';

const TOKENS: Readonly<Record<string, Identity>> = {
  owner: OWNER,
  manager: { id: 'm1', name: 'tablet', scopes: ['manage'] },
  reader: { id: 'r1', name: 'reader', scopes: ['view', 'control', 'terminal', 'doors'] },
};
const PATH = '/api/manage/screen';

/** A window that notes its input and shows what a test gives it. */
class FakeWindow {
  watcher: LiveWatcher | undefined;
  readonly input: LiveInput[] = [];
  watches = 0;
  isMissing = false;

  watch(watcher: LiveWatcher) {
    if (this.isMissing) throw new FaceplateError('UNSUPPORTED_HARDWARE');
    this.watcher = watcher;
    this.watches++;
    return {
      input: (what: LiveInput) => void this.input.push(what),
      stop: () => {
        this.watcher = undefined;
      },
    };
  }

  show(text: string, width = 1280): void {
    this.watcher?.onPicture(Buffer.from(text), { width, height: 800 });
  }
}

describe('the WebSocket of the live screen', () => {
  let window: FakeWindow;
  let server: ReturnType<typeof testServer>;
  let noted: AuditRecord[];
  let clients: Client[];
  let isAsking: boolean;
  /** Before a viewer gets its place. */
  let beforeJoin: (signal: AbortSignal) => Promise<void> | undefined;

  beforeEach(async () => {
    window = new FakeWindow();
    noted = [];
    clients = [];
    isAsking = false;
    beforeJoin = () => undefined;
    const live = new LiveScreen({ window, isAsking: () => isAsking, clock: systemClock });
    const handlers = {
      'kiosk.live': (_: unknown, { signal }: { signal: AbortSignal }) =>
        beforeJoin(signal)?.then(() => live.join()) ?? live.join(),
    } as unknown as Handlers;
    const dispatcher = new Dispatcher(handlers, silentLogger(), {
      pageMay: () => false,
      note: (call) => noted.push(call),
    });
    server = testServer(() => dispatcher, {
      guard: {
        identify: (token) => TOKENS[token],
        allowedOrigins: () => ['https://desk.example'],
        onRefused: (command, identity, address, failure) =>
          dispatcher.noteRefused(command, { surface: 'http', identity, address, origin: address }, failure),
      },
    });
    await server.start();
  });
  afterEach(async () => {
    for (const { socket } of clients) socket.terminate();
    await server.stop();
  });

  /** A client, and what it has heard: texts as objects, pictures as text. */
  class Client {
    readonly socket: WebSocket;
    readonly heard: unknown[] = [];
    closed: number | undefined;
    /** HTTP status of a refusal. */
    readonly answered: Promise<{ status: number; body: { code?: string; error?: string } }>;

    constructor(protocols: string[], options: ClientOptions = {}, path = PATH) {
      this.socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, protocols, options);
      clients.push(this);
      this.socket.on('message', (data: Buffer, isBinary) =>
        this.heard.push(isBinary ? data.toString() : JSON.parse(data.toString())),
      );
      this.socket.on('close', (code) => {
        this.closed = code;
      });
      this.socket.on('error', () => {});
      this.answered = new Promise((resolve) => {
        this.socket.on('open', () => resolve({ status: 101, body: {} }));
        this.socket.on('unexpected-response', async (_request, response) => {
          const chunks = await response.toArray();
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, body: text === '' ? {} : JSON.parse(text) });
        });
      });
    }

    say(message: unknown): void {
      this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    }
  }

  const join = async (token = 'owner') => {
    const client = new Client(['faceplate.screen', `bearer.${token}`]);
    assert.equal((await client.answered).status, 101);
    return client;
  };
  const refused = async (client: Client, status: number, code: string) => {
    const { status: answered, body } = await client.answered;
    assert.deepEqual([answered, body.code], [status, code]);
    assert.equal(window.watches, 0);
  };

  test('should send the size first, then the pictures, and the size again when it changes', async () => {
    const client = await join();
    assert.equal(client.socket.protocol, 'faceplate.screen');
    window.show('one');
    await until(() => client.heard.length === 2, 'a picture');
    window.show('two', 800);
    await until(() => client.heard.length === 4, 'another');
    assert.deepEqual(client.heard, [
      { type: 'size', width: 1280, height: 800 },
      'one',
      { type: 'size', width: 800, height: 800 },
      'two',
    ]);
    const late = await join('manager');
    await until(() => late.heard.length === 2, 'the picture that stands');
    assert.deepEqual(late.heard, [{ type: 'size', width: 800, height: 800 }, 'two']);
    assert.equal(window.watches, 1);
  });

  test('should take the token from a header too, where no subprotocol is needed', async () => {
    const client = new Client([], { headers: { authorization: 'Bearer owner' } });
    assert.equal((await client.answered).status, 101);
  });

  test('security: should refuse a missing, wrong or too small token, and one in the URL', async () => {
    await refused(new Client(['faceplate.screen']), 401, 'UNAUTHORIZED');
    await refused(new Client(['faceplate.screen', 'bearer.wrong']), 401, 'UNAUTHORIZED');
    await refused(new Client(['faceplate.screen'], {}, `${PATH}?access_token=owner`), 401, 'UNAUTHORIZED');
    await refused(
      new Client(['faceplate.screen', 'bearer.owner'], {}, `${PATH}?access_token=owner`),
      400,
      'INVALID_REQUEST',
    );
    const small = new Client(['faceplate.screen', 'bearer.reader']);
    await refused(small, 403, 'FORBIDDEN');
    assert.match((await small.answered).body.error ?? '', /"manage"/);
    assert.deepEqual(
      noted.map(({ code, caller }) => [code, caller.id]),
      [['FORBIDDEN', 'r1']],
    );
  });

  test('security: should take a token from subprotocols only for a WebSocket', async () => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${PATH}`, {
      headers: { 'sec-websocket-protocol': 'faceplate.screen, bearer.owner' },
    });
    assert.equal(answer.status, 401);
    const plain = await fetch(`http://127.0.0.1:${server.port}${PATH}`, {
      headers: { authorization: 'Bearer owner' },
    });
    assert.deepEqual(
      [plain.status, ((await plain.json()) as { code: string }).code],
      [400, 'INVALID_REQUEST'],
    );
  });

  test('security: should refuse a foreign Origin and a foreign Host before the token', async () => {
    for (const origin of ['https://evil.example', 'null', `https://127.0.0.1:${server.port}`])
      await refused(new Client(['faceplate.screen', 'bearer.owner'], { origin }), 403, 'FORBIDDEN');
    await refused(new Client(['faceplate.screen'], { headers: { host: 'evil.example' } }), 403, 'FORBIDDEN');
    for (const origin of ['https://desk.example', `http://127.0.0.1:${server.port}`]) {
      const client = new Client(['faceplate.screen', 'bearer.owner'], { origin });
      assert.equal((await client.answered).status, 101, origin);
    }
  });

  test('should answer 404 to a WebSocket elsewhere, and 501 without a window', async () => {
    await refused(new Client(['bearer.owner'], {}, '/api/manage/nowhere'), 404, 'NOT_FOUND');
    window.isMissing = true;
    await refused(new Client(['faceplate.screen', 'bearer.owner']), 501, 'UNSUPPORTED_HARDWARE');
  });

  test('security: should have 4 viewers at most, and take another once one has left', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => join()));
    const fifth = new Client(['faceplate.screen', 'bearer.owner']);
    const { status, body } = await fifth.answered;
    assert.deepEqual([status, body.code], [409, 'CONFLICT']);
    all[0]!.socket.close();
    await until(async () => {
      const again = new Client(['faceplate.screen', 'bearer.owner']);
      return (await again.answered).status === 101;
    }, 'a free place');
  });

  test('should notice a client that hangs up while its handshake waits, and keep what others say meanwhile', async () => {
    const waiting = Promise.withResolvers<void>();
    let gone = 0;
    let began = 0;
    beforeJoin = (signal) => {
      began++;
      signal.addEventListener('abort', () => gone++);
      return waiting.promise;
    };
    const handshake = `GET ${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: faceplate.screen, bearer.owner\r\n\r\n`;
    const leaving = connect(server.port, '127.0.0.1');
    leaving.write(handshake);
    await until(() => began === 1, 'the call');
    leaving.end();
    await until(() => gone === 1, 'its end');
    const early = connect(server.port, '127.0.0.1');
    early.write(handshake);
    await until(() => began === 2, 'another call');
    // A ping with a mask of zeros (RFC 6455 section 5.2), before the server has agreed.
    early.write(Buffer.from([0x89, 0x80, 0, 0, 0, 0]));
    const flood = connect(server.port, '127.0.0.1');
    flood.on('error', () => {});
    flood.write(handshake);
    await until(() => began === 3, 'a third');
    flood.write(Buffer.alloc(100_000));
    await until(() => gone === 2, 'the end of the flood');
    waiting.resolve();
    const heard: Buffer[] = [];
    early.on('data', (bytes: Buffer) => heard.push(bytes));
    await until(() => Buffer.concat(heard).includes(Buffer.from([0x8a, 0])), 'the answer to the ping');
    assert.match(Buffer.concat(heard).toString('latin1'), /^HTTP\/1\.1 101 /);
    for (const socket of [leaving, early, flood]) socket.destroy();
  });

  test('should note each viewer once, when it begins', async () => {
    const client = await join('manager');
    client.say({ type: 'tap', x: 1, y: 1 });
    await until(() => noted.length > 0, 'the note');
    const [note] = noted;
    assert.deepEqual(
      [noted.length, note!.command, note!.surface, note!.caller.name, note!.code],
      [1, 'kiosk.live', 'http', 'tablet', 'OK'],
    );
  });

  test('security: should end with its token, by close code 4401', async () => {
    const [mine, other] = [await join('manager'), await join('owner')];
    server.endStreamsOf(TOKENS.manager!);
    await until(() => mine.closed !== undefined, 'the close');
    assert.equal(mine.closed, 4401);
    assert.equal(other.closed, undefined);
  });

  test('should end by close code 1001 when the service stops', async () => {
    const client = await join();
    await server.stop();
    await until(() => client.closed !== undefined, 'the close');
    assert.equal(client.closed, 1001);
    assert.equal(window.watcher, undefined);
  });

  test('should pass on input, and ignore what it does not know', async () => {
    const client = await join();
    window.show('one');
    await until(() => client.heard.length === 2, 'a picture');
    for (const message of [
      'no json',
      '[]',
      'null',
      { type: 'fly' },
      { type: 'tap', x: '1', y: 2 },
      { type: 'key' },
    ])
      client.say(message);
    client.socket.send(Buffer.from('{"type":"tap","x":1,"y":1}'), { binary: true });
    client.say({ type: 'tap', x: 1280, y: 5 });
    client.say({ type: 'tap', x: 1279, y: 5, more: true });
    client.say({ type: 'down', x: 1, y: 2 });
    client.say({ type: 'move', x: 5000, y: 5000 });
    client.say({ type: 'up', x: 3, y: 4 });
    client.say({ type: 'up', x: 3, y: 4 });
    client.say({ type: 'text', text: 'Grüße' });
    client.say({ type: 'key', key: 'Enter' });
    await until(() => window.input.at(-1)?.type === 'key', 'the key');
    assert.deepEqual(window.input, [
      { type: 'tap', x: 1279, y: 5 },
      { type: 'down', x: 1, y: 2 },
      { type: 'move', x: 1279, y: 799 },
      { type: 'up', x: 3, y: 4 },
      { type: 'text', text: 'Grüße' },
      { type: 'key', key: 'Enter' },
    ]);
  });

  test('security: should pass on nothing but the lift of a finger while the panel asks a person', async () => {
    const client = await join();
    window.show('page');
    await until(() => client.heard.length === 2, 'a picture');
    client.say({ type: 'down', x: 1, y: 1 });
    await until(() => window.input.length === 1, 'the finger');
    isAsking = true;
    for (const what of [
      { type: 'move', x: 2, y: 2 },
      { type: 'up', x: 2, y: 2 },
      { type: 'down', x: 640, y: 500 },
      { type: 'up', x: 640, y: 500 },
      { type: 'tap', x: 640, y: 500 },
      { type: 'key', key: 'Enter' },
      { type: 'text', text: 'y' },
    ])
      client.say(what);
    // What a viewer sends is taken in its order: the answer shows that all before it was heard.
    client.socket.ping();
    await once(client.socket, 'pong');
    isAsking = false;
    client.say({ type: 'tap', x: 3, y: 3 });
    await until(() => window.input.at(-1)?.type === 'tap', 'a tap afterwards');
    assert.deepEqual(window.input, [
      { type: 'down', x: 1, y: 1 },
      { type: 'up', x: 2, y: 2 },
      { type: 'tap', x: 3, y: 3 },
    ]);
  });

  test('should lift the finger of a viewer that vanishes, and of no other', async () => {
    const [mine, other] = [await join(), await join()];
    window.show('one');
    await until(() => mine.heard.length === 2, 'a picture');
    mine.say({ type: 'down', x: 1, y: 2 });
    await until(() => window.input.length === 1, 'the finger');
    other.say({ type: 'down', x: 7, y: 7 });
    other.say({ type: 'up', x: 7, y: 7 });
    other.say({ type: 'key', key: 'a' });
    await until(() => window.input.length === 2, 'the key');
    other.socket.terminate();
    mine.socket.terminate();
    await until(() => window.input.length === 3, 'the end of the finger');
    assert.deepEqual(
      window.input.map(({ type }) => type),
      ['down', 'key', 'up'],
    );
    await until(() => window.watcher === undefined, 'the end of the watch');
  });

  test('security: should end by 1009 for a message of more than 64 KiB, and by 1008 for more than 1,000 in a second', async () => {
    const loud = await join();
    window.show('one');
    const text = 'x'.repeat(64 * 1024 - '{"type":"text","text":""}'.length);
    loud.say({ type: 'text', text });
    await until(() => window.input.length === 1, 'the longest text');
    loud.say({ type: 'text', text: `${text}x` });
    await until(() => loud.closed !== undefined, 'the close');
    assert.equal(loud.closed, 1009);
    const many = await join();
    for (let i = 0; i <= 1_000; i++) many.say({ type: 'fly' });
    await until(() => many.closed !== undefined, 'the close');
    assert.equal(many.closed, 1008);
  });

  test('should give a slow reader the newest picture, never a queue, and the last one always', async () => {
    const [slow, quick] = [await join(), await join()];
    window.show('0');
    await until(() => slow.heard.length === 2 && quick.heard.length === 2, 'the first picture');
    slow.socket.pause();
    for (let i = 1; i <= 12; i++) {
      window.show(`${i}`);
      await new Promise((resolve) => setTimeout(resolve, 110));
    }
    await until(() => quick.heard.at(-1) === '12', 'the last picture');
    assert.ok(quick.heard.length >= 8, `${quick.heard.length}`);
    slow.socket.resume();
    await until(() => slow.heard.at(-1) === '12', 'the newest picture');
    assert.ok(slow.heard.length <= 4, `${slow.heard}`);
  });

  test('should send at most 10 pictures a second', async () => {
    const client = await join();
    const began = performance.now();
    for (let i = 0; i < 60; i++) {
      window.show(`${i}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await until(() => client.heard.at(-1) === '59', 'the last picture');
    const most = (performance.now() - began) / 100 + 2;
    assert.ok(client.heard.length - 1 <= most, `${client.heard.length - 1} pictures, at most ${most}`);
  });

  test('security: should survive a handshake that is cut off, or is none', async () => {
    const head = `GET ${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer owner\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;
    for (const rest of [
      '\r\n',
      'Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    ]) {
      const socket = connect(server.port, '127.0.0.1');
      socket.end(head + rest);
      let text = '';
      socket.on('data', (chunk) => (text += chunk));
      await once(socket, 'close');
      assert.match(text, /^HTTP\/1\.1 400 /);
    }
    const reset = connect(server.port, '127.0.0.1');
    reset.write(
      `${head}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\x81`,
    );
    await once(reset, 'data');
    reset.resetAndDestroy();
    await until(() => window.watcher === undefined, 'the end of the watch');
    assert.equal((await fetch(`http://127.0.0.1:${server.port}/healthz`)).status, 200);
  });
});
