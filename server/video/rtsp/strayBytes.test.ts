import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { H264_SDP, interleaved, rtpPacket } from '../../testing/scriptedCamera.ts';
import { RtspFramer } from './message.ts';
import type { ChannelKind } from './starts.ts';

const OK = Buffer.from('RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n');
const RTP = interleaved(0, rtpPacket(1, 2, true, Buffer.alloc(1_400, 7)));
const RTCP = interleaved(1, Buffer.from('80c80006112233440000000100000002000000030000000400000005', 'hex'));
/** What Canon's VB-H47 sends between two frames. */
const STRAY = Buffer.from('9a03f177200bc4', 'hex');
const KINDS: readonly ChannelKind[] = ['rtp', 'rtcp'];

/** A framer with the channels 0 and 1, and a clock that stands still. */
function framerOf(awaitsDescription = false) {
  const found: string[] = [];
  const clock = { now: 0 };
  const framer = new RtspFramer({
    onResponse: ({ status, body, hasWrongLength }) =>
      found.push(`${status} ${body.length}${hasWrongLength ? ' wrong' : ''}`),
    onRequest: ({ method }) => found.push(method),
    onInterleaved: (channel, payload) => found.push(`${channel} ${payload.length}`),
    onStray: () => found.push('stray'),
    kindOf: (channel) => KINDS[channel],
    awaitsDescription: () => awaitsDescription,
    now: () => clock.now,
  });
  return { framer, found, clock };
}

/** What is found, the same for every way to split the stream in two. */
function read(...parts: readonly (Buffer | string)[]): string[] {
  const stream = Buffer.concat(parts.map((part) => Buffer.from(part as Buffer)));
  const whole = framerOf();
  whole.framer.push(stream);
  for (let cut = 1; cut < stream.length; cut += stream.length > 3_000 ? 7 : 1) {
    const { framer, found } = framerOf();
    framer.push(stream.subarray(0, cut));
    framer.push(stream.subarray(cut));
    assert.deepEqual(found, whole.found, `cut at ${cut}`);
  }
  return whole.found;
}

const FRAME = '0 1412';

test('should go on after stray bytes between two frames, wherever the stream is split', () => {
  assert.deepEqual(read(OK, RTP, STRAY, RTP, STRAY, RTCP), ['200 0', FRAME, 'stray', FRAME, 'stray', '1 28']);
});

test('should go on after stray bytes that begin like frames and messages', () => {
  for (const stray of [
    '$',
    '$$$$',
    '$\0',
    '$\x01\x00\x10abcdefgh',
    '$\x07\x00\x20abcdefgh',
    'RTSP/',
    'RTSP/1.0 ',
    'OPTIONS ',
    'OPTIONS * ',
    'RTP-Info: url=x;seq=0\r\n\r\n',
    'a=control:track1\r\n',
    '\x80\x60\0\x01',
    'HTTP/1.1 200 OK\r\n',
    'ABC ',
  ])
    assert.deepEqual(read(OK, RTP, Buffer.from(stray, 'latin1'), RTP).at(-1), FRAME, JSON.stringify(stray));
});

test('should find an answer and a request of the camera after stray bytes', () => {
  const options = 'OPTIONS rtsp://x/ RTSP/1.0\r\nCSeq: 9\r\n\r\n';
  assert.deepEqual(read(OK, STRAY, OK), ['200 0', 'stray', '200 0']);
  assert.deepEqual(read(OK, STRAY, options), ['200 0', 'stray', 'OPTIONS']);
  assert.deepEqual(read(STRAY, OK), ['stray', '200 0']);
});

test('should go on when the end of a frame is lost', () => {
  const cut = Buffer.concat([RTP.subarray(0, 700), RTP, RTP, RTP]);
  assert.deepEqual(read(OK, cut), ['200 0', FRAME, 'stray', FRAME, FRAME]);
});

test('should pass over RTP of a channel that was not set up, as of a session before', () => {
  const other = interleaved(6, rtpPacket(1, 2, true, Buffer.alloc(50)));
  assert.deepEqual(read(other, OK, other, RTP), ['6 62', '200 0', '6 62', FRAME]);
});

test('security: should give up after 64 KiB of stray bytes in a row', () => {
  const { framer } = framerOf();
  framer.push(OK);
  const pushStray = (bytes: number): void => framer.push(Buffer.alloc(bytes, 1));
  pushStray(64 * 1024);
  assert.throws(() => pushStray(1), FaceplateError);
});

test('security: should give up on a camera that sends more stray bytes than frames for seconds', () => {
  const { framer, clock } = framerOf();
  framer.push(OK);
  const part = Buffer.concat([Buffer.alloc(60_000, 1), RTP]);
  assert.throws(() => {
    for (let i = 0; i < 20; i++) framer.push(part);
  }, FaceplateError);
  const slow = framerOf();
  slow.framer.push(OK);
  for (let i = 0; i < 20; i++) {
    slow.framer.push(part);
    slow.clock.now += 5_000;
  }
  assert.equal(slow.found.filter((text) => text === FRAME).length, 20);
  assert.equal(clock.now, 0);
});

test('security: should look at each stray byte a few times at most, whatever they look like', () => {
  for (const junk of ['$', '$\0', 'OPTIONS ', 'RTSP/1.0 ', 'OPTIONS * RTSP/1.0', 'AAA ', 'aA', '\x01']) {
    const { framer } = framerOf();
    framer.push(OK);
    const stray = Buffer.from(junk.repeat(Math.floor(60_000 / junk.length)), 'latin1');
    let bytes = 0;
    const counted = new Proxy(stray, {
      get: (target, name) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) bytes++;
        const value = Reflect.get(target, name);
        if (name === 'toString')
          return (encoding: BufferEncoding, from: number, to: number) => {
            bytes += Math.min(to, target.length) - from;
            return target.toString(encoding, from, to);
          };
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    try {
      framer.push(counted);
    } catch (error) {
      if (!(error instanceof FaceplateError)) throw error;
    }
    assert.ok(bytes < 60 * stray.length, `${JSON.stringify(junk)}: ${bytes} bytes looked at`);
  }
});

const answer = (length: number | undefined, body: string): string =>
  `RTSP/1.0 200 OK\r\nCSeq: 1\r\n${length === undefined ? '' : `Content-Length: ${length}\r\n`}\r\n${body}`;

test('should take a description that is shorter than its Content-Length, after a second of silence', () => {
  const { framer, found } = framerOf(true);
  framer.push(Buffer.from(answer(H264_SDP.length + 2, H264_SDP)));
  assert.deepEqual([found, framer.patience], [[], 1_000]);
  framer.settle();
  assert.deepEqual([found, framer.patience], [[`200 ${H264_SDP.length} wrong`], undefined]);
});

test('should wait on for a description that has not come as far as its media', () => {
  const { framer, found } = framerOf(true);
  framer.push(Buffer.from(answer(H264_SDP.length, 'v=0\r\n')));
  framer.settle();
  assert.deepEqual(found, []);
  framer.push(Buffer.from(H264_SDP.slice(5)));
  assert.deepEqual(found, [`200 ${H264_SDP.length}`]);
});

test('should take the rest of a description that is longer than its Content-Length, or has none', () => {
  for (const length of [H264_SDP.length - 2, H264_SDP.length - 40, 10, 0, undefined]) {
    const { framer, found } = framerOf(true);
    framer.push(Buffer.from(answer(length, H264_SDP.slice(0, 200))));
    framer.push(Buffer.from(H264_SDP.slice(200)));
    assert.equal(framer.patience, 150, String(length));
    framer.settle();
    assert.deepEqual(found, [
      length === H264_SDP.length - 2 ? `200 ${length}` : `200 ${H264_SDP.length} wrong`,
    ]);
    framer.push(RTP);
    assert.equal(found.at(-1), FRAME);
  }
});

test('should end the rest of a description at a frame and at another message', () => {
  for (const [next, found] of [
    [RTP, FRAME],
    [Buffer.from('\r\nOPTIONS * RTSP/1.0\r\n\r\n'), 'OPTIONS'],
  ] as const) {
    const reader = framerOf(true);
    reader.framer.push(Buffer.from(answer(H264_SDP.length - 2, H264_SDP.slice(0, -2))));
    reader.framer.push(next);
    assert.deepEqual(reader.found, [`200 ${H264_SDP.length - 2}`, found]);
  }
});

test('should end the wait for the body of another answer, which has none', () => {
  const { framer, found } = framerOf();
  framer.push(Buffer.from(answer(40, '')));
  framer.settle();
  assert.deepEqual(found, ['200 0 wrong']);
});
