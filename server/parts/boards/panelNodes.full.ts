import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DeviceDouble, DOUBLE_MISSING, DoubleControl } from '../../testing/deviceDouble.ts';
import { FaceplateProcess } from '../../testing/faceplateProcess.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';

/** The whole service, unchanged, on the device nodes of a panel: board, HTTP, service, driver, ioctl. */
describe('the service on the nodes of a panel', () => {
  let double: DeviceDouble | null;
  let control: DoubleControl;
  let dataDir: string;
  let panel: FaceplateProcess;

  before(async () => {
    double = await DeviceDouble.start();
    if (!double) return;
    control = new DoubleControl(double.socket);
    dataDir = temporaryFolder('nodes');
    await start();
  });
  after(async () => {
    if (!double) return;
    await panel.stop();
    control.close();
    await double.stop();
  });

  async function start(board = 'auto'): Promise<void> {
    const env = {
      ...double!.environment,
      FACEPLATE_DATA_DIR: dataDir,
      FACEPLATE_TOKEN: 'a-token-for-this-test',
      FACEPLATE_BOARD: board,
    };
    panel = new FaceplateProcess({ env });
    await panel.start();
  }

  async function call(path: string, body?: object): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${await panel.url}/api/remote/${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: 'Bearer a-token-for-this-test', 'content-type': 'application/json' },
    });
    return { status: response.status, body: await response.json() };
  }

  /** A test that is skipped without the double. */
  function onNodes(name: string, run: () => Promise<void>): void {
    test(name, (t) => (double ? run() : t.skip(DOUBLE_MISSING)));
  }

  onNodes('should be recognised as a panel, every part that has a node real', async () => {
    const { board, parts } = (await call('info')).body as { board: string; parts: Record<string, unknown> };
    assert.equal(board, 'rk3576-panel');
    const real = { state: 'real', reason: null };
    assert.deepEqual(parts.gpio, { driver: 'gpio_control', path: '/dev/gpio_control', ...real });
    assert.deepEqual(parts.led, { driver: 'ledjni', path: '/dev/ledjni', ...real });
    assert.deepEqual(parts.rtc, { driver: 'wakealarm', path: '/sys/class/rtc/rtc0', ...real });
    assert.deepEqual(parts['serial:/dev/ttyS5'], { driver: 'tty', path: '/dev/ttyS5', ...real });
    assert.deepEqual(parts['serial:/dev/ttyS9'], { driver: 'tty', path: '/dev/ttyS9', ...real });
  });

  onNodes('should close a relay and read it back', async () => {
    assert.deepEqual(await call('gpio/write', { pin: 2, level: 1 }), {
      status: 200,
      body: { status: 'ok', pin: 2, level: 1, ok: true },
    });
    assert.deepEqual(await control.pins(), [0, 0, 1, 0]);
    await control.stickPin(3);
    const stuck = await call('gpio/write', { pin: 3, level: 1 });
    await control.stickPin(null);
    assert.equal(stuck.status, 502);
    assert.match((stuck.body as { error: string }).error, /^Relay 2 was set to 1 but reads 0/);
  });

  onNodes('should notify a listener that an input has changed, without a read', async () => {
    const stop = new AbortController();
    const response = await fetch(`${await panel.url}/api/remote/events`, {
      headers: { authorization: 'Bearer a-token-for-this-test' },
      signal: stop.signal,
    });
    let text = '';
    let flipped = false;
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (!flipped && text.includes('event: snapshot')) {
        flipped = true;
        await control.setPin(1, 1);
      }
      if (/event: gpio\ndata: \{"pin":1,"level":1\}/.test(text)) break;
    }
    stop.abort();
  });

  onNodes('should name the errno of a node that fails, and work again afterwards', async () => {
    await control.fail('/dev/gpio_control', 'EIO', { times: 1_000 });
    const failed = await call('gpio/read', { pin: 0 });
    await control.mend();
    assert.deepEqual(failed, {
      status: 502,
      body: { error: 'The GPIO part failed: EIO (i/o error).', code: 'HARDWARE_ERROR' },
    });
    assert.equal((await call('gpio/read', { pin: 0 })).status, 200);
    await control.fail('/dev/ledjni', 'EBUSY');
    assert.equal((await call('led/on', { on: true })).status, 409);
  });

  onNodes('should carry serial bytes both ways', async () => {
    const port = { port: '/dev/ttyS9', baudRate: 9600 };
    const sent = await call('serial/write', { ...port, hex: '01 03 00 00 00 01 84 0a' });
    assert.deepEqual(sent, { status: 200, body: { status: 'ok', port: '/dev/ttyS9', sent: 8 } });
    assert.equal(await control.ttyReceived('/dev/ttyS9', 8), '010300000001840a');
    await control.ttySend('/dev/ttyS9', '010302002a39bb');
    assert.deepEqual((await call('serial/read', { ...port, timeout: 5_000 })).body, {
      port: '/dev/ttyS9',
      hex: '010302002A39BB',
      data: '\u0001\u0003\u0002\u0000*9\u00bb',
    });
  });

  onNodes('should restore the light of the last run after a restart', async () => {
    await call('led/color', { red: 255, green: 128, blue: 0 });
    await call('led/on', { on: true });
    assert.deepEqual(await control.channels(), [255, 128, 0]);
    assert.equal((await panel.stop()).code, 0);
    await start();
    const calls = (await control.takeCalls()).filter(({ device }) => device === '/dev/ledjni').slice(-3);
    assert.deepEqual(
      calls.map((made) => ('request' in made ? [made.request, made.argument] : made)),
      [
        [0xa1, 255],
        [0xa2, 128],
        [0xa3, 0],
      ],
    );
  });

  onNodes('should start without an LED bar that refuses calls, and say why it is absent', async () => {
    await panel.stop();
    await control.fail('/dev/ledjni', 'EACCES', { times: 1_000 });
    await start();
    const { parts } = (await call('info')).body as { parts: Record<string, unknown> };
    assert.deepEqual(parts.led, {
      driver: 'ledjni',
      path: '/dev/ledjni',
      state: 'absent',
      reason: 'EACCES (permission denied)',
    });
    assert.equal((await call('led/on', { on: true })).status, 502);
    await control.mend();
    assert.equal((await call('led/on', { on: true })).status, 200);
  });

  describe('after kill -9 in the middle of a pulse', () => {
    const profile = {
      name: 'gate',
      gpio: { driver: 'gpio_control', path: '/dev/gpio_control', maxOnMs: { 3: 3_600_000 } },
    };

    async function killedInPulse(): Promise<void> {
      await panel.stop();
      const board = join(dataDir, 'gate.json');
      await writeFile(board, JSON.stringify(profile));
      await start(board);
      await control.setPin(2, 0);
      assert.equal((await call('gpio/pulse', { pin: 2, level: 1, ms: 3_600_000 })).status, 200);
      assert.equal((await call('gpio/write', { pin: 3, level: 1 })).status, 200);
      assert.equal((await panel.stop('SIGKILL')).signal, 'SIGKILL');
      assert.deepEqual((await control.pins()).slice(2), [1, 1]);
    }

    onNodes('should switch all off by the program that systemd runs then', async () => {
      await killedInPulse();
      const program = join(import.meta.dirname, '../../programs/safeStop/main.ts');
      const env = { ...process.env, ...double!.environment, FACEPLATE_DATA_DIR: dataDir };
      const begun = performance.now();
      const ended = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', program], { env });
      const took = Math.round(performance.now() - begun);
      assert.deepEqual([ended.status, String(ended.stderr)], [0, '']);
      assert.deepEqual((await control.pins()).slice(2), [0, 0]);
      // The installed program must be done within 300 ms of the stop; it starts faster than these sources.
      assert.ok(took < 3_000, `it took ${took} ms`);
    });

    onNodes(
      'should switch all off at the next start, before anything else touches the hardware',
      async () => {
        await start(join(dataDir, 'gate.json'));
        await killedInPulse();
        await control.takeCalls();
        await start(join(dataDir, 'gate.json'));
        assert.deepEqual((await control.pins()).slice(2), [0, 0]);
        const calls = (await control.takeCalls()).filter(
          (made) => 'request' in made && made.request !== 0x80000000,
        );
        assert.deepEqual(
          calls.slice(0, 2).map((made) => 'request' in made && [made.request, made.argument]),
          [
            [0x40000000, 3],
            [0x40000000, 2],
          ],
        );
      },
    );
  });
});
