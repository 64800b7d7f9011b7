import type { Rotation } from '../../contract/display.ts';
import type { OutputDriver } from '../../services/display/driver.ts';
import type { SwayIpc } from '../../sway/swayIpc.ts';
import type { SwayOutput as Output } from '../../sway/tree.ts';

/**
 * The outputs of a panel whose compositor is sway: sway-output(5). sway may say that all went well although the output
 * refused, so it is asked what became of it.
 */
export class SwayOutput implements OutputDriver {
  readonly #ipc: SwayIpc;

  constructor(ipc: SwayIpc) {
    this.#ipc = ipc;
  }

  /** By DPMS: the window of the page stays and its page runs on. The older word, because version 1.7 knows no other. */
  power(on: boolean): Promise<boolean> {
    return this.#all(`output * dpms ${on ? 'on' : 'off'}`, ({ isLit }) => isLit === on);
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
