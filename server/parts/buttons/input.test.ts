import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import type { EventIo } from '../../platform/native/deviceIo.ts';
import { systemEventIo as io } from '../../platform/native/ioctl.ts';
import { underDeviceDouble } from '../../testing/deviceDouble.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import { testButtonsDriver, testReaderDriver } from '../testing/inputDriverSuite.ts';
import { type ButtonChange, EvdevButtons, SimulatedButtons, SimulatedReader } from './driver.ts';
import { EV_KEY, EV_SYN, EVENT_SIZE, EVIOCGRAB, SYN_DROPPED, SYN_REPORT } from './evdev.ts';
import { EvdevReader, textOf } from './evdevReader.ts';

const NODE = '/dev/input/event3';
const KEY_A = 30;
const KEY_F1 = 59;
const KEY_ENTER = 28;
const KEY_SHIFT = 42;
const REPORT = [EV_SYN, SYN_REPORT, 0] as const;
const log = silentLogger();

type KeyEvent = readonly [number, number, number];
const down = (code: number): readonly KeyEvent[] => [[EV_KEY, code, 1], REPORT];
const up = (code: number): readonly KeyEvent[] => [[EV_KEY, code, 0], REPORT];
const press = (code: number): readonly KeyEvent[] => [...down(code), ...up(code)];

/** The keys of a US keyboard that type this text. */
function typed(text: string): readonly KeyEvent[] {
  return [...text].flatMap((letter) => {
    const codes = Array.from({ length: 128 }, (_, code) => code);
    const plain = codes.find((code) => textOf(code, false) === letter);
    if (plain !== undefined) return press(plain);
    const shifted = codes.find((code) => textOf(code, true) === letter)!;
    return [...down(KEY_SHIFT), ...press(shifted), ...up(KEY_SHIFT)];
  });
}

testButtonsDriver('simulated', async () => {
  const driver = new SimulatedButtons();
  return { driver, press: async (name, state) => driver.simulate({ name, state }) };
});
testReaderDriver('simulated', async () => {
  const driver = new SimulatedReader();
  return { driver, read: async (text) => driver.simulate(text) };
});

underDeviceDouble('keys', import.meta.filename, (double) => {
  const keys = { [KEY_F1]: 'Bell', [KEY_A]: 'Light' };
  const clock = new FakeClock();
  testButtonsDriver('evdev', async () => ({
    driver: new EvdevButtons({ path: NODE, keys, io, clock, log }),
    press: async (name, state) =>
      double.typeKeys((state === 'down' ? down : up)(name === 'Bell' ? KEY_F1 : KEY_A)),
  }));
  testReaderDriver('evdev', async () => ({
    driver: new EvdevReader({ path: NODE, io, clock, log }),
    read: async (text) => double.typeKeys([...typed(text), ...press(KEY_ENTER)]),
  }));

  describe('buttons of evdev', () => {
    let buttons: EvdevButtons;
    let heard: ButtonChange[];
    afterEach(() => buttons.stop());

    async function start(named?: Record<string, string>): Promise<void> {
      heard = [];
      buttons = new EvdevButtons({ path: NODE, keys: named, io, clock, log });
      buttons.onChange((change) => heard.push(change));
      await double.takeCalls();
      await buttons.start();
    }

    test('should call keys without names by their numbers, tell no repeats, and leave them to the page', async () => {
      await start();
      await double.typeKeys([...down(KEY_F1), [EV_KEY, KEY_F1, 2], REPORT, ...up(KEY_F1)]);
      await until(() => heard.length === 2);
      assert.deepEqual(heard, [
        { name: '59', state: 'down' },
        { name: '59', state: 'up' },
      ]);
      assert.deepEqual(await double.takeCalls(), []);
    });

    test('should tell of named keys alone', async () => {
      await start({ [KEY_F1]: 'Bell' });
      await double.typeKeys([...press(KEY_A), ...press(KEY_F1)]);
      await until(() => heard.length === 2);
      assert.deepEqual(new Set(heard.map(({ name }) => name)), new Set(['Bell']));
    });

    test('should ask which keys are down when the kernel has lost events', async () => {
      await start();
      await double.typeKeys(down(KEY_F1));
      await until(() => heard.length === 1);
      const remains = [...down(99)].slice(0, 1);
      await double.typeKeys([[EV_SYN, SYN_DROPPED, 0], ...remains, REPORT], [KEY_A]);
      await until(() => heard.length === 3);
      assert.deepEqual(heard.slice(1), [
        { name: '59', state: 'up' },
        { name: '30', state: 'down' },
      ]);
    });
  });

  describe('a reader of evdev', () => {
    let reader: EvdevReader;
    let read: string[];
    let time: FakeClock;
    afterEach(() => reader.stop());

    async function start(): Promise<void> {
      read = [];
      time = new FakeClock();
      reader = new EvdevReader({ path: NODE, io, clock: time, log });
      reader.onScan((text) => read.push(text));
      await double.takeCalls();
      await reader.start();
    }

    test('security: should be grabbed, so that no page and no console hears what it types', async () => {
      await start();
      assert.deepEqual(await double.takeCalls(), [{ device: NODE, request: EVIOCGRAB, argument: 1 }]);
    });

    test('should be absent while another program has grabbed it', async () => {
      await start();
      await reader.stop();
      await double.fail(NODE, 'EBUSY');
      await assert.rejects(reader.start(), { code: 'EBUSY' });
      await reader.start();
    });

    test('should take a text for whole after a silence, where it types no Enter', async () => {
      await start();
      await double.typeKeys(typed('4006381'));
      await until(() => time.pending > 0);
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.deepEqual(read, []);
      await time.advance(300);
      assert.deepEqual(read, ['4006381']);
    });

    test('should tell nothing of a text of which a part was lost', async () => {
      await start();
      await double.typeKeys([
        ...typed('12'),
        [EV_SYN, SYN_DROPPED, 0],
        REPORT,
        ...press(KEY_ENTER),
        ...typed('9'),
        ...press(KEY_ENTER),
      ]);
      await until(() => read.length > 0);
      assert.deepEqual(read, ['9']);
    });
  });
});

test('security: should keep a text that never ends within bounds', async () => {
  const waiting = [...typed('x'.repeat(3_000)), ...press(KEY_ENTER)];
  let ready = () => {};
  const typing: EventIo = {
    ...io,
    open: () => 3,
    close: () => {},
    ioctlValue: () => 0,
    whenReadable: (_fds, _limit, told) => {
      ready = told;
      return told;
    },
    readWaiting: (_fd, into) => {
      const events = waiting.splice(0, Math.floor(into.length / EVENT_SIZE));
      for (const [index, [type, code, value]] of events.entries()) {
        into.writeUInt16LE(type, index * EVENT_SIZE + 16);
        into.writeUInt16LE(code, index * EVENT_SIZE + 18);
        into.writeInt32LE(value, index * EVENT_SIZE + 20);
      }
      return events.length * EVENT_SIZE;
    },
  };
  const reader = new EvdevReader({ path: NODE, io: typing, clock: new FakeClock(), log });
  const texts: string[] = [];
  reader.onScan((text) => texts.push(text));
  await reader.start();
  while (waiting.length > 0) ready();
  assert.deepEqual(
    texts.map(({ length }) => length),
    [1_025],
  );
  await reader.stop();
});
