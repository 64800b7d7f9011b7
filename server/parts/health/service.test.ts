import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commands } from '../../contract/commands.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { createLogger, silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { EVERY_MS, HealthService, type MachineFacts } from './service.ts';

const MACHINE: MachineFacts = {
  uptime: 100,
  load: [0.5, 0.4, 0.3],
  temperature: 48.5,
  memory: { total: 4e9, free: 3e9 },
  disk: { total: 8e9, free: 7e9, problem: null },
  network: [
    {
      name: 'wlan0',
      addresses: ['192.168.1.5'],
      mac: '02:00:00:00:00:01',
      up: true,
      wifi: { ssid: 'House', signal: 70 },
    },
  ],
};
const PAGE = {
  url: 'http://demo.localhost:8080/',
  title: 'Demo',
  state: 'shown',
  since: '2026-05-04T12:30:00.000Z',
  errors: 0,
  home: true,
  until: null,
} as const;

const UNDONE = [{ setting: 'kiosk.url', reason: 'a test', at: '2026-05-04T12:30:00.000Z' }];

function make(read: () => Promise<MachineFacts> = async () => MACHINE, browserMemory = async () => 5e8) {
  const clock = new FakeClock();
  const log = silentLogger();
  const events = new EventBus(log);
  const announced: unknown[] = [];
  events.onAny((name, payload) => announced.push([name, payload]));
  const health = new HealthService({
    driver: { read },
    browserMemory,
    page: () => PAGE,
    undone: () => UNDONE,
    events,
    clock,
    log,
  });
  return { health, clock, announced };
}

describe('health', () => {
  test('should hold what the machine, the service, the browser and the page report', async () => {
    const { health, clock } = make();
    await clock.advance(7_900);
    const state = await health.state();
    assert.ok(commands['health.state'].result.safeParse(state).success);
    const { memory, ...rest } = state;
    assert.deepEqual(memory, { ...MACHINE.memory, browser: 5e8, service: memory.service });
    assert.ok(memory.service > 10e6);
    const { memory: _, ...machine } = MACHINE;
    assert.deepEqual(rest, { ...machine, serviceUptime: 7, page: PAGE, undone: UNDONE });
  });

  test('should be announced every 30 s, until the stop', async () => {
    assert.equal(EVERY_MS, 30_000);
    const { health, clock, announced } = make();
    await health.start();
    await clock.advance(29_999);
    assert.equal(announced.length, 0);
    await clock.advance(1);
    assert.equal(announced.length, 1);
    const [[name, state]] = announced as [[string, { uptime: number }]];
    assert.equal(name, 'health');
    assert.equal(state.uptime, 100);
    await clock.advance(60_000);
    assert.equal(announced.length, 3);
    await health.stop();
    assert.equal(clock.pending, 0);
  });

  test('should remember a point every 5 minutes for a day, by the time that the machine is up', async () => {
    let uptime = 100;
    const { health, clock } = make(async () => ({ ...MACHINE, uptime }));
    await health.start();
    const pass = async (seconds: number) => {
      for (let passed = 0; passed < seconds; passed += EVERY_MS / 1_000) {
        uptime += EVERY_MS / 1_000;
        await clock.advance(EVERY_MS);
      }
    };
    const points = async () => (await health.history()).points;
    assert.deepEqual(await points(), []);
    await pass(30);
    const point = { load: 0.5, temperature: 48.5, memoryUsed: 1e9 };
    assert.deepEqual(await points(), [{ secondsAgo: 0, ...point }]);
    await pass(270);
    assert.equal((await points()).length, 1);
    await pass(30);
    assert.deepEqual(
      (await points()).map(({ secondsAgo }) => secondsAgo),
      [300, 0],
    );
    await pass(25 * 3_600);
    const day = await health.history();
    assert.ok(commands['health.history'].result.safeParse(day).success);
    assert.equal(day.points.length, 288);
    assert.ok(day.points[0]!.secondsAgo > 23.5 * 3_600);
    // Suspended: the clock of the service stood still.
    uptime += 23 * 3_600;
    assert.equal((await points()).length, 13);
    assert.equal((await points()).at(-1)?.secondsAgo, 23 * 3_600);
    await health.stop();
  });

  test('should be measured once for callers who come meanwhile', async () => {
    let measured = 0;
    const { health } = make(async () => {
      measured++;
      return MACHINE;
    });
    await Promise.all([health.state(), health.state(), health.state()]);
    assert.equal(measured, 1);
    await health.state();
    assert.equal(measured, 2);
  });

  test('should say in the log when nothing can be written, and when it can again, once each', async () => {
    const lines: string[] = [];
    let problem: string | null = null;
    const clock = new FakeClock();
    const log = createLogger('info', { write: (line: string) => lines.push(line) } as never);
    const health = new HealthService({
      driver: { read: async () => ({ ...MACHINE, disk: { ...MACHINE.disk, problem } }) },
      browserMemory: async () => 0,
      page: () => PAGE,
      undone: () => [],
      events: new EventBus(log),
      clock,
      log,
    });
    await health.start();
    problem = 'It is full.';
    await clock.advance(2 * EVERY_MS);
    problem = null;
    await clock.advance(2 * EVERY_MS);
    await health.stop();
    assert.equal(lines.length, 2);
    assert.match(lines[0]!, /It is full.*health: nothing is saved/);
    assert.match(lines[1]!, /health: the data folder can be written again/);
  });

  test('should go on without a browser, and after a measurement that failed', async () => {
    let fails = true;
    const { health, clock, announced } = make(
      async () => {
        if (fails) throw new Error('no facts');
        return MACHINE;
      },
      async () => {
        throw new Error('no browser');
      },
    );
    await health.start();
    await clock.advance(EVERY_MS);
    assert.equal(announced.length, 0);
    fails = false;
    assert.equal((await health.state()).memory.browser, 0);
    await clock.advance(EVERY_MS);
    assert.equal(announced.length, 1);
    await health.stop();
  });

  test('should show the rest while the memory of the browser takes long to read, and read it once at a time', async () => {
    let given = Promise.resolve(5e8);
    let readings = 0;
    const { health, clock } = make(undefined, () => {
      readings++;
      return given;
    });
    assert.equal((await health.state()).memory.browser, 5e8);
    const { promise, resolve } = Promise.withResolvers<number>();
    given = promise;
    for (let turn = 0; turn < 2; turn++) {
      const state = health.state();
      await clock.advance(2_000);
      assert.equal((await state).memory.browser, 5e8);
      assert.equal((await state).temperature, 48.5);
      assert.equal(readings, 2);
    }
    resolve(6e8);
    await promise;
    assert.equal((await health.state()).memory.browser, 6e8);
    assert.equal(clock.pending, 0);
  });
});
