import { pause } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { DeviceDriver } from '../device.ts';
import { IR_LIMITS } from './contract.ts';
import { type Signal, sum } from './protocols.ts';

/** A frame as a receiver saw it. */
export interface IrFrame {
  /** Microseconds, light first and last. */
  readonly timings: readonly number[];
  /** In Hz; null where the receiver cannot measure it. */
  readonly carrier: number | null;
}

/** One infrared port: a sender, a receiver or both. */
export interface IrDriver extends DeviceDriver {
  /** Known once it has started. */
  readonly sends: boolean;
  readonly receives: boolean;
  /** It sets the carrier when it sends, or measures it when it receives. */
  readonly carrier: boolean;
  /**
   * Sends a code, and resolves once it has been sent.
   * @param signal ends it within half a second
   */
  send(code: Signal, signal: AbortSignal): Promise<void>;
  /** Sets what gets each frame that is heard. Before `start`. */
  onFrame(listener: (frame: IrFrame) => void): void;
  /** Simulated receivers only. */
  simulate?(frame: IrFrame): void;
}

/** Where a receiver takes a frame for ended, in microseconds of darkness. */
export const FRAME_GAP_US = 20_000;

/** The frames of a code, as a receiver tells them apart. */
export function framesOf(timings: readonly number[]): number[][] {
  const frames: number[][] = [[]];
  for (const [index, us] of timings.entries()) {
    if (index % 2 === 1 && us >= FRAME_GAP_US) frames.push([]);
    else frames.at(-1)!.push(us);
  }
  return frames.map((frame) => frame.slice(0, IR_LIMITS.values));
}

/** The room of a simulated board: what one port sends, the others hear. */
export class SimulatedAir {
  readonly #receivers = new Set<(frame: IrFrame) => void>();

  hear(receiver: (frame: IrFrame) => void): () => void {
    this.#receivers.add(receiver);
    return () => this.#receivers.delete(receiver);
  }

  carry({ timings, carrier }: Signal): void {
    for (const frame of framesOf(timings))
      for (const receive of this.#receivers) receive({ timings: frame, carrier });
  }
}

/** An infrared port in memory. It takes as long as a real one. */
export class SimulatedIr implements IrDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  readonly carrier = true;
  readonly sends: boolean;
  readonly receives: boolean;
  readonly #air: SimulatedAir;
  readonly #clock: Clock;
  #listener: (frame: IrFrame) => void = () => {};
  #deaf = (): void => {};

  constructor(receives: boolean, air: SimulatedAir, clock: Clock) {
    this.sends = !receives;
    this.receives = receives;
    this.#air = air;
    this.#clock = clock;
  }

  async start(): Promise<void> {
    this.#deaf();
    if (this.receives) this.#deaf = this.#air.hear((frame) => this.#listener(frame));
  }

  async stop(): Promise<void> {
    this.#deaf();
  }

  onFrame(listener: (frame: IrFrame) => void): void {
    this.#listener = listener;
  }

  async send(code: Signal, signal: AbortSignal): Promise<void> {
    await pause(sum(code.timings) / 1_000, this.#clock, signal);
    signal.throwIfAborted();
    this.#air.carry(code);
  }

  simulate(frame: IrFrame): void {
    this.#listener(frame);
  }
}
