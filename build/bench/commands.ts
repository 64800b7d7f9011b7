import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from '../../server/app.ts';
import { loadSettings } from '../../server/config/loadSettings.ts';
import type { BridgeSink } from '../../server/kiosk/host.ts';
import { NoHost } from '../../server/kiosk/noHost.ts';
import { silentLogger } from '../../server/platform/log.ts';
import { LogTail } from '../../server/platform/logTail.ts';
import { systemDeviceIo } from '../../server/platform/native/ioctl.ts';
import type { Bench } from './bench.ts';

const MEASURE_MS = 700;
/** The bridge slows down a document that calls without end; this many calls are within its budget. */
const CALLS_OF_A_DOCUMENT = 4_000;
/** TCGETS, which every tty answers: the cost of a call that reaches a driver and copies an argument. */
const TCGETS = 0x5401;

/** One message of the kiosk page for each service, one that changes something where it can. */
const MESSAGES: Readonly<Record<string, (i: number) => object>> = {
  led: () => action({ action: 'ledState' }),
  ledWrite: (i) => action({ action: 'ledColor', red: i % 256, green: 0, blue: 0 }),
  gpio: (i) => action({ action: 'write', pin: 2, level: i % 2 }),
  udp: () => ({ method: 'container.sendUdp', args: ['127.0.0.1', 9, '00'] }),
  serial: () => action({ action: 'serialWrite', port: '/dev/ttyS5', baudRate: 9600, hex: '00' }),
  apps: () => ({ method: 'MobileBridge.oemGetInstalledApps', args: [] }),
};

function action(fields: object): object {
  return { bridge: 'gpioBridge', json: JSON.stringify(fields) };
}

/** A kiosk page without a browser, to measure the service alone. */
class BarePage extends NoHost {
  #sink: BridgeSink | undefined;
  #id = 0;
  #answered: (json: string) => void = () => {};
  #caller = this.#newDocument();

  override async start(sink?: BridgeSink): Promise<void> {
    this.#sink = sink;
  }

  #newDocument() {
    return { origin: 'bench', reply: (json: string) => this.#answered(json) };
  }

  /** @throws Error when the call is refused */
  async call(fields: object): Promise<void> {
    const answer = new Promise<string>((resolve) => {
      this.#answered = resolve;
    });
    if (this.#id % CALLS_OF_A_DOCUMENT === 0) this.#caller = this.#newDocument();
    this.#sink?.onMessage(this.#caller, JSON.stringify({ id: ++this.#id, ...fields }));
    const json = await answer;
    if (json.includes('"error"')) throw new Error(json);
  }
}

export const commandsBench: Bench = {
  name: 'commands',
  about:
    'calls per second of a page without its browser, one after the other, on the simulated board; one ioctl',
  rows: [
    { key: 'led', label: 'led.state', unit: '/s' },
    { key: 'ledWrite', label: 'led.color, each change on disk', unit: '/s' },
    { key: 'gpio', label: 'gpio.write with read-back', unit: '/s' },
    { key: 'udp', label: 'udp.send', unit: '/s' },
    { key: 'serial', label: 'serial.write', unit: '/s' },
    { key: 'apps', label: 'apps.list', unit: '/s' },
    { key: 'ioctl', label: 'ioctl', unit: 'us' },
  ],
  ratios: [],
  async setUp() {
    const dataDir = await mkdtemp(join(tmpdir(), 'faceplate-bench-'));
    const version = '0.0.0-bench';
    const args = [
      '--dataDir',
      dataDir,
      '--http.port',
      '0',
      '--http.host',
      '127.0.0.1',
      '--board',
      'simulated',
    ];
    const settings = loadSettings(args, {}, version);
    const page = new BarePage();
    const app = new App({
      settings,
      version,
      log: silentLogger(),
      logTail: new LogTail(),
      restart: () => {},
      isWatched: false,
      print: () => {},
      createHost: async () => page,
    });
    await app.start();
    return {
      round: async () => {
        const rates: Record<string, number> = { ioctl: ioctlMicroseconds() };
        for (const [key, message] of Object.entries(MESSAGES))
          rates[key] = await callsPerSecond(page, message);
        return rates;
      },
      tearDown: async () => {
        await app.stop();
        await rm(dataDir, { recursive: true });
      },
    };
  },
};

async function callsPerSecond(page: BarePage, message: (i: number) => object): Promise<number> {
  const startedAt = performance.now();
  let count = 0;
  while (performance.now() - startedAt < MEASURE_MS) await page.call(message(count++));
  return (count * 1_000) / (performance.now() - startedAt);
}

function ioctlMicroseconds(): number {
  const fd = systemDeviceIo.open('/dev/ptmx', 2);
  const argument = Buffer.alloc(64);
  const count = 100_000;
  const startedAt = performance.now();
  for (let i = 0; i < count; i++) systemDeviceIo.ioctlPointer(fd, TCGETS, argument);
  const microseconds = ((performance.now() - startedAt) * 1_000) / count;
  systemDeviceIo.close(fd);
  return microseconds;
}
