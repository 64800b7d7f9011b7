import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { defineCommand } from '../contract/command.ts';
import { type Core, definePart, noParts, type Startable } from './part.ts';

const commands = {
  'horn.state': defineCommand({ summary: 'Its tone.', params: z.strictObject({}), result: z.int() }),
  'horn.stop': defineCommand({ summary: 'Silence.', params: z.strictObject({}), result: z.int() }),
};

class Horn {
  readonly begun: string[];

  constructor(begun: string[]) {
    this.begun = begun;
  }

  async start(): Promise<void> {
    this.begun.push('horn');
  }

  async stop(): Promise<void> {}

  part() {
    return { driver: 'simulated', path: null, state: 'simulated', reason: null } as const;
  }

  state(): number {
    return 440;
  }

  silence(): number {
    return 0;
  }
}

class Choir implements Startable {
  readonly horn: Horn;

  constructor(horn: Horn) {
    this.horn = horn;
  }

  async start(): Promise<void> {
    this.horn.begun.push('choir');
  }

  async stop(): Promise<void> {}
}

const begun: string[] = [];
const horn = definePart('horn', () => new Horn(begun));
const choir = definePart('choir', ({ horn }: Core & { readonly horn: Horn }) => new Choir(horn));
const up = async <T extends Startable>(service: T): Promise<T> => {
  await service.start?.();
  return service;
};
const core = {} as Core;

describe('a list of parts', () => {
  test('should start them in order, and give each those that it names', async () => {
    begun.length = 0;
    const { services } = await noParts.with(horn).with(choir).start(up, core);
    assert.deepEqual(begun, ['horn', 'choir']);
    assert.equal(services.choir.horn, services.horn);
    // @ts-expect-error: it needs a part that does not start before it.
    noParts.with(choir);
  });

  test('should answer a command by the method of the same name, or by what the part says', async () => {
    const answering = horn.answering(commands, (service) => ({ 'horn.stop': () => service.silence() }));
    const answers = (await noParts.with(answering).start(up, core)).answers();
    const call = {
      signal: AbortSignal.any([]),
      origin: 'a test',
      address: null,
      identity: { id: 'a', name: 'a', scopes: [] },
    };
    assert.equal(answers['horn.state']({}, call), 440);
    assert.equal(answers['horn.stop']({}, call), 0);
    // @ts-expect-error: `stop` of a service ends it, and answers no command.
    noParts.with(horn.answering(commands));
  });

  test('should report by part() where nothing else is said, and leave out what is not there', async () => {
    const reporting = horn.reporting({ snapshot: () => ({ horn: 440, lost: undefined }) });
    const panel = await noParts.with(reporting).with(choir).start(up, core);
    assert.deepEqual(Object.keys(panel.info()), ['horn']);
    assert.deepEqual(panel.snapshot(), { horn: 440 });
    const shown = await noParts.with(horn.showing((service) => ({ tone: service.state() }))).start(up, core);
    const { tone }: { tone: number } = await shown.facts();
    assert.equal(tone, 440);
    // @ts-expect-error: no part says it.
    (await shown.facts()).volume satisfies number;
    const named = await noParts
      .with(horn.reporting({ info: (service) => ({ 'horn:1': service.part() }) }))
      .start(up, core);
    assert.deepEqual(Object.keys(named.info()), ['horn:1']);
  });
});
