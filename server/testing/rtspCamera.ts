import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the test cameras offer; see gstCamera.py. */
export type CameraMount =
  | 'h264'
  | 'h264-pcmu'
  | 'h264-pcma'
  | 'h264-g722'
  | 'h264-opus'
  | 'h264-aac'
  | 'h265'
  | 'high'
  | 'main'
  | 'no-sets'
  | 'usual-packets'
  | 'large-packets'
  | 'udp'
  | 'b-frames'
  | 'login';

/** The login of the mount `login`, as written in a URL. */
export const CAMERA_LOGIN = 'cam:s3cret%20pass';

const SCRIPT = new URL('./gstCamera.py', import.meta.url).pathname;
const START_LIMIT_MS = 20_000;
const STOP_LIMIT_MS = 3_000;

/** A running GStreamer RTSP server: a second, independent implementation that tests talk to. */
export interface RtspCamera {
  readonly port: number;
  readonly pid: number;
  /** @param login `user:password`, percent-encoded. */
  url(mount: CameraMount | (string & {}), login?: string): string;
  /** Ends it and resolves when it is gone; safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts the cameras on a port of 127.0.0.1. Needs Debian's python3-gi, gir1.2-gst-rtsp-server-1.0 and GStreamer plugins.
 * @param port 0 for any free one; a fixed one for a camera that comes back.
 * @throws Error with what the server said when it does not start.
 */
export async function startRtspCamera(port = 0): Promise<RtspCamera> {
  const child = spawn('/usr/bin/python3', [SCRIPT, String(port)], { stdio: ['pipe', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-4_000);
  });
  const exited = once(child, 'exit');
  // 'exit' never comes for a program that could not be started.
  const failed = once(child, 'error').then(([error]) => Promise.reject(error as Error));
  failed.catch(() => {});
  const stop = async (): Promise<void> => {
    child.stdin.destroy();
    child.kill('SIGTERM');
    const killer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await Promise.race([exited, failed]).catch(() => {});
    clearTimeout(killer);
  };
  const lines = createInterface({ input: child.stdout });
  const deadline = new AbortController();
  try {
    const line = await Promise.race([
      once(lines, 'line').then(([text]) => String(text)),
      exited.then(() => 'exited'),
      failed,
      sleep(START_LIMIT_MS, 'no answer', { signal: deadline.signal }),
    ]);
    if (!/^\d+$/.test(line)) throw new Error(`the test camera did not start (${line}): ${complaints}`);
    const bound = Number(line);
    return {
      port: bound,
      pid: child.pid!,
      url: (mount, login) => `rtsp://${login === undefined ? '' : `${login}@`}127.0.0.1:${bound}/${mount}`,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    deadline.abort();
    lines.close();
  }
}
