import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { RtspFramer } from './message.ts';

/** A framer, and everything it found, as comparable text. */
function framerOf(sink: Partial<ConstructorParameters<typeof RtspFramer>[0]> = {}) {
  const found: string[] = [];
  const framer = new RtspFramer({
    onResponse: ({ status, headers, body }) =>
      found.push(`response ${status} ${[...headers.keys()].join()} ${body.toString()}`),
    onRequest: ({ method, headers }) => found.push(`request ${method} ${headers.get('cseq')?.[0]}`),
    onInterleaved: (channel, payload) => found.push(`frame ${channel} ${payload.toString('hex')}`),
    ...sink,
  });
  return { framer, found };
}

function frame(chunks: readonly Buffer[]): string[] {
  const { framer, found } = framerOf();
  for (const chunk of chunks) framer.push(chunk);
  return found;
}

const STREAM = Buffer.concat([
  Buffer.from('RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Length: 5\r\n\r\nhello'),
  Buffer.from([0x24, 2, 0, 4, 0x8d, 0x0a, 0x24, 0x00]),
  Buffer.from('\r\nOPTIONS rtsp://panel/ RTSP/1.0\r\nCSeq: 77\r\n\r\n'),
  Buffer.from([0x24, 1, 0, 0]),
  Buffer.from('RTSP/1.0 401 Unauthorized\nWWW-Authenticate: Basic\nWWW-Authenticate: Digest\n\n'),
]);
const FOUND = [
  'response 200 cseq,content-length hello',
  'frame 2 8d0a2400',
  'request OPTIONS 77',
  'frame 1 ',
  'response 401 www-authenticate ',
];

function refuses(data: Buffer | string, sentence: RegExp): void {
  assert.throws(
    () => frame([Buffer.from(data)]),
    (error: unknown) =>
      error instanceof FaceplateError && error.code === 'CAMERA_PROTOCOL' && sentence.test(error.message),
  );
}

test('should find the same messages wherever the stream is split in two', () => {
  for (let cut = 0; cut <= STREAM.length; cut++) {
    assert.deepEqual(frame([STREAM.subarray(0, cut), STREAM.subarray(cut)]), FOUND, `cut at ${cut}`);
  }
});

test('should find the same messages when every byte comes alone', () => {
  assert.deepEqual(frame([...STREAM].map((byte) => Buffer.from([byte]))), FOUND);
});

for (const [what, text, patience, body] of [
  ['without a length', 'CSeq: 1\r\n\r\nv=0\r\nm=video 0\r\na=x', 150, 'v=0\r\nm=video 0\r\na=x'],
  [
    'with a length that is too short',
    'Content-Length: 8\r\n\r\nv=0\r\nm=video 0\r\n',
    150,
    'v=0\r\nm=video 0\r\n',
  ],
  ['before empty lines and stray bytes', 'CSeq: 1\r\n\r\n\r\r\n\r200 OK\r\n', undefined, ''],
] as const)
  test(`should read the same description ${what}, however it is split`, () => {
    const stream = Buffer.from(`RTSP/1.0 200 OK\r\n${text}`);
    for (const size of [1, 2, 3, 5, 7, stream.length]) {
      const bodies: string[] = [];
      const { framer } = framerOf({
        awaitsDescription: () => true,
        onResponse: (response) => bodies.push(response.body.toString()),
      });
      for (let at = 0; at < stream.length; at += size) framer.push(stream.subarray(at, at + size));
      const silence = framer.patience;
      framer.settle();
      assert.deepEqual([silence, bodies], [patience, [body]], `pieces of ${size}`);
    }
  });

test('should keep the values of a header that is repeated', () => {
  let values: readonly string[] | undefined;
  const framer = new RtspFramer({
    onResponse: ({ headers }) => {
      values = headers.get('www-authenticate');
    },
    onRequest: () => {},
    onInterleaved: () => {},
  });
  framer.push(Buffer.from('RTSP/1.0 401 No\r\nWWW-Authenticate: a\r\nwww-authenticate: b\r\n\r\n'));
  assert.deepEqual(values, ['a', 'b']);
});

test('should read headers that go on in the next line, and pass over blank ones', () => {
  let values: readonly (readonly string[])[] = [];
  const { framer } = framerOf({
    onResponse: ({ headers }) => {
      values = [...headers.values()];
    },
  });
  framer.push(
    Buffer.from(
      'RTSP/1.0 401 No\r\n cseq: 9\r\nWWW-Authenticate: Digest realm="r",\r\n\tnonce="n:1"\r\n \r\n\t\r\nCSEQ:3\r\n\r\n',
    ),
  );
  assert.deepEqual(values, [['Digest realm="r", nonce="n:1"'], ['3']]);
});

test('should say what a stream without any RTSP is', () => {
  for (const [data, refusal] of [
    [Buffer.from([0xff, 0xd8, 0xff]), 'it sends binary data that is not RTSP'],
    [Buffer.from('220 ftp ready\r\n'), 'it does not speak RTSP'],
    [Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'), 'it does not speak RTSP'],
    [Buffer.from('GET / RTSP\r\n'), 'it does not speak RTSP'],
    [Buffer.from([0, 0, ...Buffer.from('RTSP/1.0 200 OK\r\n\r\n')]), undefined],
    [Buffer.alloc(0), undefined],
  ] as const) {
    const { framer } = framerOf();
    framer.push(data);
    assert.equal(framer.refusal, refusal);
  }
});

test('should name HTTP when the port speaks it', () => {
  refuses('HTTP/1.1 400 Bad Request\r\n', /HTTP/);
});

test('should refuse a header that never ends', () => {
  refuses(`RTSP/1.0 200 OK\r\n${'X: y\r\n'.repeat(3_000)}`, /header is too long/);
  refuses(`RTSP/1.0 200 ${'x'.repeat(20_000)}`, /header is too long/);
});

test('should refuse a body over the limit and a length that is no number', () => {
  refuses('RTSP/1.0 200 OK\r\nContent-Length: 65537\r\n\r\n', /body/);
  refuses('RTSP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n', /body/);
  refuses('RTSP/1.0 200 OK\r\nContent-Length: 1e3\r\n\r\n', /body/);
});

/** Bytes that are searched, decoded, copied or joined while `run` runs. */
function countBytesRead(run: () => void): number {
  let bytes = 0;
  const restore: (() => void)[] = [];
  const count = (owner: object, name: string, sizeOf: (self: Buffer, ...args: never[]) => number): void => {
    const descriptor = Object.getOwnPropertyDescriptor(owner, name)!;
    const original = descriptor.value as (...args: unknown[]) => unknown;
    restore.push(() => Object.defineProperty(owner, name, descriptor));
    Object.defineProperty(owner, name, {
      ...descriptor,
      value: function (this: Buffer, ...args: unknown[]): unknown {
        bytes += sizeOf(this, ...(args as never[]));
        return original.apply(this, args);
      },
    });
  };
  const { prototype } = Buffer;
  count(prototype, 'indexOf', (data, _value: unknown, from = 0) => data.length - from);
  count(prototype, 'toString', (data, _encoding: unknown, start = 0, end = data.length) => end - start);
  count(prototype, 'copy', (data, _to: unknown, _at: unknown, start = 0, end = data.length) => end - start);
  count(Buffer, 'concat', (_self, list: Buffer[]) => list.reduce((sum, { length }) => sum + length, 0));
  count(Buffer, 'from', (_self, data: Buffer) => data.length);
  // V8 joins a rope of pieces before cutting it.
  count(String.prototype, 'slice', (text) => text.length);
  try {
    run();
  } finally {
    for (const undo of restore) undo();
  }
  return bytes;
}

test('security: should read each byte of a message or frame once, however small the pieces it comes in', () => {
  const fields = Array.from({ length: 15 }, (_, index) => `X-${index}: ${'a'.repeat(1_000)}\r\n`).join('');
  const longLine = `X: ${'b'.repeat(16_000)}\r\n`;
  const startLine = `DESCRIBE rtsp://${'c'.repeat(16_000)} RTSP/1.0\r\n\r\n`;
  const body = 'd'.repeat(64_000);
  const whole = [
    Buffer.from(`RTSP/1.0 200 OK\r\nContent-Length: ${body.length}\r\n${fields}\r\n${body}`),
    Buffer.from(`RTSP/1.0 200 OK\r\n${longLine}\r\n`),
    Buffer.from(startLine),
    Buffer.concat([Buffer.from([0x24, 0, 0xff, 0xff]), Buffer.alloc(0xffff, 0x80)]),
  ];
  for (const data of whole) {
    const pieces = Array.from({ length: Math.ceil(data.length / 10) }, (_, index) =>
      data.subarray(index * 10, index * 10 + 10),
    );
    let found: string[] = [];
    const bytes = countBytesRead(() => {
      found = frame(pieces);
    });
    assert.equal(found.length, 1);
    assert.ok(bytes < 5 * data.length, `${bytes} bytes read of ${data.length}`);
  }
});
