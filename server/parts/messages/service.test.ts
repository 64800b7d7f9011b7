import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import type { GlassEvent, MessageOnGlass } from '../../kiosk/glass/contract.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock, settled } from '../../testing/fakeClock.ts';
import { type MessageEvent, messageParams } from './contract.ts';
import { type HeardMessage, MessageService } from './service.ts';

const log = silentLogger();
/** One pixel, as a GIF. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** All that a message service stands on, in memory. */
class FakePanel {
  #onGlass: MessageOnGlass | null = null;
  readonly painted: (MessageOnGlass | null)[] = [];
  screenFails: Error | undefined;
  /** Set: the next picture of the screen waits for it. */
  painting: Promise<void> | undefined;
  asleep = false;
  holds = 0;
  held = 0;
  readonly heard: (HeardMessage & { ended: boolean })[] = [];
  picture: () => Promise<Uint8Array> = async () => PIXEL;
  readonly aborted: string[] = [];
  #press = (_event: GlassEvent): void => {};
  #power = (): void => {};

  readonly screen = {
    show: async (message: MessageOnGlass | null) => {
      if (this.screenFails) throw this.screenFails;
      this.#onGlass = message;
      await this.painting;
      this.painted.push(message);
    },
    onEvent: (listener: (event: GlassEvent) => void) => {
      this.#press = listener;
      return () => {
        this.#press = () => {};
      };
    },
  };
  readonly panel = {
    isAsleep: () => this.asleep,
    onPower: (listener: () => void) => {
      this.#power = listener;
      return () => {
        this.#power = () => {};
      };
    },
    hold: () => {
      this.holds++;
      this.held++;
      if (this.asleep) this.power(false);
      return () => {
        this.held--;
      };
    },
  };
  readonly sound = {
    assertSound: async (sound: string) => {
      if (sound === 'quack') throw new FaceplateError('INVALID_REQUEST', 'no such sound', { field: 'sound' });
    },
    begin: (what: HeardMessage) => {
      const heard = { ...what, ended: false };
      this.heard.push(heard);
      return () => {
        heard.ended = true;
      };
    },
  };
  readonly pictures = {
    fetch: (address: string, signal: AbortSignal) => {
      signal.addEventListener('abort', () => this.aborted.push(address));
      return this.picture();
    },
  };

  get onGlass(): MessageOnGlass | null {
    return this.#onGlass;
  }

  power(asleep: boolean): void {
    this.asleep = asleep;
    this.#power();
  }

  touch(did: 'dismissed' | 'pressed', button = '', id = this.onGlass?.id ?? ''): void {
    this.#press(did === 'dismissed' ? { slot: 'message', id, did } : { slot: 'message', id, did, button });
  }
}

describe('messages', () => {
  let panel: FakePanel;
  let clock: FakeClock;
  let told: string[];
  let messages: MessageService;

  beforeEach(async () => {
    panel = new FakePanel();
    clock = new FakeClock();
    told = [];
    const events = new EventBus(log);
    events.onAny((name, payload) => {
      const { id, action, button } = payload as MessageEvent;
      if (name === 'message') told.push([id, action, button].filter(Boolean).join(' '));
    });
    messages = new MessageService({
      screen: panel.screen,
      panel: panel.panel,
      sound: panel.sound,
      pictures: panel.pictures,
      events,
      clock,
      log,
    });
    await messages.start();
  });
  afterEach(async () => {
    await messages.stop();
    assert.equal(clock.pending, 0, 'no timer is left');
  });

  const show = (given: object) => messages.show(messageParams.parse({ text: 'Hello', ...given }));
  const isClear = (): boolean => panel.onGlass === null;
  const refused = (code: string) => (error: unknown) =>
    error instanceof FaceplateError && error.code === code;

  test('should show a message as a banner for ten seconds where nothing else is said', async () => {
    const { id } = await show({});
    assert.deepEqual(
      { ...panel.onGlass, id: '' },
      { id: '', title: null, text: 'Hello', level: 'info', style: 'banner', image: null, buttons: [] },
    );
    await clock.advance(9_999);
    assert.ok(!isClear());
    await clock.advance(1);
    assert.ok(isClear());
    assert.deepEqual(told, [`${id} shown`, `${id} expired`]);
    assert.deepEqual([panel.holds, panel.held], [1, 0]);
  });

  test('should show a message of 0 seconds until it is dismissed', async () => {
    await show({ id: 'a', seconds: 0 });
    await clock.advance(86_400_000);
    panel.touch('dismissed');
    assert.ok(isClear());
    assert.deepEqual(told, ['a shown', 'a dismissed']);
  });

  test('should end a message by its button alone, and say which', async () => {
    const buttons = [
      { id: 'yes', label: 'Yes' },
      { id: 'no', label: 'No' },
    ];
    await show({ id: 'a', seconds: 0, buttons });
    panel.touch('dismissed');
    panel.touch('pressed', 'maybe');
    assert.deepEqual(told, ['a shown']);
    panel.touch('pressed', 'no');
    panel.touch('pressed', 'yes');
    assert.deepEqual(told, ['a shown', 'a pressed no']);
  });

  test('should show the others in their turn', async () => {
    await Promise.all([show({ id: 'a' }), show({ id: 'b' }), show({ id: 'c', seconds: 3 })]);
    assert.deepEqual(told, ['a shown']);
    await clock.advance(10_000);
    assert.deepEqual(told, ['a shown', 'a expired', 'b shown']);
    await messages.remove({ id: 'b' });
    await settled();
    assert.deepEqual(told.slice(3), ['b dismissed', 'c shown']);
  });

  test('should let an alarm displace the message, which comes back with the seconds it had left', async () => {
    await show({ id: 'a' });
    await show({ id: 'b' });
    await clock.advance(4_000);
    await show({ id: 'fire', level: 'alarm', seconds: 60 });
    assert.equal(panel.onGlass?.level, 'alarm');
    await clock.advance(60_000);
    await clock.advance(5_999);
    assert.deepEqual(told, ['a shown', 'fire shown', 'fire expired', 'a shown']);
    await clock.advance(1);
    assert.deepEqual(told.slice(4), ['a expired', 'b shown']);
  });

  test('should show alarms in their order, before all others', async () => {
    for (const [id, level] of [
      ['a', 'info'],
      ['b', 'warning'],
      ['one', 'alarm'],
      ['two', 'alarm'],
    ])
      await show({ id, level });
    const order: string[] = [];
    for (let n = 0; n < 4; n++) {
      const now = told.at(-1)?.split(' ')[0] ?? '';
      order.push(now);
      await messages.remove({ id: now });
      await settled();
    }
    assert.deepEqual(order, ['one', 'two', 'a', 'b']);
  });

  test('should replace a message of the same id at its place, shown or waiting', async () => {
    await show({ id: 'a', text: 'one' });
    await show({ id: 'b' });
    await show({ id: 'c' });
    await show({ id: 'a', text: 'two' });
    assert.equal(panel.onGlass?.text, 'two');
    await show({ id: 'b', text: 'other' });
    assert.deepEqual(told, ['a shown', 'a replaced', 'a shown', 'b replaced']);
    await messages.remove({ id: 'a' });
    assert.equal(panel.onGlass?.text, 'other');
  });

  test('should begin the time anew for a message that replaces another', async () => {
    await show({ id: 'a' });
    await clock.advance(9_000);
    await show({ id: 'a' });
    await clock.advance(9_000);
    assert.deepEqual(told, ['a shown', 'a replaced', 'a shown']);
  });

  test('should not take a touch of the message before for the one that replaced it', async () => {
    await show({ id: 'a', seconds: 0 });
    const touched = panel.onGlass!.id;
    await show({ id: 'a', text: 'other', seconds: 0 });
    panel.touch('dismissed', '', touched);
    assert.equal(panel.onGlass?.text, 'other');
  });

  test('should let 20 wait and refuse the next, while an alarm pushes out the newest that is none', async () => {
    for (let n = 0; n <= 20; n++) await show({ id: `m${n}` });
    await assert.rejects(show({ id: 'late' }), refused('CONFLICT'));
    await show({ id: 'm20', text: 'instead' });
    told.length = 0;
    await show({ id: 'fire', level: 'alarm' });
    assert.deepEqual(told, ['m20 dismissed', 'fire shown']);
    for (let n = 1; n <= 20; n++) await show({ id: `fire${n}`, level: 'alarm' });
    await assert.rejects(show({ id: 'fire21', level: 'alarm' }), refused('CONFLICT'));
  });

  test('should stay whole under 1,000 posts at once', async () => {
    const answers = await Promise.allSettled(Array.from({ length: 1_000 }, (_, n) => show({ id: `m${n}` })));
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 21);
    await clock.advance(21 * 10_000);
    assert.equal(told.filter((line) => line.endsWith('expired')).length, 21);
    assert.ok(isClear());
  });

  test('should let a message be removed while it comes to the screen', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    panel.painting = promise;
    const shown = show({ id: 'a' });
    await messages.remove({ id: 'a' });
    panel.painting = undefined;
    resolve();
    assert.deepEqual(await shown, { id: 'a' });
    await settled();
    assert.deepEqual(told, ['a dismissed']);
    assert.ok(isClear());
  });

  test('should answer NOT_FOUND for an id that is neither shown nor waits', async () => {
    await assert.rejects(messages.remove({ id: 'nobody' }), refused('NOT_FOUND'));
    await show({ id: 'a' });
    await messages.remove({ id: 'a' });
    await assert.rejects(messages.remove({ id: 'a' }), refused('NOT_FOUND'));
  });

  test('should keep nothing of a message that no screen can show', async () => {
    panel.screenFails = new FaceplateError('UNSUPPORTED_HARDWARE');
    await assert.rejects(show({ id: 'a' }), refused('UNSUPPORTED_HARDWARE'));
    await assert.rejects(messages.remove({ id: 'a' }), refused('NOT_FOUND'));
    assert.deepEqual(told, []);
  });

  test('should wait while the schedule sleeps, but for an alarm, which wakes', async () => {
    panel.power(true);
    await show({ id: 'a', sound: 'chime' });
    assert.ok(isClear());
    assert.equal(panel.heard.length, 0);
    await show({ id: 'fire', level: 'alarm', sound: 'alarm' });
    assert.equal(panel.holds, 1);
    assert.equal(panel.onGlass?.level, 'alarm');
    await messages.remove({ id: 'fire' });
    await settled();
    assert.deepEqual(told, ['fire shown', 'fire dismissed', 'a shown']);
  });

  test('should wait on when the schedule begins to sleep, and keep an alarm on the screen', async () => {
    await show({ id: 'a' });
    await clock.advance(4_000);
    panel.power(true);
    assert.equal(panel.held, 0);
    assert.ok(isClear());
    await clock.advance(3_600_000);
    panel.power(false);
    await clock.advance(5_999);
    assert.deepEqual(told, ['a shown', 'a shown']);
    await show({ id: 'fire', level: 'alarm' });
    panel.power(true);
    assert.equal(panel.asleep, false);
    assert.equal(panel.held, 1);
    assert.equal(panel.onGlass?.level, 'alarm');
  });

  test('should refuse what can be no sound before it shows anything', async () => {
    await assert.rejects(show({ id: 'a', sound: 'quack' }), refused('INVALID_REQUEST'));
    assert.equal(panel.onGlass, null);
  });

  test('should sound once, and an alarm until it ends', async () => {
    await show({ id: 'a', sound: 'chime', speak: true, title: 'Door', text: 'Somebody rings' });
    await show({ id: 'fire', level: 'alarm', sound: 'alarm' });
    assert.deepEqual(panel.heard, [
      { id: 'a', sound: 'chime', speak: 'Door. Somebody rings', isAlarm: false, ended: false },
      { id: 'fire', sound: 'alarm', speak: null, isAlarm: true, ended: false },
    ]);
    await messages.remove({ id: 'fire' });
    assert.equal(panel.heard[1]?.ended, true);
    assert.equal(panel.heard.length, 2);
    await messages.remove({ id: 'a' });
    assert.equal(panel.heard[0]?.ended, true);
  });

  test('should read on what lasts longer than its message', async () => {
    await show({ id: 'a', speak: true });
    await clock.advance(10_000);
    assert.deepEqual(told, ['a shown', 'a expired']);
    assert.equal(panel.heard[0]?.ended, false);
  });

  test('should be silent when the schedule sleeps', async () => {
    await show({ id: 'a', speak: true });
    panel.power(true);
    assert.equal(panel.heard[0]?.ended, true);
  });

  test('should not let the text wait for its picture', async () => {
    const { promise, resolve } = Promise.withResolvers<Uint8Array>();
    panel.picture = () => promise;
    await show({ id: 'a', image: 'http://camera.local/door.gif' });
    assert.deepEqual(told, ['a shown']);
    assert.equal(panel.onGlass?.image, null);
    resolve(PIXEL);
    await settled();
    assert.match(panel.onGlass?.image ?? '', /^data:image\/gif;base64,R0lGOD/);
    assert.deepEqual(told, ['a shown']);
  });

  test('should show a message without the picture that cannot be fetched, and not ask again', async () => {
    panel.picture = async () => {
      throw new Error('no such host');
    };
    await show({ id: 'a', image: 'http://camera.local/door.gif' });
    await settled();
    assert.equal(panel.onGlass?.image, null);
    panel.picture = async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
    await show({ id: 'a', image: 'http://camera.local/door.svg' });
    await settled();
    assert.equal(panel.onGlass?.image, null);
  });

  test('should give up the picture of a message that is gone', async () => {
    panel.picture = () => new Promise(() => {});
    await show({ id: 'a', image: 'http://camera.local/endless' });
    await messages.remove({ id: 'a' });
    assert.deepEqual(panel.aborted, ['http://camera.local/endless']);
  });

  test('should refuse with SHUTTING_DOWN once it is stopped', async () => {
    await show({ id: 'a', sound: 'alarm', level: 'alarm' });
    await messages.stop();
    assert.equal(panel.heard[0]?.ended, true);
    await assert.rejects(show({}), refused('SHUTTING_DOWN'));
  });
});
