import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { systemClock } from '../../platform/clock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { soonerLimits } from '../testing/suite/soonerLimits.ts';
import { TestKiosk, until } from '../testing/testKiosk.ts';
import { findChromium } from './process/commandLine.ts';

const HELLO = { '/': `<script>container.sendUdp('127.0.0.1', 9, '00')</script>` };
/** Answers nothing, but for a window that it shows as soon as somebody asks for windows. */
const SILENT = `
const { createReadStream, writeSync } = require('node:fs');
const targetInfo = { targetId: 'T', type: 'page', title: '', url: 'about:blank', attached: true, canAccessOpener: false };
const params = { sessionId: 'S', targetInfo, waitingForDebugger: true };
let asked = '';
createReadStream('', { fd: 3 }).on('data', (bytes) => {
  asked += bytes;
  if (!asked.includes('Target.setAutoAttach')) return;
  asked = '';
  writeSync(4, JSON.stringify({ method: 'Target.attachedToTarget', params }) + '\\0');
});
`;

/**
 * Opens a kiosk whose browser is started by a script, until its page runs.
 * @param firstLimitMs the limits of the browser's start and first window, which have a minute on a panel
 * @param script what it does before, in a folder
 * @returns how many tries were cut off
 */
async function triesOf(firstLimitMs: number, script: (folder: string) => string): Promise<number> {
  const folder = temporaryFolder('slow');
  await chmod(folder, 0o777);
  const binary = join(folder, 'chromium');
  await writeFile(binary, `#!/bin/sh\n${script(folder)}\nexec ${findChromium()} "$@"\n`, { mode: 0o755 });
  await using kiosk = await TestKiosk.open('/', HELLO, {
    binary,
    limits: soonerLimits,
    clock: {
      ...systemClock,
      after: (ms, act) => systemClock.after(ms >= 60_000 ? (ms / 60_000) * firstLimitMs : ms, act),
    },
  });
  await until(() => kiosk.dispatched.length === 1, 'the page');
  await kiosk.host.stop();
  return kiosk.logText.split('kiosk: recovering the page').length - 1;
}

describe('a slow panel', () => {
  test('should let a browser that takes longer than its first limit start late', async () => {
    const tries = await triesOf(500, (folder) => {
      const begun = join(folder, 'begun');
      // Too slow for three tries, and later still slower than the first limit.
      return `echo >> ${begun}; if [ "$(wc -l < ${begun})" -le 3 ]; then sleep 9; else sleep 0.6; fi`;
    });
    assert.ok(tries >= 3, `${tries} tries were cut off`);
  });

  test('should start a browser anew whose first window never answers', async () => {
    const tries = await triesOf(1_500, (folder) => {
      const begun = join(folder, 'begun');
      const silent = join(folder, 'silent.cjs');
      writeFileSync(silent, SILENT);
      return `[ -e ${begun} ] || { touch ${begun}; exec ${process.execPath} ${silent}; }`;
    });
    assert.ok(tries >= 1, 'the first was cut off');
  });

  test('should give the browser a folder for its crash reports that its user can write', async () => {
    await using kiosk = await TestKiosk.open('/', HELLO);
    await until(() => kiosk.dispatched.length === 1, 'the page');
    const databases: string[] = [];
    for (const pid of await kiosk.processes()) {
      const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
      if (words[0]?.includes('crashpad_handler'))
        databases.push(...words.filter((word) => word.startsWith('--database=')));
    }
    const folder = join(kiosk.profileDir, 'crashes');
    assert.ok(databases.length > 0, 'the handler of crashes runs');
    for (const database of databases) assert.equal(database, `--database=${folder}`);
    // Made by the browser's own user, with the folders that reports go through.
    assert.equal((await stat(folder)).uid, (await stat(kiosk.profileDir)).uid);
    assert.ok((await readdir(folder)).includes('pending'));
    await kiosk.host.stop();
  });
});
