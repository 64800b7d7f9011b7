import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { MOCKED_BUS_MISSING, MockedBus } from '../testing/mockedBus.ts';
import { testTimeDriver } from '../testing/timeDriverSuite.ts';
import { SimulatedTime, Timedated } from './driver.ts';

/** Set before anything else: nothing in this file may ever reach the machine's own timedated. */
const NOWHERE = 'unix:path=/nonexistent/faceplate-test-bus';
process.env.DBUS_SYSTEM_BUS_ADDRESS = NOWHERE;
const NAME = 'org.freedesktop.timedate1';
const TIMEDATED = [NAME, '/org/freedesktop/timedate1', NAME] as const;

const mock = await MockedBus.start('timedated', NAME);
const empty = await MockedBus.start(null, '');
after(async () => {
  await mock?.stop();
  await empty?.stop();
});

testTimeDriver('simulated', () => new SimulatedTime());
if (mock !== null)
  testTimeDriver('timedated', () => {
    process.env.DBUS_SYSTEM_BUS_ADDRESS = mock.address;
    return new Timedated();
  });

describe('timedated', { skip: mock ? false : MOCKED_BUS_MISSING }, () => {
  const bus = mock as MockedBus;
  let time: Timedated;
  beforeEach(() => {
    process.env.DBUS_SYSTEM_BUS_ADDRESS = bus.address;
    time = new Timedated(1_000);
  });
  afterEach(() => time.stop());

  const raising = (kind: string) => `raise dbus.exceptions.DBusException("Some words", name="${kind}")`;

  test('should turn the errors of timedated into those of the contract', async () => {
    await bus.method(TIMEDATED, 'SetTimezone', ['sb', ''], raising('org.freedesktop.DBus.Error.InvalidArgs'));
    await assert.rejects(time.setTimeZone('Mars/Base'), { code: 'INVALID_REQUEST', field: 'timeZone' });
    await bus.method(
      TIMEDATED,
      'SetTimezone',
      ['sb', ''],
      raising('org.freedesktop.DBus.Error.AccessDenied'),
    );
    await assert.rejects(time.setTimeZone('Europe/Berlin'), { code: 'EACCES' });
    await bus.method(TIMEDATED, 'SetNTP', ['bb', ''], raising('org.freedesktop.timedate1.NoNTPSupport'));
    await assert.rejects(time.setNtp(true), { code: 'UNSUPPORTED_HARDWARE' });
    await bus.method(TIMEDATED, 'SetNTP', ['bb', ''], raising('org.freedesktop.timedate1.Odd'));
    await assert.rejects(time.setNtp(true), { code: 'HARDWARE_ERROR', message: /Some words/ });
  });

  test('should give up with ETIMEDOUT when no answer comes', async () => {
    await bus.method(TIMEDATED, 'SetNTP', ['bb', ''], 'import time; time.sleep(3)');
    await assert.rejects(time.setNtp(true), { code: 'ETIMEDOUT' });
  });

  test('should be missing with ENODEV when the bus has none, ENOENT without a bus', async () => {
    process.env.DBUS_SYSTEM_BUS_ADDRESS = empty?.address;
    await assert.rejects(time.start(), { code: 'ENODEV' });
    process.env.DBUS_SYSTEM_BUS_ADDRESS = NOWHERE;
    const other = new Timedated();
    await assert.rejects(other.start(), { code: 'ENOENT' });
    await other.stop();
  });
});
