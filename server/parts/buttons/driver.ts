import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { EventIo } from '../../platform/native/deviceIo.ts';
import type { DeviceDriver } from '../device.ts';
import type { ReaderDriver } from '../readers/driver.ts';
import type { ButtonEvent } from './contract.ts';
import { Evdev } from './evdev.ts';

/** A button that went down or up. */
export type ButtonChange = ButtonEvent;

/** The buttons beside the glass. */
export interface ButtonsDriver extends DeviceDriver {
  /** The names that the board profile gives. */
  readonly names: readonly string[];
  /** Sets what gets each change. Before `start`. */
  onChange(listener: (change: ButtonChange) => void): void;
  /** Simulated buttons only. */
  simulate?(change: ButtonChange): void;
}

/** Buttons that are pressed only by `simulate`. */
export class SimulatedButtons implements ButtonsDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  readonly names = [];
  #listener: (change: ButtonChange) => void = () => {};

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  onChange(listener: (change: ButtonChange) => void): void {
    this.#listener = listener;
  }

  simulate(change: ButtonChange): void {
    this.#listener(change);
  }
}

/** A reader that reads only what `simulate` gives it. */
export class SimulatedReader implements ReaderDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  #listener: (text: string) => void = () => {};

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  onScan(listener: (text: string) => void): void {
    this.#listener = listener;
  }

  simulate(text: string): void {
    this.#listener(text);
  }
}

interface EvdevButtonsOptions {
  readonly path: string;
  /** Names by the number of the key; other keys are not reported. Left out: all keys, by their number. */
  readonly keys?: Readonly<Partial<Record<string, string>>> | undefined;
  readonly io: EventIo;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Buttons beside the glass, as the kernel's gpio-keys and adc-keys tell of them. Pages hear them, too. */
export class EvdevButtons implements ButtonsDriver {
  readonly name = 'evdev';
  readonly path: string;
  readonly simulated = false;
  readonly names: readonly string[];
  readonly #device: Evdev;
  #listener: (change: ButtonChange) => void = () => {};

  constructor({ path, keys, io, clock, log }: EvdevButtonsOptions) {
    this.path = path;
    this.names = Object.values(keys ?? {}) as string[];
    this.#device = new Evdev({
      path,
      grabs: false,
      heard: ({ code, isDown }) => {
        const name = keys === undefined ? String(code) : keys[code];
        if (name !== undefined) this.#listener({ name, state: isDown ? 'down' : 'up' });
      },
      io,
      clock,
      log,
    });
  }

  onChange(listener: (change: ButtonChange) => void): void {
    this.#listener = listener;
  }

  /** @throws an errno exception: ENOENT (no such device), EACCES */
  async start(): Promise<void> {
    this.#device.start();
  }

  stop(): Promise<void> {
    return this.#device.stop();
  }
}
