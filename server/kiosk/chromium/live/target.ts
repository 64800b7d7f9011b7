import { FaceplateError } from '../../../contract/errors.ts';
import { withTimeout } from '../../../platform/async.ts';
import type { Clock } from '../../../platform/clock.ts';
import { LONGEST_VALUE } from '../../live/contract.ts';
import type { CdpCommands, ExceptionDetails } from '../process/cdpProtocol.ts';

/** Sends a command to the target's own session. */
export type SendTo = <M extends keyof CdpCommands>(
  method: M,
  params: CdpCommands[M]['params'],
) => Promise<CdpCommands[M]['result']>;

/** What is watched: the kiosk page, or the blank window over it. */
export interface LiveTarget {
  readonly sessionId: string;
  readonly send: SendTo;
  readonly kind: 'page' | 'blank';
  /** Whether the page gets no input, because something covers it. */
  isDeaf(): boolean;
  /** Pixels of the window to one of the page, where they differ: input is sent in those of the window. */
  scale?(): number;
  /** Pixels of its pictures to one of the page, where they differ. */
  pictureScale?(): number;
}

/** How long the page may take for a value, in milliseconds. */
const LIMIT_MS = 5_000;
/** Longest text of an exception, in characters. */
const LONGEST_SENTENCE = 1_000;

/** The outcome of the script below. */
type Outcome = { json: string } | { length: number } | { refused: string };

/**
 * Evaluates in the page's own world, and makes JSON of the value there: what the browser sends stays small, whatever
 * the value is. An indirect eval runs the expression as a script of the page's global scope.
 */
function script(expression: string): string {
  return `(async () => {
  const value = await (0, eval)(${JSON.stringify(expression)});
  if (value === undefined || value === null) return { json: 'null' };
  const type = typeof value;
  if (type === 'function' || type === 'symbol' || type === 'bigint') return { refused: 'a ' + type };
  if (type === 'number' && !Number.isFinite(value)) return { refused: String(value) };
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  const plain = ['Object', 'Array', 'Date', 'String', 'Number', 'Boolean'];
  if (!plain.includes(kind) && typeof value.toJSON !== 'function') return { refused: 'of the kind ' + kind };
  let json;
  try { json = JSON.stringify(value); } catch (error) { return { refused: String(error).slice(0, 200) }; }
  if (json === undefined) return { refused: 'nothing' };
  return json.length > ${LONGEST_VALUE} ? { length: json.length } : { json };
})()`;
}

/** @see KioskHost.evaluate */
export async function evaluate(send: SendTo, clock: Clock, expression: string): Promise<string> {
  const asked = send('Runtime.evaluate', {
    expression: script(expression),
    awaitPromise: true,
    returnByValue: true,
    silent: true,
    // Ends an expression that loops; then the page continues.
    timeout: LIMIT_MS,
  });
  const answer = await withTimeout(clock, LIMIT_MS, asked).catch((error: Error) => {
    // "Internal error": the browser has ended the script. A promise that can never settle is collected.
    if (/Internal error|terminated|Promise was collected/.test(error.message))
      throw new FaceplateError('PAGE_TIMEOUT');
    throw new FaceplateError('CONFLICT', 'The page left before it answered.', { cause: error });
  });
  if (answer === undefined) throw new FaceplateError('PAGE_TIMEOUT');
  if (answer.exceptionDetails !== undefined)
    throw new FaceplateError('INVALID_REQUEST', wordsOf(answer.exceptionDetails), { field: 'expression' });
  return jsonOf(answer.result.value as Outcome);
}

function jsonOf(outcome: Outcome): string {
  if ('json' in outcome) return outcome.json;
  if ('length' in outcome)
    throw new FaceplateError(
      'TOO_LARGE',
      `The value has ${outcome.length} characters as JSON; at most ${LONGEST_VALUE / 1024 ** 2} Mi are passed on.`,
    );
  throw new FaceplateError('INVALID_REQUEST', `The value is no JSON: it is ${outcome.refused}.`, {
    field: 'expression',
  });
}

/** The exception's own words, without its stack, which begins in our script. */
function wordsOf({ text, exception }: ExceptionDetails): string {
  const said =
    exception?.description ?? (exception === undefined ? text : String(JSON.stringify(exception.value)));
  const words = said.split(/\n {4}at /, 1)[0]!;
  return `The page threw ${words.slice(0, LONGEST_SENTENCE)}`;
}

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

/** What the page's own objects are held by while they are asked. */
const SOCKETS = 'sockets';
const FREE = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };

/**
 * Runs in the page. Closes its open WebSockets. Chromium waits a minute for the other end to agree (RFC 6455 7.1.1), which
 * never comes over a connection that some router has forgotten: after a second the page hears the end all the same, once.
 */
function closeSockets(this: readonly WebSocket[]): void {
  const forced = (socket: WebSocket) => {
    if (socket.readyState !== 2) return;
    Object.defineProperty(socket, 'readyState', { value: 3 });
    const end = new CloseEvent('close', { code: 1006 });
    const isLate = (event: Event) => event !== end && event.stopImmediatePropagation();
    for (const type of ['close', 'error', 'message']) socket.addEventListener(type, isLate, true);
    socket.dispatchEvent(end);
  };
  for (const socket of this) {
    if (socket.readyState !== 1) continue;
    socket.close();
    setTimeout(() => forced(socket), 1_000);
  }
}

/**
 * Lets a page connect anew: it hears `offline` and `online`, then its WebSockets close, which may be dead without a sign.
 * An offline browser leaves open ones as they are (measured, Chromium 156).
 * @throws CdpError when the page is gone
 */
export async function connectAnew(send: SendTo): Promise<void> {
  await send('Network.enable', { maxTotalBufferSize: 0 });
  await send('Network.emulateNetworkConditions', { offline: true, ...FREE });
  await send('Network.emulateNetworkConditions', { offline: false, ...FREE });
  await send('Network.disable', {});
  const asked = { expression: 'WebSocket.prototype', objectGroup: SOCKETS, silent: true };
  const { objectId } = (await send('Runtime.evaluate', asked)).result;
  if (objectId === undefined) return;
  const { objects } = await send('Runtime.queryObjects', {
    prototypeObjectId: objectId,
    objectGroup: SOCKETS,
  });
  const functionDeclaration = closeSockets.toString();
  await send('Runtime.callFunctionOn', { objectId: objects.objectId, functionDeclaration, silent: true });
  await send('Runtime.releaseObjectGroup', { objectGroup: SOCKETS });
}
