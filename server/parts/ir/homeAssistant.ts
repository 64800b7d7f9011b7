import {
  type Call,
  type Entity,
  type EntityHost,
  InvalidPayload,
  jsonObject,
  type PartEntities,
  slugsOf,
} from '../homeAssistant.ts';
import { emitterPayload, type IrPort } from './contract.ts';

interface IrNow {
  /** The infrared ports that are there. */
  readonly ir: readonly IrPort[];
}

/** Infrared emitters and receivers, each with a message of its own: an older Home Assistant does not know the platform. */
export const homeAssistant = ({ tell }: EntityHost): PartEntities<IrNow> => ({
  groups: [
    {
      order: 130,
      entities: ({ now, topics, word }) =>
        now.ir.flatMap(({ port, sends, receives }) => {
          const key = keyOf(now, port);
          const alone = port.replaceAll(/[^A-Za-z0-9_-]/g, '_');
          const emitter: Entity = {
            key,
            platform: 'infrared',
            alone,
            name: word(`${port} emitter`, `Sender ${port}`, `Emisor ${port}`),
            needs: 'ir.send',
            config: { schema: 'emitter' },
            set: (payload, call) => send(port, payload, call),
          };
          const receiver: Entity = {
            key: sends ? `${key}_in` : key,
            platform: 'infrared',
            alone: sends ? `${alone}_in` : alone,
            name: word(`${port} receiver`, `Empfänger ${port}`, `Receptor ${port}`),
            config: { schema: 'receiver', state_topic: topics.own(sends ? `${key}_in` : key) },
          };
          return [...(sends ? [emitter] : []), ...(receives ? [receiver] : [])];
        }),
    },
  ],
  heard: {
    ir: ({ port, timings }, now) => {
      const sends = now?.ir.find((each) => each.port === port)?.sends;
      if (now === undefined || sends === undefined) return;
      const key = sends ? `${keyOf(now, port)}_in` : keyOf(now, port);
      tell(key, { timings: timings.map((us, index) => (index % 2 === 0 ? us : -us)) });
    },
  },
});

function keyOf({ ir }: IrNow, port: string): string {
  const names = ir.map((each) => each.port);
  return `ir_${slugsOf(names, 'port')[names.indexOf(port)]}`;
}

async function send(port: string, payload: string, call: Call): Promise<void> {
  const { success, data } = emitterPayload.safeParse(jsonObject(payload));
  if (!success) throw new InvalidPayload('must be the JSON of an infrared emitter: timings, modulation');
  const timings = data.timings.map(Math.abs);
  const isInTurn = data.timings.every((us, index) => us !== 0 && us > 0 === (index % 2 === 0));
  if (!isInTurn)
    throw new InvalidPayload('must have timings of light (positive) and darkness (negative) in turn');
  await call('ir.send', {
    port,
    // The darkness at the end is no part of a code.
    timings: timings.length % 2 === 0 ? timings.slice(0, -1) : timings,
    ...(data.modulation != null && { carrier: data.modulation }),
  });
}
