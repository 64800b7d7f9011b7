import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dispatcher, type Handlers } from '../commands/dispatch.ts';
import { REPLAY } from '../contract/access.ts';
import { commandList } from '../contract/commands.ts';
import { FaceplateError } from '../contract/errors.ts';
import { silentLogger } from '../platform/log.ts';
import { replayedCalls } from './replay.ts';

const { signal } = new AbortController();

function callsOf(handlers: Record<string, () => unknown>) {
  return new Dispatcher(handlers as unknown as Handlers, silentLogger(), { pageMay: () => true });
}

test('security: a replay should run commands of simulated parts and of the page alone', () => {
  const { mayRun } = replayedCalls(async () => ({}));
  assert.deepEqual(
    commandList
      .map(([name]) => name)
      .filter(mayRun)
      .sort(),
    [
      'display.activity',
      'display.set',
      'gpio.pulse',
      'gpio.write',
      'ir.send',
      'joins.set',
      'kiosk.reload',
      'led.color',
      'led.on',
      'message.remove',
      'message.show',
      'page.home',
      'page.show',
      'rtc.setAlarm',
      'serial.break',
      'serial.close',
      'serial.write',
      'sound.play',
      'sound.speak',
      'sound.stop',
      'system.simulate',
    ],
  );
  for (const name of ['page.state', 'journal.gap', 'toString', '__proto__', ''])
    assert.equal(mayRun(name), false);
});

test('security: dispatch should refuse a replay what is not declared for it, whatever the player asks', async () => {
  const { dispatch } = callsOf({ 'terminal.exec': () => assert.fail('must not run') });
  const caller = { surface: 'replay', identity: REPLAY, origin: 'replay', address: null, signal } as const;
  await assert.rejects(
    dispatch('terminal.exec', { command: 'id' }, caller),
    (error) => error instanceof FaceplateError && error.code === 'FORBIDDEN',
  );
});

test('should give the code of a call, with the checks that each call has', async () => {
  const { dispatch } = callsOf({
    'gpio.write': () => {
      throw new FaceplateError('LOCKED_OUT');
    },
  });
  const { run } = replayedCalls(dispatch);
  assert.equal(await run('gpio.write', { pin: 2, level: 1 }, signal), 'LOCKED_OUT');
  assert.equal(await run('gpio.write', { pin: 99 }, signal), 'INVALID_REQUEST');
});
