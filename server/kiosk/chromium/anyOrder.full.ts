import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { letPass } from '../../testing/waiting.ts';
import type { BuiltInPageName } from '../builtInPageContract.ts';
import type { OpenedPage } from '../host.ts';
import { BRIDGE_WORKS } from '../testing/suite/pageComesBack.ts';
import { soonerLimits } from '../testing/suite/soonerLimits.ts';
import { TestKiosk } from '../testing/testKiosk.ts';

/** Longest time for any call of the host, in milliseconds. */
const LIMIT_MS = 30_000;
/** Pauses between two actions, in milliseconds: none, within a page's start, after it. */
const PAUSES = [0, 0, 5, 30, 150, 600];

/** Every call of the host, and everything that happens to its browser, in one kiosk. */
class World {
  readonly kiosk: TestKiosk;
  readonly #own = new Map<BuiltInPageName, Promise<OpenedPage>>();

  constructor(kiosk: TestKiosk) {
    this.kiosk = kiosk;
  }

  readonly deeds: Readonly<Record<string, () => Promise<unknown>>> = {
    goHome: () => this.kiosk.host.navigate(`${this.kiosk.origin('p1')}/`),
    goElsewhere: () => this.kiosk.host.navigate(`${this.kiosk.origin('p2')}/`),
    reload: () => this.kiosk.host.reload(),
    sleep: () => this.kiosk.host.sleep(() => {}),
    wake: () => this.kiosk.host.wake(),
    screenshot: () => this.kiosk.host.screenshot(),
    bringToFront: () => this.kiosk.host.bringToFront(),
    clearCaches: () => this.kiosk.host.clearCaches(this.kiosk.origin('p1')),
    openSettings: () => this.#open('settings'),
    closeSettings: () => this.#close('settings'),
    openIntercom: () => this.#open('intercom'),
    closeIntercom: () => this.#close('intercom'),
    crash: async () => {
      const page = await this.kiosk.devTools();
      page.send('Page.crash').catch(() => {});
      await letPass(50);
      page.close();
    },
    closeWindow: () => this.kiosk.closeWindow(),
    kill: async () => {
      const pid = await this.kiosk.browserPid();
      this.kiosk.debugPort = 0;
      process.kill(pid, 'SIGKILL');
    },
  };

  /** Awake, without built-in pages, at home. */
  async tidy(): Promise<void> {
    await this.kiosk.host.wake();
    for (const name of ['settings', 'intercom'] as const) await this.#close(name).catch(() => {});
    await this.kiosk.host.navigate(`${this.kiosk.origin('p1')}/`).catch(() => {});
  }

  async #open(name: BuiltInPageName): Promise<void> {
    if (this.#own.has(name)) return;
    const opened = this.kiosk.host.openBuiltIn({
      name,
      url: `${this.kiosk.origin(name)}/own`,
      visible: name === 'settings',
      media: false,
      sink: { onMessage: () => {}, onPageGone: () => {} },
      onGone: () => this.#own.delete(name),
    });
    this.#own.set(name, opened);
    await opened.catch((error: Error) => {
      this.#own.delete(name);
      throw error;
    });
  }

  async #close(name: BuiltInPageName): Promise<void> {
    const opened = this.#own.get(name);
    this.#own.delete(name);
    await (await opened)?.close();
  }
}

/** @throws Error when it takes too long; its other failures are ignored */
async function inTime(name: string, work: Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  const late = sleep(LIMIT_MS, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`${name} takes longer than ${LIMIT_MS / 1000} s`);
  });
  late.catch(() => {});
  await Promise.race([work.catch(() => {}), late]);
  stop.abort();
}

describe('a kiosk with any events in any order', () => {
  let kiosk: TestKiosk;
  before(async () => {
    const pages = { '/': '<h1>home</h1>', '/own': '<h1>own</h1>' };
    // Nothing hangs here; a busy machine must not look as if.
    kiosk = await TestKiosk.open('/', pages, { limits: { ...soonerLimits, heartbeatLimitMs: 20_000 } });
    kiosk.bridgeOrigins.push(kiosk.origin('p2'));
  });
  after(() => kiosk?.[Symbol.asyncDispose]());

  test('should answer every call, and end at home with its bridge and no other window', async () => {
    const world = new World(kiosk);
    const deed = fc.tuple(fc.constantFrom(...Object.keys(world.deeds)), fc.constantFrom(...PAUSES));
    const property = fc.asyncProperty(fc.array(deed, { minLength: 6, maxLength: 10 }), async (deeds) => {
      const under: Promise<void>[] = [];
      for (const [name, pause] of deeds) {
        under.push(inTime(name, world.deeds[name]!()));
        await letPass(pause);
      }
      await Promise.all(under);
      await inTime('tidying up', world.tidy());
      await kiosk.untilTrue(
        `location.href === '${kiosk.origin('p1')}/' && document.readyState === 'complete'`,
      );
      await kiosk.untilTrue(BRIDGE_WORKS);
      await kiosk.untilWindows(1);
    });
    // A browser is not deterministic: a failure is reported as it was, without shrinking.
    await fc.assert(property, { numRuns: 8, endOnFailure: true });
  });
});
