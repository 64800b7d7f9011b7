import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { noScreen } from '../../server/kiosk/testing/testScreen.ts';
import { type BareBrowser, openKiosk, openPlain } from './bareBrowser.ts';
import type { ReportSite } from './reportSite.ts';

const script = (body: string) => ({ body, type: 'text/javascript' });

/** Makes workers of every kind and source report "ran" to their creator. */
const RAN = `postMessage('ran')`;
const FILES = {
  '/worker.js': script(RAN),
  '/part.js': script(`export const word = 'ran'`),
  '/module.js': script(`postMessage(import.meta.url.endsWith('/module.js') ? 'ran' : 'no module')`),
  '/late.js': script(`const part = '/part.js'; import(part).then(({ word }) => postMessage(word))`),
  '/nest.js': script(`new Worker('/worker.js').onmessage = ({ data }) => postMessage(data)`),
  '/nestModule.js': script(
    `new Worker('/module.js', { type: 'module' }).onmessage = ({ data }) => postMessage(data)`,
  ),
  '/nestTwice.js': script(`new Worker('/nest.js').onmessage = ({ data }) => postMessage(data)`),
  '/broken.js': script(`throw new Error('broken')`),
  '/echo.js': script(`onmessage = ({ data }) => data === 2 && postMessage('ran')`),
  '/imports.js': script(`importScripts('/worker.js')`),
  '/shared.js': script(`onconnect = ({ ports: [port] }) => port.postMessage('ran')`),
  '/service/worker.js': script(`
    addEventListener('install', () => skipWaiting());
    addEventListener('activate', (event) => event.waitUntil(clients.claim()));
    addEventListener('fetch', (event) => event.respondWith(new Response('ran')));`),
  '/audio.js': script(`registerProcessor('told', class extends AudioWorkletProcessor {
    constructor() { super(); this.port.postMessage('ran'); }
    process() { return false; }
  })`),
  '/paint.js': script(`registerPaint('told', class { paint(context) { context.fillRect(0, 0, 1, 1); } })`),
  // A frame reports its own worker's message to its parent; from a blob, because an opaque origin may load nothing
  // else.
  '/frame': {
    body: `<script>
      const blob = new Blob([${JSON.stringify(RAN)}], { type: 'text/javascript' });
      new Worker(URL.createObjectURL(blob)).onmessage = ({ data }) => parent.postMessage(data, '*');
    </script>`,
  },
  '/nestedFrame': {
    body: `<iframe src="/frame"></iframe><script>onmessage = ({ data }) => parent.postMessage(data, '*')</script>`,
  },
};

/** Every way to start a worker, by name: what its creator hears, or "silent". */
async function startWorkers(otherOrigin: string): Promise<Record<string, string>> {
  const heard = (from: { onmessage: unknown }) =>
    new Promise<string>((resolve) => {
      from.onmessage = ({ data }: MessageEvent) => resolve(data);
    });
  const url = (body: string) => URL.createObjectURL(new Blob([body], { type: 'text/javascript' }));
  const ofFrame = (attributes: Record<string, string>) =>
    new Promise<string>((resolve) => {
      const frame = document.createElement('iframe');
      for (const name in attributes) frame.setAttribute(name, attributes[name]!);
      addEventListener('message', ({ data, source }) => source === frame.contentWindow && resolve(data));
      document.body.append(frame);
    });
  const audio = async () => {
    const context = new AudioContext();
    await context.audioWorklet.addModule('/audio.js');
    const node = new AudioWorkletNode(context, 'told');
    const answer = await heard(node.port);
    await context.close();
    return answer;
  };
  const service = async () => {
    const registration = await navigator.serviceWorker.register('/service/worker.js');
    const worker = registration.installing ?? registration.waiting ?? registration.active!;
    while (worker.state !== 'activated') await new Promise((resolve) => setTimeout(resolve, 20));
    const frame = document.createElement('iframe');
    frame.src = '/service/page';
    document.body.append(frame);
    await new Promise((resolve) => (frame.onload = resolve));
    const text = frame.contentDocument!.body.textContent!;
    await registration.unregister();
    return text;
  };
  const afterMany = async () => {
    for (let i = 0; i < 30; i++) new Worker('/worker.js').terminate();
    for (let i = 0; i < 10; i++) new Worker(url('close()'));
    return heard(new Worker('/worker.js'));
  };
  const ordered = () => {
    const worker = new Worker('/echo.js');
    worker.postMessage(1);
    worker.postMessage(2);
    return heard(worker);
  };
  const paint = async () => {
    await (
      CSS as unknown as { paintWorklet: { addModule(url: string): Promise<void> } }
    ).paintWorklet.addModule('/paint.js');
    return 'ran';
  };
  const fails = (path: string) =>
    new Promise<string>((resolve) => (new Worker(path).onerror = () => resolve('error')));
  const rows: Record<string, () => Promise<string>> = {
    dedicated: () => heard(new Worker('/worker.js')),
    'with importScripts': () => heard(new Worker('/imports.js')),
    module: () => heard(new Worker('/module.js', { type: 'module' })),
    'that imports later': () => heard(new Worker('/late.js')),
    'from a blob': () => heard(new Worker(url(`postMessage('ran')`))),
    'from a data: address': () => heard(new Worker(`data:text/javascript,postMessage('ran')`)),
    'of a worker': () => heard(new Worker('/nest.js')),
    'module of a worker': () => heard(new Worker('/nestModule.js')),
    'of a worker of a worker': () => heard(new Worker('/nestTwice.js')),
    'of a frame': () => ofFrame({ src: '/frame' }),
    'of a frame of a frame': () => ofFrame({ src: '/nestedFrame' }),
    'of a frame of another site': () => ofFrame({ src: `${otherOrigin}/frame` }),
    'of a frame in a frame of another site': () => ofFrame({ src: `${otherOrigin}/nestedFrame` }),
    'of a sandboxed frame': () => ofFrame({ src: '/frame', sandbox: 'allow-scripts' }),
    'of a sandboxed frame of another site': () =>
      ofFrame({ src: `${otherOrigin}/frame`, sandbox: 'allow-scripts' }),
    shared: () => heard(new SharedWorker('/shared.js').port),
    'shared from a frame of another site': () => ofFrame({ src: `${otherOrigin}/sharedFrame` }),
    service,
    'audio worklet': audio,
    'paint worklet': paint,
    'that gets messages before it runs': ordered,
    'after many that ended at once': afterMany,
    'whose script throws': () => fails('/broken.js'),
    'whose script is missing': () => fails('/missing.js'),
  };
  const silent = () => new Promise<string>((resolve) => setTimeout(resolve, 10_000, 'silent'));
  const answers: Record<string, string> = {};
  await Promise.all(
    Object.entries(rows).map(async ([name, start]) => {
      answers[name] = await Promise.race([start().catch(String), silent()]);
    }),
  );
  return answers;
}

function serveWorkers({ files }: ReportSite): void {
  for (const [path, file] of Object.entries(FILES)) files.set(path, file);
  files.set('/sharedFrame', {
    body: `<script>new SharedWorker('/shared.js').port.onmessage = ({ data }) => parent.postMessage(data, '*')</script>`,
  });
}

describe('workers', { skip: noScreen }, () => {
  let expected: Record<string, string>;
  const opened: BareBrowser[] = [];
  const open = async (browser: Promise<BareBrowser>) => {
    const { site } = opened[opened.push(await browser) - 1]!;
    serveWorkers(site);
    return site;
  };
  const answersOf = async (site: ReportSite) =>
    Object.entries(await site.ask(startWorkers, site.origin('other'))).sort();

  before(async () => {
    expected = Object.fromEntries(await answersOf(await open(openPlain())));
  });
  after(async () => {
    for (const browser of opened) await browser[Symbol.asyncDispose]();
  });

  test('should run in plain Chromium, or these tests prove nothing', () => {
    const { 'whose script throws': thrown, 'whose script is missing': missing, ...others } = expected;
    assert.deepEqual([thrown, missing], ['error', 'error']);
    for (const [name, answer] of Object.entries(others)) assert.equal(answer, 'ran', name);
  });

  for (const debugPort of [false, true])
    test(`should run as in plain Chromium, ${debugPort ? 'with' : 'without'} a debug port`, async () => {
      const site = await open(openKiosk({ debugPort }));
      assert.deepEqual(Object.fromEntries(await answersOf(site)), expected);
      // Again: leftovers of the first workers must not keep the next from running.
      assert.deepEqual(Object.fromEntries(await answersOf(site)), expected);
    });
});
