import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dispatcher, type Handlers } from '../commands/dispatch.ts';
import type { AuthorizedCall } from '../parts/callContext.ts';
import type { OutputRules } from '../parts/gpio/driver.ts';
import { noRules, restLevels } from '../parts/gpio/rules/rules.ts';
import { GpioService } from '../parts/gpio/service.ts';
import { FakePins } from '../parts/gpio/testing/fakePins.ts';
import { RulesModel } from '../parts/gpio/testing/rulesModel.ts';
import { systemClock } from '../platform/clock.ts';
import { EventBus } from '../platform/eventBus.ts';
import { silentLogger } from '../platform/log.ts';
import { ResourceScopes } from '../platform/resourceScopes.ts';
import { createBridge } from '../surfaces/bridge/bridge.ts';
import { BrokerPanel } from '../surfaces/mqtt/testing/brokerPanel.ts';
import { Listener } from '../surfaces/mqtt/testing/listener.ts';
import { ownerOnly, testServer } from '../surfaces/testing/testServer.ts';
import { chanceOf } from '../testing/chance.ts';
import { FakeWallClock } from '../testing/fakeClock.ts';
import { Mosquitto } from '../testing/mosquitto.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';

/** Calls in all; 100,000 with FACEPLATE_MODEL_STEPS=100000. */
const STEPS = Number(process.env.FACEPLATE_MODEL_STEPS ?? 1_200);
/** Calls that are under way at once. */
const AT_ONCE = 12;
const TOKEN = 'test-token-0123456789';
const log = silentLogger();

const RULES: OutputRules = {
  ...noRules,
  interlock: [
    [2, 3],
    [0, 3],
  ],
  maxOnMs: { 1: 60, 2: 90 },
  safe: { 2: 0, 3: 0 },
  safeAfterPageLost: 0.03,
};

/** How a call of a surface was answered: the name of its refusal, or undefined. */
type Ask = (command: 'gpio.write' | 'gpio.pulse', params: object) => Promise<string | undefined>;

test(`should keep the rules of outputs through ${STEPS} calls of page, HTTP and MQTT at once`, async () => {
  const seed = Number(process.env.FACEPLATE_MODEL_SEED ?? Date.now() % 1e9);
  const chance = chanceOf(seed);
  const pick = (count: number) => Math.floor(chance() * count);
  const dataDir = temporaryFolder('surfaces');
  // The time of the outputs: a busy machine must not make a pin late.
  const clock = new FakeWallClock('2026-03-01T10:00:00Z');
  const pins = new FakePins({ isQuick: true });
  pins.levels.fill(0);
  pins.rest = restLevels(RULES);
  const model = new RulesModel(RULES, () => clock.now());
  pins.onMove = (when) => when === 'after' && model.saw(pins.levels);
  const bus = new EventBus(log);
  const make = () => new GpioService({ driver: pins, rules: RULES, dataDir, clock, events: bus, log });
  let gpio = make();
  await gpio.start();
  const handlers = {
    'gpio.write': (params: never, context: AuthorizedCall) => gpio.write(params, context),
    'gpio.pulse': (params: never, context: AuthorizedCall) => gpio.pulse(params, context),
  };
  const dispatcher = new Dispatcher(handlers as unknown as Handlers, log, { pageMay: () => true });
  const server = testServer(() => dispatcher, { guard: { identify: ownerOnly(TOKEN) } });
  await server.start();
  const broker = await Mosquitto.start();
  const panel = await BrokerPanel.start({ settings: { url: broker.url }, handlers });
  const caller = await Listener.start(broker.url);
  const ways = [askHttp(server.port), askPage(dispatcher, bus), await askBroker(caller)];
  const answers = new Map<string, number>();
  const call = async (ask: Ask) => {
    const level = pick(2);
    const pin = pick(4);
    const refusal =
      pick(3) > 0
        ? await ask('gpio.write', { pin, level })
        : await ask('gpio.pulse', { pin, level, ms: 10 + pick(100) });
    // A disk that takes longer than a call may: what is written to it must be there before a pulse begins.
    const isLate = refusal === 'HARDWARE_TIMEOUT';
    assert.ok(refusal === undefined || level === 1 || isLate, `a 0 was refused: ${refusal}`);
    const answer = refusal ?? 'ok';
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  };
  try {
    for (let step = 0; step < STEPS; step += AT_ONCE) {
      const calls = Array.from({ length: AT_ONCE }, () => call(ways[pick(ways.length)]!));
      await Promise.all([...calls, clock.advance(pick(40))]);
      if (pick(10) === 0) gpio.pageIs(pick(2) === 1);
      if (pick(20) === 0) await clock.advance(pick(120));
      if (pick(100) === 0) {
        await gpio.stop();
        model.stopped(pins.levels);
        gpio = make();
        await gpio.start();
      }
      model.settled(pins.levels);
    }
    assert.ok((answers.get('HARDWARE_TIMEOUT') ?? 0) < STEPS / 100, 'too many were late');
    answers.delete('HARDWARE_TIMEOUT');
    assert.deepEqual([...answers.keys()].sort(), ['LOCKED_OUT', 'ok']);
    assert.ok(answers.get('LOCKED_OUT')! > STEPS / 50, 'too few were refused: the calls try nothing');
    assert.ok(model.longest > 0);
  } catch (error) {
    throw new Error(`with FACEPLATE_MODEL_SEED=${seed}: ${(error as Error).message}`, { cause: error });
  } finally {
    await caller.stop();
    await panel.stop();
    await broker.stop();
    await server.stop();
    await dispatcher.stop();
    await gpio.stop();
  }
});

function askHttp(port: number): Ask {
  return async (command, params) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/remote/${command.replace('.', '/')}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    return ((await response.json()) as { code?: string }).code;
  };
}

function askPage(dispatcher: Dispatcher, bus: EventBus): Ask {
  const waiting = new Map<number, (code: string | undefined) => void>();
  let last = 0;
  const bridge = createBridge({
    dispatch: dispatcher.dispatch,
    bus,
    holders: new ResourceScopes(systemClock),
    snapshot: () => ({ gpio: [], power: { state: 'awake' }, serial: [], streams: [], camera: null }),
    log,
    // Its budget is not what is tried here.
    now: () => last * 1_000,
  });
  const page = {
    origin: 'http://p1.localhost:8080',
    reply: (json: string) => {
      const message = JSON.parse(json) as { id?: number; error?: { code: string } };
      if (message.id === undefined) return;
      waiting.get(message.id)?.(message.error?.code);
      waiting.delete(message.id);
    },
  };
  return (command, params) =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      bridge.onMessage(page, JSON.stringify({ id: last, call: command, params }));
    });
}

async function askBroker(caller: Listener): Promise<Ask> {
  let last = 0;
  await caller.hear('answers/#');
  return async (command, params) => {
    const responseTopic = `answers/${++last}`;
    await caller.publish(`faceplate/hall/command/${command}`, JSON.stringify(params), { responseTopic });
    const { text } = await caller.next(responseTopic);
    return (JSON.parse(text) as { code?: string }).code;
  };
}
