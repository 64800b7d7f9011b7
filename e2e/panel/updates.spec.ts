import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { ARCHITECTURES } from '../../build/image/architectures.ts';
import { selfSigned } from '../../server/testing/selfSigned.ts';
import { PATIENCE } from '../virtualPanel.ts';
import { bundleOf } from './bundles.ts';
import { say, usePanel } from './paintedPanel.ts';
import { untilLast, untilRestarted, updateOf } from './panelUpdate.ts';
import { panels, testedArch } from './progress.ts';

const used = usePanel();
const BLUE = 77;
const otherArch = ARCHITECTURES.find((arch) => arch !== testedArch)!;
const wrongBoard = new RegExp(`is for faceplate-${otherArch}`);

const state = () => updateOf(used.panel);
const grubenv = () => used.panel.root('cat /boot/efi/EFI/BOOT/grubenv');
const install = (file: string, query = '') =>
  used.panel.api(`/api/manage/update${query}`, readFileSync(file));

/** Something that has to be there whatever happens to the version. */
const leaveMark = () => used.panel.api('/api/remote/led/color', { red: 1, green: 2, blue: BLUE });
async function expectMark(): Promise<void> {
  expect((await used.panel.api('/api/remote/led/state')).body.state).toMatchObject({ blue: BLUE });
}

/** A picture of each end, for the eyes. */
const picture = (name: string) => used.panel.screenshot(join(panels, `${name}.png`));

test('should take a good version, prove it, keep all data, and go back when asked', async () => {
  const { panel } = used;
  const before = (await state()).installed;
  await leaveMark();
  const answer = await install(await bundleOf('good', { version: '0.2.0' }));
  expect(answer).toEqual({ status: 200, body: { version: '0.2.0' } });
  expect(await grubenv()).toMatch(/^PROVING=B$/m);
  await untilRestarted(panel);
  const found = await untilLast(panel, '0.2.0', 'good');
  expect(found).toMatchObject({ installed: '0.2.0', slot: 'B' });
  expect(await grubenv()).toMatch(/^PROVING=$/m);
  expect(await panel.root('grep -o "rauc.slot=." /proc/cmdline')).toBe('rauc.slot=B');
  await expectMark();
  await panel.pageShown();
  await picture('update-good');
  // A proven version survives cuts.
  await panel.cutShortly();
  await panel.untilHealthy();
  expect((await state()).slot).toBe('B');
  expect((await panel.api('/api/manage/update/return', {})).body).toEqual({ version: before });
  await untilRestarted(panel);
  await panel.untilHealthy();
  await expect.poll(async () => (await state()).slot, { timeout: PATIENCE.boot }).toBe('A');
  expect(await state()).toMatchObject({ installed: before });
  await expectMark();
  await panel.cut();
});

test('should refuse what is not for this panel, and change nothing', async () => {
  const keys = selfSigned();
  const signer = { key: join(panels, 'other.key'), certificate: join(panels, 'other.pem') };
  writeFileSync(signer.key, keys.key, { mode: 0o600 });
  writeFileSync(signer.certificate, keys.cert);
  const before = await grubenv();
  const good = await bundleOf('good', { version: '0.2.0' });
  const short = join(panels, 'bundles/short.raucb');
  writeFileSync(short, readFileSync(good).subarray(0, 50_000_000));
  const changed = join(panels, 'bundles/changed.raucb');
  const bytes = readFileSync(good);
  bytes[40_000_000]! ^= 1;
  writeFileSync(changed, bytes);
  for (const [file, sentence] of [
    [short, /is not signed/],
    [changed, /is not signed/],
    [await bundleOf('stranger', { version: '0.2.0', signer }), /a key that this panel does not know/],
    [await bundleOf('board', { version: '0.2.0', arch: otherArch }), wrongBoard],
    [await bundleOf('older', { version: '0.0.1' }), /is older than/],
  ] as const) {
    const { status, body } = await install(file);
    expect(status).toBe(400);
    expect(body.error).toMatch(sentence);
    expect(await state()).toMatchObject({ state: 'idle', slot: 'A', last: null });
  }
  expect(await grubenv()).toBe(before);
});

test('should take an older version where that is wanted', async () => {
  const answer = await install(await bundleOf('older', { version: '0.0.1' }), '?older=true&restart=false');
  expect(answer).toEqual({ status: 200, body: { version: '0.0.1' } });
  expect(await state()).toMatchObject({ state: 'restarting', slot: 'A' });
  // Taken back before it ran.
  expect((await used.panel.api('/api/manage/update/return', {})).status).toBe(200);
  await expect.poll(async () => (await state()).state, { timeout: PATIENCE.fact }).toBe('idle');
  expect(await grubenv()).toMatch(/^PROVING=$/m);
  await used.panel.cut();
});

const main = '/usr/lib/faceplate/server/main.js';
for (const [kind, what, breaks] of [
  ['loop', 'whose service ends again and again', [`rm ${main}`]],
  ['dead', 'whose system does not start', ['rm /usr/lib/systemd/systemd']],
  // The browser cannot be run: no page ever comes.
  ['blind', 'that never shows its page', ['set_inode_field /usr/lib/chromium/chromium mode 0100644']],
] as const) {
  test(`should be back by itself from a version ${what}, with all data`, async () => {
    const { panel } = used;
    const before = (await state()).installed;
    await leaveMark();
    const file = await bundleOf(kind, { version: '0.3.0', breaks });
    expect((await install(file)).status).toBe(200);
    const began = performance.now();
    await untilRestarted(panel);
    const found = await untilLast(panel, '0.3.0', 'returned');
    say(`back after ${Math.round((performance.now() - began) / 1000)} s: ${found.last!.reason}`);
    expect(found).toMatchObject({ installed: before, slot: 'A' });
    expect(found.last!.reason).toMatch(/\.$/);
    await expectMark();
    await panel.pageShown();
    await picture(`update-${kind}`);
    const refused = await panel.api('/api/manage/update/return', {});
    expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
    await panel.cut();
  });
}
