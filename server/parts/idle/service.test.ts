import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock, settled } from '../../testing/fakeClock.ts';
import type { IdleState } from '../display/contract.ts';
import { IdleService, type IdleSettings } from './service.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const NEVER: IdleSettings = {
  dimAfter: 0,
  dimTo: 10,
  saverAfter: 0,
  saver: 'clock',
  offAfter: 0,
  homeAfter: 0,
  clearAtHome: false,
  wakePins: [],
};

/** A panel that notes what becomes of its screen. */
class IdlePanel {
  readonly clock = new FakeClock();
  readonly log = silentLogger();
  readonly events = new EventBus(this.log);
  readonly calls: string[] = [];
  readonly states: IdleState[] = [];
  settings: IdleSettings = NEVER;
  shown: readonly string[] = [];
  touches = 0;
  onTouch: (() => void) | undefined;
  onHome: (() => void) | undefined;
  fault: string | undefined;
  readonly idle: IdleService;

  constructor() {
    const note = async (call: string) => {
      this.calls.push(call);
      if (this.fault === call) throw new Error('test');
      if (this.fault === `${call} hangs`) await new Promise<never>(() => {});
    };
    this.idle = new IdleService({
      settings: () => this.settings,
      screen: {
        dim: (percent) => note(`dim ${percent}`),
        dark: (onTouch) => {
          this.onTouch = onTouch;
          return note('dark');
        },
        light: () => note('light'),
        announce: (state) => this.states.push(state),
      },
      saver: { start: () => note('saver'), end: () => note('saver ends') },
      page: {
        goHome: () => {
          this.onHome?.();
          return note('home');
        },
        shownOrigins: () => this.shown,
        clear: (origin) => note(`clear ${origin}`),
      },
      events: this.events,
      clock: this.clock,
      log: this.log,
    });
    this.idle.onActivity(() => this.touches++);
  }

  /** Starts with these times, or takes them live. */
  async with(settings: Partial<IdleSettings>): Promise<IdleService> {
    this.settings = { ...NEVER, ...settings };
    await this.idle.start();
    await settled();
    return this.idle;
  }

  /** What was done since the last look. */
  async done(): Promise<string[]> {
    await settled();
    return this.calls.splice(0);
  }

  async after(seconds: number): Promise<string[]> {
    await this.clock.advance(seconds * SECOND);
    return this.done();
  }
}

describe('idle service', () => {
  let panel: IdlePanel;
  beforeEach(() => {
    panel = new IdlePanel();
  });

  test('should do nothing, and set no timer, while all times are 0', async () => {
    const idle = await panel.with({});
    assert.deepEqual(await panel.after(100 * 3_600), []);
    assert.equal(panel.clock.pending, 0);
    assert.equal(idle.state, 'active');
    assert.deepEqual(panel.states, []);
  });

  test('should dim, show the saver, switch off and go home, each at its time since the last activity', async () => {
    const idle = await panel.with({ dimAfter: 10, saverAfter: 20, offAfter: 30, homeAfter: 40 });
    assert.deepEqual(await panel.after(9.999), []);
    assert.deepEqual(await panel.after(0.001), ['dim 10']);
    assert.deepEqual(await panel.after(10), ['saver']);
    assert.deepEqual(await panel.after(10), ['dark', 'saver ends', 'dim null']);
    assert.deepEqual(await panel.after(10), ['home']);
    assert.deepEqual(await panel.after(3_600), []);
    assert.deepEqual(panel.states, ['dimmed', 'saver', 'off']);
    idle.activity();
    assert.deepEqual(await panel.done(), ['light']);
    assert.deepEqual(panel.states, ['dimmed', 'saver', 'off', 'active']);
    assert.deepEqual(await panel.after(10), ['dim 10']);
  });

  test('should wake from each state by an activity, and begin the times anew', async () => {
    const idle = await panel.with({ dimAfter: 10, saverAfter: 20, offAfter: 30 });
    for (const [seconds, ends] of [
      [10, ['dim null']],
      [20, ['saver ends', 'dim null']],
      [30, ['light']],
    ] as const) {
      await panel.after(seconds);
      assert.notEqual(idle.state, 'active');
      idle.activity();
      assert.equal(idle.state, 'active');
      assert.deepEqual((await panel.done()).slice(-ends.length), ends);
      assert.deepEqual(await panel.after(9), []);
      idle.activity();
      assert.deepEqual(await panel.after(9), []);
      idle.activity();
    }
  });

  test('should tell of each activity until nobody listens', async () => {
    const idle = await panel.with({});
    let count = 0;
    const end = idle.onActivity(() => count++);
    idle.activity();
    idle.hold()();
    panel.events.emit('gpio', { pin: 0, level: 1 });
    assert.equal(count, 2, 'no pin wakes this panel');
    end();
    idle.activity();
    assert.equal(count, 2);
  });

  test('should go straight to what is due when only one time is set', async () => {
    await panel.with({ offAfter: 5 });
    assert.deepEqual(await panel.after(5), ['dark']);
    panel.onTouch?.();
    assert.deepEqual(await panel.done(), ['light']);
    assert.deepEqual(await panel.after(5), ['dark']);
  });

  test('should not dim a saver that comes first, before its own time', async () => {
    await panel.with({ saverAfter: 5, dimAfter: 10 });
    assert.deepEqual(await panel.after(5), ['saver']);
    assert.deepEqual(await panel.after(5), ['dim 10']);
    assert.deepEqual(panel.states, ['saver']);
  });

  test('should follow settings that change while it waits, and while the screen is off', async () => {
    const idle = await panel.with({ offAfter: 100 });
    await panel.after(50);
    panel.settings = { ...NEVER, offAfter: 20 };
    idle.follow();
    assert.deepEqual(await panel.done(), ['dark']);
    panel.settings = { ...NEVER, saverAfter: 20, saver: 'photos' };
    idle.follow();
    assert.deepEqual(await panel.done(), ['saver', 'light']);
    panel.settings = { ...NEVER, saverAfter: 20, saver: 'black' };
    idle.follow();
    assert.deepEqual(await panel.done(), ['saver']);
    panel.settings = NEVER;
    idle.follow();
    assert.deepEqual(await panel.done(), ['saver ends']);
  });

  test('should tell the schedule of every activity, and light the screen before it', async () => {
    const idle = await panel.with({});
    idle.activity();
    assert.equal(panel.touches, 1);
    await idle.sleep();
    assert.deepEqual(await panel.done(), ['dark']);
    assert.equal(idle.state, 'off');
    panel.onTouch?.();
    assert.equal(idle.state, 'active');
    assert.equal(panel.touches, 2);
    await idle.wake();
    assert.deepEqual(await panel.done(), ['light']);
  });

  test('should stay off while the schedule sleeps, whatever a caller has asked before, and be lit when it wakes', async () => {
    const idle = await panel.with({ dimAfter: 10, offAfter: 20 });
    await idle.switchTo(false);
    await idle.sleep();
    assert.deepEqual(await panel.after(8 * 3_600), ['dark']);
    await idle.wake();
    assert.deepEqual(await panel.done(), ['light']);
    assert.equal(idle.state, 'active');
    assert.deepEqual(await panel.after(9), []);
    assert.deepEqual(await panel.after(1), ['dim 10']);
  });

  test('should be off when a caller asks, and lit again when it asks for that or is touched', async () => {
    const idle = await panel.with({});
    await idle.switchTo(false);
    assert.deepEqual(await panel.done(), ['dark']);
    await idle.switchTo(false);
    assert.deepEqual(await panel.after(3_600), []);
    await idle.switchTo(true);
    assert.deepEqual(await panel.done(), ['light']);
    await idle.switchTo(false);
    panel.onTouch?.();
    await idle.wakeUp();
    assert.deepEqual(await panel.done(), ['dark', 'light']);
    assert.deepEqual(panel.states, ['off', 'active', 'off', 'active']);
  });

  test('should wake the schedule when a caller asks for light in the sleep time', async () => {
    const idle = await panel.with({});
    await idle.sleep();
    await idle.switchTo(true);
    assert.equal(idle.state, 'active');
    assert.equal(panel.touches, 1);
  });

  test('should do only what was asked last when the screen is slower than its callers', async () => {
    const idle = await panel.with({});
    const all = [false, true, false, true, false].map((on) => idle.switchTo(on));
    await Promise.all(all);
    const calls = await panel.done();
    assert.equal(calls.at(-1), 'dark');
    assert.ok(calls.length <= 3, String(calls));
    assert.equal(idle.state, 'off');
  });

  test('should go home once, and clear what was shown when asked to', async () => {
    panel.shown = ['https://guest.example', 'http://other.example:81'];
    const idle = await panel.with({ homeAfter: 60, clearAtHome: true });
    const cleared = ['home', 'clear https://guest.example', 'clear http://other.example:81'];
    assert.deepEqual(await panel.after(60), cleared);
    assert.deepEqual(await panel.after(600), []);
    idle.activity();
    panel.onHome = () => {
      panel.settings = { ...panel.settings, clearAtHome: false };
    };
    assert.deepEqual(await panel.after(60), cleared);
  });

  test('should clear nothing unless asked to, and survive a page that cannot go home', async () => {
    panel.shown = ['https://guest.example'];
    const idle = await panel.with({ homeAfter: 60 });
    assert.deepEqual(await panel.after(60), ['home']);
    panel.fault = 'home';
    idle.activity();
    assert.deepEqual(await panel.after(60), ['home']);
    panel.fault = undefined;
    idle.activity();
    assert.deepEqual(await panel.after(60), ['home']);
  });

  test('should take an edge of a wake pin for an activity, and of no other', async () => {
    const idle = await panel.with({ offAfter: 5, wakePins: [1] });
    await panel.after(5);
    panel.events.emit('gpio', { pin: 0, level: 1 });
    assert.equal(idle.state, 'off');
    panel.events.emit('gpio', { pin: 1, level: 0 });
    assert.equal(idle.state, 'active');
  });

  test('should wake for a call and stay awake until it ends', async () => {
    const idle = await panel.with({ offAfter: 5 });
    await panel.after(5);
    const ring = { callId: '7', callerName: 'Door', isBroadcast: false, hasVideo: true };
    panel.events.emit('sip', { event: 'incomingCall', payload: ring });
    assert.equal(idle.state, 'active');
    await panel.after(600);
    assert.equal(idle.state, 'active');
    panel.events.emit('sip', { event: 'callEnded', payload: { callId: '7', reason: 'remote' } });
    await panel.after(4.9);
    assert.equal(idle.state, 'active');
    await panel.after(0.1);
    assert.equal(idle.state, 'off');
  });

  test('should not stay awake for a call that was ignored', async () => {
    const idle = await panel.with({ offAfter: 5 });
    const ring = { callId: '7', callerName: 'Door', isBroadcast: false, hasVideo: true };
    panel.events.emit('sip', { event: 'incomingCall', payload: ring });
    await panel.after(60);
    idle.callIgnored('7');
    await panel.after(4.9);
    assert.equal(idle.state, 'active');
    await panel.after(0.1);
    assert.equal(idle.state, 'off');
  });

  test('should stay awake through an announcement, and after a call that failed', async () => {
    const idle = await panel.with({ offAfter: 5 });
    panel.events.emit('sip', { event: 'pagingStatusChanged', payload: { activeCount: 2 } });
    await panel.after(60);
    assert.equal(idle.state, 'active');
    panel.events.emit('sip', { event: 'pagingStatusChanged', payload: { activeCount: 0 } });
    await panel.after(5);
    assert.equal(idle.state, 'off');
    const talk = {
      callId: '8',
      direction: 'outgoing',
      hasVideo: false,
      viaPbx: false,
      legacy: true,
    } as const;
    panel.events.emit('sip', { event: 'callConnected', payload: talk });
    panel.events.emit('sip', { event: 'callFailed', payload: { reason: 'media', busy: false } });
    await panel.after(5);
    assert.equal(idle.state, 'off');
  });

  test('should be awake while somebody holds it, such as a message', async () => {
    const idle = await panel.with({ dimAfter: 5 });
    await panel.after(5);
    const ends = [idle.hold(), idle.hold()];
    assert.equal(idle.state, 'active');
    await panel.after(60);
    ends[0]?.();
    ends[0]?.();
    await panel.after(60);
    assert.equal(idle.state, 'active');
    ends[1]?.();
    await panel.after(4);
    assert.equal(idle.state, 'active');
    await panel.after(1);
    assert.equal(idle.state, 'dimmed');
  });

  test('should stay awake while the page says so about once a second', async () => {
    const idle = await panel.with({ dimAfter: 5 });
    for (let second = 0; second < 100; second++) {
      idle.pageHolds();
      await panel.after(1);
    }
    assert.equal(idle.state, 'active');
    await panel.after(4);
    assert.equal(idle.state, 'dimmed');
    idle.pageHolds();
    await panel.after(1);
    assert.equal(idle.state, 'dimmed', 'a page woke the panel by a wake lock');
  });

  test('security: should let a page or a caller keep it awake for 12 hours without an activity, and no longer', async () => {
    const idle = await panel.with({ offAfter: 60 });
    idle.hold();
    await panel.clock.advance(12 * HOUR - SECOND);
    assert.equal(idle.state, 'active');
    await panel.clock.advance(62 * SECOND);
    assert.equal(idle.state, 'off');
    idle.activity();
    await panel.clock.advance(2 * HOUR);
    assert.equal(idle.state, 'active', 'an activity did not begin the 12 hours anew');
    const page = new IdlePanel();
    const second = await page.with({ offAfter: 60 });
    for (let minute = 0; minute < 12 * 60 + 2; minute += 0.5) {
      second.pageHolds();
      await page.clock.advance(30 * SECOND);
    }
    assert.equal(second.state, 'off');
  });

  test('should go on when the screen fails, or never answers', async () => {
    const idle = await panel.with({ dimAfter: 5, saverAfter: 10, offAfter: 20 });
    panel.fault = 'dim 10';
    await panel.after(5);
    assert.equal(idle.state, 'dimmed');
    panel.fault = 'saver hangs';
    await panel.after(5);
    assert.deepEqual(await panel.after(10), ['dark', 'saver ends', 'dim null']);
    idle.activity();
    assert.deepEqual(await panel.done(), ['light']);
  });

  test('should leave the screen lit and release everything when it is stopped', async () => {
    const idle = await panel.with({ dimAfter: 5, saverAfter: 6, offAfter: 7 });
    await panel.after(7);
    await panel.done();
    await idle.stop();
    assert.deepEqual(await panel.done(), ['light']);
    idle.activity();
    idle.pageHolds();
    idle.follow();
    assert.equal(panel.clock.pending, 0);
    assert.equal(panel.events.size, 0);
    assert.deepEqual(await panel.after(600), []);
  });

  test('should wait for a week, and for more days than a timer holds', async () => {
    const idle = await panel.with({ offAfter: 604_800 });
    await panel.clock.advance(604_800 * SECOND - 1);
    assert.equal(idle.state, 'active');
    await panel.clock.advance(1);
    assert.equal(idle.state, 'off');
  });
});
