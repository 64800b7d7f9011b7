import { chmod, rm } from 'node:fs/promises';
import { type Browser, test as base, chromium, expect, type Page, type TestInfo } from '@playwright/test';
import type { FaceplateProcess, FaceplateProcessOptions } from '../server/testing/faceplateProcess.ts';
import { Mosquitto } from '../server/testing/mosquitto.ts';
import { type RtspCamera, startRtspCamera } from '../server/testing/rtspCamera.ts';
import {
  ScriptedCamera,
  type ScriptedReply,
  type ScriptedRequest,
} from '../server/testing/scriptedCamera.ts';
import { temporaryFolder } from '../server/testing/temporaryFolder.ts';
import { type Api, apiOf } from './api.ts';
import { exceptionOf } from './electronExceptions.ts';
import { hostKind, openScreen } from './electronProcess.ts';
import { closeSettings, kioskPage, kioskService } from './kioskService.ts';
import { TestSite } from './peers/testSite.ts';
import { UdpPeer } from './peers/udpPeer.ts';
import { expectCleanEnd, SharedServices } from './sharedServices.ts';

export { expect };

interface TestFixtures {
  /** Skips what does not run in the host of this run, and ends what the spec before shared. */
  hostRuns: undefined;
  /** Starts another service for this test, which is stopped and checked afterwards. */
  startFaceplate(options?: FaceplateProcessOptions): Promise<FaceplateProcess>;
  /** The same for the tests of this spec with these options: one for all, as at its start for each of them. */
  sharedFaceplate(options: FaceplateProcessOptions): Promise<FaceplateProcess>;
  /** A data folder for services that are started more than once. */
  dataDir: string;
  /** Attaches to the page that a service with a kiosk shows. */
  openPage(service: FaceplateProcess): Promise<Page>;
  /** The same for the demo, once it is ready. */
  openDemo(service: FaceplateProcess): Promise<Page>;
  api: Api;
  udpPeer: UdpPeer;
  /** Starts a camera whose answers the test defines. */
  startCamera(reply: (request: ScriptedRequest) => ScriptedReply): Promise<ScriptedCamera>;
  /** Starts a web server with these pages, by path. */
  startSite(pages: Readonly<Record<string, string>>): Promise<TestSite>;
  /** The demo page in the kiosk, loaded again. */
  page: Page;
  /** The service with its kiosk page, as at its start; its output is shown if the test fails. */
  panel: FaceplateProcess;
  /** Takes back what the test has done to services that others use as well. */
  sharedReset: undefined;
}

/** A spec with a fixture of this kind of its own would run in another worker, which starts another panel. */
interface WorkerFixtures {
  /** The screen of the worker, in Electron; Chromium's is headless. */
  kioskScreen: undefined;
  /** The services that tests of one worker share, `panel` among them. */
  sharedServices: SharedServices;
  /** Real cameras (GStreamer), shared by the tests of one worker. */
  cameras: RtspCamera;
  broker: Mosquitto;
  /** A browser in the house, Debian's Chromium, which is not the panel's own. */
  houseBrowser: Browser;
}

/** Playwright's `test` with a running panel. Nothing is started that a test does not ask for. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  kioskScreen: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
    async ({}, use) => {
      const close = hostKind === 'electron' ? await openScreen() : async () => {};
      await use(undefined);
      await close();
    },
    { scope: 'worker', auto: true },
  ],

  sharedServices: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
    async ({}, use) => {
      const services = new SharedServices();
      await use(services);
      await services.end();
    },
    { scope: 'worker', timeout: 120_000 },
  ],

  cameras: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
    async ({}, use) => {
      const cameras = await startRtspCamera();
      await use(cameras);
      await cameras.stop();
    },
    { scope: 'worker' },
  ],

  broker: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
    async ({}, use) => {
      const broker = await Mosquitto.start();
      await use(broker);
      await broker.stop();
    },
    { scope: 'worker' },
  ],

  houseBrowser: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
    async ({}, use) => {
      // As people have it: pages that were left are kept for the way back.
      const browser = await chromium.launch({
        executablePath: '/usr/bin/chromium',
        ignoreDefaultArgs: ['--disable-back-forward-cache'],
      });
      await use(browser);
      await browser.close();
    },
    { scope: 'worker' },
  ],

  hostRuns: [
    async ({ sharedServices }, use, testInfo) => {
      await sharedServices.begin(testInfo.file);
      const reason = exceptionOf(testInfo);
      testInfo.skip(reason !== undefined, reason);
      await use(undefined);
    },
    { auto: true },
  ],

  sharedReset: [
    async ({ sharedServices }, use) => {
      await use(undefined);
      await sharedServices.reset();
    },
    // What a test leaves is no fault of its own, nor the time that another start takes.
    { timeout: 60_000 },
  ],

  sharedFaceplate: async ({ sharedServices, sharedReset: _ }, use, testInfo) => {
    const printed: (() => string)[] = [];
    await use(async (options) => {
      const service = await sharedServices.get(options, testInfo.file);
      const before = service.output.length;
      printed.push(() => service.output.slice(before));
      return service;
    });
    await showOnFailure(
      testInfo,
      printed.map((text) => text()),
    );
  },

  panel: [
    async ({ sharedServices, sharedReset: _ }, use, testInfo) => {
      const service = await sharedServices.get({ kiosk: true }, null);
      const printedBefore = service.output.length;
      await use(service);
      await showOnFailure(testInfo, [service.output.slice(printedBefore)]);
    },
    // The first test of the worker starts it.
    { timeout: 120_000 },
  ],

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
  openPage: async ({}, use) => {
    const attached: (() => Promise<void>)[] = [];
    await use((service) => attach(service, attached));
    for (const detach of attached) await detach();
  },

  openDemo: async ({ openPage }, use) =>
    use(async (service) => {
      const page = await openPage(service);
      await demoIsReady(page);
      return page;
    }),

  page: async ({ panel, openPage }, use) => {
    const page = await openPage(panel);
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await demoIsReady(page);
    await use(page);
    // One that a test has left open would open for no later one.
    for (const open of page.context().pages())
      if (isSettings(open) && (await open.getByTestId('close').isVisible())) await closeSettings(open);
  },

  api: async ({ panel }, use) => use(await apiOf(panel)),

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
  dataDir: async ({}, use) => {
    const folder = temporaryFolder('kept-data');
    await chmod(folder, 0o711);
    await use(folder);
    await rm(folder, { recursive: true });
  },

  // After dataDir: services that use the folder end before it is removed.
  startFaceplate: async ({ dataDir: _ }, use, testInfo) => {
    const started: FaceplateProcess[] = [];
    await use(async (options) => {
      const service = kioskService(options);
      started.push(service);
      await service.start();
      return service;
    });
    await showOnFailure(
      testInfo,
      started.map(({ output }) => output),
    );
    for (const service of started) expectCleanEnd(await service.stop(), service);
  },

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
  udpPeer: async ({}, use) => {
    const peer = new UdpPeer();
    await peer.start();
    await use(peer);
    peer.stop();
  },

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
  startCamera: async ({}, use) => {
    const started: ScriptedCamera[] = [];
    await use(async (reply) => {
      const camera = new ScriptedCamera(reply);
      started.push(camera);
      await camera.start();
      return camera;
    });
    for (const camera of started) await camera.stop();
  },

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
  startSite: async ({}, use) => {
    const started: TestSite[] = [];
    await use(async (pages) => {
      const site = new TestSite(pages);
      started.push(site);
      await site.start();
      return site;
    });
    for (const site of started) await site.stop();
  },
});

/** Attaches to the kiosk page. Tries again while the page is being brought back. */
async function attach(service: FaceplateProcess, attached: (() => Promise<void>)[]): Promise<Page> {
  let page: Page | undefined;
  await expect(async () => {
    const found = await kioskPage(service);
    attached.push(found.detach);
    page = found.page;
  }).toPass({ timeout: 15_000 });
  return page!;
}

const isSettings = (page: Page) => page.url().startsWith('http://settings.localhost');

/** The demo has got its snapshot and shows the panel's state; only then does a click not race with it. */
export async function demoIsReady(page: Page): Promise<void> {
  await expect(page.getByTestId('serial-port').locator('option')).not.toHaveCount(0);
}

async function showOnFailure(testInfo: TestInfo, outputs: readonly string[]): Promise<void> {
  if (testInfo.status === testInfo.expectedStatus) return;
  for (const output of outputs) {
    await testInfo.attach('output of the service', { body: output, contentType: 'text/plain' });
    process.stderr.write(`\noutput of the service in "${testInfo.title}":\n${output}\n`);
  }
}
