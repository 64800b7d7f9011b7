import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Bench } from './bench.ts';
import { openPanel, pulseErrors, safeStopNote, safeStopTime } from './outputs.ts';

export const hardwareBench: Bench = {
  name: 'hardware',
  about: 'pins and their page; reads of 10 registers over Modbus TCP from a device that answers at once',
  rows: [
    { key: 'edge', label: 'edge to event in the page, median of 200', unit: 'ms', goal: { atMost: 5 } },
    { key: 'pulse', label: 'pulse of 50 ms: longer than asked', unit: 'ms' },
    { key: 'timer', label: 'bare timer of 50 ms: longer than asked', unit: 'ms', isPeer: true },
    { key: 'tooShort', label: 'pulse of 50 ms: at most shorter than asked', unit: 'ms', goal: { atMost: 0 } },
    { key: 'safe', label: 'page lost: later than the rule says', unit: 'ms', goal: { atMost: 1_000 } },
    { key: 'killed', label: 'program after a kill', unit: 'ms', goal: { atMost: 300 } },
    { key: 'echo', label: 'CPU of 1 MiB/s to a TCP device and back', unit: '%', goal: { atMost: 3 } },
    { key: 'service', label: 'Modbus service', unit: '/s' },
    { key: 'bare', label: 'bare modbus-serial', unit: '/s', isPeer: true },
  ],
  ratios: [
    { label: 'pulse / timer', of: 'pulse', by: 'timer', goal: { atMost: 3 } },
    { label: 'service / bare', of: 'service', by: 'bare', goal: { atLeast: 0.9 } },
  ],
  async setUp() {
    const panel = await openPanel();
    return {
      notes: safeStopNote === undefined ? [] : [safeStopNote],
      async round() {
        const edge = await panel.edge();
        const { pulse, bare: timer, shortest } = await pulseErrors();
        const safe = await panel.safeAfterLoss();
        const killed = await safeStopTime();
        const echo = await panel.echo();
        const outputs = { edge, pulse, timer, tooShort: Math.max(0, -shortest), safe, killed, echo };
        return { ...outputs, ...(await modbusReads()) };
      },
      tearDown: () => panel.close(),
    };
  },
};

/** @returns reads in a second */
async function modbusReads(): Promise<{ service: number; bare: number }> {
  const program = join(import.meta.dirname, 'modbusReads.ts');
  const args = ['--disable-warning=ExperimentalWarning', program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as { service: number; bare: number };
}
