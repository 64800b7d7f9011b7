import { errnoError } from '../../platform/errno.ts';
import type { DeviceDriver } from '../device.ts';

/** How bytes go over a line. */
export interface LineSettings {
  /** Bits in a second. */
  readonly baudRate: number;
  /** 5 to 8. */
  readonly dataBits: number;
  readonly parity: 'none' | 'even' | 'odd';
  /** 1 or 2. */
  readonly stopBits: number;
  /** `hardware` is RTS and CTS, `software` XON and XOFF. */
  readonly flowControl: 'none' | 'hardware' | 'software';
}

/** Reports of an open line. Neither is called after `close`, nor `onData` after `onLost`. */
export interface SerialListener {
  onData(bytes: Uint8Array): void;
  /** The device is gone (unplugged, or a failing line); the driver has closed it. */
  onLost(error: Error): void;
}

/** An open port, locked for this program. */
export interface SerialLine {
  /** Resolves when the bytes have left the port. `close` ends a write in flight: it rejects. */
  write(bytes: Uint8Array): Promise<void>;
  /** Begins or ends a break. @throws an exception with an errno where the port cannot */
  setBreak(on: boolean): Promise<void>;
  /** Drops what was not sent yet. Never fails; safe to call twice, and after the line was lost. */
  close(): Promise<void>;
}

/** One serial port. */
export interface SerialDriver extends DeviceDriver {
  /** @throws an exception with code EBUSY when another program holds the port, EINVAL for settings it cannot take */
  open(settings: LineSettings, listener: SerialListener): Promise<SerialLine>;
  /**
   * Simulated ports only: the device at the other end sends. As on a wire, the bytes are lost while the port is closed.
   */
  peerSends?(bytes: Uint8Array): void;
}

/** How a port is set unless its board profile or the call says otherwise. */
const USUAL: Omit<LineSettings, 'baudRate'> = {
  dataBits: 8,
  parity: 'none',
  stopBits: 1,
  flowControl: 'none',
};

/** What a board profile or a caller says about a line; the rest is left to others. */
export type SomeSettings = { readonly [K in keyof LineSettings]?: LineSettings[K] | undefined };

/** What the call says, else the board profile, else what is usual. */
export function settingsOf(
  call: SomeSettings & Pick<LineSettings, 'baudRate'>,
  profile: SomeSettings = {},
): LineSettings {
  return {
    baudRate: call.baudRate,
    dataBits: call.dataBits ?? profile.dataBits ?? USUAL.dataBits,
    parity: call.parity ?? profile.parity ?? USUAL.parity,
    stopBits: call.stopBits ?? profile.stopBits ?? USUAL.stopBits,
    flowControl: call.flowControl ?? profile.flowControl ?? USUAL.flowControl,
  };
}

/** Whether both mean the same line. */
export function areSame(one: LineSettings, other: LineSettings): boolean {
  return (Object.keys(one) as (keyof LineSettings)[]).every((key) => one[key] === other[key]);
}

const NOTHING = new Uint8Array(0);

/** Writes whose echo may be on its way. */
const MOST_ECHOES = 16;
/** How long after a write its echo is still expected, in milliseconds: converters on USB hand on in steps of 16. */
const ECHO_MS = 250;

interface Echo {
  readonly bytes: Uint8Array;
  /** When its last byte left the port, in milliseconds. */
  leftAt: number | undefined;
}

/** Takes exactly what was sent out of what comes back, on a line that hears itself. */
export class EchoFilter {
  /** What was sent and has not come back, oldest first. */
  #echoes: Echo[] = [];
  /** What has come of one. */
  #held: Uint8Array = NOTHING;

  /** These bytes go out now. @param now milliseconds @returns to be called when they have left */
  sent(bytes: Uint8Array, now: number): (now: number) => void {
    // One that was lost must not take an answer with the same bytes for itself.
    const expected = this.#echoes.filter(({ leftAt }) => leftAt === undefined || now - leftAt < ECHO_MS);
    const echo: Echo = { bytes, leftAt: undefined };
    this.#echoes = [...expected, echo].slice(-MOST_ECHOES);
    return (at) => {
      echo.leftAt = at;
    };
  }

  /** What is no echo of the bytes that came. */
  heard(bytes: Uint8Array): Uint8Array {
    const all = Uint8Array.of(...this.#held, ...bytes);
    this.#held = NOTHING;
    const left: number[] = [];
    for (let at = 0; at < all.length; ) {
      const rest = all.subarray(at);
      const index = this.#echoes.findIndex((echo) => isBegun(echo.bytes, rest));
      const length = this.#echoes[index]?.bytes.length ?? 0;
      if (index < 0) left.push(all[at++]!);
      else if (rest.length < length) {
        this.#held = Uint8Array.from(rest);
        break;
      } else {
        this.#echoes.splice(index, 1);
        at += length;
      }
    }
    return Uint8Array.from(left);
  }

  /** The port was opened: nothing is under way. */
  clear(): void {
    this.#echoes = [];
    this.#held = NOTHING;
  }
}

/** Whether bytes are the beginning of an echo, or begin with all of it. */
function isBegun(echo: Uint8Array, bytes: Uint8Array): boolean {
  const length = Math.min(echo.length, bytes.length);
  return length > 0 && Buffer.compare(echo.subarray(0, length), bytes.subarray(0, length)) === 0;
}

/** A port in memory with a device at its other end that sends back every byte. */
export class SimulatedSerial implements SerialDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  #listener: SerialListener | undefined;

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  async open(_settings: LineSettings, listener: SerialListener): Promise<SerialLine> {
    if (this.#listener) throw errnoError('EBUSY', 'the simulated port is open');
    this.#listener = listener;
    const isOpen = () => this.#listener === listener;
    return {
      write: async (bytes) => {
        if (!isOpen()) throw errnoError('EBADF', 'the simulated port is closed');
        this.peerSends(bytes);
      },
      setBreak: async () => {
        if (!isOpen()) throw errnoError('EBADF', 'the simulated port is closed');
      },
      close: async () => {
        if (isOpen()) this.#listener = undefined;
      },
    };
  }

  peerSends(bytes: Uint8Array): void {
    const listener = this.#listener;
    const copy = bytes.slice();
    // Not before the writer has its answer, as on a real line.
    setImmediate(() => {
      if (listener && listener === this.#listener) listener.onData(copy);
    });
  }
}
