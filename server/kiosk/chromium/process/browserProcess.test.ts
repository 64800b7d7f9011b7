import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { backgroundClock } from '../../../platform/clock.ts';
import { silentLogger } from '../../../platform/log.ts';
import { browserLimits } from '../chromiumHostOptions.ts';
import { BrowserProcess } from './browserProcess.ts';
import { LONGEST_MESSAGE } from './cdpPipe.ts';

/** A program in place of the browser that writes to the debugging pipe until it is killed. */
function browserThatSays(text: string): BrowserProcess {
  const code = `for (;;) require('node:fs').writeSync(4, ${text});`;
  return new BrowserProcess({
    binary: process.execPath,
    flags: ['-e', code],
    env: {},
    user: undefined,
    limits: browserLimits(),
    starter: undefined,
    onEvent: () => {},
    log: silentLogger(),
    clock: backgroundClock,
  });
}

describe('the browser process', () => {
  for (const [what, text] of [
    ['a message without an end', `'x'.repeat(65_536)`],
    ['an invalid message', `'{"method":\\0'`],
  ] as const)
    test(`security: should be ended when it sends ${what}, without harm to the service`, async () => {
      const before = process.memoryUsage().arrayBuffers;
      const browser = browserThatSays(text);
      await browser.start();
      // It would write for ever.
      await browser.exited;
      await assert.rejects(browser.send('Browser.close', {}), /the browser is gone/);
      assert.ok(process.memoryUsage().arrayBuffers - before < 2 * LONGEST_MESSAGE);
    });
});
