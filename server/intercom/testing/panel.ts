import { loadSettings } from '../../config/loadSettings.ts';
import { CertificatesService } from '../../parts/certificates/service.ts';
import { TlsProbe } from '../../parts/certificates/tlsProbe.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import type { SipService } from '../calls/service.ts';
import { createIntercom } from '../part.ts';
import type { SipEvent } from '../sipContract.ts';
import { WeriftPage } from './media/weriftPage.ts';

const LOOPBACK = '127.0.0.1';

/** Ends what a test started; usually the context of the test. */
export interface Owner {
  after(end: () => unknown): void;
}

export interface TestPanelOptions {
  /** Set: panels find each other. */
  readonly mdnsPort?: number;
  /** Settings beyond those of every test panel, such as `FACEPLATE_SIP_TRANSPORT`. */
  readonly env?: NodeJS.ProcessEnv;
  /** Settings that are not flags, such as `sip.doors`. */
  readonly file?: Readonly<Record<string, unknown>>;
  /** Plays the cameras of doors; without it, there are none. */
  readonly stream?: Parameters<typeof createIntercom>[0]['stream'];
}

/** A running intercom and its page. */
export interface TestPanel {
  readonly sip: SipService;
  readonly page: WeriftPage;
  readonly certificates: CertificatesService;
  readonly told: readonly SipEvent[];
  readonly port: number;
  /** The address for `placeCallToIp`. */
  address(): string;
  status(): Promise<string>;
  /** Waits for a status. @throws Error after 20 seconds. */
  becomes(words: string): Promise<void>;
  /** The payloads of this event, in order. */
  heard(event: SipEvent['event']): SipEvent['payload'][];
}

/**
 * A panel's intercom as the settings make it: real signalling, media and discovery on loopback, a page without a
 * browser. It ends with the test.
 */
export async function startPanel(t: Owner, name: string, options: TestPanelOptions = {}): Promise<TestPanel> {
  const dataDir = temporaryFolder('intercom');
  const environment = {
    FACEPLATE_SIP_ENABLED: 'true',
    FACEPLATE_SIP_PORT: '0',
    FACEPLATE_SIP_HOST: LOOPBACK,
    FACEPLATE_SIP_DEVICE_NAME: name,
    FACEPLATE_SIP_ALLOW: LOOPBACK,
    FACEPLATE_SIP_DISCOVERY: String(options.mdnsPort !== undefined),
    FACEPLATE_SIP_DISCOVERY_INTERFACE: LOOPBACK,
    ...options.env,
  };
  const { settings } = loadSettings(['--dataDir', dataDir], environment, '0.0.0');
  const log = silentLogger();
  const bus = new EventBus(log);
  const told: SipEvent[] = [];
  bus.onAny((event, payload) => {
    if (event === 'sip') told.push(payload as SipEvent);
  });
  const page = new WeriftPage();
  const noCameras = {
    open: () => Promise.reject(new Error('no cameras here')),
    close: () => Promise.reject(new Error('no cameras here')),
  };
  const certificates = new CertificatesService({ probe: new TlsProbe(), dataDir, log });
  await certificates.start();
  const { sip, port } = await createIntercom({
    onRing: () => {},
    settings: { ...settings, ...options.file },
    version: '1.0.0',
    bus,
    log,
    stream: options.stream ?? noCameras,
    certificates,
    page,
    ...(options.mdnsPort !== undefined && { mdnsPort: options.mdnsPort }),
  });
  t.after(async () => {
    await sip.stop();
    await certificates.stop();
    await page.crash();
  });
  await sip.start();
  const status = async (): Promise<string> => (await sip.getStatus()).callStatus;
  return {
    sip,
    page,
    certificates,
    told,
    get port() {
      return port();
    },
    address: () => `${LOOPBACK}:${port()}`,
    status,
    becomes: (words) =>
      until(async () => (await status()) === words, `"${words}" of ${name}`).catch(async (error: Error) => {
        throw new Error(`${error.message}; it is ${JSON.stringify(await sip.getStatus())}`);
      }),
    heard: (event) => told.filter((one) => one.event === event).map(({ payload }) => payload),
  };
}

/** Sends sound into the microphone of a page until another page receives it. */
export async function speaks(from: WeriftPage, to: WeriftPage): Promise<void> {
  let timestamp = 0;
  await until(() => from.connections.size > 0 && to.connections.size > 0, 'the connections of both pages');
  const before = to.latest.received.audio.length;
  await until(async () => {
    timestamp += 160;
    from.latest.send('audio', timestamp, Buffer.alloc(160, 0x55));
    return to.latest.received.audio.length > before + 5;
  }, 'sound at the other end');
}

/** Sends back everything that the page receives: the remote party gets its own sound, in its own codec. */
export function echo(t: Owner, page: WeriftPage): void {
  let from: unknown;
  let done = { audio: 0, video: 0 };
  const timer = setInterval(() => {
    if (page.connections.size === 0) return;
    const { latest } = page;
    if (from !== latest) [from, done] = [latest, { audio: 0, video: 0 }];
    for (const kind of ['audio', 'video'] as const) {
      for (const { header, payload } of latest.received[kind].slice(done[kind]))
        latest.send(kind, header.timestamp, payload, header.marker);
      done[kind] = latest.received[kind].length;
    }
  }, 10);
  t.after(() => clearInterval(timer));
}
