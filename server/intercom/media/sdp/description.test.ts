import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FaceplateError } from '../../../contract/errors.ts';
import { countParsingWork } from '../../../video/testing/parsingWork.ts';
import { description } from '../../testing/media/remoteParty.ts';
import { AUDIO_CODECS } from '../codecs.ts';
import { Negotiation } from '../negotiation.ts';
import { mediaAddress } from '../rtp/rtpLine.ts';
import { parseDescription } from './description.ts';
import { agree, type Wishes } from './terms.ts';

const WISHES: Wishes = { video: true, direction: 'sendrecv', secure: false, codecs: AUDIO_CODECS };
const KEY = Buffer.alloc(30, 7).toString('base64');

function negotiation(
  wishes: Partial<Wishes> = {},
  hasVideo = true,
  mustBeSecure = wishes.secure === true,
): Negotiation {
  return new Negotiation({
    address: '192.0.2.1',
    ports: { audio: 20_000, video: hasVideo ? 20_002 : undefined },
    wishes: { ...WISHES, ...wishes },
    mustBeSecure,
  });
}

const isRefused = (error: unknown): boolean =>
  error instanceof FaceplateError && error.code === 'UNSUPPORTED_CODEC';
const isInvalid = (error: unknown): boolean =>
  error instanceof FaceplateError && error.code === 'INVALID_REQUEST';

/** The m= lines, without the port. */
const mediaOf = (sdp: string): string[] => [...sdp.matchAll(/^m=(.*)\r$/gm)].map(([, line]) => line!);

/** A door station's offer with everything usual in such offers. */
const DOOR = [
  'v=0',
  'o=door 3 3 IN IP4 192.0.2.9',
  's=Door',
  'i=Front',
  'c=IN IP4 192.0.2.9/127',
  'b=AS:700',
  't=0 0',
  'a=tool:x',
  'm=audio 7078/2 RTP/AVP 96 0 8 101 13',
  'a=rtpmap:96 speex/16000',
  'a=rtpmap:101 telephone-event/8000/1',
  'a=fmtp:101 0-16',
  'a=rtcp:7090 IN IP4 192.0.2.9',
  'a=ptime:40',
  'a=x-unknown:anything at all',
  'k=clear:x',
  'm=application 9 UDP/BFCP *',
  'm=video 9078 RTP/AVPF 97',
  'c=IN IP4 192.0.2.10',
  'a=rtpmap:97 h264/90000',
  'a=fmtp:97 profile-level-id=640028; packetization-mode=1; sprop-parameter-sets=Z0KAHg==,aM4G4g==',
  'a=rtcp-fb:* ccm fir',
  'a=sendonly',
  'm=audio 7080 RTP/AVP 0',
  '',
].join('\r\n');

test('should read the offer of a door station', () => {
  const terms = agree(parseDescription(DOOR), WISHES, false);
  assert.equal(terms.audio.codec.rtpmap, 'PCMU/8000');
  assert.deepEqual(terms.audio.rtp, { address: '192.0.2.9', port: 7078 });
  assert.deepEqual(terms.audio.rtcp, { address: '192.0.2.9', port: 7090 });
  assert.deepEqual(terms.audio.dtmf, { payloadType: 101, clockRate: 8000 });
  assert.equal(terms.audio.ptime, 40);
  const { video } = terms;
  assert.deepEqual(video?.rtp, { address: '192.0.2.10', port: 9078 });
  assert.deepEqual([video?.mode, video?.profileLevelId, video?.keyFrames], [1, '640028', 'fir']);
  assert.deepEqual([video?.sends, video?.receives, video?.bitrate], [false, true, 700_000]);
  assert.deepEqual(
    video?.parameterSets.map((nal) => nal[0]! & 0x1f),
    [7, 8],
  );
});

test('should answer with one sound codec, events and one picture codec, and refuse the other lines', () => {
  const { answer } = negotiation().answer(DOOR, false);
  assert.deepEqual(mediaOf(answer), [
    'audio 20000 RTP/AVP 0 101',
    'application 0 UDP/BFCP *',
    'video 20002 RTP/AVPF 97',
    'audio 0 RTP/AVP 0',
  ]);
  assert.match(answer, /^c=IN IP4 192\.0\.2\.1\r$/m);
  assert.match(answer, /profile-level-id=640028;packetization-mode=1/);
  assert.match(answer, /m=video[\s\S]*a=recvonly/);
});

test('should offer Opus, G.722, PCMA, PCMU, events and H.264 in both packetization modes', () => {
  const offer = negotiation().offer();
  assert.deepEqual(mediaOf(offer), ['audio 20000 RTP/AVP 111 9 8 0 101 110', 'video 20002 RTP/AVP 99 97']);
  for (const line of ['111 opus/48000/2', '9 G722/8000', '101 telephone-event/8000', '99 H264/90000']) {
    assert.ok(offer.includes(`a=rtpmap:${line}\r\n`), line);
  }
  assert.match(offer, /a=fmtp:99 profile-level-id=42e01f;packetization-mode=1/);
  assert.match(offer, /a=fmtp:97 profile-level-id=42e01f;packetization-mode=0/);
  assert.deepEqual(mediaOf(negotiation({}, false).offer()), ['audio 20000 RTP/AVP 111 9 8 0 101 110']);
});

test("should use the first codec of the answer to its offer, as the remote party's choice", () => {
  const call = negotiation();
  call.offer();
  const terms = call.accept(
    description(
      { port: 4000, formats: '9 0 101', lines: ['a=rtpmap:101 telephone-event/8000'] },
      { port: 0, formats: '99' },
    ),
  );
  assert.deepEqual([terms.audio.codec.rtpmap, terms.video], ['G722/8000', undefined]);
});

test('should refuse a description that does not answer its offer', () => {
  const call = negotiation();
  call.offer();
  assert.throws(() => call.accept(description({ port: 4000, formats: '18' })), isRefused);
  const noSound = 'v=0\r\nc=IN IP4 192.0.2.9\r\nm=video 1 RTP/AVP 99\r\n';
  assert.throws(() => call.accept(noSound), isInvalid);
});

test('should name the directions as in RFC 3264, in all ways of holding', () => {
  const answered = (
    lines: readonly string[],
    wishes: Partial<Wishes> = {},
    session?: readonly string[],
  ): string => {
    const sdp = description({ port: 4000, formats: '0', lines }, undefined, session);
    const { answer, terms } = negotiation(wishes).answer(sdp, false);
    return `${/a=(\w+)\r\n$/.exec(answer)![1]} ${terms.audio.sends} ${terms.audio.receives}`;
  };
  assert.equal(answered([]), 'sendrecv true true');
  assert.equal(answered(['a=sendonly']), 'recvonly false true');
  assert.equal(answered(['a=recvonly']), 'sendonly true false');
  assert.equal(answered(['a=inactive']), 'inactive false false');
  // The first of two that contradict each other.
  assert.equal(answered(['a=sendonly', 'a=sendrecv']), 'recvonly false true');
  assert.equal(answered([], {}, ['c=IN IP4 127.0.0.1', 'a=sendonly']), 'recvonly false true');
  assert.equal(answered([], {}, ['c=IN IP4 0.0.0.0']), 'sendrecv false false');
  assert.equal(answered([], { direction: 'recvonly' }), 'recvonly false true');
  assert.equal(answered(['a=sendonly'], { direction: 'sendonly' }), 'inactive false false');
  const early = negotiation().answer(description({ port: 4000, formats: '0' }), true).answer;
  assert.match(early, /a=recvonly\r\n$/);
});

test('should keep the places of the lines and count its descriptions', () => {
  const call = negotiation();
  const versionOf = (sdp: string): string => /^o=- \d+ (\d+)/m.exec(sdp)![1]!;
  const first = call.answer(DOOR, false).answer;
  assert.equal(call.answer(DOOR, false).answer, first);
  const offer = call.offer();
  assert.deepEqual(
    mediaOf(offer).map((line) => line.split(' ').slice(0, 2).join(' ')),
    ['audio 20000', 'application 0', 'video 20002', 'audio 0'],
  );
  assert.deepEqual([versionOf(first), versionOf(offer)], ['1', '2']);
});

test('should accept H.264 of mode 0 if nothing else is offered, and no other mode', () => {
  const video = (fmtp: string): ReturnType<typeof agree>['video'] =>
    agree(
      parseDescription(
        description(
          { port: 4000, formats: '0' },
          { port: 4002, formats: '96', lines: ['a=rtpmap:96 H264/90000', `a=fmtp:96 ${fmtp}`] },
        ),
      ),
      WISHES,
      false,
    ).video;
  assert.equal(video('profile-level-id=42801e')?.mode, 0);
  assert.equal(video('packetization-mode=2'), undefined);
  assert.equal(video('profile-level-id=zz')?.profileLevelId, undefined);
});

test('security: should accept keys in the description only if the signalling is encrypted', () => {
  const offer = description({
    port: 4000,
    formats: '0',
    protocol: 'RTP/SAVP',
    lines: [`a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}`],
  });
  assert.throws(() => negotiation({ secure: false }).answer(offer, false), isRefused);
  const { answer, terms } = negotiation({ secure: true }).answer(offer, false);
  assert.match(answer, /^m=audio 20000 RTP\/SAVP 0\r$/m);
  assert.match(answer, /^a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:[A-Za-z0-9+/]{40}\r$/m);
  assert.equal(terms.audio.crypto?.master.length, 30);
  assert.ok(!negotiation({ secure: false }).offer().includes('crypto'));
});

test('security: should not fall back to unencrypted packets when it asked for keys', () => {
  const call = negotiation({ secure: true }, false);
  assert.match(call.offer(), /m=audio 20000 RTP\/SAVP/);
  assert.throws(() => call.accept(description({ port: 4000, formats: '0' })), isRefused);
});

test('should leave out keys that it cannot use', () => {
  const cryptos = (value: string): number =>
    parseDescription(description({ port: 1, formats: '0', lines: [`a=crypto:${value}`] })).media[0]!.cryptos
      .length;
  assert.equal(cryptos(`4 AES_CM_128_HMAC_SHA1_32 inline:${KEY}|2^31`), 1);
  for (const bad of [
    `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|2^31|1:4`,
    `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} UNENCRYPTED_SRTP`,
    `1 F8_128_HMAC_SHA1_80 inline:${KEY}`,
    '1 AES_CM_128_HMAC_SHA1_80 inline:AAAA',
    '1 __proto__ inline:AAAA',
  ]) {
    assert.equal(cryptos(bad), 0, bad);
  }
});

test('security: should send media to the described address, never to a group or back into the panel', () => {
  const at = (described: string, host: string, mayBeElsewhere = true): string => {
    const { address, isTranslated } = mediaAddress(described, { host, mayBeElsewhere });
    return `${address}${isTranslated ? ' translated' : ''}`;
  };
  assert.equal(at('192.168.1.9', '192.168.1.1'), '192.168.1.9');
  assert.equal(at('198.51.100.7', '203.0.113.1'), '198.51.100.7');
  assert.equal(at('192.168.1.9', '203.0.113.1'), '203.0.113.1 translated');
  assert.equal(at('127.0.0.1', '192.168.1.9'), '192.168.1.9 translated');
  assert.equal(at('127.0.0.1', '127.0.0.1'), '127.0.0.1');
  assert.equal(at('127.0.0.2', '127.0.0.1'), '127.0.0.2');
  assert.equal(at('192.168.1.9', '127.0.0.1'), '192.168.1.9');
  assert.equal(at('door.example', '192.168.1.9'), '192.168.1.9 translated');
  assert.equal(at('fe80::1', '::ffff:192.168.1.9'), '192.168.1.9 translated');
  for (const many of ['224.0.0.1', '255.255.255.255', '0.1.2.3'])
    assert.throws(() => at(many, '192.168.1.9'), isInvalid);
});

test('security: should send media to no third host that a stranger describes, and to no broadcast address at all', () => {
  const at = (described: string, host: string, mayBeElsewhere: boolean): string => {
    const { address, isTranslated } = mediaAddress(described, { host, mayBeElsewhere });
    return `${address}${isTranslated ? ' translated' : ''}`;
  };
  assert.equal(at('10.0.0.99', '10.0.0.5', false), '10.0.0.5 translated');
  assert.equal(at('10.0.0.99', '10.0.0.5', true), '10.0.0.99');
  assert.equal(at('10.0.0.5', '::ffff:10.0.0.5', false), '10.0.0.5');
  assert.equal(at('fe80::1', 'fe80::1%eth0', false), 'fe80::1%eth0');
  assert.equal(at('2001:db8::9', '2001:db8::1', false), '2001:db8::1 translated');
  // The loopback network belongs to every machine that runs the test.
  for (const mayBeElsewhere of [true, false])
    assert.throws(() => at('127.255.255.255', '127.0.0.1', mayBeElsewhere), isInvalid);
});

test('should refuse text that is no description or exceeds the limits', () => {
  for (const text of [
    '',
    'hello',
    'v=0\r\n',
    'v=0\r\nm=audio x RTP/AVP 0\r\n',
    'v=0\r\nm=audio 70000 RTP/AVP 0\r\n',
    `v=0\r\n${'m=audio 1 RTP/AVP 0\r\n'.repeat(17)}`,
    `v=0\r\nm=audio 1 RTP/AVP ${'0 '.repeat(65)}\r\n`,
    `v=0\r\nm=audio 1 RTP/AVP 0\r\n${'a=x\r\n'.repeat(600)}`,
    `v=0\r\nm=audio 1 RTP/AVP 0\r\na=${'x'.repeat(40_000)}\r\n`,
  ]) {
    assert.throws(() => parseDescription(text), isInvalid, text.slice(0, 40));
  }
});

test('should survive any description, as offer and as answer', () => {
  const keyed = DOOR.replace('a=ptime:40', `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}`);
  const corpus = [DOOR, keyed, description({ port: 0, formats: '0' }), negotiation().offer()];
  const piece = fc.constantFrom(
    'a=',
    'm=audio ',
    '\r\n',
    '0',
    '-1',
    '999999999999',
    'c=IN IP4 ',
    '::',
    ' ',
    '=',
    '\0',
    ';',
  );
  const change = fc.record({
    at: fc.nat(1_000),
    length: fc.nat(30),
    piece: fc.oneof(piece, fc.string({ maxLength: 6 })),
  });
  fc.assert(
    fc.property(fc.constantFrom(...corpus), fc.array(change, { maxLength: 6 }), (text, changes) => {
      let sdp = text;
      for (const { at, length, piece: put } of changes) sdp = sdp.slice(0, at) + put + sdp.slice(at + length);
      for (const secure of [true, false]) {
        const call = negotiation({ secure });
        for (const run of [() => call.answer(sdp, false).terms, () => call.accept(sdp)]) {
          try {
            const terms = run();
            call.keysOf(terms, 'audio');
            const from = { host: '192.0.2.9', mayBeElsewhere: true };
            const remote = call.remoteOf(terms, 'audio', from);
            if (remote !== undefined) mediaAddress(remote.address, remote.from);
          } catch (error) {
            if (!(error instanceof FaceplateError)) throw error;
          }
        }
      }
    }),
    { numRuns: 2_000 },
  );
});

test('security: should read each line of a description once, however many formats it has', () => {
  const workOf = (formats: number): number => {
    const payloadTypes = Array.from({ length: formats }, (_, index) => index + 32);
    const lines = Array.from({ length: 450 }, (_, index) => `a=fmtp:${(index % formats) + 32} a=1`);
    const sdp = description({ port: 4000, formats: payloadTypes.join(' '), lines });
    return countParsingWork(() => parseDescription(sdp));
  };
  const one = workOf(1);
  assert.ok(workOf(64) < 2 * one, `${workOf(64)} steps for 64 formats, ${one} for one`);
});
