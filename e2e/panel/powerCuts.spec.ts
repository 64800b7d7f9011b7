import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { zipFile } from '../../server/testing/zipFile.ts';
import { PanelDisk } from '../panelDisk.ts';
import { PATIENCE } from '../virtualPanel.ts';
import { bundleOf } from './bundles.ts';
import { say, usePanel } from './paintedPanel.ts';

const used = usePanel();
const CUTS = 20;
const UPDATE_CUTS = 10;
/** Each so manieth panel is also booted after its cut; the disks of the others are looked at. */
const BOOT_EACH = 5;
const DATA = '/var/lib/faceplate';

/** Calls that change something, one after the other, until nobody answers. */
class Writers {
  /** The last that was answered, and the last that was sent. */
  readonly name = { answered: 0, sent: 0 };
  readonly projects: string[] = [];
  isOver = false;

  async settings(): Promise<void> {
    while (!this.isOver) {
      const sent = ++this.name.sent;
      const device = { 'device.name': `Cut ${sent}` };
      const answer = await used.panel.api('/api/manage/settings', device, 'PATCH').catch(() => undefined);
      if (answer?.status === 200) this.name.answered = sent;
    }
  }

  async install(): Promise<void> {
    for (let n = 1; !this.isOver; n++) {
      const page = { name: 'index.html', content: Buffer.alloc(200_000, `${n} `) };
      const path = `/api/manage/projects?name=cut-${n}`;
      const answer = await used.panel.api(path, zipFile([page])).catch(() => undefined);
      if (answer?.status === 200 || answer?.status === 201) this.projects.push(`cut-${n}`);
    }
  }
}

for (let cut = 1; cut <= CUTS; cut++) {
  test(`should keep what it answered over power cut ${cut} of ${CUTS}`, async () => {
    const { panel } = used;
    await panel.api('/api/remote/info');
    const writers = new Writers();
    const written = Promise.all([writers.settings(), writers.install()]);
    await expect.poll(() => writers.projects.length, { timeout: PATIENCE.fact }).toBeGreaterThan(0);
    await sleep(randomInt(15_000));
    writers.isOver = true;
    await panel.cut();
    await written;
    using disk = new PanelDisk(panel.folder);
    expect(await disk.data()).toBe('');
    expect(await disk.boot()).toBe('');
    const settings = JSON.parse(disk.read(`${DATA}/settings.json`)!) as { device: { name: string } };
    const kept = Number(/^Cut (\d+)$/.exec(settings.device.name)?.[1]);
    const { answered, sent } = writers.name;
    expect(kept).toBeGreaterThanOrEqual(answered);
    expect(kept).toBeLessThanOrEqual(sent);
    const projects = disk.names(`${DATA}/projects`);
    expect(projects).toEqual(expect.arrayContaining(writers.projects));
    say(`cut ${cut}: ${answered} settings and ${writers.projects.length} projects answered, all there`);
    if (cut % BOOT_EACH !== 0) return;
    await panel.boot();
    await panel.pageShown();
    const { body } = await panel.api('/api/manage/projects');
    for (const project of writers.projects) expect(JSON.stringify(body)).toContain(`"${project}"`);
    await panel.cut();
  });
}

for (let cut = 1; cut <= UPDATE_CUTS; cut++) {
  test(`should end on a good version by itself after cut update ${cut} of ${UPDATE_CUTS}`, async () => {
    const { panel } = used;
    const bundle = readFileSync(await bundleOf('good', { version: '0.2.0' }));
    const progress: unknown[] = [];
    let isOver = false;
    const watch = async () => {
      while (!isOver) {
        const found = await panel.api('/api/manage/update').catch(() => undefined);
        if (found !== undefined) progress.push(`${found.body.state} ${found.body.progress}`);
        await sleep(1_000);
      }
    };
    await panel.api('/api/remote/info');
    const watched = watch();
    const sent = panel.api('/api/manage/update?restart=false', bundle).catch(() => undefined);
    // The tries fall evenly over the way: as it arrives, as it is judged, as the slot is written.
    const wanted = (cut / UPDATE_CUTS) * 100;
    await expect
      .poll(
        () => {
          const [now, percent] = String(progress.at(-1)).split(' ');
          if (now === 'installing') return wanted <= 50 || Number(percent) >= (wanted - 50) * 2;
          return now === 'restarting' || (wanted <= 50 && Number(percent) >= wanted * 2);
        },
        { timeout: PATIENCE.boot, intervals: [200] },
      )
      .toBe(true);
    isOver = true;
    await watched;
    await panel.cut();
    await sent;
    say(`update ${cut} was cut at ${progress.at(-1)}`);
    using disk = new PanelDisk(panel.folder);
    expect(await disk.data()).toBe('');
    await panel.boot();
    const { body } = await panel.api('/api/manage/update');
    expect(['A', 'B']).toContain(body.slot);
    if (!String(progress.at(-1)).startsWith('restarting')) expect(body.slot).toBe('A');
    await panel.pageShown();
    // It takes the next one.
    if (cut % BOOT_EACH === 0) {
      const again = await panel.api('/api/manage/update?restart=false', bundle);
      expect(again.status).toBe(body.slot === 'A' ? 200 : 409);
    }
    await panel.cut();
  });
}
