import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { PATIENCE } from '../virtualPanel.ts';
import { provisioned, usePanel } from './paintedPanel.ts';

const used = usePanel();
const SERVICE = 'faceplate.service';
const color = (blue: number) => ({ red: 1, green: 2, blue });

/** The process of a unit, or of a program by its user and command line. */
const main = (unit: string) => used.panel.root(`systemctl show -P MainPID ${unit}`);

test('should be set up by the file on its boot partition, whose secrets are gone', async () => {
  const { panel } = used;
  expect(await panel.root('ls /boot/efi')).not.toMatch(/^faceplate\.json$/m);
  const applied = await panel.root('cat /boot/efi/faceplate.applied.json');
  expect(applied).not.toContain(provisioned.settings.kiosk.pin);
  expect(applied).toContain(provisioned.hostname);
  expect(await panel.root('cat /proc/sys/kernel/hostname')).toBe(provisioned.hostname);
  expect(await panel.root('readlink -f /etc/localtime')).toMatch(/Europe\/Berlin$/);
  const { body } = await panel.api('/api/manage/settings');
  expect(JSON.stringify(body)).toContain(provisioned.settings.device.name);
  expect(JSON.stringify(body)).not.toContain(provisioned.settings.kiosk.pin);
});

test('should come back from a killed service, with its page', async () => {
  const { panel } = used;
  const before = await main(SERVICE);
  await panel.root(`kill -9 ${before}`);
  await expect
    .poll(() => main(SERVICE), { timeout: PATIENCE.fact })
    .not.toMatch(new RegExp(`^(0|${before})$`));
  await panel.untilHealthy();
  await panel.pageShown();
});

test('should come back from a killed browser', async () => {
  const { panel } = used;
  const browser = () => panel.root("pgrep -o -u faceplate-kiosk -f '^/usr/lib/chromium/chromium'");
  const before = await browser();
  await panel.root(`kill -9 ${before}`);
  await expect.poll(() => browser().catch(() => before), { timeout: PATIENCE.fact * 2 }).not.toBe(before);
  await panel.untilHealthy();
  await panel.pageShown();
});

test('should come back from a killed compositor', async () => {
  const { panel } = used;
  const compositor = () => panel.root('pgrep -o -x sway');
  const before = await compositor();
  await panel.root(`kill -9 ${before}`);
  await expect.poll(() => compositor().catch(() => before), { timeout: PATIENCE.fact * 2 }).not.toBe(before);
  await expect(async () => {
    await panel.untilHealthy();
    expect((await panel.api('/api/remote/page')).body.state).toBe('shown');
  }).toPass({ timeout: PATIENCE.page });
});

test('should answer clearly while the disk is full, and go on once it is not', async () => {
  const { panel } = used;
  const brightness = async (value: number) =>
    panel.api('/api/manage/settings', { 'idle.dimTo': value }, 'PATCH');
  expect((await brightness(11)).status).toBe(200);
  await panel.root('dd if=/dev/zero of=/data/filler bs=1M 2>/dev/null; sync; df /data | tail -1');
  await panel.root('dd if=/dev/zero of=/data/filler2 bs=4k 2>/dev/null; sync; true');
  const refused = await brightness(12);
  expect(refused.status).toBeGreaterThanOrEqual(500);
  expect(refused.body.error).toMatch(/\w/);
  expect(await panel.isHealthy()).toBe(true);
  // What was answered before holds, whatever the refused change left.
  await panel.root(`kill -9 ${await main(SERVICE)}`);
  await panel.root('sleep 2');
  await panel.untilHealthy();
  expect(JSON.stringify((await panel.api('/api/manage/settings')).body)).toMatch(/"dimTo":11|"value":11/);
  await panel.root('rm /data/filler /data/filler2');
  expect((await brightness(13)).status).toBe(200);
});

test('should work on with a clock that is wrong by a year', async () => {
  const { panel } = used;
  for (const year of [1, -1]) {
    const seconds = year * 366 * 86_400;
    await panel.root(`date -s @$(( $(date +%s) + ${seconds} )) >/dev/null`);
    await panel.untilHealthy();
    expect((await panel.api('/api/remote/led/color', color(9))).status).toBe(200);
    await panel.pageShown();
    expect(await panel.root(`systemctl is-active ${SERVICE}`)).toBe('active');
  }
  await panel.cut();
});

test('should work on without a network, and be reached again once it is back', async () => {
  const { panel } = used;
  const link = (up: boolean) => panel.qemu('set_link', { name: 'net', up });
  await link(false);
  await expect
    .poll(() => panel.root('cat /sys/class/net/e*/carrier 2>/dev/null || echo 0'), { timeout: PATIENCE.fact })
    .toBe('0');
  // The page and its hardware need none.
  const own = "curl -sS -o /dev/null -w '%{http_code}' http://127.0.0.1:8080/healthz";
  const node = `/usr/lib/faceplate/bin/node -e 'fetch("http://127.0.0.1:8080/healthz").then((a)=>console.log(a.status))'`;
  expect(await panel.root(`command -v curl >/dev/null && ${own} || ${node}`)).toMatch(/200$/);
  await link(true);
  await panel.untilHealthy();
  await panel.pageShown();
});

test('should restart after a panic of the kernel', async () => {
  const { panel } = used;
  expect((await panel.api('/api/remote/led/color', color(41))).status).toBe(200);
  await panel.rootWithoutAnswer('echo 1 >/proc/sys/kernel/sysrq; echo c >/proc/sysrq-trigger');
  await expect.poll(() => panel.console, { timeout: PATIENCE.fact }).toContain('Kernel panic');
  await sleep(5_000);
  panel.forgetShell();
  await panel.untilHealthy();
  await panel.pageShown();
  expect((await panel.api('/api/remote/led/state')).body.state).toMatchObject({ blue: 41 });
});

test('should be restarted by the watchdog where its first process hangs', async () => {
  const { panel } = used;
  expect(await panel.root('cat /sys/class/watchdog/watchdog0/state')).toBe('active');
  const bitten = panel.nextEvent('WATCHDOG');
  await panel.rootWithoutAnswer('echo 1 >/sys/fs/cgroup/init.scope/cgroup.freeze');
  await bitten;
  panel.forgetShell();
  await sleep(5_000);
  await panel.untilHealthy();
  await panel.pageShown();
});

test('should restart at once where its first process crashes', async () => {
  const { panel } = used;
  const restarted = panel.nextEvent('RESET');
  const bitten = panel.nextEvent('WATCHDOG').then(() => 'watchdog');
  await panel.rootWithoutAnswer('kill -SEGV 1');
  expect(await Promise.race([restarted.then(() => 'itself'), bitten])).toBe('itself');
  panel.forgetShell();
  await panel.untilHealthy();
  await panel.pageShown();
});

test('should switch itself off by its power button', async () => {
  const { panel } = used;
  await panel.root('true');
  await panel.powerOff();
  expect(panel.console).toContain('Power down');
});
