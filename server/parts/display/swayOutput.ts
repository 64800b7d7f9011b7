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

  constructor(ipc: SwayIpc) {
    this.#ipc = ipc;
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
    return this.#all(`output * transform ${rotation}`, (output) => output.rotation === rotation, true);
  }

  async #all(words: string, isDone: (output: Output) => boolean, withTouch = false): Promise<boolean> {
    if (!this.#ipc.isUp) return false;
    try {
      await this.#ipc.command(words);
      const outputs = (await this.#ipc.outputs()).filter(({ isActive }) => isActive);
      const [first] = outputs;
      if (first === undefined || !outputs.every(isDone)) return false;
      // With one screen touch follows by itself; with a second one it would belong to both.
      if (withTouch) await this.#ipc.command(`input type:touch map_to_output "${first.name}"`);
      return true;
    } catch {
      return false;
    }
  }
}
