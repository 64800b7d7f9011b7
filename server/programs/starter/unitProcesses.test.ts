import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { keepHistogramsInMemory, ownGroup, processesOfUnit } from './kioskBrowser.ts';

describe('the processes of a unit of the starter', () => {
  let proc: string;
  before(() => {
    proc = temporaryFolder('proc');
    const unit = (name: string) => `0::/faceplate.slice/${name}\n`;
    for (const [pid, cgroup] of Object.entries({
      10: unit('faceplate-kiosk@1-7-996.service'),
      11: unit('faceplate-kiosk@1-7-996.service'),
      12: unit('faceplate-kiosk@2-7-996.service'),
      13: unit('faceplate.service'),
      14: '0::/user.slice/user-997.slice/session-1.scope\n',
      // A program may name its own group freely, but only inside its unit.
      15: unit('faceplate-kiosk@1-7-996.service/sub'),
      self: unit('faceplate-kiosk@1-7-996.service'),
    })) {
      mkdirSync(join(proc, pid));
      writeFileSync(join(proc, pid, 'cgroup'), cgroup);
    }
  });

  test('should be those of the same job', async () => {
    assert.deepEqual(await processesOfUnit(10, proc), [10, 11]);
    assert.deepEqual(await processesOfUnit(12, proc), [12]);
  });

  test('should be told as the group of this process, and no other group as it', async () => {
    const own = async (cgroup: string) => {
      writeFileSync(join(proc, 'self/cgroup'), cgroup);
      return ownGroup(proc);
    };
    const unit = '/faceplate.slice/faceplate-kiosk@7-1-996.service';
    assert.equal(await own(`0::${unit}\n`), unit);
    assert.equal(await own(`12:memory:${unit}\n1:name=systemd:${unit}\n`), undefined);
    assert.equal(await own('0::/user.slice/user-997.slice/session-1.scope\n'), undefined);
    assert.equal(await ownGroup(join(proc, 'missing')), undefined);
  });

  test('security: should be none for a process outside the starter, or one that is gone', async () => {
    for (const pid of [0, 13, 14, 99]) assert.deepEqual(await processesOfUnit(pid, proc), []);
  });
});

describe('the histograms of the browser', () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder('histograms');
    for (const name of ['profile', 'memory', 'elsewhere']) mkdirSync(join(folder, name));
  });
  const at = (...names: string[]) => join(folder, ...names);

  test('should go into memory, and leave nothing of the run before', async () => {
    mkdirSync(at('profile/BrowserMetrics'));
    writeFileSync(at('profile/BrowserMetrics/old.pma'), 'old');
    for (const run of ['first', 'second']) {
      await keepHistogramsInMemory(at('profile'), at('memory'));
      assert.deepEqual(readdirSync(at('memory/histograms')), []);
      writeFileSync(at('profile/BrowserMetrics', `${run}.pma`), run);
      assert.deepEqual(readdirSync(at('memory/histograms')), [`${run}.pma`]);
    }
  });

  test('security: should remove a link, and not what it leads to', async () => {
    writeFileSync(at('elsewhere/kept'), 'kept');
    rmSync(at('memory/histograms'), { recursive: true, force: true });
    rmSync(at('profile/BrowserMetrics'), { recursive: true, force: true });
    await keepHistogramsInMemory(at('profile'), at('elsewhere'));
    await keepHistogramsInMemory(at('profile'), at('memory'));
    assert.equal(readlinkSync(at('profile/BrowserMetrics')), at('memory/histograms'));
    assert.ok(readdirSync(at('elsewhere')).includes('kept'));
  });
});
