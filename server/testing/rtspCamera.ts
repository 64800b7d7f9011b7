import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freeTcpPort } from './freePort.ts';
import { temporaryFolder } from './temporaryFolder.ts';

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
  | 'white-small'
  | 'white-large'
  | 'large-packets'
  | 'udp'
  | 'b-frames'
  | 'login';

/** The login of the mount `login`, as written in a URL. */
export const CAMERA_LOGIN = 'cam:s3cret%20pass';

const pathOf = (script: string): string => new URL(script, import.meta.url).pathname;
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
export function startRtspCamera(port = 0): Promise<RtspCamera> {
  return startScript([pathOf('./gstCamera.py'), String(port)]);
}

/**
 * Starts a camera with a loudspeaker at `talk` (at `silent` without a sound of its own), and one without at `plain`. Needs the same packages.
 * @param heard file for what it hears, as samples of 16 bits at 8 kHz
 */
export function startTalkCamera(heard: string): Promise<RtspCamera> {
  return startScript([pathOf('./talkCamera.py'), '0', heard]);
}

async function startScript(args: readonly string[]): Promise<RtspCamera> {
  const child = spawn('/usr/bin/python3', args, { stdio: ['pipe', 'pipe', 'pipe'] });
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

/** `nobody` and `nogroup` of Debian: VLC refuses to run as root. */
const NOBODY = 65_534;

/** VLC as an RTSP server: refuses media inside the connection with 461, has absolute control URLs, and no login. */
interface VlcCamera {
  readonly url: string;
  /** Ends it and resolves when it is gone; safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Plays an H.264 byte stream of 25 frames a second, over and over. Needs Debian's vlc-bin, vlc-plugin-base and ffmpeg.
 * @throws Error with what VLC said when it does not start.
 */
export async function startVlcCamera(clipFile: string): Promise<VlcCamera> {
  const folder = temporaryFolder('vlc');
  await chmod(folder, 0o755);
  let child: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    if (child !== undefined) await end(child);
  };
  try {
    const clip = join(folder, 'clip.mp4');
    // A byte stream has no timestamps, and VLC would play it as fast as it can.
    await promisify(execFile)('ffmpeg', [
      ...['-v', 'error', '-f', 'h264', '-framerate', '25', '-i', clipFile],
      ...['-c', 'copy', clip],
    ]);
    await chmod(clip, 0o644);
    const port = await freeTcpPort();
    const url = `rtsp://127.0.0.1:${port}/clip`;
    child = spawn('cvlc', ['-q', '--no-audio', '--loop', clip, '--sout', `#rtp{sdp=${url}}`, '--sout-keep'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH, HOME: folder },
      ...(process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
    });
    await plays(child, new URL(url));
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits until VLC plays the clip: it takes connections before, and answers DESCRIBE with 500. */
async function plays(child: ChildProcess, url: URL): Promise<void> {
  let complaints = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-4_000);
  });
  child.on('error', (error) => {
    complaints += error.message;
  });
  const deadline = performance.now() + START_LIMIT_MS;
  while (!(await describes(url))) {
    if (child.pid === undefined || child.exitCode !== null || performance.now() > deadline)
      throw new Error(`VLC did not start: ${complaints}`);
    await sleep(50);
  }
}

async function describes(url: URL): Promise<boolean> {
  const socket = connect(Number(url.port), url.hostname);
  socket.setTimeout(1_000, () => socket.destroy());
  socket.write(`DESCRIBE ${url} RTSP/1.0\r\nCSeq: 1\r\n\r\n`);
  const isFound = await new Promise<boolean>((resolve) => {
    socket.once('data', (bytes) => resolve(bytes.toString('latin1').startsWith('RTSP/1.0 200')));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
  socket.destroy();
  return isFound;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await exited;
  clearTimeout(killer);
}
