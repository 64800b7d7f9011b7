import { Message, type MessageBus, systemBus, Variant } from '@jellybrick/dbus-next';
import { FaceplateError } from '../../contract/errors.ts';
import { errnoError, errnoOf } from '../errno.ts';

/** The target of a call: name on the bus, object, interface. */
export type Target = readonly [destination: string, path: string, face: string];

/** Variants by key: a group of settings, properties. */
export type Values = Readonly<Record<string, Variant>>;

/** An error that a service on the bus answered. */
export class BusError extends Error {
  /** Such as `org.freedesktop.DBus.Error.InvalidArgs`. */
  readonly kind: string;

  constructor(kind: string, text: string) {
    super(text);
    this.kind = kind;
  }
}

/** What D-Bus calls an error, and the matching system error. */
const KNOWN_ERRORS: readonly (readonly [RegExp, string])[] = [
  [/\.(?:ServiceUnknown|NameHasNoOwner)$|\.Spawn\.|\.Error\.NoSuchUnit$/, 'ENODEV'],
  [/AccessDenied|NotAuthorized|PermissionDenied|InteractiveAuthorizationRequired/, 'EACCES'],
  [/\.(?:NoReply|Timeout|TimedOut)$/, 'ETIMEDOUT'],
];

/**
 * The system's message bus (D-Bus specification), connected at the first call. Answers are bounded in time; a bus that
 * ends ends its calls.
 */
export class SystemBus {
  readonly #limitMs: number;
  #connecting: Promise<MessageBus> | undefined;
  #bus: MessageBus | undefined;
  readonly #waiting = new Set<(reason: unknown) => void>();

  constructor(limitMs = 10_000) {
    this.#limitMs = limitMs;
  }

  /**
   * Calls a method.
   * @param signature of the arguments, such as `sb`
   * @returns what it answers
   * @throws BusError, or an errno exception: ENOENT, ECONNREFUSED (no bus), ENODEV (no such service), EACCES, ETIMEDOUT,
   * EPIPE (the bus ended)
   */
  async call(
    [destination, path, face]: Target,
    member: string,
    signature = '',
    ...body: unknown[]
  ): Promise<unknown[]> {
    const bus = await this.#connected();
    const message = new Message({ destination, path, interface: face, member, signature, body });
    const { promise, reject } = Promise.withResolvers<never>();
    this.#waiting.add(reject);
    const timer = setTimeout(() => reject(errnoError('ETIMEDOUT', `${member}: no answer`)), this.#limitMs);
    try {
      const answer = await Promise.race([bus.call(message), promise]);
      return answer?.body ?? [];
    } catch (error) {
      throw translated(member, error);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(reject);
    }
  }

  /** All properties of an object's interface. @throws as `call` */
  async properties([destination, path, face]: Target): Promise<Values> {
    const [values] = await this.call(
      [destination, path, 'org.freedesktop.DBus.Properties'],
      'GetAll',
      's',
      face,
    );
    return values as Values;
  }

  /** Ends the connection and the calls in flight. May be called twice; the next call connects again. */
  async close(): Promise<void> {
    const connecting = this.#connecting;
    this.#connecting = undefined;
    for (const reject of this.#waiting) reject(new FaceplateError('SHUTTING_DOWN'));
    await connecting?.catch(() => undefined);
    this.#bus?.disconnect();
    this.#bus = undefined;
  }

  #connected(): Promise<MessageBus> {
    this.#connecting ??= this.#connect().catch((error: unknown) => {
      this.#connecting = undefined;
      throw error;
    });
    return this.#connecting;
  }

  async #connect(): Promise<MessageBus> {
    const bus = systemBus();
    this.#bus = bus;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(errnoError('ETIMEDOUT', 'the bus does not answer')), this.#limitMs);
    bus.once('connect', resolve);
    // The library tells of every end by `error`, also later: without a listener that would end the service.
    (bus as unknown as NodeJS.EventEmitter).on('error', (error: unknown) => {
      reject(error);
      this.#lost(bus);
    });
    try {
      await promise;
      return bus;
    } catch (error) {
      bus.disconnect();
      throw errnoOf(error) === undefined ? errnoError('EIO', String(error), error) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  #lost(bus: MessageBus): void {
    if (this.#bus !== bus) return;
    this.#bus = undefined;
    this.#connecting = undefined;
    for (const reject of this.#waiting) reject(errnoError('EPIPE', 'the system bus ended'));
  }
}

/** A value for a call, with its D-Bus type. */
export function variant(signature: string, value: unknown): Variant {
  return new Variant(signature, value);
}

function translated(member: string, error: unknown): unknown {
  const kind = (error as { type?: unknown }).type;
  if (typeof kind !== 'string') return error;
  const text =
    String((error as Error).message)
      .split('\n')[0]
      ?.slice(0, 200) ?? '';
  const errno = KNOWN_ERRORS.find(([pattern]) => pattern.test(kind))?.[1];
  return errno === undefined ? new BusError(kind, text) : errnoError(errno, `${member}: ${text}`, error);
}
