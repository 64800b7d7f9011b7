import type { Feed } from '../../contract/command.ts';
import { bytesToHex } from '../../contract/fields.ts';
import type { WallClock } from '../../platform/clock.ts';
import { Tail } from '../../platform/log.ts';
import type { TrafficEntry } from './contract.ts';

const KEPT = 500;
/** Bytes of the longest entry; more become several. */
const LONGEST = 256;
/** Milliseconds without a byte that end an entry of what was received. */
const PAUSE_MS = 20;

/** What is reported of one port. */
export interface PortTraffic {
  sent(bytes: Uint8Array): void;
  received(bytes: Uint8Array): void;
  /** Tells what still waits for a pause. */
  flush(): void;
}

/** What went over the serial ports in both directions, for those who look on. */
export class SerialMonitor {
  readonly #clock: WallClock;
  readonly #entries = new Tail<TrafficEntry>(KEPT);

  constructor(clock: WallClock) {
    this.#clock = clock;
  }

  /** The stored entries and each new one. @throws FaceplateError CONFLICT when too many follow already */
  feed(port: string | undefined): Feed<TrafficEntry> {
    return this.#entries.feed('serial', (entry) =>
      port === undefined || entry.port === port ? entry : undefined,
    );
  }

  /** What a port tells it. What arrives without a pause becomes one entry. */
  of(port: string): PortTraffic {
    let pieces: Uint8Array[] = [];
    let length = 0;
    let since = 0;
    let cancel = (): void => undefined;
    const flush = () => {
      cancel();
      if (length > 0) this.#add(port, 'received', Buffer.concat(pieces), since);
      pieces = [];
      length = 0;
    };
    return {
      flush,
      sent: (bytes) => {
        flush();
        this.#add(port, 'sent', bytes, this.#clock.wall());
      },
      received: (bytes) => {
        cancel();
        if (length === 0) since = this.#clock.wall();
        pieces.push(bytes);
        length += bytes.length;
        if (length >= LONGEST) flush();
        else cancel = this.#clock.after(PAUSE_MS, flush);
      },
    };
  }

  #add(port: string, direction: TrafficEntry['direction'], bytes: Uint8Array, at: number): void {
    const time = new Date(at).toISOString();
    // Of a very long piece only the end would be stored anyway.
    const from = Math.max(0, bytes.length - KEPT * LONGEST);
    for (let start = from; start < bytes.length; start += LONGEST) {
      const hex = bytesToHex(bytes.subarray(start, start + LONGEST));
      this.#entries.add({ time, port, direction, hex });
    }
  }
}
