import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { digestResponse } from '../../platform/net/digest.ts';
import { childAt, readXml, textAt, type XmlElement } from '../onvif/xml.ts';

/** A profile of the double. */
export interface DoubleProfile {
  readonly token: string;
  readonly codec: string;
  readonly width: number;
  readonly height: number;
  /** Its stream. */
  readonly uri: string;
}

/** A camera that speaks ONVIF, and its faults. All may be changed while it runs. */
export interface DoubleOptions {
  profiles: readonly DoubleProfile[];
  /** Which form of login it takes: by itself, or after a challenge; `refuse`: 401 without a challenge. */
  login: 'none' | 'token' | 'digest' | 'refuse';
  /** Whether it asks for a login even for its clock. */
  guardsClock: boolean;
  user: string;
  password: string;
  /** By how many milliseconds its clock is ahead. */
  clockOff: number;
  hasMedia2: boolean;
  hasServices: boolean;
  moves: boolean;
  speaks: boolean;
  hasEvents: boolean;
  /** Host and port of the addresses in its answers; `$port` is its own. */
  names: string;
  snapshot: string;
  /** What it answers instead; undefined: as usual. */
  instead: (method: string, response: ServerResponse) => boolean;
}

const DEFAULTS: DoubleOptions = {
  profiles: [],
  login: 'token',
  guardsClock: false,
  user: 'panel',
  password: 's3cret<&>',
  clockOff: 0,
  hasMedia2: true,
  hasServices: true,
  moves: true,
  speaks: false,
  hasEvents: true,
  names: '0.0.0.0:$port',
  snapshot: 'http://0.0.0.0:$port/snapshot.jpg',
  instead: () => false,
};

const NAMES = [
  'xmlns:s="http://www.w3.org/2003/05/soap-envelope"',
  'xmlns:tt="http://www.onvif.org/ver10/schema"',
  'xmlns:tds="http://www.onvif.org/ver10/device/wsdl"',
  'xmlns:trt="http://www.onvif.org/ver10/media/wsdl"',
  'xmlns:tr2="http://www.onvif.org/ver20/media/wsdl"',
  'xmlns:tptz="http://www.onvif.org/ver20/ptz/wsdl"',
  'xmlns:tev="http://www.onvif.org/ver10/events/wsdl"',
  'xmlns:wsnt="http://docs.oasis-open.org/wsn/b-2"',
  'xmlns:wsa="http://www.w3.org/2005/08/addressing"',
  'xmlns:ter="http://www.onvif.org/ver10/error"',
  'xmlns:tns1="http://www.onvif.org/ver10/topics"',
].join(' ');

const NONCE = 'a-nonce-of-the-double';
const REALM = 'double';

/**
 * Makes the answer to a method.
 * @param body the element of the request
 * @param path that it was sent to
 */
type Answer = (body: XmlElement, path: string, header: XmlElement | undefined) => Promise<string> | string;

/** The double of an ONVIF camera on 127.0.0.1. */
export class OnvifCamera {
  readonly options: DoubleOptions;
  /** Methods of SOAP in the order of their calls; those that were refused end with "!". */
  readonly calls: string[] = [];
  /** The bodies of calls to PTZ. */
  readonly movements: string[] = [];
  /** Logins that were seen, and where they were sent. */
  readonly tokens: string[] = [];
  /** Answers to GET, by path. */
  readonly pages = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  /** The calls that it answers at present, and most of them. */
  most = 0;
  #now = 0;
  readonly #server: Server;
  readonly #extra = new Map<string, Answer>();

  constructor(options: Partial<DoubleOptions> = {}) {
    this.options = { ...DEFAULTS, ...options };
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** @param host an address of loopback, or 0.0.0.0 for all of them */
  async start(host = '127.0.0.1'): Promise<void> {
    this.#server.listen(0, host);
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(login = ''): string {
    return `onvif://${login === '' ? '' : `${login}@`}127.0.0.1:${this.port}/`;
  }

  /** An address as it stands in the answers. */
  address(path: string): string {
    return `http://${this.options.names.replace('$port', String(this.port))}${path}`;
  }

  /** Answers a further method. */
  on(method: string, answer: Answer): void {
    this.#extra.set(method, answer);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    if (request.method === 'GET') {
      const page = this.pages.get(path.split('?', 1)[0]!);
      if (page === undefined) response.writeHead(404).end();
      else page(request, response);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const envelope = readXml(Buffer.concat(chunks).toString());
    const parts = envelope.children;
    const body = parts.find(({ name }) => name === 'Body')!.children[0]!;
    this.most = Math.max(this.most, ++this.#now);
    try {
      if (this.options.instead(body.name, response)) {
        this.calls.push(body.name);
        return;
      }
      if (!this.#isAllowed(body.name, envelope, request)) {
        this.calls.push(`${body.name}!`);
        if (this.options.login === 'digest')
          response.setHeader('WWW-Authenticate', `Digest realm="${REALM}", nonce="${NONCE}", qop="auth"`);
        sendSoap(
          response,
          this.options.login === 'token' ? 400 : 401,
          fault('s:Sender', 'ter:NotAuthorized'),
        );
        return;
      }
      this.calls.push(body.name);
      const answer =
        this.#extra.get(body.name)?.(body, path, childAt(envelope, 'Header')) ?? this.#answer(body, path);
      const content = await answer;
      if (content.includes('<s:Fault')) sendSoap(response, 500, content);
      else sendSoap(response, 200, soap(content));
    } finally {
      this.#now--;
    }
  }

  #isAllowed(method: string, envelope: XmlElement, request: IncomingMessage): boolean {
    const { login, user, password, guardsClock, clockOff } = this.options;
    if (login === 'none' || (method === 'GetSystemDateAndTime' && !guardsClock)) return true;
    const token = envelope.children
      .find(({ name }) => name === 'Header')
      ?.children.find(({ name }) => name === 'Security');
    if (token !== undefined) {
      const at = (name: string) => textAt(token, 'UsernameToken', name);
      this.tokens.push(at('Username'));
      const [nonce, created] = [Buffer.from(at('Nonce'), 'base64'), at('Created')];
      const digest = createHash('sha1').update(nonce).update(created).update(password).digest('base64');
      const isNow = Math.abs(Date.parse(created) - (Date.now() + clockOff)) < 10_000;
      if (login === 'token') return at('Username') === user && at('Password') === digest && isNow;
    }
    const header = request.headers.authorization ?? '';
    if (login !== 'digest' || header === '') return false;
    const field = (name: string) => new RegExp(`${name}="?([^",]*)`).exec(header)?.[1] ?? '';
    const wanted = digestResponse({
      algorithm: 'MD5',
      username: user,
      realm: REALM,
      password,
      nonce: NONCE,
      method: 'POST',
      uri: request.url ?? '',
      qop: { nc: field('nc'), cnonce: field('cnonce') },
    });
    return field('response') === wanted && field('nonce') === NONCE;
  }

  #answer(body: XmlElement, path: string): string {
    const { options } = this;
    const { name } = body;
    const token = textAt(body, 'ProfileToken');
    const uriOf = () => options.profiles.find((profile) => profile.token === token)?.uri ?? '';
    switch (name) {
      case 'GetSystemDateAndTime':
        return dateAndTime(new Date(Date.now() + options.clockOff));
      case 'GetServices':
        return options.hasServices ? this.#services() : fault('s:Sender', 'ter:ActionNotSupported');
      case 'GetCapabilities':
        return this.#capabilities();
      case 'GetProfiles':
        return path === '/onvif/media2' ? this.#profiles2(textAt(body, 'Type') === 'All') : this.#profiles1();
      case 'GetStreamUri':
        return textAt(body, 'Protocol') === ''
          ? `<trt:GetStreamUriResponse><trt:MediaUri><tt:Uri>${uriOf()}</tt:Uri><tt:InvalidAfterConnect>false</tt:InvalidAfterConnect><tt:InvalidAfterReboot>false</tt:InvalidAfterReboot><tt:Timeout>PT0S</tt:Timeout></trt:MediaUri></trt:GetStreamUriResponse>`
          : `<tr2:GetStreamUriResponse><tr2:Uri>${uriOf()}</tr2:Uri></tr2:GetStreamUriResponse>`;
      case 'GetSnapshotUri': {
        const uri = options.snapshot.replace('$port', String(this.port));
        return uri === ''
          ? fault('s:Sender', 'ter:ActionNotSupported')
          : `<trt:GetSnapshotUriResponse><trt:MediaUri><tt:Uri>${uri}</tt:Uri><tt:InvalidAfterConnect>false</tt:InvalidAfterConnect><tt:InvalidAfterReboot>false</tt:InvalidAfterReboot><tt:Timeout>PT0S</tt:Timeout></trt:MediaUri></trt:GetSnapshotUriResponse>`;
      }
      case 'GetAudioOutputs':
        return `<trt:GetAudioOutputsResponse>${options.speaks ? '<trt:AudioOutputs token="out"/>' : ''}</trt:GetAudioOutputsResponse>`;
      case 'GetDeviceInformation':
        return '<tds:GetDeviceInformationResponse><tds:Manufacturer>Double</tds:Manufacturer><tds:Model>D1</tds:Model><tds:FirmwareVersion>1</tds:FirmwareVersion><tds:SerialNumber>1</tds:SerialNumber><tds:HardwareId>1</tds:HardwareId></tds:GetDeviceInformationResponse>';
      case 'GetPresets':
        return '<tptz:GetPresetsResponse><tptz:Preset token="p1"><tt:Name>Gate</tt:Name></tptz:Preset><tptz:Preset token="p2"/></tptz:GetPresetsResponse>';
      case 'ContinuousMove':
      case 'Stop':
      case 'GotoPreset':
        this.movements.push(written(body));
        return `<tptz:${name}Response/>`;
      default:
        return fault('s:Receiver', 'ter:ActionNotSupported');
    }
  }

  #services(): string {
    const { hasMedia2, moves, hasEvents } = this.options;
    const list: [string, string][] = [
      ['http://www.onvif.org/ver10/device/wsdl', '/onvif/device_service'],
      ['http://www.onvif.org/ver10/media/wsdl', '/onvif/media'],
      ...(hasMedia2 ? [['http://www.onvif.org/ver20/media/wsdl', '/onvif/media2'] as [string, string]] : []),
      ...(moves ? [['http://www.onvif.org/ver20/ptz/wsdl', '/onvif/ptz'] as [string, string]] : []),
      ...(hasEvents ? [['http://www.onvif.org/ver10/events/wsdl', '/onvif/events'] as [string, string]] : []),
    ];
    const entries = list.map(
      ([namespace, path]) =>
        `<tds:Service><tds:Namespace>${namespace}</tds:Namespace><tds:XAddr>${this.address(path)}</tds:XAddr><tds:Version><tt:Major>2</tt:Major><tt:Minor>40</tt:Minor></tds:Version></tds:Service>`,
    );
    return `<tds:GetServicesResponse>${entries.join('')}</tds:GetServicesResponse>`;
  }

  #capabilities(): string {
    const { moves, hasEvents } = this.options;
    const at = (path: string) => `<tt:XAddr>${this.address(path)}</tt:XAddr>`;
    const events = `<tt:Events>${at('/onvif/events')}<tt:WSSubscriptionPolicySupport>true</tt:WSSubscriptionPolicySupport><tt:WSPullPointSupport>true</tt:WSPullPointSupport><tt:WSPausableSubscriptionManagerInterfaceSupport>false</tt:WSPausableSubscriptionManagerInterfaceSupport></tt:Events>`;
    const media = `<tt:Media>${at('/onvif/media')}<tt:StreamingCapabilities><tt:RTPMulticast>false</tt:RTPMulticast><tt:RTP_TCP>true</tt:RTP_TCP><tt:RTP_RTSP_TCP>true</tt:RTP_RTSP_TCP></tt:StreamingCapabilities></tt:Media>`;
    return `<tds:GetCapabilitiesResponse><tds:Capabilities><tt:Device>${at('/onvif/device_service')}</tt:Device>${hasEvents ? events : ''}${media}${moves ? `<tt:PTZ>${at('/onvif/ptz')}</tt:PTZ>` : ''}</tds:Capabilities></tds:GetCapabilitiesResponse>`;
  }

  #profiles1(): string {
    const { profiles, moves } = this.options;
    // Media1 knows no H.265.
    const entries = profiles
      .filter(({ codec }) => codec !== 'H265')
      .map(
        ({ token, codec, width, height }) =>
          `<trt:Profiles token="${token}" fixed="true"><tt:Name>${token}</tt:Name><tt:VideoEncoderConfiguration token="e${token}"><tt:Name>e</tt:Name><tt:UseCount>1</tt:UseCount><tt:Encoding>${codec}</tt:Encoding><tt:Resolution><tt:Width>${width}</tt:Width><tt:Height>${height}</tt:Height></tt:Resolution><tt:Quality>5</tt:Quality><tt:RateControl><tt:FrameRateLimit>25</tt:FrameRateLimit><tt:EncodingInterval>1</tt:EncodingInterval><tt:BitrateLimit>2048</tt:BitrateLimit></tt:RateControl><tt:Multicast><tt:Address><tt:Type>IPv4</tt:Type><tt:IPv4Address>0.0.0.0</tt:IPv4Address></tt:Address><tt:Port>0</tt:Port><tt:TTL>1</tt:TTL><tt:AutoStart>false</tt:AutoStart></tt:Multicast><tt:SessionTimeout>PT60S</tt:SessionTimeout></tt:VideoEncoderConfiguration>${moves ? '<tt:PTZConfiguration token="ptz"><tt:Name>p</tt:Name><tt:UseCount>1</tt:UseCount><tt:NodeToken>n</tt:NodeToken></tt:PTZConfiguration>' : ''}</trt:Profiles>`,
      );
    return `<trt:GetProfilesResponse>${entries.join('')}</trt:GetProfilesResponse>`;
  }

  #profiles2(isAll: boolean): string {
    const { profiles, moves } = this.options;
    const inside = ({ codec, width, height }: DoubleProfile) =>
      `<tr2:Configurations><tr2:VideoEncoder token="e"><tt:Name>e</tt:Name><tt:UseCount>1</tt:UseCount><tt:Encoding>${codec}</tt:Encoding><tt:Resolution><tt:Width>${width}</tt:Width><tt:Height>${height}</tt:Height></tt:Resolution><tt:RateControl><tt:FrameRateLimit>12.5</tt:FrameRateLimit><tt:BitrateLimit>2048</tt:BitrateLimit></tt:RateControl><tt:Quality>5</tt:Quality></tr2:VideoEncoder>${moves ? '<tr2:PTZ token="ptz"><tt:Name>p</tt:Name><tt:UseCount>1</tt:UseCount><tt:NodeToken>n</tt:NodeToken></tr2:PTZ>' : ''}</tr2:Configurations>`;
    const entries = profiles.map(
      (profile) =>
        `<tr2:Profiles token="${profile.token}" fixed="true"><tr2:Name>${profile.token}</tr2:Name>${isAll ? inside(profile) : ''}</tr2:Profiles>`,
    );
    return `<tr2:GetProfilesResponse>${entries.join('')}</tr2:GetProfilesResponse>`;
  }
}

/** With its length, as cameras do: not every client takes chunks. */
function sendSoap(response: ServerResponse, status: number, body: string): void {
  const headers = { 'Content-Type': 'application/soap+xml', 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
}

/** An element as text, to compare with. */
function written({ name, attributes, children, text }: XmlElement): string {
  const fields = [...attributes].map(([key, value]) => ` ${key}=${value}`).join('');
  return `${name}${fields}(${text}${children.map(written).join(' ')})`;
}

/** A fault of SOAP 1.2. */
export function fault(code: string, subcode: string): string {
  return soap(
    `<s:Fault><s:Code><s:Value>${code}</s:Value><s:Subcode><s:Value>${subcode}</s:Value></s:Subcode></s:Code><s:Reason><s:Text xml:lang="en">no</s:Text></s:Reason></s:Fault>`,
  );
}

const soap = (body: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<s:Envelope ${NAMES}><s:Body>${body}</s:Body></s:Envelope>`;

function dateAndTime(now: Date): string {
  const [hour, minute, second] = [now.getUTCHours(), now.getUTCMinutes(), now.getUTCSeconds()];
  return `<tds:GetSystemDateAndTimeResponse><tds:SystemDateAndTime><tt:DateTimeType>Manual</tt:DateTimeType><tt:DaylightSavings>false</tt:DaylightSavings><tt:TimeZone><tt:TZ>UTC0</tt:TZ></tt:TimeZone><tt:UTCDateTime><tt:Time><tt:Hour>${hour}</tt:Hour><tt:Minute>${minute}</tt:Minute><tt:Second>${second}</tt:Second></tt:Time><tt:Date><tt:Year>${now.getUTCFullYear()}</tt:Year><tt:Month>${now.getUTCMonth() + 1}</tt:Month><tt:Day>${now.getUTCDate()}</tt:Day></tt:Date></tt:UTCDateTime></tds:SystemDateAndTime></tds:GetSystemDateAndTimeResponse>`;
}
