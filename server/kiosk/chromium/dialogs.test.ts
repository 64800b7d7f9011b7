import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, beforeEach, describe, test } from 'node:test';
import { TestKiosk, until } from '../testing/testKiosk.ts';

describe('questions of the kiosk page in Chromium', () => {
  let kiosk: TestKiosk;
  const gone: AbortSignal[] = [];
  before(async () => {
    kiosk = await TestKiosk.open(
      '/',
      {
        '/': '<title>Home</title><body>Home',
        '/closed': `<meta http-equiv="content-security-policy" content="connect-src 'none'"><body>Closed`,
      },
      {
        onDialog: ({ text }, signal) => {
          gone.push(signal);
          return text === 'Here' ? new Promise(() => {}) : Promise.resolve({ accepted: true, value: '' });
        },
      },
    );
    await kiosk.untilTrue(`document.readyState === 'complete'`);
  });
  after(() => kiosk?.[Symbol.asyncDispose]());
  beforeEach(() => {
    gone.length = 0;
  });

  test('should be cancelled where the page may connect nowhere', async () => {
    assert.equal(await kiosk.evaluate(`confirm('Still?')`), true);
    await kiosk.show('/closed');
    assert.equal(await kiosk.evaluate(`confirm('Still?')`), false);
    assert.equal(gone.length, 1);
    await kiosk.show('/');
  });

  test('should be dropped when the page crashes', async () => {
    kiosk.evaluate(`setTimeout(() => alert('Here'), 0)`).catch(() => {});
    await until(() => gone.length === 1, 'the question');
    for (const pid of await kiosk.processes()) {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (line.includes('--type=renderer')) process.kill(pid, 'SIGKILL');
    }
    await until(() => gone[0]?.aborted === true, 'the end of the question');
    await kiosk.untilTrue(`document.title === 'Home'`);
  });
});
