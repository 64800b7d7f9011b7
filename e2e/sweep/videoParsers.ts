import { FakeClock } from '../../server/testing/fakeClock.ts';
import { H264_SDP, idrSlice, PPS, rtpPacket, SPS } from '../../server/testing/scriptedCamera.ts';
import { readProbeMatch } from '../../server/video/onvif/discovery.ts';
import { readNotifications } from '../../server/video/onvif/events.ts';
import { readXml } from '../../server/video/onvif/xml.ts';
import { Authenticator } from '../../server/video/rtsp/auth.ts';
import { jpegSize } from '../../server/video/snapshot/picture.ts';
import { PartReader } from '../../server/video/snapshot/webCamera.ts';
import { type CorpusKind, corpusOf } from '../../server/video/testing/corpus.ts';
import { parsers, readRtsp } from '../../server/video/testing/parsers.ts';
import { jpegOf } from '../../server/video/testing/webCamera.ts';
import { parseOffer } from '../../server/webrtc/offer.ts';
import { aggregate, splitPayload } from '../../server/webrtc/rtp/h264.ts';
import { H264Source } from '../../server/webrtc/rtp/h264Source.ts';
import { parseSpsSize } from '../../server/webrtc/rtp/h264Sps.ts';
import { ReorderWindow } from '../../server/webrtc/rtp/reorderWindow.ts';
import { parseRtpPacket } from '../../server/webrtc/rtp/rtpPacket.ts';
import { pieces } from './mutations.ts';
import { OFFER } from './offer.ts';
import { mutationsOf, type SweptParser } from './sweptParser.ts';

/** The messages that a parser accepts unchanged; mutations of a refused one would test little. */
const recorded = (kind: CorpusKind): Buffer[] =>
  corpusOf(kind)
    .filter(({ isTaken }) => isTaken)
    .map(({ data }) => data);

const sessionDescriptions = [Buffer.from(H264_SDP), ...recorded('sdp')];

const CHALLENGES = [
  'Digest realm="GStreamer RTSP Server", nonce="912b76d1da6460e5"',
  'Digest realm="a\\"b", nonce="c", qop="auth,auth-int", algorithm=SHA-256, stale=true, Basic realm="x"',
  'Digest realm="cam", nonce="d", qop="auth", algorithm=MD5-sess, opaque="e", userhash=true',
].map((text) => Buffer.from(text));

/** Events of a camera, and who answers a search. */
const SOAP = [
  '<?xml version="1.0"?><s:Envelope><s:Body><p:PullMessagesResponse><w:NotificationMessage><w:Topic>tns1:VideoSource/MotionAlarm</w:Topic><w:Message><tt:Message><tt:Data><tt:SimpleItem Name="State" Value="true"/></tt:Data></tt:Message></w:Message></w:NotificationMessage><!-- --><a><![CDATA[<]]>&#65;&amp;</a></p:PullMessagesResponse></s:Body></s:Envelope>',
  '<e:Envelope><e:Body><d:ProbeMatches><d:ProbeMatch><d:Types>dn:NetworkVideoTransmitter</d:Types><d:Scopes>onvif://www.onvif.org/name/A%20B</d:Scopes><d:XAddrs>http://0.0.0.0/onvif/device_service</d:XAddrs></d:ProbeMatch></d:ProbeMatches></e:Body></e:Envelope>',
].map((text) => Buffer.from(text));

/** Two parts of a camera that sends one JPEG after the other. */
const MJPEG = Buffer.concat([
  Buffer.from('--b\r\nContent-Type: image/jpeg\r\n\r\n'),
  jpegOf(640, 360, 8),
  Buffer.from('\r\n--b\r\nContent-Length: 2\r\n\r\nab\r\n--b--'),
]);

const PACKETS = [
  ...recorded('rtp'),
  rtpPacket(65_535, 1, true, aggregate([SPS, PPS, idrSlice()])),
  ...splitPayload(idrSlice(60), 30).map((part, index) => rtpPacket(index, 2, index === 1, part)),
];

/** A packet, and a few around it in any order, as they come over UDP. */
function readRtp(data: Buffer, random: () => number): boolean {
  const source = new H264Source([SPS, PPS], { clock: new FakeClock(), onPacket: () => {} });
  let delivered = 0;
  const window = new ReorderWindow((packet) => {
    const parsed = parseRtpPacket(packet);
    if (parsed === undefined) return;
    delivered++;
    source.push(parsed, random() > 0.1);
  });
  for (let now = 0; now < 5; now++) {
    const packet = now === 2 ? data : rtpPacket(Math.floor(random() * 4), 1, true, idrSlice());
    window.push(packet, now * 30);
  }
  return delivered > 0;
}

/** Everything that cameras and viewers send. */
export const videoParsers: readonly SweptParser[] = [
  {
    name: 'RTSP stream',
    next: mutationsOf(...recorded('rtsp')),
    read: (data, random) => readRtsp(pieces(data, random)).at(-1) !== 'refused',
  },
  { name: 'camera SDP', next: mutationsOf(...sessionDescriptions), read: parsers.sdp },
  { name: 'RTP, reordered', next: mutationsOf(...PACKETS), read: readRtp },
  { name: 'RTCP', next: mutationsOf(...recorded('rtcp')), read: parsers.rtcp },
  { name: 'STUN', next: mutationsOf(...recorded('stun')), read: parsers.stun },
  { name: 'SPS', next: mutationsOf(SPS), read: (data) => parseSpsSize(data) !== undefined },
  {
    name: 'WHEP offer',
    next: mutationsOf(Buffer.from(OFFER)),
    read: (data) => parseOffer(data.toString('utf8')).media.length > 0,
  },
  {
    name: 'ONVIF answer',
    next: mutationsOf(...SOAP),
    read: (data) => readNotifications(readXml(data.toString('utf8'))).length > 0,
  },
  {
    name: 'ONVIF search',
    next: mutationsOf(...SOAP),
    read: (data) => readProbeMatch(data, '192.168.1.20') !== undefined,
  },
  { name: 'JPEG', next: mutationsOf(jpegOf(640, 360)), read: (data) => jpegSize(data) !== undefined },
  {
    name: 'MJPEG',
    next: mutationsOf(MJPEG),
    read: (data, random) => {
      const reader = new PartReader('multipart/x-mixed-replace; boundary=b');
      let parts = 0;
      for (const piece of pieces(data, random)) {
        reader.push(piece);
        while (reader.next() !== undefined) parts++;
      }
      return parts > 0;
    },
  },
  {
    name: 'RTSP login',
    next: mutationsOf(...CHALLENGES),
    read: (data) => {
      const login = new Authenticator({ user: 'panel', password: 'secret' });
      const canAnswer = login.challenge([data.toString('latin1')]);
      return canAnswer && login.authorization('DESCRIBE', 'rtsp://camera/') !== undefined;
    },
  },
];
