import { randomUUID } from 'node:crypto';
import type { CommandName } from '../../contract/commands.ts';
import { catalogue, type ErrorCode, FaceplateError } from '../../contract/errors.ts';
import type { FleetBroker, Heard } from '../../parts/fleet/driver.ts';
import type { Logger } from '../../platform/log.ts';
import type { BrokerConnection } from './connection.ts';
import { panelBrokerId } from './contract.ts';
import type { BrokerMessage, BrokerNames } from './types.ts';

/** What a panel says of itself may be so long, in bytes; more is no panel of ours. */
const MOST_BYTES = 256 * 1024;
/** What is heard of each panel. */
const HEARD = [
  'availability',
  'state/info',
  'state/page',
  'state/projects',
  'state/update',
  'event/project',
] as const;

interface FleetBrokerOptions {
  readonly link: Pick<
    BrokerConnection,
    'isConnected' | 'isVersion5' | 'publish' | 'subscribe' | 'onConnected' | 'onFacts' | 'facts'
  >;
  readonly names: BrokerNames;
  readonly log: Logger;
}

/** The broker as the fleet needs it: what the other panels say, and commands to them. */
export class BrokerOfFleet implements FleetBroker {
  readonly #options: FleetBrokerOptions;
  /** The callers that wait for an answer, by the last level of its topic. */
  readonly #waiting = new Map<string, (message: BrokerMessage) => void>();
  readonly #onConnection = new Set<(isConnected: boolean) => void>();
  readonly #ends: (() => void)[] = [];
  #wasConnected = false;

  constructor(options: FleetBrokerOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#options.link.facts.state === 'connected';
  }

  get ownId(): string {
    return this.#options.names.id;
  }

  start(): void {
    const { link } = this.#options;
    this.#ends.push(
      link.subscribe(`${this.#replies}+`, (message) => {
        this.#waiting.get(message.topic.slice(this.#replies.length))?.(message);
      }),
      link.onFacts(({ state }) => this.#said(state === 'connected')),
    );
  }

  stop(): void {
    for (const end of this.#ends.splice(0)) end();
    this.#said(false);
  }

  onConnection(listener: (isConnected: boolean) => void): () => void {
    this.#onConnection.add(listener);
    return () => this.#onConnection.delete(listener);
  }

  listen(heard: (what: Heard) => void): () => void {
    const { link, names } = this.#options;
    const ends = HEARD.map((topic) =>
      link.subscribe(`${names.prefix}/+/${topic}`, (message) => {
        const id = message.topic.slice(names.prefix.length + 1).split('/')[0];
        if (!panelBrokerId.safeParse(id).success || message.payload.length > MOST_BYTES) return;
        if (message.isRetained && topic === 'event/project') return;
        const payload = payloadOf(message.payload, topic === 'availability');
        if (payload !== BROKEN) heard({ id: id!, topic, payload });
      }),
    );
    return () => {
      for (const end of ends) end();
    };
  }

  async command(id: string, name: CommandName, params: unknown, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    const { link, names } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const fail = () => reject(signal.reason as Error);
    const answered = ({ payload }: BrokerMessage) => {
      const answer = payloadOf(payload, false);
      if (answer === BROKEN) return;
      const refusal = refusalOf(answer);
      if (refusal === undefined) resolve(answer);
      else reject(refusal);
    };
    const word = randomUUID();
    this.#waiting.set(word, answered);
    // Without properties the panel answers at its own topic, and so does every caller's command there.
    const end = link.isVersion5 ? () => {} : link.subscribe(`${names.prefix}/${id}/result/${name}`, answered);
    signal.addEventListener('abort', fail, { once: true });
    try {
      const sent = link.publish(`${names.prefix}/${id}/command/${name}`, JSON.stringify(params), {
        responseTopic: `${this.#replies}${word}`,
        correlationData: Buffer.from(word),
      });
      sent.catch((error: unknown) =>
        reject(new FaceplateError('FORBIDDEN', 'The broker refuses the command.', { cause: error })),
      );
      return await promise;
    } finally {
      this.#waiting.delete(word);
      end();
      signal.removeEventListener('abort', fail);
    }
  }

  get #replies(): string {
    const { prefix, id } = this.#options.names;
    return `${prefix}/${id}/reply/`;
  }

  #said(isConnected: boolean): void {
    if (isConnected === this.#wasConnected) return;
    this.#wasConnected = isConnected;
    for (const listener of this.#onConnection) listener(isConnected);
  }
}

const BROKEN = Symbol('broken');

function payloadOf(payload: Buffer, isText: boolean): unknown {
  if (payload.length === 0) return undefined;
  if (isText) return payload.toString('utf8');
  try {
    return JSON.parse(payload.toString('utf8')) as unknown;
  } catch {
    return BROKEN;
  }
}

/** The error that a panel answered with. */
function refusalOf(answer: unknown): FaceplateError | undefined {
  if (typeof answer !== 'object' || answer === null || !('code' in answer) || !('error' in answer))
    return undefined;
  const { code, error } = answer;
  const known = typeof code === 'string' && Object.hasOwn(catalogue, code) ? (code as ErrorCode) : 'INTERNAL';
  return new FaceplateError(known, String(error).slice(0, 500));
}
