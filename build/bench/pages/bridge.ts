import { chromium } from '@playwright/test';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import { type Bench, median } from '../bench.ts';

/** The clock of a page ticks in 0.1 ms, so calls are timed a hundred at a time. */
const BATCH = 100;
const BATCHES = 12;

/** What the page has; the types of the page's own world are not loaded here. */
interface PageWorld {
  container: { gpioBridge: { postMessage(json: string): Promise<unknown> } };
}

export const bridgeBench: Bench = {
  name: 'bridge',
  about: `led.state from the kiosk page, by window.container and by fetch, one after the other`,
  rows: [
    { key: 'bridge', label: 'call of window.container, median', unit: 'ms' },
    { key: 'fetch', label: 'fetch from the same server, median', unit: 'ms', isPeer: true },
  ],
  ratios: [{ label: 'bridge / fetch', of: 'bridge', by: 'fetch', goal: { atMost: 0.12 } }],
  async setUp() {
    const service = new FaceplateProcess({ kiosk: true, env: { FACEPLATE_LOG_LEVEL: 'silent' } });
    await service.start();
    const browser = await chromium.connectOverCDP(await service.devtoolsUrl, { noDefaults: true });
    const page = browser.contexts()[0]!.pages()[0]!;
    const token = await service.token();
    const measure = (way: 'bridge' | 'fetch', batches: number) =>
      page.evaluate(timeBatches, { way, token, batches, batch: BATCH });
    for (const way of ['bridge', 'fetch'] as const) await measure(way, 2);
    return {
      round: async () => ({
        bridge: median(await measure('bridge', BATCHES)),
        fetch: median(await measure('fetch', BATCHES)),
      }),
      tearDown: async () => {
        await browser.close();
        await service.stop();
      },
    };
  },
};

/** Runs in the page. @returns milliseconds per call, for each batch */
async function timeBatches(job: {
  way: 'bridge' | 'fetch';
  token: string;
  batches: number;
  batch: number;
}): Promise<number[]> {
  const { gpioBridge } = (globalThis as unknown as PageWorld).container;
  const headers = { authorization: `Bearer ${job.token}` };
  const byBridge = () => gpioBridge.postMessage('{"action":"ledState"}');
  const byFetch = async () => {
    const response = await fetch('/api/remote/led/state', { headers });
    if (!response.ok) throw new Error(`fetch was answered with ${response.status}`);
    return response.json();
  };
  const call = job.way === 'bridge' ? byBridge : byFetch;
  const times: number[] = [];
  for (let i = 0; i < job.batches; i++) {
    const started = performance.now();
    for (let n = 0; n < job.batch; n++) await call();
    times.push((performance.now() - started) / job.batch);
  }
  return times;
}
