import { expect, test } from '@playwright/test';
import { PATIENCE } from '../virtualPanel.ts';
import { usePanel } from './paintedPanel.ts';

const used = usePanel();

/** How long nothing may be said, in seconds: pictures of the page are looked at each 15 s, health is told each 30 s. */
const QUIET_S = 70;

test('should spare its flash memory', async () => {
  const { panel } = used;
  const data = await panel.root("grep ' /data ' /proc/mounts");
  for (const option of ['noatime', 'lazytime', 'commit=30']) expect(data).toContain(option);
  expect(await panel.root('cat /proc/sys/vm/dirty_writeback_centisecs')).toBe('1500');
  // The browser's histograms would be written again and again, if they lay on the disk.
  const mapped = await panel.root(
    "cat /proc/[0-9]*/maps 2>/dev/null | grep -o '/.*BrowserMetrics-' | sort -u",
  );
  expect(mapped).toBe('/run/faceplate-kiosk/histograms/BrowserMetrics-');
});

test('should keep its memory for the page', async () => {
  const { panel } = used;
  expect(await panel.root('cat /sys/kernel/mm/transparent_hugepage/enabled')).toContain('[never]');
  expect(await panel.root('cat /proc/sys/vm/min_free_kbytes')).toBe('16384');
});

test('should know the memory of its browser without a program of its own for it', async () => {
  const { panel } = used;
  const jobs = () => panel.root("journalctl -b -o cat | grep -c 'Started faceplate-kiosk@' || true");
  // The start has jobs of its own, which may still be told.
  await expect(async () => {
    const before = await jobs();
    const { memory } = (await panel.api('/api/remote/health')).body as { memory: { browser: number } };
    expect(memory.browser).toBeGreaterThan(50 * 2 ** 20);
    expect(await jobs()).toBe(before);
  }).toPass({ timeout: PATIENCE.fact });
});

test('should say nothing in its journal while nothing happens', async () => {
  const { panel } = used;
  const said = async () => {
    const now = await panel.root('date +%s');
    await panel.root(`sleep ${QUIET_S}`);
    return panel.root(`journalctl -b --since @${now} --no-pager -o short-precise --quiet`);
  };
  // In the first minutes the browser and systemd have more to say.
  await expect(async () => expect(await said()).toBe('')).toPass({ timeout: PATIENCE.page });
});
