import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { skipWithoutMounts } from '../../server/testing/mountNamespace.ts';
import { type Bench, median } from './bench.ts';
import { callsOf } from './panelCalls.ts';

const TRIES = 21;
const LIMIT_MS = 15_000;

/**
 * Starts the program with a folder of ours as the class folder of the kernel's backlights, which it alone sees.
 * The machine may have no such folder, so all of its classes are covered.
 */
const WITH_LIGHT = `set -e
classes=$1; shift
mount --bind "$classes" /sys/class
exec "$@"`;
const MAIN = join(import.meta.dirname, '../../server/main.ts');

export const lightBench: Bench = {
  name: 'light',
  about: `POST /api/remote/display to what the kernel's backlight is told, median of ${TRIES} each`,
  rows: [
    { key: 'brightness', label: 'brightness', unit: 'ms', goal: { atMost: 100 } },
    { key: 'off', label: 'off, with the page covered', unit: 'ms', goal: { atMost: 100 } },
    { key: 'on', label: 'on', unit: 'ms', goal: { atMost: 100 } },
  ],
  ratios: [],
  async setUp() {
    if (skipWithoutMounts !== false)
      return { notes: [`skipped: ${skipWithoutMounts}`], round: async () => ({}), tearDown: async () => {} };
    const classes = await mkdtemp(join(tmpdir(), 'faceplate-classes-'));
    const light = join(classes, 'backlight', 'panel');
    await mkdir(light, { recursive: true });
    for (const [name, value] of Object.entries({
      type: 'firmware',
      max_brightness: 255,
      brightness: 200,
      bl_power: 0,
    }))
      await writeFile(join(light, name), `${value}\n`);
    const service = new FaceplateProcess({
      kiosk: true,
      env: { FACEPLATE_BOARD: 'generic-linux' },
      spawn: async (args, env) =>
        spawn('unshare', ['-m', 'sh', '-c', WITH_LIGHT, 'sh', classes, process.execPath, MAIN, ...args], {
          stdio: ['ignore', 'pipe', 'pipe'],
          env,
        }),
    });
    await service.start();
    await sleep(3_000);
    return {
      round: () => switchOften(service, light),
      tearDown: async () => {
        await service.stop();
        await rm(classes, { recursive: true });
      },
    };
  },
};

async function switchOften(service: FaceplateProcess, light: string) {
  const { post } = callsOf(service);
  const timeTo = async (set: object, file: string, isThere: (value: string) => boolean) => {
    const began = performance.now();
    const posted = post('remote/display', set);
    while (!isThere((await readFile(join(light, file), 'utf8')).trim())) {
      if (performance.now() - began > LIMIT_MS) throw new Error(`The light does not follow: ${file}.`);
      await sleep(1);
    }
    const ms = performance.now() - began;
    await posted;
    await sleep(50);
    return ms;
  };
  const all: Record<'brightness' | 'off' | 'on', number[]> = { brightness: [], off: [], on: [] };
  for (let n = 0; n < TRIES; n++) {
    // 0 % is 13 of 255 (server/parts/display/backlight.ts), 100 % is 255.
    const [percent, raw] = n % 2 === 0 ? [0, '13'] : [100, '255'];
    all.brightness.push(await timeTo({ brightness: percent }, 'brightness', (value) => value === raw));
    all.off.push(await timeTo({ on: false }, 'bl_power', (value) => value === '4'));
    all.on.push(await timeTo({ on: true }, 'bl_power', (value) => value === '0'));
  }
  return { brightness: median(all.brightness), off: median(all.off), on: median(all.on) };
}
