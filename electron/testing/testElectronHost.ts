import type { BridgeSink, PageCaller } from '../../server/kiosk/host.ts';
import { panelForTests } from '../../server/kiosk/testing/panelForTests.ts';
import { trustsNobody } from '../../server/kiosk/testing/testKiosk.ts';
import { createLogger } from '../../server/platform/log.ts';
import { containerSpec } from '../../server/surfaces/bridge/pageSurfaces.ts';
import { FakeClock } from '../../server/testing/fakeClock.ts';
import { ElectronHost } from '../electronHost.ts';
import { ElectronDouble, type FakeWindow } from './electronDouble.ts';

/** Nothing listens on this port: a connection to it is refused at once. */
export const HOME = 'http://p1.localhost:1/';
export const ORIGIN = new URL(HOME).origin;

/** An ElectronHost over the double of Electron's API. */
export class TestElectronHost implements AsyncDisposable {
  readonly double = new ElectronDouble();
  readonly clock = new FakeClock();
  readonly origins = [ORIGIN];
  readonly heard: { caller: PageCaller; json: string }[] = [];
  logText = '';
  pagesGone = 0;
  touches = 0;
  settingsCalls = 0;
  memoryLimit = 0;
  deadPageCheck = false;
  readonly host: ElectronHost;

  constructor() {
    this.host = new ElectronHost({
      electron: this.double.api,
      preload: '/opt/faceplate/preload/electronPreload.cjs',
      builtInPreload: '/opt/faceplate/preload/builtInPreload.cjs',
      clock: this.clock,
      certificates: trustsNobody,
      onSettingsCall: () => this.settingsCalls++,
      policy: {
        bridgeOrigins: () => this.origins,
        mayNavigate: ({ origin }) => this.origins.includes(origin),
      },
      recoverySettings: {
        deadPageCheck: () => this.deadPageCheck,
        memoryLimit: () => this.memoryLimit,
        quietHour: () => 3,
        panel: () => panelForTests,
      },
      spec: containerSpec({ version: '9.8.7', isOem: false, aliases: [] }),
      log: createLogger('debug', { write: (line: string) => (this.logText += line) } as never),
      onActivity: () => this.touches++,
    });
  }

  static async started(): Promise<TestElectronHost> {
    const test = new TestElectronHost();
    await test.host.start(test.sink, HOME);
    return test;
  }

  readonly sink: BridgeSink = {
    onMessage: (caller, json) => this.heard.push({ caller, json }),
    onPageGone: () => this.pagesGone++,
  };

  /** The kiosk's window that is open now. */
  get window(): FakeWindow {
    const window = this.double.open.find(({ options }) => options.webPreferences?.partition !== 'dark');
    if (window === undefined) throw new Error('no kiosk window');
    return window;
  }

  /** The black window of a sleeping panel. */
  get dark(): FakeWindow | undefined {
    return this.double.open.find(({ options }) => options.webPreferences?.partition === 'dark');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.stop();
  }
}
