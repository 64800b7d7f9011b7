import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { finishPending } from '../../platform/files/dataFolder.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';

const PROGRAM = join(import.meta.dirname, '../testing/restoreUntilKilled.ts');

test('should be all of a backup or nothing after kill -9 in the middle, every time', async () => {
  const dataDir = temporaryFolder('killed');
  const json = async (name: string) => JSON.parse(await readFile(join(dataDir, name), 'utf8'));
  for (let kill = 0; kill < 8; kill++) {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', PROGRAM, dataDir, `${kill * 1_000}`],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    // Not its exit: the last round that it told may be read only afterwards.
    const exited = once(child, 'close');
    let last = 0;
    const first = Promise.withResolvers<void>();
    createInterface({ input: child.stdout }).on('line', (line) => {
      last = Number(line);
      first.resolve();
    });
    await first.promise;
    // Anywhere within a round, and not at the same place each time.
    await sleep(kill * 13);
    child.kill('SIGKILL');
    await exited;
    finishPending(dataDir);
    finishPending(dataDir);
    const { kiosk } = await json('settings.json');
    const round = Number(kiosk.parameters.slice('round='.length));
    assert.ok(round === last || round === last + 1, `${round} after ${last}`);
    assert.equal((await json('led.json')).value.red, round % 256);
    const { value } = await json('projects/state.json');
    const folder = join(dataDir, 'projects/p', value.projects.p.current.folder);
    const texts = await Promise.all(
      (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
    );
    assert.deepEqual([...new Set(texts)], [String(round)]);
    assert.equal(texts.length, 21);
    const left = (await readdir(dataDir)).filter((name) => name.startsWith('restore'));
    assert.deepEqual(left, []);
  }
});
