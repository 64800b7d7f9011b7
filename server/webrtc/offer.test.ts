import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaceplateError } from '../contract/errors.ts';
import { countParsingWork } from '../video/testing/parsingWork.ts';
import { chooseAudio, chooseH264, offersProfiles, parseOffer } from './offer.ts';
import { buildAnswer } from './peer.ts';

const TRANSPORT = [
  'a=ice-ufrag:abcd',
  'a=ice-pwd:0123456789012345678901',
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'ab').join(':')}`,
  'a=setup:actpass',
];
const VIDEO = [
  'm=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 100',
  'c=IN IP4 0.0.0.0',
  ...TRANSPORT,
  'a=mid:1',
  'a=recvonly',
  'a=rtcp-mux',
  'a=rtpmap:96 VP8/90000',
  'a=rtpmap:97 H264/90000',
  'a=fmtp:97 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42e01f',
  'a=rtpmap:98 H264/90000',
  'a=rtcp-fb:98 goog-remb',
  'a=rtcp-fb:98 nack',
  'a=rtcp-fb:98 nack pli',
  'a=fmtp:98 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f',
  'a=rtpmap:99 H264/90000',
  'a=fmtp:99 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f',
  'a=rtpmap:100 H264/90000',
  'a=fmtp:100 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=4d001f',
];
const AUDIO = [
  'm=audio 9 UDP/TLS/RTP/SAVPF 111 0 9',
  'c=IN IP4 0.0.0.0',
  ...TRANSPORT,
  'a=mid:0',
  'a=recvonly',
  'a=rtcp-mux',
  'a=rtpmap:111 opus/48000/2',
  'a=fmtp:111 minptime=10;useinbandfec=1',
  'a=rtpmap:9 G722/8000',
];
const DATA = [
  'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
  ...TRANSPORT,
  'a=mid:2',
  'a=sctp-port:5000',
];

function sdpOf(...sections: string[][]): string {
  const mids = sections.flat().flatMap((line) => /^a=mid:(.*)/.exec(line)?.[1] ?? []);
  const session = ['v=0', 'o=- 1 2 IN IP4 127.0.0.1', 's=-', 't=0 0', `a=group:BUNDLE ${mids.join(' ')}`];
  return `${[...session, ...sections.flat()].join('\r\n')}\r\n`;
}

const without = (section: string[], start: string): string[] =>
  section.filter((line) => !line.startsWith(start));
const replaced = (section: string[], from: string, to: string): string[] =>
  section.map((line) => (line.startsWith(from) ? to : line));

function refuses(sdp: string, sentence = /./): void {
  assert.throws(
    () => parseOffer(sdp),
    (error: unknown) =>
      error instanceof FaceplateError &&
      error.code === 'INVALID_REQUEST' &&
      error.field === 'sdp' &&
      sentence.test(error.message),
    sdp.slice(0, 200),
  );
}

const PARTS = { port: 40_000, iceUfrag: 'u', icePassword: 'p', fingerprint: 'AB:CD', cname: 'c' };

function answerTo(sdp: string, cameraProfile: string | undefined, audioRtpmap?: string): string[] {
  const offer = parseOffer(sdp);
  const line = offer.audioIndex === undefined ? undefined : offer.media[offer.audioIndex];
  const audio = audioRtpmap === undefined || line === undefined ? undefined : chooseAudio(line, audioRtpmap);
  const video = { format: chooseH264(offer.media[offer.videoIndex]!, cameraProfile), ssrc: 1 };
  return buildAnswer(offer, { ...PARTS, video, audio: audio && { format: audio, ssrc: 2 } }).split('\r\n');
}

test('should read an offer with audio first', () => {
  const offer = parseOffer(sdpOf(AUDIO, VIDEO, DATA));
  assert.deepEqual([offer.videoIndex, offer.audioIndex, offer.iceUfrag], [1, 0, 'abcd']);
  assert.equal(offer.fingerprints[0]!.digest, Array.from({ length: 32 }, () => 'AB').join(':'));
});

test('should refuse an offer without H.264 that it can send, and say what is missing', () => {
  refuses(sdpOf(AUDIO), /: it has no video line\.$/);
  const modes = (mode: string): string[] =>
    VIDEO.map((line) => line.replace(/packetization-mode=\d/, `packetization-mode=${mode}`));
  refuses(sdpOf(modes('2')), /packetization-mode must be 1 or 0/);
  refuses(sdpOf(modes('10')), /packetization-mode must be 1 or 0/);
  refuses(sdpOf(VIDEO.map((line) => line.replace('H264/', 'H265/'))), /: it has VP8, H265 only\.$/);
  refuses(sdpOf(VIDEO.filter((line) => !line.startsWith('a=rtpmap'))), /it names no codec/);
});

test('should refuse an offer that cannot receive, or that we cannot connect to', () => {
  refuses('');
  refuses('v=0\r\n');
  refuses('not sdp at all');
  refuses(sdpOf(replaced(VIDEO, 'a=recvonly', 'a=sendonly')), /does not receive/);
  refuses(sdpOf(replaced(VIDEO, 'a=recvonly', 'a=inactive')), /does not receive/);
  refuses(sdpOf(replaced(VIDEO, 'm=video', 'm=video 0 UDP/TLS/RTP/SAVPF 98')), /does not receive/);
  // The direction of the session is that of each line without its own (RFC 8866 section 6.7).
  refuses(sdpOf(without(VIDEO, 'a=recvonly')).replace('t=0 0', 't=0 0\r\na=sendonly'), /does not receive/);
  refuses(sdpOf(without(VIDEO, 'a=ice-ufrag')), /ice-ufrag/);
  refuses(sdpOf(without(VIDEO, 'a=ice-pwd')), /ice-pwd/);
  refuses(sdpOf(without(VIDEO, 'a=fingerprint')), /fingerprint/);
  refuses(sdpOf(replaced(VIDEO, 'a=fingerprint', 'a=fingerprint:md5 AB:CD')), /SHA-256/);
  refuses(sdpOf(replaced(VIDEO, 'a=setup', 'a=setup:passive')), /actpass/);
  refuses(sdpOf(replaced(VIDEO, 'm=video', 'm=video 9 UDP/BFCP 96 97 98 99')), /UDP\/TLS\/RTP\/SAVPF/);
  refuses(sdpOf(replaced(VIDEO, 'm=video', 'm=video')));
  refuses(sdpOf(VIDEO).replace('t=0 0', 't=0 0\r\na=ice-lite'), /ICE-lite/);
  refuses(sdpOf(VIDEO, replaced(AUDIO, 'a=mid', 'a=mid:1')), /same a=mid/);
  refuses(sdpOf(...Array.from({ length: 40 }, () => VIDEO)));
});

/** One H.264 format, as GStreamer's whepsrc and some native players write it. */
const BARE = ['m=video 9 UDP/TLS/RTP/SAVPF 103', ...TRANSPORT, 'a=mid:video0', 'a=rtpmap:103 H264/90000'];

test('should take H.264 without parameters, and of packetization mode 0 where there is no other', () => {
  const plain = answerTo(sdpOf(BARE), '640028');
  assert.ok(
    plain.includes('m=video 40000 UDP/TLS/RTP/SAVPF 103') && plain.includes('a=rtpmap:103 H264/90000'),
  );
  assert.ok(!plain.some((line) => line.startsWith('a=fmtp')));
  const mode0 = [...BARE, 'a=fmtp:103 profile-level-id=42e01f;level-asymmetry-allowed=1'];
  assert.ok(answerTo(sdpOf(mode0), undefined).includes(mode0.at(-1)!));
  const odd = [...BARE, 'a=fmtp:103 Packetization-Mode = 1 ; x=y'];
  assert.ok(answerTo(sdpOf(odd), undefined).includes(odd.at(-1)!));
});

test('should take each spelling of DTLS-SRTP, and answer with the one of the offer', () => {
  for (const protocol of ['UDP/TLS/RTP/SAVP', 'TCP/DTLS/RTP/SAVPF', 'RTP/SAVPF', 'RTP/AVP']) {
    const answer = answerTo(sdpOf(replaced(BARE, 'm=video', `m=video 9 ${protocol} 103`)), undefined);
    assert.ok(answer.includes(`m=video 40000 ${protocol} 103`), protocol);
  }
});

/** As Firefox 128 offers: sound first, H.264 in both modes and two profiles, and lines that are nobody else's. */
const FIREFOX_AUDIO = [
  'm=audio 9 UDP/TLS/RTP/SAVPF 109 9 0 8 101',
  ...TRANSPORT,
  'a=recvonly',
  'a=extmap:2/recvonly urn:ietf:params:rtp-hdrext:csrc-audio-level',
  'a=mid:0',
  'a=rtcp-mux',
  'a=rtpmap:109 opus/48000/2',
  'a=rtpmap:9 G722/8000/1',
  'a=rtpmap:101 telephone-event/8000/1',
];
const FIREFOX_VIDEO = [
  'm=video 9 UDP/TLS/RTP/SAVPF 120 126 97 105',
  ...TRANSPORT,
  'a=recvonly',
  'a=fmtp:126 profile-level-id=42e01f;level-asymmetry-allowed=1;packetization-mode=1',
  'a=fmtp:97 profile-level-id=42e01f;level-asymmetry-allowed=1',
  'a=fmtp:105 profile-level-id=42001f;level-asymmetry-allowed=1;packetization-mode=1',
  'a=mid:1',
  'a=rtcp-fb:* nack',
  'a=rtcp-fb:* nack pli',
  'a=rtcp-mux',
  'a=rtcp-rsize',
  'a=rtpmap:120 VP8/90000',
  'a=rtpmap:126 H264/90000',
  'a=rtpmap:97 H264/90000',
  'a=rtpmap:105 H264/90000',
];

test('should answer Firefox, with sound and its feedback for all formats', () => {
  const sdp = sdpOf(FIREFOX_AUDIO, FIREFOX_VIDEO);
  const answer = answerTo(sdp, '640028', 'G722/8000');
  assert.ok(
    answer.includes('m=audio 40000 UDP/TLS/RTP/SAVPF 9') && answer.includes('a=rtpmap:9 G722/8000/1'),
  );
  assert.ok(answer.includes('m=video 40000 UDP/TLS/RTP/SAVPF 126') && answer.includes('a=rtcp-fb:126 nack'));
  assert.ok(answer.includes('a=group:BUNDLE 0 1') && answer.includes('a=rtcp-rsize'));
  assert.ok(answerTo(sdp, '42001e').includes('m=video 40000 UDP/TLS/RTP/SAVPF 105'));
});

test('should answer Safari with the format of the profile that the stream has', () => {
  const safari = [
    'm=video 9 UDP/TLS/RTP/SAVPF 96 98',
    ...TRANSPORT,
    'a=mid:0',
    'a=recvonly',
    'a=rtcp-mux',
    'a=rtpmap:96 H264/90000',
    'a=fmtp:96 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=640c1f',
    'a=rtpmap:98 H264/90000',
    'a=fmtp:98 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f',
  ];
  const offer = parseOffer(sdpOf(safari));
  assert.equal(offersProfiles(offer), true);
  assert.equal(offersProfiles(parseOffer(sdpOf(BARE))), false);
  const pick = (profile: string | undefined) => chooseH264(offer.media[0]!, profile).payloadType;
  assert.deepEqual(
    ['640028', '64001f', '42e01e', '42c01e', '4d001f', undefined].map(pick),
    [96, 96, 98, 98, 98, 98],
  );
});

test('should bundle, share the port with RTCP and shorten it only where that is offered', () => {
  const alone = sdpOf(VIDEO).replace(/a=group:.*\r\n/, '');
  assert.ok(!answerTo(alone, undefined).some((line) => line.startsWith('a=group')));
  // Without a bundle each line has a transport of its own, and we have one.
  const apart = sdpOf(AUDIO, VIDEO).replace(/a=group:.*\r\n/, '');
  const answer = answerTo(apart, undefined, 'PCMU/8000');
  assert.ok(answer.includes('m=audio 0 UDP/TLS/RTP/SAVPF 111') && !answer.join().includes('BUNDLE'));
  assert.ok(!answerTo(sdpOf(BARE), undefined).join().includes('rtcp-mux'));
  assert.ok(!answerTo(sdpOf(VIDEO), undefined).includes('a=rtcp-rsize'));
});

test('should take the transport of a bundle from its first line', () => {
  // As browsers offer with bundlePolicy max-bundle, to the letter of RFC 9429 section 5.2.1.
  const video = replaced(without(VIDEO, 'a=rtcp-mux'), 'm=video', 'm=video 0 UDP/TLS/RTP/SAVPF 98');
  const bundled = [...video.filter((line) => !TRANSPORT.includes(line)), 'a=bundle-only'];
  const offer = parseOffer(sdpOf(AUDIO, bundled));
  assert.deepEqual([offer.iceUfrag, offer.videoIndex, offer.audioIndex, offer.rtcpMux], ['abcd', 1, 0, true]);
  refuses(sdpOf(AUDIO, bundled).replace('BUNDLE 0 1', 'BUNDLE 1 0'), /ice-ufrag/);
});

test('should pass over simulcast and restrictions, which no answer has to take', () => {
  const odd = [...VIDEO, 'a=rid:0 recv pt=98;max-width=640', 'a=simulcast:recv 0', 'a=extmap-allow-mixed'];
  assert.ok(
    !answerTo(sdpOf(odd), undefined)
      .join()
      .match(/rid|simulcast|extmap/),
  );
});

test('should use the transport that an offer gives for the whole session', () => {
  const bare = VIDEO.filter((line) => !TRANSPORT.includes(line));
  const sdp = sdpOf(bare).replace('t=0 0\r\n', `t=0 0\r\n${TRANSPORT.join('\r\n')}\r\n`);
  assert.equal(parseOffer(sdp).iceUfrag, 'abcd');
});

test('should pick the format nearest to the profile of the camera', () => {
  const pick = (profile: string | undefined): number =>
    chooseH264(parseOffer(sdpOf(VIDEO)).media[0]!, profile).payloadType;
  assert.equal(pick('42e028'), 99);
  assert.equal(pick('42c01e'), 98);
  assert.equal(pick('4d0028'), 100);
  assert.equal(pick('640028'), 99);
  assert.equal(pick(undefined), 99);
});

test('should echo the format line of the offer and answer the feedback that we act on', () => {
  const answer = answerTo(sdpOf(VIDEO), '420028');
  assert.ok(
    answer.includes('a=fmtp:98 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f'),
  );
  assert.deepEqual(
    answer.filter((line) => line.startsWith('a=rtcp-fb')),
    ['a=rtcp-fb:98 nack'],
  );
});

test('should offer one host candidate, on loopback', () => {
  const answer = answerTo(sdpOf(AUDIO, VIDEO), undefined, 'PCMU/8000');
  const candidates = answer.filter((line) => line.startsWith('a=candidate'));
  assert.deepEqual(new Set(candidates), new Set(['a=candidate:1 1 udp 2130706431 127.0.0.1 40000 typ host']));
  assert.ok(
    answer.includes('a=ice-lite') && answer.includes('a=setup:passive') && answer.includes('a=sendonly'),
  );
});

test('should reject the lines that it cannot serve, in their order', () => {
  const apart = replaced(AUDIO, 'a=ice-ufrag', 'a=ice-ufrag:efgh');
  const answer = answerTo(sdpOf(apart, VIDEO, DATA), undefined);
  assert.deepEqual(
    answer.filter((line) => line.startsWith('m=')),
    [
      'm=audio 0 UDP/TLS/RTP/SAVPF 111',
      'm=video 40000 UDP/TLS/RTP/SAVPF 99',
      'm=application 0 UDP/DTLS/SCTP webrtc-datachannel',
    ],
  );
  assert.ok(answer.includes('a=group:BUNDLE 1'));
  // What pion, aiortc, MediaMTX and GStreamer ask of each line.
  for (const kind of ['audio', 'application']) {
    const start = answer.findIndex((line) => line.startsWith(`m=${kind} 0 `));
    const end = answer.findIndex((line, index) => index > start && /^(?:m=|$)/.test(line));
    const fields = answer.slice(start + 1, end);
    for (const name of [
      ...'ice-ufrag:u ice-pwd:p setup:passive inactive end-of-candidates'.split(' '),
      'fingerprint:sha-256 AB:CD',
    ])
      assert.ok(fields.includes(`a=${name}`), `${kind} ${name}`);
    for (const name of ['rtpmap:111 opus/48000/2', 'rtcp-mux'])
      assert.equal(fields.includes(`a=${name}`), kind === 'audio', `${kind} ${name}`);
  }
});

test('should answer each audio codec with the payload type of the offer', () => {
  const audioLine = (rtpmap: string): string | undefined =>
    answerTo(sdpOf(AUDIO, VIDEO), undefined, rtpmap).find((line) => line.startsWith('m=audio'));
  assert.equal(audioLine('opus/48000/2'), 'm=audio 40000 UDP/TLS/RTP/SAVPF 111');
  assert.equal(audioLine('PCMU/8000'), 'm=audio 40000 UDP/TLS/RTP/SAVPF 0');
  assert.equal(audioLine('G722/8000'), 'm=audio 40000 UDP/TLS/RTP/SAVPF 9');
});

test('should leave out audio that is not bundled with the video', () => {
  const sdp = sdpOf(AUDIO, VIDEO).replace('BUNDLE 0 1', 'BUNDLE 1');
  assert.equal(parseOffer(sdp).audioIndex, undefined);
});

test('should not let an offer add lines to the answer', () => {
  const answer = answerTo(sdpOf(replaced(VIDEO, 'a=mid', 'a=mid:1\ra=candidate:evil')), undefined);
  assert.equal(answer.filter((line) => line.includes('evil')).length, 0);
});

/** A video line with this many usable formats, and this many lines about them. */
function manyFormats(formats: number, lines: number): string {
  const payloadTypes = Array.from({ length: formats }, (_, index) => index + 32);
  return sdpOf([
    `m=video 9 UDP/TLS/RTP/SAVPF ${payloadTypes.join(' ')}`,
    ...TRANSPORT,
    ...payloadTypes.map((payloadType) => `a=rtpmap:${payloadType} H264/90000`),
    ...Array.from({ length: lines }, (_, index) => `a=fmtp:${(index % formats) + 32} packetization-mode=1`),
  ]);
}

test('security: should read each line of an offer once, however many formats it has', () => {
  const workOf = (formats: number): number => {
    const sdp = manyFormats(formats, 1_800);
    return countParsingWork(() => parseOffer(sdp));
  };
  const one = workOf(1);
  assert.ok(workOf(64) < 1.5 * one, `${workOf(64)} steps for 64 formats, ${one} for one`);
  // The attributes of one format may be long: they are not read again each time that the format is named.
  const repeated = manyFormats(1, 1).replace('SAVPF 32', `SAVPF ${'32 '.repeat(64)}`);
  assert.equal(parseOffer(repeated).media[0]!.formats.length, 1);
});

test('security: should refuse an offer of too many lines, formats or media lines', () => {
  parseOffer(manyFormats(64, 1_900));
  refuses(manyFormats(64, 2_000));
  refuses(manyFormats(65, 100));
  refuses(sdpOf(...Array.from({ length: 33 }, () => VIDEO)));
});

test('security: should keep no more fingerprints of an offer than a browser has certificates', () => {
  const sdp = sdpOf([...VIDEO, ...Array.from({ length: 1_000 }, () => TRANSPORT[2]!)]);
  assert.equal(parseOffer(sdp).fingerprints.length, 16);
});
