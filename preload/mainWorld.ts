import { contextBridge, webFrame } from 'electron';

/** What runs in the page's own world: a function that uses nothing but its arguments, and these. */
interface MainWorldScript {
  readonly func: (...args: never[]) => unknown;
  readonly args: readonly unknown[];
}

/**
 * `contextBridge.executeInMainWorld`, which Electron has from 35 on. Before, the same by the text of the function; it runs
 * at once too, and objects with functions reach it under a name that no page can know beforehand.
 */
export function inMainWorld(script: MainWorldScript): void {
  const bridge = contextBridge as Partial<typeof contextBridge>;
  if (bridge.executeInMainWorld !== undefined) {
    bridge.executeInMainWorld(script as Parameters<typeof contextBridge.executeInMainWorld>[0]);
    return;
  }
  void webFrame.executeJavaScript(`(${script.func})(${script.args.map(expressionOf).join(', ')})`);
}

function expressionOf(arg: unknown): string {
  if (typeof arg !== 'object' || arg === null || !Object.values(arg).some(isFunction))
    return JSON.stringify(arg);
  const name = unknownName();
  contextBridge.exposeInMainWorld(name, arg);
  return `globalThis[${JSON.stringify(name)}]`;
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

/** A name that no script of the page can know beforehand. `randomUUID` is missing in pages by http. */
export function unknownName(): string {
  return `_${Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('')}`;
}
