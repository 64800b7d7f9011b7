import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { underDeviceDouble } from '../../testing/deviceDouble.ts';
import { boardRules } from './board.ts';

const NODE = '/dev/gpio_control';

/** What `auto` would take: the first profile whose rule says yes. */
async function recognised(): Promise<string | undefined> {
  for (const rule of boardRules(silentLogger())) if (await rule.matches()) return rule.profile;
  return undefined;
}

underDeviceDouble('recognising a board', import.meta.filename, (double) => {
  describe('recognising a board', () => {
    test('should recognise a panel by a node that answers a read, and change nothing on it', async () => {
      assert.equal(await recognised(), 'rk3576-panel');
      assert.deepEqual(await double.takeCalls(), [{ device: NODE, request: 0x80000000, argument: 0 }]);
    });

    for (const errno of ['ENOTTY', 'EACCES', 'EINVAL']) {
      test(`should not recognise a panel whose node answers ${errno}`, async () => {
        await double.fail(NODE, errno);
        assert.equal(await recognised(), undefined);
      });
    }

    test('should not recognise a machine without the node as a panel', async () => {
      await double.remove(NODE);
      assert.equal(await recognised(), undefined);
      await double.restore(NODE);
    });
  });
});

test('should not recognise this machine as a panel', {
  skip: existsSync(NODE) && 'this machine is one',
}, async () => {
  assert.equal(await recognised(), undefined);
});
