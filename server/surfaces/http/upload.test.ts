import assert from 'node:assert/strict';
import { type ClientRequest, request } from 'node:http';
import { PassThrough } from 'node:stream';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Dispatcher, type Handlers } from '../../commands/dispatch.ts';
import type { Upload } from '../../contract/command.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock, settled } from '../../testing/fakeClock.ts';
import { letPass, until } from '../../testing/waiting.ts';
import { ownerOnly, testServer } from '../testing/testServer.ts';
import { receiveUpload } from './upload.ts';

const TOKEN = 'test-token-0123456789';
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
/** A busy machine may stand still for most of it between two bytes. */
const SILENCE_MS = 1_000;
const log = silentLogger();
let calls = 0;
let received = '';
let failure: { code?: string } | undefined;

const handlers = {
  'projects.install': async ({ name, archive }: { name: string; archive: Upload }) => {
    calls++;
    try {
      for await (const chunk of archive.bytes) received += Buffer.from(chunk).toString('latin1');
    } catch (error) {
      failure = error as { code?: string };
      throw error;
    }
    return { id: 'lobby', name, active: false };
  },
  'kiosk.screenshot': () => PNG,
} as unknown as Handlers;
const dispatcher = new Dispatcher(handlers, log, { pageMay: () => false });
const server = testServer(() => dispatcher, {
  guard: { identify: ownerOnly(TOKEN) },
  requestLimitMs: SILENCE_MS,
});

before(() => server.start());
after(() => server.stop());
beforeEach(() => {
  calls = 0;
  received = '';
  failure = undefined;
});

interface Answer {
  status: number;
  type: string;
  text: string;
}

/** Opens a request whose body `send` writes. */
function upload(
  send: (req: ClientRequest) => unknown,
  headers: Record<string, string> = {},
  path = '/api/manage/projects?name=Lobby',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/zip', ...headers };
    const options = {
      host: '127.0.0.1',
      port: server.port,
      method: 'POST',
      path,
      headers: all,
      agent: false,
    };
    const req = request(options, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      res.on('end', () => {
        req.destroy();
        resolve({ status: res.statusCode ?? 0, type: String(res.headers['content-type']), text });
      });
    });
    req.on('error', reject);
    send(req);
  });
}

const codeOf = (answer: Answer): [number, string] => [answer.status, JSON.parse(answer.text).code];

describe('uploads', () => {
  it('should pass on the bytes as they come, in both content types', async () => {
    for (const type of ['application/zip', 'application/octet-stream']) {
      received = '';
      const answer = await upload((req) => req.end('bytes of a file'), { 'content-type': type });
      assert.deepEqual(JSON.parse(answer.text), { id: 'lobby', name: 'Lobby', active: false });
      assert.equal(received, 'bytes of a file');
    }
  });

  it('should last longer than a request may, as long as bytes come', async () => {
    const answer = await upload(async (req) => {
      for (let i = 0; i < 16; i++) {
        req.write('x');
        await letPass(SILENCE_MS / 10);
      }
      req.end();
    });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(received, 'x'.repeat(16));
  });

  it('should answer 408 when no byte comes for too long, and close the connection', async () => {
    assert.deepEqual(codeOf(await upload((req) => req.write('half'))), [408, 'REQUEST_TIMEOUT']);
  });

  it('should end the command of a sender who hangs up', async () => {
    await assert.rejects(
      upload(async (req) => {
        req.write('half');
        await until(() => received !== '', 'the first bytes');
        req.destroy();
      }),
    );
    await until(() => failure !== undefined, 'the end of the command');
    assert.equal(failure?.code, 'REQUEST_TIMEOUT');
  });

  it('should refuse a file announced as too large with 413, without reading it', async () => {
    const headers = { 'content-length': String(512 * 1024 * 1024 + 1) };
    assert.deepEqual(codeOf(await upload((req) => req.write('x'), headers)), [413, 'TOO_LARGE']);
    assert.equal(calls, 0);
  });

  it('should refuse other content types, including JSON, with 415', async () => {
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const answer = await upload((req) => req.end('{}'), { 'content-type': type });
      assert.deepEqual(codeOf(answer), [415, 'UNSUPPORTED_MEDIA_TYPE'], type);
      assert.match(answer.text, /Send the body as application\/zip/);
    }
    const zip = await upload((req) => req.end('x'), {}, '/api/remote/led/on');
    assert.deepEqual(codeOf(zip), [415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('should refuse a missing body, name or token, and unknown fields of the query', async () => {
    const send = (req: ClientRequest) => req.end('x');
    const path = (query: string) => `/api/manage/projects${query}`;
    assert.deepEqual(codeOf(await upload((req) => req.end())), [400, 'INVALID_REQUEST']);
    for (const query of ['', '?name=', '?name=a&name=b', '?name=a&archive=x', '?name=a&x=1', '?name=a%00b'])
      assert.deepEqual(codeOf(await upload(send, {}, path(query))), [400, 'INVALID_REQUEST'], query);
    const wrong = await upload(send, { authorization: 'Bearer wrong' });
    assert.deepEqual(codeOf(wrong), [401, 'UNAUTHORIZED']);
    assert.equal(calls, 0);
  });
});

describe('the speed of an upload', () => {
  const PIECE = 1_000;
  /** Sends pieces, one each `seconds` of the clock, until it is refused or `pieces` are in. @returns how many were taken */
  async function send(seconds: number, pieces: number, pieceBytes = PIECE) {
    const clock = new FakeClock();
    const body = new PassThrough();
    const raw = Object.assign(body, { headers: { 'transfer-encoding': 'chunked' }, socket: {} });
    const options = { receiving: new WeakSet(), silenceMs: 30_000, clock };
    const { bytes } = receiveUpload({ raw } as never, 1024 ** 3, options as never);
    let taken = 0;
    const reading = (async () => {
      for await (const chunk of bytes) taken += chunk.length / pieceBytes;
    })().then(
      () => undefined,
      (error: { code: string; message: string }) => error,
    );
    for (let sent = 0; sent < pieces && !body.destroyed; sent++) {
      await clock.advance(seconds * 1_000);
      body.write(Buffer.alloc(pieceBytes));
      await settled();
    }
    body.end();
    const error = await reading;
    assert.equal(clock.pending, 0);
    return { taken, error };
  }

  it('security: should cut off a sender who sends less than 1 kB/s over a minute', async () => {
    for (const [seconds, pieces, bytes] of [
      [10, 100, 1],
      [29, 100, PIECE],
      [2, 1_000, PIECE],
    ] as const) {
      const { taken, error } = await send(seconds, pieces, bytes);
      assert.equal(error?.code, 'REQUEST_TIMEOUT');
      assert.match(error.message, /too slow/);
      assert.ok(taken * seconds < 90, `${taken} pieces of ${bytes} bytes`);
    }
  });

  it('should accept a slow sender of 1 kB/s for as long as it sends', async () => {
    assert.deepEqual(await send(1, 400), { taken: 400, error: undefined });
    assert.deepEqual(await send(20, 30, 60_000), { taken: 30, error: undefined });
  });

  it('security: should still end a sender who sends nothing for 30 s', async () => {
    const { taken, error } = await send(31, 100);
    assert.equal(taken, 0);
    assert.match(error?.message ?? '', /no byte came/);
  });
});

describe('a picture as an answer', () => {
  it('should be sent as its bytes', async () => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/api/manage/screenshot`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    assert.equal(answer.headers.get('content-type'), 'image/png');
    assert.deepEqual(new Uint8Array(await answer.arrayBuffer()), PNG);
  });
});
