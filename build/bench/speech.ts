import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { RecordingCard } from '../../server/testing/recordedSound.ts';
import { type Bench, median } from './bench.ts';
import { callsOf } from './panelCalls.ts';

const TRIES = 9;
const LIMIT_MS = 15_000;
const SENTENCE = 'The front door is open.';
/** A sample that is heard, of 32,767. */
const AUDIBLE = 300;

export const speechBench: Bench = {
  name: 'speech',
  about: `"${SENTENCE}" to its first sound on a sound card that writes a file, median of ${TRIES}`,
  rows: [
    { key: 'ours', label: 'POST to first sound', unit: 'ms', goal: { atMost: 500 } },
    { key: 'plain', label: '`espeak-ng --stdout | aplay` of a shell', unit: 'ms', isPeer: true },
  ],
  ratios: [{ label: 'POST / shell', of: 'ours', by: 'plain', goal: { atMost: 2 } }],
  async setUp() {
    const card = await RecordingCard.make();
    const service = new FaceplateProcess({ env: card.env });
    await service.start();
    return {
      round: async () => {
        const [ours, plain]: [number[], number[]] = [[], []];
        for (let n = 0; n < TRIES; n++) {
          ours.push(await spoken(card, () => byPanel(service)));
          plain.push(await spoken(card, () => byShell(card)));
        }
        return { ours: median(ours), plain: median(plain) };
      },
      tearDown: async () => {
        await service.stop();
        await card.remove();
      },
    };
  },
};

/** @param begin starts to speak, and resolves to what resolves at the end of it @returns milliseconds */
async function spoken(card: RecordingCard, begin: () => Promise<unknown>): Promise<number> {
  await card.clear();
  const began = performance.now();
  const over = begin();
  over.catch(() => {});
  // There is no file before the first of it.
  const samples = () => card.samples().catch(() => new Int16Array());
  while (!(await samples()).some((sample) => Math.abs(sample) > AUDIBLE)) {
    if (performance.now() - began > LIMIT_MS) throw new Error('Nothing is heard.');
    await sleep(1);
  }
  const ms = performance.now() - began;
  await over;
  return ms;
}

async function byPanel(service: FaceplateProcess): Promise<void> {
  const { post, remove } = callsOf(service);
  await post('remote/speak', { text: SENTENCE, language: 'en' });
  await sleep(500);
  await remove('remote/sound');
}

async function byShell(card: RecordingCard): Promise<void> {
  const line = 'echo "$1" | espeak-ng --stdin --stdout -b 1 -s 155 -v en | aplay -q';
  const child: ChildProcess = spawn('sh', ['-c', line, 'sh', SENTENCE], {
    stdio: 'ignore',
    env: { ...process.env, ...card.env },
  });
  await once(child, 'exit');
}
