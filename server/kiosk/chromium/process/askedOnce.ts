/** Where a document keeps what it was asked. */
const ASKED = JSON.stringify('faceplate asked');
/**
 * Electron 34 and older connect the debugger anew whenever a page gets a frame (electron/electron#46048): what is not
 * answered yet is sent again, and frames of the page's own process get no preload script.
 */
export const isOldElectron = Number(process.versions.electron?.split('.')[0]) < 35;

let asked = 0;

/**
 * An expression for `Runtime.evaluate` that a document evaluates once, also where the browser gets it twice.
 * @param isSentAgain whether this browser may get it twice
 */
export function askedOnce(expression: string, isSentAgain = isOldElectron): string {
  if (!isSentAgain) return expression;
  const before = `(globalThis[Symbol.for(${ASKED})] ??= {})`;
  return `(${before}[${++asked}] ??= { value: (0, eval)(${JSON.stringify(expression)}) }).value`;
}
