// Node's own modules only, and nothing newer than Node 20.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { SetupError } from './setupError.mjs';

/** Longest start of Xvfb, in milliseconds. */
const START_MS = 30_000;

/**
 * Starts a virtual X screen on a free display. It runs in a separate session, so that Ctrl+C ends it last.
 * @param {import('node:child_process').SpawnOptions} options of its process, as another user's
 * @returns {Promise<{ display: string, pid: number, close(): Promise<void> }>}
 */
export async function openVirtualScreen(options = {}) {
  const server = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp', '-noreset'],
    { ...options, detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  const ended = once(server, 'exit').catch(() => {});
  const close = async () => {
    server.kill();
    await ended;
  };
  try {
    // It writes the number of its display when it is ready; the stream ends when it does.
    const [number] = await Promise.race([
      once(server.stdio[3], 'data', { signal: AbortSignal.timeout(START_MS) }),
      ended.then(() => Promise.reject(new Error('it ended'))),
    ]);
    return { display: `:${String(number).trim()}`, pid: server.pid, close };
  } catch (error) {
    if (server.pid !== undefined) await close();
    throw new SetupError(`The virtual screen (Xvfb) does not start: ${error.message}.`);
  }
}
