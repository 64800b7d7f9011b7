import type { SwayIpc } from '../../platform/sway/swayIpc.ts';
import type { SwayOutput as Output } from '../../platform/sway/tree.ts';
import type { Rotation } from './contract.ts';
import type { OutputDriver } from './driver.ts';

/** What a touch does while the signal is off; any other command of a binding is not ours. */
const TOUCHED = 'nop faceplate-touched';
/** A mode in which sway itself hears the touch: sway(5). Without a surface under it, sway makes a click of a touch. */
const DARK = `mode "dark" bindsym --no-warn --whole-window button1 ${TOUCHED}; mode "dark"`;
const LIT = 'mode "default"';

/**
 * The outputs of a panel whose compositor is sway: sway-output(5). sway may say that all went well although the output
 * refused, so it is asked what became of it.
 */
export class SwayOutput implements OutputDriver {
  readonly #ipc: SwayIpc;
  #unlisten = () => {};
  #unfollow = () => {};
  /** How the screen is to be turned; undefined before anybody said so. */
  #rotation: Rotation | undefined;
  /** The outputs that were there last. */
  #names = '';

  constructor(ipc: SwayIpc) {
    this.#ipc = ipc;
  }

  /**
   * A compositor that starts anew knows neither turn nor touch, and one whose screen was plugged into another socket has
   * lost the screen that touch belongs to. A touch screen that comes later is mapped by sway itself, as all of its kind.
   */
  start(rotation: Rotation): void {
    this.#rotation = rotation;
    this.#unfollow();
    this.#unfollow = this.#ipc.listen({
      onUp: () => {
        this.#names = '';
        void this.#settle();
      },
      onOutput: () => void this.#settle(),
    });
    void this.#settle();
  }

  stop(): void {
    this.#unfollow();
    this.#unlisten();
  }

  /**
   * By DPMS: the window of the page stays and its page runs on. The older word, because version 1.7 knows no other. Version
   * 1.10 takes all windows off an output without a signal, so that no window hears a touch (`activated` in transaction.c).
   */
  async power(on: boolean, onTouch = () => {}): Promise<boolean> {
    this.#unlisten();
    if (on) return this.#all(`output * dpms on; ${LIT}`, ({ isLit }) => isLit);
    this.#unlisten = this.#ipc.listen({ onBinding: (command) => command === TOUCHED && onTouch() });
    const isOff = await this.#all(`output * dpms off; ${DARK}`, ({ isLit }) => !isLit);
    if (!isOff) {
      this.#unlisten();
      await this.#ipc.command(LIT).catch(() => {});
    }
    return isOff;
  }

  async rotate(rotation: Rotation): Promise<boolean> {
    const before = this.#rotation;
    // Before the command: its own event must not turn the screen back.
    this.#rotation = rotation;
    const isTurned = await this.#all(
      `output * transform ${rotation}`,
      (output) => output.rotation === rotation,
      true,
    );
    if (!isTurned && this.#rotation === rotation) this.#rotation = before;
    return isTurned;
  }

  /** Only where other outputs are there than before: what was asked of them may be refused, and each answer is an event. */
  async #settle(): Promise<void> {
    const outputs = await this.#active().catch(() => []);
    const names = outputs.map(({ name }) => name).join('\n');
    if (names === this.#names) return;
    this.#names = names;
    const rotation = this.#rotation;
    if (outputs.length === 0 || rotation === undefined) return;
    const isTurned = outputs.every((output) => output.rotation === rotation);
    if (isTurned) await this.#mapTouch(outputs[0]!).catch(() => {});
    else await this.rotate(rotation);
  }

  async #active(): Promise<Output[]> {
    return (await this.#ipc.outputs()).filter(({ isActive }) => isActive);
  }

  /** With one screen touch follows by itself; with a second one it would belong to both. */
  #mapTouch({ name }: Output): Promise<void> {
    return this.#ipc.command(`input type:touch map_to_output "${name}"`);
  }

  async #all(words: string, isDone: (output: Output) => boolean, withTouch = false): Promise<boolean> {
    if (!this.#ipc.isUp) return false;
    try {
      await this.#ipc.command(words);
      const outputs = await this.#active();
      const [first] = outputs;
      if (first === undefined || !outputs.every(isDone)) return false;
      if (withTouch) await this.#mapTouch(first);
      return true;
    } catch {
      return false;
    }
  }
}
