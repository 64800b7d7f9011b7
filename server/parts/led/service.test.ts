import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { errnoError } from '../../platform/errno.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import type { LedState } from './contract.ts';
import type { LedDriver } from './driver.ts';
import { LedService } from './service.ts';

const context = { signal: new AbortController().signal };
const log = silentLogger();

class FakeLed implements LedDriver {
  readonly name = 'fake';
  readonly path = '/dev/fake-led';
  readonly simulated = false;
  readonly applied: LedState[] = [];
  startFails: Error | undefined;
  applyFails: Error | undefined;

  async start(): Promise<void> {
    if (this.startFails) throw this.startFails;
  }

  async stop(): Promise<void> {}

  async apply(state: LedState): Promise<void> {
    await new Promise(setImmediate);
    if (this.applyFails) throw this.applyFails;
    this.applied.push(state);
  }
}

describe('LED service', () => {
  let dataDir: string;
  let driver: FakeLed;
  let announced: LedState[];
  let led: LedService;

  beforeEach(() => {
    dataDir = temporaryFolder('led');
    driver = new FakeLed();
    announced = [];
    led = make();
  });
  afterEach(async () => {
    await led.stop();
  });

  function make(withDriver: LedDriver | null = driver): LedService {
    const events = new EventBus(log);
    events.onAny((name, payload) => {
      if (name === 'led') announced.push(payload as LedState);
    });
    return new LedService({ driver: withDriver, dataDir, events, log });
  }
  const file = () => join(dataDir, 'led.json');
  const onDisk = () => JSON.parse(readFileSync(file(), 'utf8')).value;

  test('should be off and white before anyone set it, and show that at start', async () => {
    await led.start();
    const white = { on: false, red: 255, green: 255, blue: 255 };
    assert.deepEqual(await led.state({}, context), { status: 'ok', state: white });
    assert.deepEqual(driver.applied, [white]);
    assert.deepEqual(led.snapshot(), white);
    assert.deepEqual(led.part(), { driver: 'fake', path: '/dev/fake-led', state: 'real', reason: null });
  });

  test('should keep the colour when it is switched, and stay on or off when its colour changes', async () => {
    await led.start();
    await led.color({ red: 1, green: 2, blue: 3 }, context);
    const answer = await led.on({ on: true }, context);
    assert.deepEqual(answer, { status: 'ok', state: { on: true, red: 1, green: 2, blue: 3 } });
    const coloured = await led.color({ red: 9, green: 8, blue: 7 }, context);
    assert.deepEqual(coloured.state, { on: true, red: 9, green: 8, blue: 7 });
    assert.deepEqual(driver.applied.at(-1), coloured.state);
  });

  test('should answer once the state is on disk, and show it again after a restart', async () => {
    await led.start();
    await led.on({ on: true }, context);
    assert.deepEqual(onDisk(), { on: true, red: 255, green: 255, blue: 255 });
    await led.stop();
    driver = new FakeLed();
    led = make();
    await led.start();
    assert.deepEqual(driver.applied, [{ on: true, red: 255, green: 255, blue: 255 }]);
  });

  test('should announce real changes only', async () => {
    await led.start();
    await led.on({ on: true }, context);
    await led.on({ on: true }, context);
    await led.color({ red: 255, green: 255, blue: 255 }, context);
    assert.deepEqual(announced, [{ on: true, red: 255, green: 255, blue: 255 }]);
  });

  test('should not write an unchanged value again', async () => {
    await led.start();
    await led.on({ on: true }, context);
    const before = statSync(file()).ino;
    await led.on({ on: true }, context);
    assert.equal(statSync(file()).ino, before);
  });

  test('should make concurrent changes together, and answer each with its own state', async () => {
    await led.start();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, red) => led.color({ red, green: 0, blue: 0 }, context)),
    );
    for (const [red, answer] of answers.entries()) assert.equal(answer.state.red, red);
    assert.deepEqual(onDisk(), { on: false, red: 199, green: 0, blue: 0 });
    assert.deepEqual(driver.applied.at(-1), onDisk());
    assert.ok(driver.applied.length <= 3, `${driver.applied.length} calls of the driver`);
    assert.deepEqual(announced.at(-1), onDisk());
  });

  test('should merge a switch and a colour that come together', async () => {
    await led.start();
    await Promise.all([
      led.on({ on: true }, context),
      led.color({ red: 1, green: 2, blue: 3 }, context),
      led.on({ on: false }, context),
      led.on({ on: true }, context),
    ]);
    assert.deepEqual(onDisk(), { on: true, red: 1, green: 2, blue: 3 });
  });

  test('should show the previous colour again when the bar fails in the middle', async () => {
    await led.start();
    const before = led.snapshot();
    driver.apply = async (state) => {
      driver.applied.push(state);
      if (state.red === 1) throw errnoError('EIO', 'the second channel failed');
    };
    await assert.rejects(led.color({ red: 1, green: 2, blue: 3 }, context), { code: 'HARDWARE_ERROR' });
    assert.deepEqual(driver.applied.at(-1), before);
    assert.deepEqual(led.snapshot(), before);
    assert.deepEqual(announced, []);
  });

  test('should answer HARDWARE_ERROR with the errno and keep the state when the bar fails', async () => {
    await led.start();
    driver.applyFails = errnoError('EIO', 'ioctl');
    await assert.rejects(led.on({ on: true }, context), {
      code: 'HARDWARE_ERROR',
      message: 'The LED bar failed: EIO (i/o error).',
    });
    assert.equal(led.snapshot()?.on, false);
    assert.deepEqual(announced, []);
    driver.applyFails = undefined;
    assert.equal((await led.on({ on: true }, context)).state.on, true);
  });

  test('should answer STORAGE_FULL and put the bar back when the state cannot be written', async () => {
    await led.start();
    rmSync(dataDir, { recursive: true });
    writeFileSync(dataDir, 'a file in the place of the data folder');
    await assert.rejects(led.on({ on: true }, context), { code: 'STORAGE_FULL' });
    assert.equal(led.snapshot()?.on, false);
    assert.equal(driver.applied.at(-1)?.on, false);
    assert.deepEqual(announced, []);
  });

  test('should tell the state at once while the bar is up, and look for a bar that is not', async () => {
    const before = led.state({}, context);
    assert.ok(before instanceof Promise, 'nobody has started the bar');
    assert.deepEqual(await before, { status: 'ok', state: { on: false, red: 255, green: 255, blue: 255 } });
    assert.deepEqual(led.state({}, context), await before);
    await led.stop();
    await assert.rejects(async () => led.state({}, context), { code: 'SHUTTING_DOWN' });
  });

  test('should answer UNSUPPORTED_HARDWARE when the board has no LED bar', async () => {
    led = make(null);
    await led.start();
    await assert.rejects(async () => led.state({}, context), { code: 'UNSUPPORTED_HARDWARE' });
    await assert.rejects(led.on({ on: true }, context), { code: 'UNSUPPORTED_HARDWARE' });
    assert.equal(led.snapshot(), undefined);
    assert.equal(led.part().state, 'absent');
  });

  test('should answer UNSUPPORTED_HARDWARE with the errno while its node is missing, and work once it is there', async () => {
    driver.startFails = errnoError('ENOENT', 'open');
    await led.start();
    await assert.rejects(led.on({ on: true }, context), {
      code: 'UNSUPPORTED_HARDWARE',
      message: /ENOENT \(no such file or directory\)/,
    });
    assert.equal(led.part().reason, 'ENOENT (no such file or directory)');
    driver.startFails = undefined;
    await led.on({ on: true }, context);
    assert.equal(led.part().state, 'real');
  });

  test('should answer HARDWARE_ERROR when its node may not be used', async () => {
    driver.startFails = errnoError('EACCES', 'open');
    await led.start();
    await assert.rejects(led.on({ on: true }, context), { code: 'HARDWARE_ERROR', message: /EACCES/ });
  });

  test('should answer CONFLICT when another program holds the bar', async () => {
    await led.start();
    driver.applyFails = errnoError('EBUSY', 'open');
    await assert.rejects(led.on({ on: true }, context), { code: 'CONFLICT' });
  });

  test('should start with the defaults when its state file is corrupt', async () => {
    writeFileSync(file(), '{"on":true,"red":999,"green":0,"blue":0}');
    await led.start();
    assert.equal(led.snapshot()?.on, false);
  });

  test('should not make a change whose caller is gone', async () => {
    await led.start();
    const gone = { signal: AbortSignal.abort(new Error('gone')) };
    await assert.rejects(led.on({ on: true }, gone), /gone/);
    assert.equal(led.snapshot()?.on, false);
  });

  test('should make a change that comes right after the answer to the previous one', async () => {
    await led.start();
    for (let red = 0; red < 50; red++) {
      assert.equal((await led.color({ red, green: 0, blue: 0 }, context)).state.red, red);
    }
    const gone = { signal: AbortSignal.abort(new Error('gone')) };
    await assert.rejects(led.on({ on: true }, gone), /gone/);
    assert.equal((await led.on({ on: true }, context)).state.on, true);
  });

  test('should stop twice and before start, and refuse calls afterwards', async () => {
    await led.stop();
    await led.start();
    await led.stop();
    await led.stop();
    await assert.rejects(led.on({ on: true }, context), { code: 'SHUTTING_DOWN' });
  });
});
