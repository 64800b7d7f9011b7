import assert from 'node:assert/strict';
import { settled } from './fakeClock.ts';

interface Listener {
  onData(bytes: Uint8Array): void;
  onLost(error: Error): void;
}

interface Settings {
  readonly baudRate: number;
  readonly dataBits: number;
  readonly parity: string;
  readonly stopBits: number;
  readonly flowControl: string;
}

interface Line {
  write(bytes: Uint8Array): Promise<void>;
  setBreak(on: boolean): Promise<void>;
  close(): Promise<void>;
}

/** A serial driver whose other end is the test; `calls` records what the service did with it. */
export class FakeTty {
  readonly name = 'fake';
  readonly path = '/dev/ttyS5';
  readonly simulated = false;
  readonly calls: string[] = [];
  startFails: Error | undefined;
  openFails: Error | undefined;
  /** While true writes never end until the line is closed. */
  stuck = false;
  /** While set, opening waits for it. */
  openGate: Promise<void> | undefined;
  listener: Listener | undefined;

  async start(): Promise<void> {
    if (this.startFails) throw this.startFails;
  }

  async stop(): Promise<void> {}

  async open(settings: Settings, listener: Listener): Promise<Line> {
    this.calls.push(`open ${words(settings)}`);
    await this.openGate;
    if (this.openFails) throw this.openFails;
    assert.equal(this.listener, undefined, 'a port is never opened twice');
    this.listener = listener;
    let endWrite = (): void => undefined;
    return {
      write: async (bytes) => {
        this.calls.push(`write ${Buffer.from(bytes).toString('hex')}`);
        if (this.stuck) {
          await new Promise<void>((resolve) => {
            endWrite = resolve;
          });
          throw Object.assign(new Error('closed'), { code: 'EBADF' });
        }
        await new Promise(setImmediate);
      },
      setBreak: async (on) => {
        this.calls.push(`break ${on ? 'begins' : 'ends'}`);
      },
      close: async () => {
        if (this.listener !== listener) return;
        this.calls.push('close');
        endWrite();
        await settled();
        this.listener = undefined;
      },
    };
  }

  send(text: string): void {
    this.listener?.onData(Buffer.from(text, 'latin1'));
  }

  lose(): void {
    const { listener } = this;
    this.listener = undefined;
    listener?.onLost(Object.assign(new Error('hung up'), { code: 'EIO' }));
  }
}

/** As technicians write it, such as `9600 7E1 software`; what is usual is left out. */
function words({ baudRate, dataBits, parity, stopBits, flowControl }: Settings): string {
  const format = `${dataBits}${parity.charAt(0).toUpperCase()}${stopBits}`;
  return [
    baudRate,
    ...(format === '8N1' ? [] : [format]),
    ...(flowControl === 'none' ? [] : [flowControl]),
  ].join(' ');
}
