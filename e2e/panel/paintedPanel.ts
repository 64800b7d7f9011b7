import { join } from 'node:path';
import { test } from '@playwright/test';
import { zipFile } from '../../server/testing/zipFile.ts';
import { VirtualPanel } from '../virtualPanel.ts';
import { hasPassed, note, panels } from './progress.ts';

/** The page of the panel: one button, which is as large as the glass. */
const PAGE = `<!doctype html><meta name="viewport" content="width=device-width"><title>Relay</title>
<style>body { margin: 0 } button { width: 100vw; height: 100vh; font: 12vw sans-serif; background: linear-gradient(45deg, teal, navy) }</style>
<button>Relay 1</button>
<script>
let level = 0;
document.querySelector('button').onclick = () => {
  level = 1 - level;
  window.container.call('gpio.write', { pin: 2, level });
};
</script>`;

/** What the person who flashed it left on its boot partition: all that the first set-up asks for. */
export const provisioned = {
  project: 'relay.zip',
  // Joined when it comes into reach, which never happens here.
  wifi: { ssid: 'House', password: 'correct horse battery' },
  hostname: 'panel-kitchen',
  timeZone: 'Europe/Berlin',
  settings: { device: { name: 'Kitchen', language: 'en' }, kiosk: { pin: '2468' } },
} as const;

/** A panel that was set up by a file, with its page on the glass: booted once for all tests, and kept as it then was. */
export async function paintedPanel(): Promise<VirtualPanel> {
  const panel = new VirtualPanel(join(panels, 'painted'));
  if (!panel.has('painted')) {
    const project = zipFile([{ name: 'index.html', content: Buffer.from(PAGE) }]);
    await panel.make({ 'relay.zip': project, 'faceplate.json': JSON.stringify(provisioned) });
    await panel.boot();
    await panel.pageShown();
    await panel.keep('painted');
  }
  await panel.resume('painted');
  return panel;
}

/**
 * One panel for the tests of a file, switched on for the first that has not passed yet. A test that fails, or that ends
 * with `panel.cut()`, leaves the next one the panel as it was kept.
 */
export function usePanel(start: () => Promise<VirtualPanel> = paintedPanel): {
  readonly panel: VirtualPanel;
} {
  let panel: VirtualPanel | undefined;
  test.beforeEach(async () => {
    test.skip(hasPassed(test.info().title), 'passed in the run before');
    if (panel?.isOn !== true) panel = await start();
  });
  test.afterEach(async () => {
    const { status, title } = test.info();
    if (status === 'skipped') return;
    note(title, status === 'passed');
    if (status !== 'passed') await panel?.cut();
  });
  test.afterAll(async () => panel?.cut());
  return {
    get panel() {
      return panel!;
    },
  };
}

/** Puts a figure into the report of the test. */
export function say(description: string): void {
  test.info().annotations.push({ type: 'seen', description });
  process.stderr.write(`${description}\n`);
}
