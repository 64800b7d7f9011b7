import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Clock } from '../../platform/clock.ts';
import type { RtspTestClient } from '../testing/rtspTestClient.ts';
import { systemClock } from './clipPlayer.ts';
import { SimulatedCamera } from './simulatedCamera.ts';

const run = promisify(execFile);

/**
 * Time that runs twenty times as fast, so that the loop of 10 s ends in half a second. On a busy machine it waits until
 * everything due is done. Counts what is pending.
 */
class FastClock implements Clock {
  pending = 0;
  #now = systemClock.now();

  now(): number {
    return this.#now;
  }

  after(ms: number, call: () => void): () => void {
    const due = this.#now + ms;
    this.pending++;
    let isPending = true;
    const settle = () => {
      if (isPending) this.pending--;
      isPending = false;
    };
    const cancel = systemClock.after(ms / 20, () => {
      settle();
      this.#now = Math.max(this.#now, due);
      call();
    });
    return () => {
      settle();
      cancel();
    };
  }
}

describe('SimulatedCamera', { timeout: 60_000 }, () => {
  let clock: FastClock;
  let camera: SimulatedCamera;
  let url: string;
  let clients: RtspTestClient[];

  beforeEach(async () => {
    clock = new FastClock();
    camera = new SimulatedCamera({ clock });
    url = await camera.start();
    clients = [];
  });

  afterEach(async () => {
    for (const client of clients) client.close();
    await camera.stop();
  });

  it('should be decoded by FFmpeg without an error, over the loop', async (test) => {
    const args = [
      '-v',
      'warning',
      '-rtsp_transport',
      'tcp',
      '-i',
      url,
      '-frames:v',
      '300',
      '-f',
      'framecrc',
      '-',
    ];
    const result = await runIfInstalled('ffmpeg', args);
    if (!result) return test.skip('FFmpeg is not installed');
    assert.equal(result.stderr, '');
    const frames = result.stdout.split('\n').filter((line) => /^0,/.test(line));
    assert.equal(frames.length, 300);
  });

  it('should be decoded by GStreamer', async (test) => {
    const pipeline = `rtspsrc location=${url} protocols=tcp ! rtph264depay ! avdec_h264 ! fakesink sync=false num-buffers=60`;
    const result = await runIfInstalled('gst-launch-1.0', ['-q', ...pipeline.split(' ')]);
    if (!result) return test.skip('GStreamer is not installed');
    assert.doesNotMatch(result.stderr, /error/i);
  });
});

/** Runs a program for at most 30 s. @returns undefined when it is not installed. */
async function runIfInstalled(
  program: string,
  args: string[],
): Promise<{ stdout: string; stderr: string } | undefined> {
  try {
    return await run(program, args, { timeout: 30_000, maxBuffer: 1 << 24 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
