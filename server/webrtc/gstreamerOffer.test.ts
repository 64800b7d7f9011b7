import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createCertificate } from './dtls/dtls.ts';
import { LoopbackSocket } from './ice/loopbackSocket.ts';
import { chooseAudio, chooseH264, parseOffer } from './offer.ts';
import { WebRtcPeer } from './peer.ts';

const FINGERPRINT =
  'F8:79:D9:F7:9B:73:1C:05:D0:EF:2B:31:75:C7:BE:3C:10:23:09:48:5D:14:FB:38:63:89:DA:80:AD:E3:62:1C';
const CANDIDATES = [
  'candidate:1 1 UDP 2015363327 192.0.2.2 54229 typ host',
  'candidate:2 1 TCP 1015021823 192.0.2.2 9 typ host tcptype active',
  'candidate:3 1 TCP 1010827519 192.0.2.2 34305 typ host tcptype passive',
  'candidate:4 1 UDP 2015363583 fd00::2 54568 typ host',
];

/** A line as webrtcbin of GStreamer 1.22 offers it with its default bundle of all lines, as whepsrc has it. */
const lineOf = (kind: string, first: boolean, mid: string, ...formats: string[]): string[] => [
  `m=${kind} ${first ? 9 : 0} UDP/TLS/RTP/SAVPF ${/\d+/.exec(formats[0]!)![0]}`,
  'c=IN IP4 0.0.0.0',
  'a=setup:actpass',
  'a=ice-ufrag:JmksOSCf+Ew2pz3qJAixaOS2hh0daRJ/',
  'a=ice-pwd:ybajaoU4JkZkw2roRt4WtkwuEMaUf/ed',
  ...(first ? [] : ['a=bundle-only']),
  'a=rtcp-mux',
  'a=rtcp-rsize',
  'a=recvonly',
  ...formats,
  `a=mid:${mid}`,
  `a=fingerprint:sha-256 ${FINGERPRINT}`,
  'a=rtcp-mux-only',
];

const AUDIO = ['a=rtpmap:101 OPUS/48000', 'a=rtcp-fb:101 transport-cc'];
const VIDEO = ['a=rtpmap:102 H264/90000', 'a=rtcp-fb:102 nack pli', 'a=rtcp-fb:102 ccm fir'];

/** @param candidates those of the first line. @param withAudio before the video; whepsrc always has it */
function offerOf(candidates: readonly string[], withAudio = true): string {
  const named = candidates.map((text) => `a=${text}`);
  const lines = withAudio
    ? [...lineOf('audio', true, 'audio0', ...AUDIO), ...named, ...lineOf('video', false, 'video1', ...VIDEO)]
    : [...lineOf('video', true, 'video0', ...VIDEO), ...named];
  const bundle = withAudio ? 'audio0 video1' : 'video0';
  const session = ['v=0', 'o=- 7288597171204374705 0 IN IP4 0.0.0.0', 's=-', 't=0 0'];
  return `${[...session, 'a=ice-options:trickle', `a=group:BUNDLE ${bundle}`, ...lines].join('\r\n')}\r\n`;
}

test('should read at which addresses a viewer is', () => {
  const hostsOf = (...candidates: string[]) => parseOffer(offerOf(candidates)).hosts;
  assert.deepEqual(hostsOf(), []);
  assert.deepEqual(hostsOf(...CANDIDATES), ['192.0.2.2', 'fd00::2']);
  assert.deepEqual(parseOffer(offerOf(CANDIDATES, false)).hosts, ['192.0.2.2', 'fd00::2']);
  assert.deepEqual(
    hostsOf(
      'candidate:1 1 udp 2113937151 6b6e1d0c-8f4c-4a55-a0f8-3cf2f2a2b6c1.local 54229 typ host',
      'candidate:1 1 udp 1677729535 192.0.2.2 54229 typ srflx raddr 192.0.2.2 rport 54229',
      'candidate:1 2 udp 2015363326 192.0.2.2 54230 typ host',
      'candidate:1 1 udp 2015363327 192.0.2 54229 typ host',
      'candidate:1 1 udp 2015363327 192.0.2.2',
      'candidate:',
      'candidate',
    ),
    [],
  );
});

test('security: should look at no more candidates of an offer than viewers have', () => {
  const many = Array.from({ length: 200 }, () => CANDIDATES[0]!);
  assert.equal(parseOffer(offerOf(many)).hosts.length, 64);
});

/** Opens no socket, and remembers where it was asked for one. */
class NoHosts extends LoopbackSocket {
  readonly asked: string[] = [];

  override async openHost(_peer: unknown, address: string): Promise<number | undefined> {
    this.asked.push(address);
    return address === '192.0.2.9' ? undefined : 40_001;
  }
}

const OWN = ['192.0.2.2', '192.0.2.3', '192.0.2.9'];

/** Answers on a panel with those addresses. */
async function answering(t: TestContext) {
  const socket = new NoHosts();
  await socket.start();
  t.after(() => socket.stop());
  const certificate = await createCertificate();
  return async (sdp: string): Promise<{ asked: string[]; answer: string[] }> => {
    const offer = parseOffer(sdp);
    const peer = new WebRtcPeer({
      socket,
      certificate,
      offer,
      video: chooseH264(offer.media[offer.videoIndex]!, undefined),
      audio: undefined,
      events: { onReady: () => {}, onKeyFrameWanted: () => {}, onOverrun: () => {}, onClosed: () => {} },
    });
    await peer.prepare(() => OWN);
    const answer = peer.open().replaceAll(String(socket.port), '40000').split('\r\n');
    peer.connection.close();
    return { asked: socket.asked.splice(0), answer };
  };
}

const LOOPBACK_ONLY = ['a=candidate:1 1 udp 2130706431 127.0.0.1 40000 typ host'];
const WITH_OWN = [...LOOPBACK_ONLY, 'a=candidate:2 1 udp 2130706175 192.0.2.2 40001 typ host'];

test('should answer with an own address only where the offer names it, and nothing on loopback', async (t) => {
  const answer = await answering(t);
  const answerTo = async (...hosts: string[]) => {
    const candidates = hosts.map((host) => `candidate:1 1 UDP 2015363327 ${host} 54229 typ host`);
    const { asked, answer: lines } = await answer(offerOf(candidates, false));
    return { asked, candidates: lines.filter((line) => line.startsWith('a=candidate')) };
  };
  const alone = { asked: [], candidates: LOOPBACK_ONLY };
  const own = { asked: ['192.0.2.2'], candidates: WITH_OWN };
  assert.deepEqual(await answerTo('192.0.2.2'), own);
  assert.deepEqual(await answerTo('198.51.100.1', 'fd00::2', '192.0.2.2', '192.0.2.3'), own);
  assert.deepEqual(await answerTo(), alone);
  for (const hosts of [
    ['198.51.100.1'],
    ['fd00::2'],
    ['192.0.2.2', '127.0.0.1'],
    ['127.0.0.7', '192.0.2.2'],
    ['192.0.2.2', '::1'],
    ['6b6e1d0c-8f4c-4a55-a0f8-3cf2f2a2b6c1.local'],
  ])
    assert.deepEqual(await answerTo(...hosts), alone, hosts.join());
  // The system gives no socket there.
  assert.deepEqual(await answerTo('192.0.2.9'), { asked: ['192.0.2.9'], candidates: LOOPBACK_ONLY });
});

test('should not reject the first line of a bundle that has the transport of the video', async (t) => {
  const answer = await answering(t);
  const sectionsOf = async (sdp: string) => {
    const { answer: lines } = await answer(sdp);
    const [session, audio, video] = lines.join('\n').split(/\n(?=m=)/);
    return {
      session: session!.split('\n'),
      audio: audio!.trim().split('\n'),
      video: video!.trim().split('\n'),
    };
  };
  const carried = await sectionsOf(offerOf(CANDIDATES));
  assert.ok(carried.session.includes('a=group:BUNDLE audio0 video1'));
  assert.equal(carried.audio[0], 'm=audio 40000 UDP/TLS/RTP/SAVPF 101');
  assert.equal(carried.video[0], 'm=video 40000 UDP/TLS/RTP/SAVPF 102');
  for (const line of ['a=mid:audio0', 'a=setup:passive', 'a=inactive', 'a=rtcp-mux', ...WITH_OWN])
    assert.ok(carried.audio.includes(line), line);
  for (const name of ['ice-ufrag', 'ice-pwd', 'fingerprint']) {
    const ofLine = (lines: string[]) => lines.filter((line) => line.startsWith(`a=${name}:`));
    assert.deepEqual(ofLine(carried.audio), ofLine(carried.video), name);
  }
  // Chromium does not say bundle-only: with max-bundle its lines have one ICE user.
  const asChromium = offerOf(CANDIDATES).replace('m=video 0', 'm=video 9').replace('a=bundle-only\r\n', '');
  assert.equal((await sectionsOf(asChromium)).audio[0], 'm=audio 40000 UDP/TLS/RTP/SAVPF 101');
  // A video line with a transport of its own needs no other; a line of unknown formats, or without port, cannot be accepted.
  for (const sdp of [
    asChromium.replace('ufrag:JmksOSCf', 'ufrag:another'),
    offerOf(CANDIDATES).replace('a=rtpmap:101 OPUS/48000\r\n', ''),
    offerOf(CANDIDATES).replace('m=audio 9', 'm=audio 0'),
  ]) {
    const rejecting = await sectionsOf(sdp);
    assert.equal(rejecting.audio[0], 'm=audio 0 UDP/TLS/RTP/SAVPF 101');
    assert.ok(rejecting.session.includes('a=group:BUNDLE video1'));
  }
});

test('should take Opus that is offered without its channels', () => {
  const line = parseOffer(offerOf(CANDIDATES)).media[0]!;
  for (const name of ['opus/48000/2', 'OPUS/48000/2'])
    assert.equal(chooseAudio(line, name)?.rtpmap, 'OPUS/48000', name);
  for (const name of ['opus/16000/2', 'PCMU/8000', 'L16/48000/2'])
    assert.equal(chooseAudio(line, name), undefined, name);
});
