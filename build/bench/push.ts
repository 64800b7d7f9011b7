import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliProcess } from '../../client/testing/cliProcess.ts';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { until } from '../../server/testing/waiting.ts';
import { type Bench, median } from './bench.ts';

const FILES = 200;
const FILE_BYTES = 100 * 1024;
const SAVES = 7;

/** Says on the console that it has been drawn: after two frames its pixels are on the screen. */
const pageOf = (
  text: string,
) => `<!doctype html><title>${text}</title><h1>${text}</h1><img src="picture0.bin">
<script>requestAnimationFrame(() => requestAnimationFrame(() => console.log('painted ${text}')));</script>`;

export const pushBench: Bench = {
  name: 'push',
  about: `push --watch of a project of ${(FILES * FILE_BYTES) / 1e6} MB, one file saved`,
  rows: [
    { key: 'first', label: 'first push of all files, to pixels', unit: 'ms' },
    { key: 'save', label: `save to pixels (median of ${SAVES})`, unit: 'ms', goal: { atMost: 1_000 } },
    { key: 'slowest', label: 'the slowest save', unit: 'ms' },
  ],
  ratios: [],
  async setUp() {
    const service = new FaceplateProcess({ kiosk: true });
    const folder = await mkdtemp(join(tmpdir(), 'faceplate-bench-push-'));
    await service.start();
    const env = {
      FACEPLATE_PANEL: await service.url,
      FACEPLATE_TOKEN: await service.token(),
      XDG_CONFIG_HOME: folder,
    };
    let count = 0;
    return {
      async round() {
        const page = join(folder, `page${++count}`);
        await mkdir(page);
        for (let at = 0; at < FILES; at++)
          await writeFile(join(page, `picture${at}.bin`), randomBytes(FILE_BYTES));
        const save = async (text: string) => {
          await writeFile(join(page, 'index.html'), pageOf(text));
          return performance.now();
        };
        const begun = await save('first');
        const cli = new CliProcess(['push', page, '--watch'], { env });
        const painted = async (text: string) => {
          await until(() => cli.stderr.includes(`painted ${text}`), text, { limitMs: 60_000, everyMs: 2 });
          return performance.now();
        };
        try {
          const first = (await painted('first')) - begun;
          const saves: number[] = [];
          for (let at = 0; at < SAVES; at++) {
            const saved = await save(`save${count}.${at}`);
            saves.push((await painted(`save${count}.${at}`)) - saved);
          }
          return { first, save: median(saves), slowest: Math.max(...saves) };
        } finally {
          cli.interrupt();
          await cli.ended();
        }
      },
      async tearDown() {
        await service.stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};
