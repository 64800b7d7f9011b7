import { setTimeout as sleep } from 'node:timers/promises';
import { PanelError } from '../../client/index.ts';
import { MqttCaller } from '../bench/mqtt/mqttCaller.ts';
import type { Step, Work } from './doWork.ts';
import { pageWork } from './pageWork.ts';
import type { SoakedPanel } from './soakedPanel.ts';

const ANSWER_MS = 30_000;

/** The work that this panel can be given. */
export async function workOf(soaked: SoakedPanel): Promise<{ works: Work[]; end(): Promise<void> }> {
  const { broker } = soaked;
  const works = [calls(soaked), pageWork(soaked), messages(soaked), events(soaked)];
  if (soaked.update !== undefined) works.push(updates(soaked));
  if (broker === undefined) return { works, end: async () => {} };
  const caller = await MqttCaller.connect(broker.url);
  works.push(
    single('MQTT commands', 500, (turn) =>
      inTime(caller.call(`faceplate/${broker.id}/command/led.color`, { red: turn % 256, green: 1, blue: 2 })),
    ),
  );
  return { works, end: () => caller.end() };
}

/** Work of one step. */
function single(name: string, pauseMs: number, work: Step['do']): Work {
  return { pauseMs, steps: [{ name, do: work }] };
}

function calls({ panel }: SoakedPanel): Work {
  return single('calls (8 each)', 500, async (turn) => {
    await panel.call('led.color', { red: turn % 256, green: 128, blue: 0 });
    await panel.call('gpio.write', { pin: 2, level: turn % 2 === 0 ? 1 : 0 });
    await panel.call('gpio.list');
    await panel.call('display.state');
    await panel.call('system.info');
    await panel.call('health.state');
    await panel.call('projects.list');
    await panel.call('journal.read', { limit: 50 });
  });
}

function messages({ panel }: SoakedPanel): Work {
  return single('messages shown and removed', 15_000, async (turn) => {
    await panel.call('message.show', { id: 'soak', text: `Message ${turn}`, style: 'banner', seconds: 60 });
    await sleep(2_000);
    await panel.call('message.remove', { id: 'soak' });
  });
}

/** Streams of events that are opened, heard and dropped. */
function events({ panel }: SoakedPanel): Work {
  return single('event streams', 2_000, async () => {
    let heard = 0;
    for await (const _ of panel.events({ signal: AbortSignal.timeout(ANSWER_MS) })) if (++heard === 5) return;
  });
}

/** A signed version is sent and judged, and refused at the last step; and the channel is read anew. */
function updates({ panel, update }: SoakedPanel): Work {
  const { bundle, channel } = update!;
  return single('updates sent and judged, channel read', 20_000, async (turn) => {
    await panel.call('settings.change', { update: { channel: `${channel}?${turn}` } });
    const refused = await panel.call('update.install', { body: new Uint8Array(bundle) }).then(
      () => 'taken',
      (error: unknown) => (error instanceof PanelError ? error.code : Promise.reject(error)),
    );
    // From its sources Faceplate judges a version to the end, and installs none.
    if (refused !== 'UNSUPPORTED_HARDWARE') throw new Error(`The version was not judged: ${refused}.`);
  });
}

async function inTime(work: Promise<void>): Promise<void> {
  const end = new AbortController();
  const late = sleep(ANSWER_MS, undefined, { signal: end.signal }).then(() => {
    throw new Error(`There was no answer within ${ANSWER_MS} ms.`);
  });
  late.catch(() => {});
  try {
    await Promise.race([work, late]);
  } finally {
    end.abort();
  }
}
