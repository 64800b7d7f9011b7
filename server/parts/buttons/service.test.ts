import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { LOOK_AGAIN_MS } from '../../platform/async.ts';
import { errnoError } from '../../platform/errno.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock, settled } from '../../testing/fakeClock.ts';
import type { ButtonChange, ButtonsDriver } from './driver.ts';
import { ButtonsService } from './service.ts';

/** Buttons that may be missing at first. */
class FakeButtons implements ButtonsDriver {
  readonly name = 'fake';
  readonly path = '/dev/fake';
  readonly simulated = false;
  readonly names = ['Bell'];
  isMissing = false;
  starts = 0;
  press: (change: ButtonChange) => void = () => {};

  async start(): Promise<void> {
    this.starts++;
    if (this.isMissing) throw errnoError('ENOENT', 'no buttons');
  }

  async stop(): Promise<void> {}

  onChange(listener: (change: ButtonChange) => void): void {
    this.press = listener;
  }
}

describe('buttons service', () => {
  let driver: FakeButtons;
  let clock: FakeClock;
  let buttons: ButtonsService;
  let announced: unknown[];
  let activities: number;

  function make(of: ButtonsDriver | null): ButtonsService {
    const log = silentLogger();
    const events = new EventBus(log);
    events.onAny((name, payload) => announced.push({ [name]: payload }));
    const activity = () => {
      activities++;
    };
    return new ButtonsService({ driver: of, activity, clock, events, log });
  }

  beforeEach(() => {
    announced = [];
    activities = 0;
    driver = new FakeButtons();
    clock = new FakeClock();
    buttons = make(driver);
  });
  afterEach(() => buttons.stop());

  test('should announce each change, and take it for a use of the panel', async () => {
    await buttons.start();
    driver.press({ name: 'Bell', state: 'down' });
    driver.press({ name: 'Bell', state: 'up' });
    assert.deepEqual(announced, [
      { button: { name: 'Bell', state: 'down' } },
      { button: { name: 'Bell', state: 'up' } },
    ]);
    assert.equal(activities, 2);
    assert.deepEqual(buttons.names, ['Bell']);
  });

  test('should look for buttons that are plugged in later, and stop looking when it ends', async () => {
    driver.isMissing = true;
    await buttons.start();
    assert.equal(buttons.part().state, 'absent');
    assert.deepEqual(buttons.names, []);
    await clock.advance(LOOK_AGAIN_MS);
    await settled();
    driver.isMissing = false;
    await clock.advance(LOOK_AGAIN_MS);
    await settled();
    assert.equal(buttons.part().state, 'real');
    const { starts } = driver;
    await buttons.stop();
    await clock.advance(LOOK_AGAIN_MS * 3);
    assert.deepEqual([driver.starts, clock.pending], [starts, 0]);
  });

  test('should look for none where the board has none, and simulate none where they are real', async () => {
    await buttons.start();
    const bell = { name: 'Bell', state: 'down' } as const;
    await assert.rejects(buttons.simulate(bell), { code: 'UNSUPPORTED_HARDWARE' });
    const none = make(null);
    await none.start();
    await assert.rejects(none.simulate(bell), { code: 'UNSUPPORTED_HARDWARE' });
    assert.equal(clock.pending, 0);
    await none.stop();
  });
});
