import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { errnoError } from '../../platform/errno.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock, settled } from '../../testing/fakeClock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import type { DisplayState } from './contract.ts';
import {
  type BacklightDriver,
  type DisplayWindow,
  NoOutput,
  type OutputDriver,
  SimulatedBacklight,
  SimulatedVolume,
  type VolumeDriver,
} from './driver.ts';
import { DisplayService } from './service.ts';

const signal = new AbortController().signal;

/** A window that notes what is asked of it. */
class FakeWindow implements DisplayWindow {
  readonly calls: string[] = [];
  touch: (() => void) | undefined;
  turns = true;

  async sleep(onTouch: () => void): Promise<void> {
    this.calls.push('black');
    this.touch = onTouch;
  }

  async wake(): Promise<void> {
    this.calls.push('page');
  }

  async zoom(factor: number): Promise<void> {
    this.calls.push(`zoom ${factor}`);
  }

  async turn(rotation: number, isTurned: boolean): Promise<boolean> {
    this.calls.push(`turn ${rotation} ${isTurned}`);
    return isTurned || this.turns;
  }
}

class FakeOutput implements OutputDriver {
  readonly calls: string[] = [];

  touch: (() => void) | undefined;

  async power(on: boolean, onTouch?: () => void): Promise<boolean> {
    this.calls.push(on ? 'on' : 'off');
    this.touch = onTouch;
    return true;
  }

  async rotate(rotation: number): Promise<boolean> {
    this.calls.push(`turn ${rotation}`);
    return true;
  }
}

const noBacklight: BacklightDriver = {
  read: async () => null,
  write: async () => false,
  light: async () => false,
};
const noVolume: VolumeDriver = {
  read: async () => null,
  write: async () => assert.fail('must not write'),
  mute: async () => assert.fail('must not mute'),
};

describe('display service', () => {
  let dataDir = '';
  let clock: FakeClock;
  let window: FakeWindow;
  let announced: DisplayState[];
  const switched: boolean[] = [];
  beforeEach(async () => {
    dataDir = temporaryFolder('display');
    clock = new FakeClock();
    window = new FakeWindow();
    announced = [];
    switched.length = 0;
  });

  interface Parts {
    readonly backlight?: BacklightDriver;
    readonly volume?: VolumeDriver;
    readonly output?: OutputDriver;
  }

  /** Changes a display, whose light is switched as the idle clock does it. */
  const set = (display: DisplayService, wanted: Parameters<DisplayService['set']>[0]) =>
    display.set(wanted, { signal }, async (on) => {
      switched.push(on);
      display.announce(on ? 'active' : 'off');
    });

  /** A started display, after its first look at the hardware. */
  async function started(parts: Parts = {}): Promise<DisplayService> {
    const log = silentLogger();
    const events = new EventBus(log);
    events.onAny((name, payload) => name === 'display' && announced.push(payload as DisplayState));
    const display: DisplayService = new DisplayService({
      backlight: parts.backlight ?? new SimulatedBacklight(80),
      volume: parts.volume ?? new SimulatedVolume(40),
      output: parts.output ?? new NoOutput(),
      window,
      dataDir,
      events,
      log,
      clock,
    });
    await display.start();
    await until(() => announced.length > 0);
    return display;
  }

  const first: DisplayState = {
    on: true,
    brightness: 80,
    volume: 40,
    muted: false,
    idle: 'active',
    zoom: 1,
    rotation: 0,
  };

  test('should say what the hardware says, and announce it once', async () => {
    const display = await started();
    assert.deepEqual(display.snapshot(), first);
    assert.deepEqual(await display.state(), first);
    assert.deepEqual(announced, [first]);
  });

  test('should change the given fields only, answer with the whole and announce it', async () => {
    const display = await started();
    const wanted = { brightness: 0, volume: 100, muted: true, zoom: 1.5, rotation: 90, on: false } as const;
    const next = { ...wanted, idle: 'off' };
    assert.deepEqual(await set(display, wanted), next);
    assert.deepEqual(await display.state(), next);
    assert.deepEqual(announced.at(-1), next);
    assert.deepEqual(await set(display, {}), next);
    assert.deepEqual(window.calls, ['turn 90 false', 'zoom 1.5']);
    assert.deepEqual(switched, [false]);
  });

  test('should have neither brightness nor volume where the board has none, and refuse to set them', async () => {
    const display = await started({ backlight: noBacklight, volume: noVolume });
    const { brightness, volume, muted } = await display.state();
    assert.deepEqual([brightness, volume, muted], [null, null, false]);
    for (const [field, value] of Object.entries({ brightness: 1, volume: 1, muted: true }))
      await assert.rejects(set(display, { zoom: 2, [field]: value }), {
        code: 'UNSUPPORTED_HARDWARE',
        field,
      });
    assert.deepEqual(window.calls, [], 'a refused call must not change anything');
  });

  test('should refuse a turn that nothing can make', async () => {
    window.turns = false;
    const display = await started();
    await assert.rejects(set(display, { rotation: 90, volume: 7 }), {
      code: 'UNSUPPORTED_HARDWARE',
      field: 'rotation',
    });
    assert.deepEqual((await display.state()).volume, 40);
  });

  test('should turn the output where one can, and let the windows follow', async () => {
    const output = new FakeOutput();
    const display = await started({ output });
    await set(display, { rotation: 270 });
    assert.deepEqual(output.calls, ['on', 'turn 270']);
    assert.deepEqual(window.calls, ['turn 270 true']);
  });

  test('should keep zoom, rotation and brightness over a restart', async () => {
    const before = await started();
    await set(before, { zoom: 2, rotation: 90, brightness: 33 });
    await before.stop();
    window.calls.length = 0;
    announced.length = 0;
    const display = await started();
    assert.deepEqual(window.calls, ['zoom 2', 'turn 90 false']);
    assert.deepEqual(await display.state(), { ...first, zoom: 2, rotation: 90, brightness: 33 });
  });

  test('should dim the light and answer with the brightness that is set, also when it is set meanwhile', async () => {
    const backlight = new SimulatedBacklight(80);
    const display = await started({ backlight });
    await display.dim(10);
    assert.equal(await backlight.read(), 10);
    assert.equal((await display.state()).brightness, 80);
    await set(display, { brightness: 50 });
    assert.equal(await backlight.read(), 10);
    assert.equal((await display.state()).brightness, 50);
    await display.dim(null);
    assert.equal(await backlight.read(), 50);
  });

  test('should not dim to more than is set', async () => {
    const backlight = new SimulatedBacklight(4);
    const display = await started({ backlight });
    await display.dim(10);
    assert.equal(await backlight.read(), 4);
  });

  test('should come back as bright as it was when it was killed while dimmed and dark', async () => {
    const backlight = new SimulatedBacklight(80);
    const killed = await started({ backlight });
    await killed.dim(10);
    await killed.dark(() => {});
    assert.deepEqual([await backlight.read(), backlight.isLit], [10, false]);
    announced.length = 0;
    const display = await started({ backlight });
    assert.deepEqual([await backlight.read(), backlight.isLit], [80, true]);
    assert.equal((await display.state()).brightness, 80);
  });

  test('should switch the backlight off, or else the output, and always cover the page', async () => {
    const backlight = new SimulatedBacklight(80);
    const output = new FakeOutput();
    const display = await started({ backlight, output });
    await display.dark(() => {});
    assert.equal(backlight.isLit, false);
    await display.light();
    assert.equal(backlight.isLit, true);
    assert.deepEqual(output.calls, ['on'], 'the output was touched although there is a backlight');
    assert.deepEqual(window.calls, ['black', 'page']);
    announced.length = 0;
    const second = await started({ backlight: noBacklight, output });
    await second.dark(() => {});
    await second.light();
    assert.deepEqual(output.calls.slice(1), ['on', 'off', 'on']);
  });

  test('should switch the output off when the backlight fails', async () => {
    const output = new FakeOutput();
    const broken = { ...noBacklight, light: async () => Promise.reject(errnoError('EIO', 'test')) };
    const display = await started({ backlight: broken, output });
    await display.dark(() => {});
    assert.equal(output.calls.at(-1), 'off');
  });

  test('should cut the signal only once the page is covered, or the window does not answer', async () => {
    const output = new FakeOutput();
    const display = await started({ backlight: noBacklight, output });
    for (const end of ['covered', 'late'] as const) {
      const cover = Promise.withResolvers<void>();
      window.sleep = () => cover.promise;
      output.calls.length = 0;
      const dark = display.dark(() => {});
      await new Promise(setImmediate);
      assert.deepEqual(
        output.calls,
        [],
        'nothing is drawn without a signal, and what was never drawn hears no touch',
      );
      if (end === 'covered') cover.resolve();
      else await clock.advance(8_000);
      await dark;
      assert.deepEqual(output.calls, ['off']);
      await display.light();
    }
  });

  test('should hand on the touch of the dark screen', async () => {
    const display = await started();
    let touches = 0;
    await display.dark(() => touches++);
    window.touch?.();
    assert.equal(touches, 1);
  });

  test('should hand on the touch that a window without a signal does not hear', async () => {
    const output = new FakeOutput();
    const display = await started({ backlight: noBacklight, output });
    let touches = 0;
    await display.dark(() => touches++);
    const { touch } = output;
    touch?.();
    assert.equal(touches, 1);
    await display.light();
    touch?.();
    assert.equal(touches, 1, 'a late one must not count');
  });

  test('should be lit and as bright as it was set once it is stopped', async () => {
    const backlight = new SimulatedBacklight(80);
    const display = await started({ backlight });
    await display.dim(10);
    await display.dark(() => {});
    await display.stop();
    assert.deepEqual([await backlight.read(), backlight.isLit], [80, true]);
  });

  test('should answer with what it knows when a mixer does not answer, and let nobody wait twice', async () => {
    let asked = 0;
    let isSlow = false;
    const volume = {
      ...new SimulatedVolume(40),
      read: async () => {
        asked++;
        return isSlow ? new Promise<never>(() => {}) : { percent: 40, muted: false };
      },
      write: async () => {},
      mute: async () => {},
    };
    const display = await started({ volume });
    isSlow = true;
    const before = asked;
    const answers = Promise.all([display.state(), display.state(), display.state()]);
    await settled();
    await clock.advance(2_000);
    assert.deepEqual(await answers, [first, first, first]);
    assert.equal(asked - before, 1);
  });

  test('should log a part that hangs while the light changes, and go on', async () => {
    let isHung = false;
    const light = async () => (isHung ? new Promise<never>(() => {}) : false);
    const hung = await started({ backlight: { ...noBacklight, light } });
    isHung = true;
    const dark = hung.dark(() => {});
    await settled();
    await clock.advance(3_000);
    await dark;
    assert.ok(window.calls.includes('black'));
  });

  test('should report what the hardware refuses', async () => {
    const backlight = new SimulatedBacklight(80);
    backlight.write = async () => Promise.reject(errnoError('EACCES', 'test'));
    const display = await started({ backlight });
    await assert.rejects(set(display, { brightness: 3 }), { code: 'HARDWARE_ERROR' });
    assert.equal((await display.state()).brightness, 80);
  });

  test('should begin with the defaults when its file cannot be used', async () => {
    await writeFile(join(dataDir, 'display.json'), '{"zoom":900}');
    const display = await started();
    assert.equal((await display.state()).zoom, 1);
    await set(display, { zoom: 3 });
    assert.equal(JSON.parse(await readFile(join(dataDir, 'display.json'), 'utf8')).value.zoom, 3);
  });
});
