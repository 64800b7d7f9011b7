import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect, type Page, type TestInfo } from '@playwright/test';
import type { FaceplateProcess, FaceplateProcessOptions } from '../server/testing/faceplateProcess.ts';
import { type RtspCamera, startRtspCamera } from '../server/testing/rtspCamera.ts';
import {
  ScriptedCamera,
  type ScriptedReply,
  type ScriptedRequest,
} from '../server/testing/scriptedCamera.ts';
import { type Api, apiOf } from './api.ts';
import { exceptionOf } from './electronExceptions.ts';
import { hostKind, openScreen } from './electronProcess.ts';
import { kioskPage, kioskService } from './kioskService.ts';
import { TestSite } from './peers/testSite.ts';
import { UdpPeer } from './peers/udpPeer.ts';

export { expect };

interface TestFixtures {
  /** Skips what does not run in the host of this run. */
  hostRuns: undefined;
  /** Starts another service for this test, which is stopped and checked afterwards. */
  startFaceplate(options?: FaceplateProcessOptions): Promise<FaceplateProcess>;
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
  /** The service with its kiosk page; its output is shown if the test fails. */
  panel: FaceplateProcess;
}

interface WorkerFixtures {
  /** The screen of the worker, in Electron; Chromium's is headless. */
  kioskScreen: undefined;
  /** The service behind `panel`, shared by the tests of one worker. */
  workerPanel: FaceplateProcess;
  /** Real cameras (GStreamer), shared by the tests of one worker. */
  cameras: RtspCamera;
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

  workerPanel: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
    async ({}, use) => {
      const panel = kioskService({ kiosk: true });
      try {
        await panel.start();
        await use(panel);
      } finally {
        expectCleanEnd(await panel.stop(), panel);
      }
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

  hostRuns: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
    async ({}, use, testInfo) => {
      const reason = exceptionOf(testInfo);
      testInfo.skip(reason !== undefined, reason);
      await use(undefined);
    },
    { auto: true },
  ],

  panel: async ({ workerPanel }, use, testInfo) => {
    const printedBefore = workerPanel.output.length;
    await use(workerPanel);
    await showOnFailure(testInfo, [workerPanel.output.slice(printedBefore)]);
  },

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
    await page.reload();
    await demoIsReady(page);
    await use(page);
  },

  api: async ({ panel }, use) => use(await apiOf(panel)),

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
  dataDir: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'faceplate-kept-data-'));
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

/** The demo has got its snapshot and shows the panel's state; only then does a click not race with it. */
export async function demoIsReady(page: Page): Promise<void> {
  await expect(page.getByTestId('serial-port').locator('option')).not.toHaveCount(0);
}

function expectCleanEnd(
  { code, signal, left }: Awaited<ReturnType<FaceplateProcess['stop']>>,
  service: FaceplateProcess,
) {
  expect({ code, signal, left }, service.output).toEqual({ code: 0, signal: null, left: [] });
}

async function showOnFailure(testInfo: TestInfo, outputs: readonly string[]): Promise<void> {
  if (testInfo.status === testInfo.expectedStatus) return;
  for (const output of outputs) {
    await testInfo.attach('output of the service', { body: output, contentType: 'text/plain' });
    process.stderr.write(`\noutput of the service in "${testInfo.title}":\n${output}\n`);
  }
}
