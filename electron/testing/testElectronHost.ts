import type {
  BridgeSink,
  DialogAnswer,
  FieldFocus,
  PageCaller,
  PageDialog,
} from '../../server/kiosk/host.ts';
import { noExtras, type PageExtras } from '../../server/kiosk/pageExtras.ts';
import { panelForTests } from '../../server/kiosk/testing/panelForTests.ts';
import { trustsNobody } from '../../server/kiosk/testing/testKiosk.ts';
import { createLogger } from '../../server/platform/log.ts';
import { containerSpec } from '../../server/surfaces/bridge/pageSurfaces.ts';
import { FakeClock } from '../../server/testing/fakeClock.ts';
import { ElectronHost } from '../electronHost.ts';
import { ElectronDouble } from './electronDouble.ts';
import type { FakeView } from './fakeWindow.ts';

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
  /** How often the page kept the panel awake. */
  awake = 0;
  memoryLimit = 0;
  deadPageCheck = false;
  /** What the page asks a person, open until it is answered. */
  readonly dialogs: {
    readonly asked: PageDialog;
    readonly gone: AbortSignal;
    answer(given: DialogAnswer): void;
  }[] = [];
  /** Which field has the focus. */
  focus: FieldFocus | undefined;
  /** What the settings give to pages. */
  extras: PageExtras = noExtras;
  readonly host: ElectronHost;

  constructor() {
    this.host = new ElectronHost({
      electron: this.double.api,
      preload: '/opt/faceplate/preload/electronPreload.cjs',
      builtInPreload: '/opt/faceplate/preload/builtInPreload.cjs',
      clock: this.clock,
      certificates: trustsNobody,
      onSettingsCall: () => this.settingsCalls++,
      onKeepAwake: () => this.awake++,
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
      onField: (focus) => {
        this.focus = focus;
      },
      pageExtras: {
        logins: () => this.extras.logins(),
        inject: () => this.extras.inject(),
      },
      onDialog: (asked, gone) => {
        const { promise, resolve } = Promise.withResolvers<DialogAnswer>();
        this.dialogs.push({ asked, gone, answer: resolve });
        return promise;
      },
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

  /** The kiosk page that runs now; the newest while one takes the place of another. */
  get view(): FakeView {
    const view = this.#views('persist:kiosk').at(-1);
    if (view === undefined) throw new Error('no kiosk page');
    return view;
  }

  /** The black of a sleeping panel. */
  get dark(): FakeView | undefined {
    return this.#views('dark').at(-1);
  }

  /** The view of a built-in page. */
  own(name: string): FakeView | undefined {
    return this.#views(`own ${name}`).at(-1);
  }

  /** Whose views are in the window, from below. */
  get order(): (string | undefined)[] {
    return this.double.window?.views.map(nameOf) ?? [];
  }

  #views(name: string): FakeView[] {
    return this.double.open.filter((view) => nameOf(view) === name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.stop();
  }
}

/** The profile of a view, or the name of a built-in page: layers have one profile. */
function nameOf({ options, page }: FakeView): string | undefined {
  const profile = options.webPreferences?.partition;
  if (!profile?.startsWith('persist:own-')) return profile;
  return `own ${new URL(page.loads.at(-1)?.url ?? 'about:blank').hostname.split('.')[0]}`;
}
