import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { FastClock } from '../testing/fastClock.ts';
import { SimulatedCamera } from './simulatedCamera.ts';

const run = promisify(execFile);

describe('SimulatedCamera', { timeout: 60_000 }, () => {
  let camera: SimulatedCamera;
  let url: string;

  beforeEach(async () => {
    camera = new SimulatedCamera({ clock: new FastClock() });
    url = await camera.start();
  });

  afterEach(() => camera.stop());

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
