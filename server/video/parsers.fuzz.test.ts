import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FaceplateError } from '../contract/errors.ts';
import { FakeClock } from '../testing/fakeClock.ts';
import {
  deltaSlice,
  H264_SDP,
  idrSlice,
  interleaved,
  PPS,
  rtpPacket,
  SPS,
} from '../testing/scriptedCamera.ts';
import { parseOffer } from '../webrtc/offer.ts';
import { aggregate, PAYLOAD_LIMIT, splitPayload } from '../webrtc/rtp/h264.ts';
import { H264Source } from '../webrtc/rtp/h264Source.ts';
import { parseSpsSize } from '../webrtc/rtp/h264Sps.ts';
import { ReorderWindow } from '../webrtc/rtp/reorderWindow.ts';
import { cameraKinds } from './named/settingsContract.ts';
import { readProbeMatch } from './onvif/discovery.ts';
import { readNotifications } from './onvif/events.ts';
import { readAnswer } from './onvif/soap.ts';
import { readXml } from './onvif/xml.ts';
import { parseChallenges } from './rtsp/auth.ts';
import { RtspFramer } from './rtsp/message.ts';
import { jpegSize } from './snapshot/picture.ts';
import { PartReader } from './snapshot/webCamera.ts';
import { type CorpusKind, corpusOf } from './testing/corpus.ts';
import { parsers, readRtsp } from './testing/parsers.ts';
import { jpegOf } from './testing/webCamera.ts';

/** Messages of cameras and browsers, from which the fuzzing starts. */
const CORPUS = {
  rtsp: Buffer.concat([
    Buffer.from(
      `RTSP/1.0 200 OK\r\nCSeq: 2\r\nContent-Base: rtsp://c/\r\nContent-Length: ${H264_SDP.length}\r\n\r\n${H264_SDP}`,
    ),
    interleaved(0, rtpPacket(1, 2, true, idrSlice())),
    Buffer.from('OPTIONS * RTSP/1.0\r\nCSeq: 9\r\n\r\n'),
    interleaved(1, Buffer.from('80c80006112233440000000100000002000000030000000400000005', 'hex')),
  ]),
  rtp: Buffer.from('b2e01234fffffffe00000001ccccccccccccccccbede0001090909096588840000030003', 'hex'),
  payload: aggregate([SPS, PPS, idrSlice()]),
  rtcp: Buffer.from('81cd000300000001000000020001800181ce00020000000100000002', 'hex'),
  stun: Buffer.from(
    '000100242112a442000102030405060708090a0b000600036162630000250000000800140102030405060708090a0b0c0d0e0f1011121314',
    'hex',
  ),
  soap: Buffer.from(
    '<?xml version="1.0"?><s:Envelope xmlns:s="x"><s:Header/><s:Body><tev:PullMessagesResponse><!-- c --><wsnt:NotificationMessage><wsnt:Topic Dialect="d">tns1:VideoSource/MotionAlarm</wsnt:Topic><wsnt:Message><tt:Message PropertyOperation="Changed"><tt:Data><tt:SimpleItem Name="State" Value="true"/></tt:Data></tt:Message></wsnt:Message></wsnt:NotificationMessage><s:Value><![CDATA[a&b]]>&amp;&#65;</s:Value></tev:PullMessagesResponse></s:Body></s:Envelope>',
  ),
  probe: Buffer.from(
    '<e:Envelope><e:Body><d:ProbeMatches><d:ProbeMatch><d:Types>dn:NetworkVideoTransmitter</d:Types><d:Scopes>onvif://www.onvif.org/name/A%20B onvif://www.onvif.org/hardware/X</d:Scopes><d:XAddrs>http://0.0.0.0:80/onvif/device_service http://[fe80::1]/x</d:XAddrs></d:ProbeMatch></d:ProbeMatches></e:Body></e:Envelope>',
  ),
  text: Buffer.from(
    'Digest realm="a\\"b", nonce="c", qop="auth,auth-int", algorithm=SHA-256, stale=true, Basic realm="x"',
  ),
};

/** A message with some bytes replaced, cut out, repeated or cut off. */
function mutated(message: Buffer): fc.Arbitrary<Buffer> {
  const at = fc.nat(message.length);
  const change = fc.oneof(
    fc.record({
      kind: fc.constant('set' as const),
      at,
      bytes: fc.uint8Array({ minLength: 1, maxLength: 6 }),
    }),
    fc.record({ kind: fc.constant('cut' as const), at, length: fc.nat(40) }),
    fc.record({ kind: fc.constant('repeat' as const), at, length: fc.nat(40) }),
    fc.record({ kind: fc.constant('end' as const), at }),
  );
  return fc.array(change, { minLength: 1, maxLength: 5 }).map((changes) => {
    let data = Buffer.from(message);
    for (const step of changes) {
      const [head, tail] = [data.subarray(0, step.at), data.subarray(step.at)];
      if (step.kind === 'set') data = Buffer.concat([head, step.bytes, tail.subarray(step.bytes.length)]);
      else if (step.kind === 'cut') data = Buffer.concat([head, tail.subarray(step.length)]);
      else if (step.kind === 'repeat') data = Buffer.concat([head, tail.subarray(0, step.length), tail]);
      else data = head;
    }
    return Buffer.from(data);
  });
}

/** Mutations of a message and of those of the corpus, and random bytes. */
const inputs = (kind: CorpusKind | undefined, message: Buffer): fc.Arbitrary<Buffer> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .constantFrom(message, ...(kind === undefined ? [] : corpusOf(kind).map(({ data }) => data)))
        .chain(mutated),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  );

/** Runs a parser over many inputs; only refusals that are meant for a caller may come out. */
function neverThrows(kind: CorpusKind | undefined, message: Buffer, parse: (data: Buffer) => void): void {
  fc.assert(
    fc.property(inputs(kind, message), (data) => {
      try {
        parse(data);
      } catch (error) {
        if (!(error instanceof FaceplateError)) throw error;
      }
    }),
    { numRuns: 2_000 },
  );
}

test('should survive any RTSP stream, split anywhere, and read the same from it', () => {
  fc.assert(
    fc.property(inputs('rtsp', CORPUS.rtsp), fc.integer({ min: 1, max: 60 }), (data, size) => {
      const chunks: Buffer[] = [];
      for (let at = 0; at < data.length; at += size) chunks.push(data.subarray(at, at + size));
      assert.deepEqual(readRtsp(chunks), readRtsp([data]));
    }),
    { numRuns: 1_000 },
  );
});

test('should hold at most a header and a body of an endless RTSP stream', () => {
  const framer = new RtspFramer({ onResponse: () => {}, onRequest: () => {}, onInterleaved: () => {} });
  const line = Buffer.from(`X: ${'a'.repeat(1_000)}\r\n`);
  framer.push(Buffer.from('RTSP/1.0 200 OK\r\n'));
  assert.throws(() => {
    for (let i = 0; i < 100; i++) framer.push(line);
  }, FaceplateError);
});

test('should survive any session description', () => {
  neverThrows('sdp', Buffer.from(H264_SDP), parsers.sdp);
});

test('should survive any RTP packet and payload', () => {
  neverThrows('rtp', CORPUS.rtp, parsers.rtp);
  neverThrows(undefined, CORPUS.payload, (payload) => {
    if (payload.length === 0) return;
    for (const part of splitPayload(payload, 20)) assert.ok(part.length <= 20);
    const source = new H264Source([], {
      clock: new FakeClock(),
      onPacket: (packet) => assert.ok(packet.payload.length > 0 && packet.payload.length <= PAYLOAD_LIMIT),
    });
    for (const sequence of [1, 2]) {
      source.push({ payload, timestamp: sequence, marker: true, sequence, payloadType: 96 }, true);
    }
  });
  neverThrows(undefined, SPS, (data) => parseSpsSize(data));
});

test('should survive any order of RTP packets over UDP, and deliver none twice in a row', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(0xffff), fc.nat(200))), (arrivals) => {
      const output: number[] = [];
      const window = new ReorderWindow((packet) => output.push(packet.readUInt16BE(2)));
      let now = 0;
      for (const [sequence, wait] of arrivals) {
        now += wait;
        window.push(rtpPacket(sequence, 0, true, deltaSlice()), now);
      }
      assert.ok(output.length <= arrivals.length);
      for (const [index, sequence] of output.slice(1).entries()) assert.notEqual(sequence, output[index]);
    }),
  );
});

test('should survive any RTCP', () => {
  neverThrows('rtcp', CORPUS.rtcp, parsers.rtcp);
});

test('should survive any STUN message', () => {
  neverThrows('stun', CORPUS.stun, parsers.stun);
});

test('should survive any login challenge and any offer', () => {
  neverThrows(undefined, CORPUS.text, (data) => void parseChallenges(data.toString('latin1')));
  const offer = 'v=0\r\na=ice-ufrag:abcd\r\na=ice-pwd:0123456789012345678901\r\na=setup:actpass\r\n';
  neverThrows(undefined, Buffer.from(offer + H264_SDP), (data) => void parseOffer(data.toString('utf8')));
});

test('should survive any answer of an ONVIF camera, and any that claims to find one', () => {
  neverThrows(undefined, CORPUS.soap, (data) => void readAnswer(200, data.toString('utf8')));
  neverThrows(undefined, CORPUS.soap, (data) => void readAnswer(400, data.toString('utf8')));
  neverThrows(undefined, CORPUS.probe, (data) => void readProbeMatch(data, '192.168.1.20'));
  neverThrows(undefined, CORPUS.soap, (data) => {
    for (const { topic, kind } of readNotifications(readXml(data.toString('utf8'))))
      assert.ok(topic.length <= 256 && cameraKinds.includes(kind));
  });
});

test('should survive any parts of pictures, split anywhere, and read the same from them', () => {
  const jpeg = jpegOf(640, 360, 8);
  const parts = Buffer.concat([
    Buffer.from(`\r\n--b\r\nContent-Length: ${jpeg.length}\r\n\r\n`),
    jpeg,
    Buffer.from('\r\n--b\nContent-Type: image/jpeg\n\n'),
    jpeg,
    Buffer.from('\r\n--b--'),
  ]);
  const read = (data: Buffer, size: number): string[] => {
    const reader = new PartReader('multipart/x-mixed-replace; boundary=b');
    const found: string[] = [];
    try {
      for (let at = 0; at < data.length; at += size) {
        reader.push(data.subarray(at, at + size));
        for (let part = reader.next(); part !== undefined; part = reader.next())
          found.push(part.toString('hex'));
      }
      found.push(reader.last()?.toString('hex') ?? 'nothing');
    } catch (error) {
      if (!(error instanceof FaceplateError)) throw error;
      found.push('refused');
    }
    return found;
  };
  fc.assert(
    fc.property(inputs(undefined, parts), fc.integer({ min: 1, max: 60 }), (data, size) =>
      assert.deepEqual(read(data, size), read(data, Math.max(1, data.length))),
    ),
    { numRuns: 1_000 },
  );
  neverThrows(undefined, jpeg, (data) => void jpegSize(data));
});

for (const [kind, parse] of Object.entries(parsers)) {
  test(`should accept or refuse every ${kind} message of the corpus as before, and survive it`, () => {
    const entries = corpusOf(kind as keyof typeof parsers);
    assert.ok(entries.length >= 8);
    const isTaken = (data: Buffer): boolean => {
      try {
        return parse(data);
      } catch (error) {
        if (error instanceof FaceplateError) return false;
        throw error;
      }
    };
    for (const { about, isTaken: expected, data } of entries) assert.equal(isTaken(data), expected, about);
  });
}
