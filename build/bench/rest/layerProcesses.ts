import { readFileSync } from 'node:fs';
import { cpuTimeOf } from '../processCpu.ts';

/** How long a page works, so that its process can be recognised, in milliseconds. */
const WORK_MS = 800;

/**
 * The processes that draw the layers. No call of the browser tells which process draws a page, so each page is made to
 * work for a moment. @param address of the browser's debugging port @throws Error when a page's process is not found
 */
export async function processesOfLayers(address: string): Promise<number[]> {
  const browser = await connect(address);
  try {
    const { targetInfos } = await browser.send('Target.getTargets');
    const layers = (targetInfos as { targetId: string; url: string }[]).filter(({ url }) =>
      /^http:\/\/(keys\.)?glass\.localhost:/.test(url),
    );
    if (layers.length !== 2) throw new Error(`The browser has ${layers.length} layers instead of 2.`);
    const found: number[] = [];
    for (const { targetId } of layers) found.push(await processOf(browser, targetId));
    return [...new Set(found)];
  } finally {
    browser.close();
  }
}

async function processOf({ send }: Connection, targetId: string): Promise<number> {
  const { processInfo } = await send('SystemInfo.getProcessInfo');
  const renderers = (processInfo as { type: string; id: number }[]).filter(({ type }) => type === 'renderer');
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const before = renderers.map(({ id }) => cpuTimeOf(id));
  const expression = `for (const end = Date.now() + ${WORK_MS}; Date.now() < end; );`;
  await send('Runtime.evaluate', { expression }, sessionId as string);
  const worked = renderers.map(({ id }, at) => ({ id, ms: cpuTimeOf(id) - before[at]! }));
  await send('Target.detachFromTarget', { sessionId });
  const [most, next] = worked.sort((a, b) => b.ms - a.ms);
  if (most === undefined || most.ms < 2 * (next?.ms ?? 0)) throw new Error('No renderer works alone.');
  return most.id;
}

/**
 * Memory in bytes that a process has for itself, with its share of what it has in common with its zygote (Pss_Anon of
 * proc_pid_smaps_rollup(5)). The browser's program file is left out: the renderer of the page has it in memory anyway, and
 * the share of one process depends on how many others run. @throws Error when the kernel does not tell it
 */
export function ownMemoryOf(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const share = /^Pss_Anon:\s+(\d+) kB$/m.exec(rollup)?.[1];
  if (share === undefined) throw new Error('The kernel does not tell the own memory of a process.');
  return Number(share) * 1_024;
}

interface Connection {
  send(method: string, params?: object, sessionId?: string): Promise<Record<string, unknown>>;
  close(): void;
}

async function connect(address: string): Promise<Connection> {
  const { webSocketDebuggerUrl } = (await (await fetch(new URL('/json/version', address))).json()) as {
    webSocketDebuggerUrl: string;
  };
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error('The browser takes no connection.'));
  });
  const waiting = new Map<number, (result: Record<string, unknown>) => void>();
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(data as string);
    waiting.get(id)?.(result ?? {});
  };
  let last = 0;
  return {
    send: (method, params = {}, sessionId) =>
      new Promise((resolve) => {
        waiting.set(++last, resolve);
        socket.send(JSON.stringify({ id: last, method, params, sessionId }));
      }),
    close: () => socket.close(),
  };
}
