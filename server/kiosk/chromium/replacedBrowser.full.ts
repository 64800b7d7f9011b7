import assert from 'node:assert/strict';
import { chmodSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { backgroundClock } from '../../platform/clock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { panelForTests } from '../testing/panelForTests.ts';
import { markPage } from '../testing/suite/pageComesBack.ts';
import { soonerLimits } from '../testing/suite/soonerLimits.ts';
import { TestKiosk, until } from '../testing/testKiosk.ts';
import { findChromium } from './process/commandLine.ts';

describe('a browser whose program is replaced while it runs', () => {
  let kiosk: TestKiosk;
  let folder: string;
  let binary: string;
  let asked = 0;
  let isInCall = true;

  /** As apt does it: another file in the place of the one that the browser was started from. */
  const install = (version: string) => {
    const file = `${binary}.dpkg-new`;
    writeFileSync(
      file,
      `#!/bin/sh\n# ${version}\nexec '${findChromium()}' "$@" --faceplate-test=${version}\n`,
    );
    chmodSync(file, 0o755);
    renameSync(file, binary);
  };
  const versions = async () => {
    const found = new Set<string>();
    for (const pid of await kiosk.processes())
      for (const version of /--faceplate-test=(\w+)/.exec(await kiosk.commandLine(pid))?.slice(1) ?? [])
        found.add(version);
    return [...found];
  };

  before(async () => {
    folder = temporaryFolder('binary');
    chmodSync(folder, 0o755);
    binary = join(folder, 'chromium');
    install('one');
    kiosk = await TestKiosk.open(
      '/',
      { '/': '<h1>home</h1>' },
      {
        binary,
        limits: { ...soonerLimits, heartbeatLimitMs: 20_000 },
        recoverySettings: {
          deadPageCheck: () => false,
          memoryLimit: () => 0,
          quietHour: () => new Date().getHours(),
          isInCall: async () => {
            asked++;
            return isInCall;
          },
          panel: () => panelForTests,
        },
        // The looks, once a minute, come 200 times as often as on a panel.
        clock: {
          ...backgroundClock,
          after: (ms, act) => backgroundClock.after(ms === 60_000 ? 300 : ms, act),
        },
      },
    );
  });
  after(async () => {
    await kiosk?.[Symbol.asyncDispose]();
  });

  test('should go on during a call, and be the new one after it, with the page', async () => {
    const assertBackAfter = await markPage(kiosk);
    const old = await kiosk.browserPid();
    assert.deepEqual(await versions(), ['one']);
    install('two');
    await until(() => asked > 2, 'questions whether there is a call');
    assert.equal(await kiosk.browserPid(), old);
    assert.deepEqual(kiosk.host.recoveries(), {});
    isInCall = false;
    await assertBackAfter('replaced');
    assert.notEqual(await kiosk.browserPid(), old);
    assert.deepEqual(await versions(), ['two']);
    // It is restarted once.
    assert.deepEqual(kiosk.host.recoveries(), { replaced: 1 });
  });
});
