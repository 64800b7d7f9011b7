import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { testPowerDriver } from '../testing/powerDriverSuite.ts';
import { Logind } from './logind.ts';
import { LOGIND_MISSING, LogindDouble } from './testing/logindDouble.ts';

/** Set before anything else: nothing in this file may ever reach the machine's own logind. */
const NOWHERE = 'unix:path=/nonexistent/faceplate-test-bus';
process.env.DBUS_SYSTEM_BUS_ADDRESS = NOWHERE;

const double = await LogindDouble.start({ CanSuspend: 'challenge' });
after(() => double?.stop());

if (double) {
  testPowerDriver('logind', async () => {
    process.env.DBUS_SYSTEM_BUS_ADDRESS = double.address;
    await double.takeActions();
    let reboots = 0;
    return {
      driver: new Logind(),
      reboots: async () => {
        for (const action of await double.takeActions()) {
          assert.equal(action, 'Reboot False');
          reboots++;
        }
        return reboots;
      },
    };
  });
}

describe('logind', { skip: double ? false : LOGIND_MISSING }, () => {
  const logind = double as LogindDouble;
  let power: Logind;
  beforeEach(async () => {
    process.env.DBUS_SYSTEM_BUS_ADDRESS = logind.address;
    power = new Logind(1);
    await logind.takeActions();
  });
  afterEach(async () => {
    logind.resume();
    await power.stop();
  });

  test('should suspend without asking a person', async () => {
    await power.suspend();
    assert.deepEqual(await logind.takeActions(), ['Suspend False']);
  });

  test('should report the permissions that logind gives', async () => {
    assert.equal(await power.canReboot(), 'yes');
    assert.equal(await power.canSuspend(), 'challenge');
  });

  for (const [name, text, code] of [
    [
      'org.freedesktop.DBus.Error.InteractiveAuthorizationRequired',
      'Interactive authentication required.',
      'EACCES',
    ],
    ['org.freedesktop.DBus.Error.AccessDenied', 'Access denied', 'EACCES'],
    ['org.freedesktop.DBus.Error.NoReply', 'Did not receive a reply.', 'ETIMEDOUT'],
  ] as const) {
    test(`should turn ${name} into ${code}`, async () => {
      await logind.fail('Suspend', 'b', name, text);
      await assert.rejects(power.suspend(), { code });
    });
  }

  test('should repeat the words of an unknown error, on one line', async () => {
    const text = 'The operation inhibition has been requested.\nWith a second line';
    await logind.fail('Suspend', 'b', 'org.freedesktop.login1.OperationInProgress', text);
    await assert.rejects(power.suspend(), {
      code: 'HARDWARE_ERROR',
      message: 'The system did not carry out Suspend: The operation inhibition has been requested.',
    });
  });

  test('should give up with ETIMEDOUT on a logind that does not answer', async () => {
    logind.hang();
    await assert.rejects(power.canReboot(), { code: 'ETIMEDOUT' });
  });

  test('should end a call in flight when it is stopped', async () => {
    logind.hang();
    const patient = new Logind(60);
    await assert.rejects(Promise.all([patient.canReboot(), patient.stop()]), { code: 'SHUTTING_DOWN' });
  });

  test('should be missing with ENODEV when the bus has no logind', async () => {
    const gone = await LogindDouble.start();
    assert.ok(gone);
    try {
      process.env.DBUS_SYSTEM_BUS_ADDRESS = gone.address;
      await gone.leave();
      await assert.rejects(power.start(), { code: 'ENODEV' });
    } finally {
      await gone.stop();
    }
  });

  test('should be missing with ENOENT when there is no system bus', async () => {
    process.env.DBUS_SYSTEM_BUS_ADDRESS = NOWHERE;
    await assert.rejects(power.start(), { code: 'ENOENT' });
  });
});

describe('logind and busctl', () => {
  const path = process.env.PATH;
  let folder: string;
  beforeEach(async () => {
    folder = temporaryFolder('busctl');
    process.env.DBUS_SYSTEM_BUS_ADDRESS = NOWHERE;
  });
  afterEach(async () => {
    process.env.PATH = path;
    delete process.env.FACEPLATE_TOKEN;
  });

  async function busctl(script: string): Promise<void> {
    await writeFile(join(folder, 'busctl'), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, 'busctl'), 0o755);
    process.env.PATH = folder;
  }

  test('should be missing with ENOENT when busctl is not installed', async () => {
    process.env.PATH = folder;
    await assert.rejects(new Logind().start(), { code: 'ENOENT' });
  });

  test('should not hand its environment to busctl, which may hold the token', async () => {
    process.env.FACEPLATE_TOKEN = 'secret';
    await busctl(`[ -z "$FACEPLATE_TOKEN" ] && echo 's "yes"' || echo 's "no"'`);
    assert.equal(await new Logind().canReboot(), 'yes');
  });

  test('should read an unknown answer as no', async () => {
    await busctl(`echo 's "maybe"'`);
    assert.equal(await new Logind().canReboot(), 'no');
    await busctl('true');
    assert.equal(await new Logind().canSuspend(), 'no');
  });

  test('should kill a busctl that does not end', async () => {
    await busctl('exec /bin/sleep 60');
    await assert.rejects(new Logind(0.1).canReboot(), { code: 'ETIMEDOUT' });
  });

  test('should fail to start with an errno when busctl itself fails', async () => {
    await busctl('echo "something odd" >&2; exit 1');
    await assert.rejects(new Logind().start(), { code: 'EIO' });
  });
});
