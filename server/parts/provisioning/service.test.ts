import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { judge, type ProvisionedPanel, ProvisioningService } from './service.ts';

/** The example of the guide. */
function example(): string {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/updates.md'), 'utf8');
  const blocks = [...guide.matchAll(/^```json\n(.*?)^```$/gms)].map(([, block]) => block!);
  const found = blocks.find((block) => block.includes('"wifi"'));
  if (found === undefined) throw new Error('docs/updates.md has no example of faceplate.json.');
  return found;
}

/** A panel in memory, with its boot partition as a folder. */
class Desk {
  readonly folder = temporaryFolder('provisioning');
  readonly done: string[] = [];
  readonly noted: unknown[] = [];
  readonly told: (readonly string[])[] = [];
  readonly clock = new FakeClock();
  mistakes: string[] = [];
  failsAt = '';
  failsFor = Number.POSITIVE_INFINITY;
  files = ['kitchen.zip'];
  resetOf: string | null = null;

  constructor(file?: string | object) {
    mkdirSync(this.folder, { recursive: true });
    if (file !== undefined)
      writeFileSync(this.path('faceplate.json'), typeof file === 'string' ? file : JSON.stringify(file));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  async start(): Promise<void> {
    const service = new ProvisioningService({
      partition: {
        read: async () => {
          try {
            return readFileSync(this.path('faceplate.json'), 'utf8');
          } catch {
            return null;
          }
        },
        has: (name) => this.files.includes(name),
        pathOf: (name) => this.path(name),
        taken: async (applied) => {
          writeFileSync(this.path('applied'), applied);
          rmSync(this.path('faceplate.json'));
        },
        refused: async (mistakes) => writeFileSync(this.path('errors'), mistakes),
      },
      panel: this.#panel(),
      note: (command, params) => this.noted.push({ [command]: params }),
      tell: (mistakes) => this.told.push(mistakes),
      clock: this.clock,
      log: silentLogger(),
    });
    let isUp = false;
    const starting = service.start().finally(() => {
      isUp = true;
    });
    while (!isUp) await this.clock.advance(2_000);
    await starting;
    service.ready();
  }

  #panel(): ProvisionedPanel {
    const step = (name: string) => async (value: unknown) => {
      if (this.failsAt === name && this.clock.now() < this.failsFor)
        throw new FaceplateError('HARDWARE_ERROR', `No ${name} today.`);
      this.done.push(`${name} ${JSON.stringify(value)}`);
      return async () => void this.done.push(`${name} back`);
    };
    return {
      settingsMistakes: () => this.mistakes,
      maskedSettings: (tree) => ({
        'kiosk.pin': '…',
        ...Object.fromEntries(Object.keys(tree as object).map((key) => [key, '…'])),
      }),
      changeSettings: step('settings'),
      saveWifi: (ssid, password) => step('wifi')([ssid, password]),
      installProject: (path) => step('project')(path.slice(this.folder.length + 1)),
      setHostname: step('hostname'),
      setTimeZone: step('timeZone'),
      markReset: async (of) => {
        this.done.push('reset');
        this.resetOf = of;
      },
      resetOf: this.resetOf,
      noteGiven: async (steps) => void this.done.push(`given ${steps.join(' ')}`),
      restart: (why) => this.done.push(`restart ${why}`),
    };
  }
}

/** All is well around the file. */
const AROUND = { settingsMistakes: () => [], has: () => true };
const WHOLE = {
  settings: { kiosk: { pin: '2468' }, 'device.name': 'Kitchen' },
  wifi: { ssid: 'House', password: 'correct horse' },
  project: 'kitchen.zip',
  hostname: 'panel-kitchen',
  timeZone: 'Europe/Berlin',
};

describe('a file that sets a panel up', () => {
  test('should do nothing where there is none', async () => {
    const desk = new Desk();
    await desk.start();
    assert.deepEqual([desk.done, desk.noted, desk.told], [[], [], []]);
  });

  test('should carry out all of it, leave no secret, and begin the service anew', async () => {
    const desk = new Desk(WHOLE);
    await desk.start();
    assert.deepEqual(desk.done, [
      'project "kitchen.zip"',
      'timeZone "Europe/Berlin"',
      'hostname "panel-kitchen"',
      'wifi ["House","correct horse"]',
      `settings ${JSON.stringify(WHOLE.settings)}`,
      'given name pin network time show',
      'restart asked',
    ]);
    const applied = readFileSync(desk.path('applied'), 'utf8');
    assert.deepEqual(JSON.parse(applied).wifi, { ssid: 'House', password: '…' });
    assert.doesNotMatch(applied + JSON.stringify(desk.noted), /2468|correct horse/);
    desk.done.length = 0;
    await desk.start();
    assert.deepEqual(desk.done, []);
  });

  test('should take the example of the guide', () => {
    assert.ok('wanted' in judge(example(), AROUND));
    assert.ok('wanted' in judge(`\uFEFF${example()}`, AROUND));
  });

  test('should do nothing of a file with mistakes, and tell all of them in three places', async () => {
    const desk = new Desk({
      ...WHOLE,
      wifi: { ssid: 'House', password: 'short' },
      hostname: 'no name',
      timeZone: 'Europe/Nowhere',
      project: '../token',
      colour: 'red',
    });
    desk.mistakes = ['kiosk.pin: must be 4 to 8 digits'];
    await desk.start();
    assert.deepEqual(desk.done, []);
    const text = readFileSync(desk.path('errors'), 'utf8');
    for (const words of [
      /^- wifi\.password: must be 8 to 64/m,
      /^- hostname: must be 1 to 63 letters/m,
      /^- timeZone: is no time zone/m,
      /^- project: must be the name of a file/m,
      /^- colour: is not known here/m,
      /^- settings: kiosk\.pin: must be 4 to 8 digits/m,
    ])
      assert.match(text, words);
    assert.doesNotMatch(text, /short|no name|Nowhere|red/);
    assert.equal(desk.told[0]?.length, 6);
    assert.deepEqual(desk.noted, [{ 'panel.provision': { result: 'refused', mistakes: desk.told[0] } }]);
    assert.equal(readFileSync(desk.path('faceplate.json'), 'utf8').includes('short'), true);
  });

  test('should say of something else than a tree what it is', () => {
    for (const text of ['', '{', 'null', '[]', '7', '{"settings":[]}', '{"reset":"yes"}', '{"wifi":{}}']) {
      const judged = judge(text, AROUND);
      assert.ok('mistakes' in judged && judged.mistakes.length > 0, text);
    }
    assert.ok('wanted' in judge('{}', AROUND));
  });

  test('should take everything back when a step fails, and say which', async () => {
    const desk = new Desk(WHOLE);
    desk.failsAt = 'wifi';
    await desk.start();
    assert.deepEqual(desk.done.slice(3), ['hostname back', 'timeZone back', 'project back']);
    assert.match(readFileSync(desk.path('errors'), 'utf8'), /^- No wifi today\./m);
    assert.equal(desk.told.length, 1);
  });

  test('should wait for a network that comes up after the service', async () => {
    const desk = new Desk(WHOLE);
    desk.failsAt = 'wifi';
    desk.failsFor = desk.clock.now() + 30_000;
    await desk.start();
    assert.deepEqual(desk.told, []);
    assert.equal(desk.done.at(-1), 'restart asked');
  });

  test('should reset the panel once, then carry out the rest on the empty one', async () => {
    const desk = new Desk({ ...WHOLE, reset: true });
    await desk.start();
    assert.deepEqual(desk.done, ['reset', 'restart reset']);
    desk.done.length = 0;
    await desk.start();
    assert.equal(desk.done[0], 'project "kitchen.zip"');
    assert.equal(desk.done.at(-1), 'restart asked');
  });

  test('should say so where the project is not beside it, with all the other mistakes', async () => {
    const desk = new Desk({ project: 'kitchen.zip', hostname: '-' });
    desk.files = [];
    await desk.start();
    assert.match(desk.told[0]!.join('\n'), /^hostname: .*\nproject: there is no such file/);
    assert.deepEqual(desk.done, []);
  });

  test('should not reset for a file with mistakes', async () => {
    const desk = new Desk({ reset: true, hostname: '-' });
    await desk.start();
    assert.deepEqual(desk.done, []);
  });
});
