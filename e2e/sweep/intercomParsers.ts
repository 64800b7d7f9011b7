import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Bonjour from 'bonjour-service';
import { parseDescription } from '../../server/intercom/media/sdp/description.ts';
import { parseDigest } from '../../server/intercom/sip/auth/digest.ts';
import { PanelProof } from '../../server/intercom/sip/auth/panelProof.ts';
import { StreamFramer } from '../../server/intercom/sip/message/framer.ts';
import { responseTo, serialise } from '../../server/intercom/sip/message/message.ts';
import { parseMessage } from '../../server/intercom/sip/message/parse.ts';
import { formatUri, parseUri, userOf } from '../../server/intercom/sip/message/uri.ts';
import { mayDecode } from '../../server/platform/mdns/mdnsEndpoint.ts';
import { type MdnsResponse, readServices } from '../../server/platform/mdns/serviceRecords.ts';
import { digestStrength, formatDigest } from '../../server/platform/net/digest.ts';
import { FakeClock } from '../../server/testing/fakeClock.ts';
import { announcement, SERVICE } from './mdnsPackets.ts';
import { pieces } from './mutations.ts';
import { mutationsOf, type SweptParser } from './sweptParser.ts';

const corpus = join(import.meta.dirname, '../../server/intercom/sip/message/corpus');
/** Lines end in LF in the files. */
const SIP = readdirSync(corpus).map((name) =>
  Buffer.from(readFileSync(join(corpus, name), 'utf8').replaceAll('\n', '\r\n')),
);

const URIS = [
  'sip:door@192.0.2.9:5060;transport=tcp;ob',
  'sips:%61lice:pass@[2001:db8::1]:5061;lr?subject=x&priority=urgent',
  'tel:+49-89-1234;phone-context=example.com',
].map((text) => Buffer.from(text));

const DESCRIPTION = Buffer.from(
  [
    'v=0',
    'o=door 3 3 IN IP4 192.0.2.9',
    's=Door',
    'c=IN IP4 192.0.2.9/127',
    'b=AS:700',
    't=0 0',
    'm=audio 7078/2 RTP/SAVP 96 0 8 101',
    'a=rtpmap:96 speex/16000',
    'a=rtpmap:101 telephone-event/8000/1',
    'a=fmtp:101 0-16',
    'a=rtcp:7090 IN IP4 192.0.2.9',
    'a=ptime:40',
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${Buffer.alloc(30, 7).toString('base64')}|2^31`,
    'm=video 9078 RTP/AVPF 97',
    'b=TIAS:512000',
    'a=rtpmap:97 h264/90000',
    'a=fmtp:97 profile-level-id=640028; packetization-mode=1; sprop-parameter-sets=Z0KAHg==,aM4G4g==',
    'a=rtcp-fb:* ccm fir',
    'a=sendonly',
    '',
  ].join('\r\n'),
);

const DIGESTS = [
  'Digest realm="asterisk",nonce="1700000000/abc",opaque="5f",algorithm=MD5,qop="auth"',
  'Digest username="door", realm="panel", nonce="n\\"x", uri="sip:192.0.2.1", response="00", qop=auth, nc=00000001, cnonce="c"',
].map((text) => Buffer.from(text));

const PROVEN = '192.0.2.1';

function panelProof(): PanelProof {
  return new PanelProof({
    secret: 'a secret of this house',
    clock: new FakeClock(),
    timeOfDay: () => 1_800_000_000_000,
  });
}

/** An INVITE of a panel that knows the secret. */
function provenInvite(): Buffer {
  const body = 'v=0\r\nc=IN IP4 192.0.2.1\r\n';
  const head = [
    'INVITE sip:192.0.2.2:5060 SIP/2.0',
    'Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1',
    'From: <sip:panel@192.0.2.1>;tag=mine',
    'To: <sip:192.0.2.2:5060>',
    'Call-ID: call-1',
    'CSeq: 1 INVITE',
    'X-Panel-Page: page-1',
    `Content-Length: ${body.length}`,
  ];
  const message = parseMessage(Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`));
  if (message.kind === 'malformed') throw new Error(message.problem);
  panelProof().sign(message, PROVEN);
  return serialise(message);
}

/** An answer to any message can be written. */
function readMessage(data: Buffer): boolean {
  const parsed = parseMessage(data);
  const request =
    parsed.kind === 'response' ? undefined : parsed.kind === 'request' ? parsed : parsed.request;
  if (request !== undefined) serialise(responseTo(request, 486, 'tag'));
  if (parsed.kind === 'malformed') return false;
  if (parseMessage(serialise(parsed)).kind === 'malformed')
    throw new Error('its own writing is not read again');
  return true;
}

function readStream(data: Buffer, random: () => number): boolean {
  let count = 0;
  let isLost = false;
  const framer = new StreamFramer({
    onMessage: () => count++,
    onMalformed: () => {},
    onPing: () => {},
    onPong: () => {},
    onLost: () => {
      isLost = true;
    },
  });
  for (const piece of pieces(data, random)) framer.push(piece);
  return !isLost && count > 0;
}

/** Decodes a datagram as the service's library does, and reads what came out. */
function mdnsReader(): (data: Buffer) => boolean {
  const socket = Object.assign(new EventEmitter(), { bind: () => {}, close: () => {} });
  const bonjour = new Bonjour({ socket } as never);
  const { mdns } = (bonjour as unknown as { server: { mdns: NodeJS.EventEmitter } }).server;
  mdns.removeAllListeners('query');
  let read = 0;
  mdns.on('response', (packet: MdnsResponse) => {
    read += readServices(packet, `.${SERVICE}`, () => true).services.length;
  });
  return (data) => {
    const before = read;
    if (!mayDecode(data)) return false;
    socket.emit('message', data, { address: '192.0.2.7', port: 5353 });
    return read > before;
  };
}

/** Everything that door stations, PBXs, other panels and strangers on the network send. */
export const intercomParsers: readonly SweptParser[] = [
  { name: 'SIP message', next: mutationsOf(...SIP), read: readMessage },
  { name: 'SIP stream', next: mutationsOf(...SIP, Buffer.concat(SIP)), read: readStream },
  {
    name: 'SIP URI',
    next: mutationsOf(...URIS),
    read: (data) => {
      const uri = parseUri(data.toString('latin1'));
      return uri !== undefined && formatUri(uri).length + userOf(uri).length > 0;
    },
  },
  {
    name: 'call SDP',
    next: mutationsOf(DESCRIPTION),
    read: (data) => parseDescription(data.toString('utf8')).media.length > 0,
  },
  {
    name: 'SIP digest',
    next: mutationsOf(...DIGESTS),
    read: (data) => {
      const params = parseDigest(data.toString('latin1'));
      if (params === undefined) return false;
      digestStrength(params);
      return formatDigest([...params]).length > 0;
    },
  },
  {
    name: 'panel proof',
    next: mutationsOf(provenInvite()),
    read: (data) => {
      const parsed = parseMessage(data);
      return parsed.kind !== 'malformed' && panelProof().holds(parsed, PROVEN);
    },
  },
  {
    name: 'mDNS packet',
    next: mutationsOf(announcement(['one']), announcement(['two', 'three'])),
    read: mdnsReader(),
  },
];
