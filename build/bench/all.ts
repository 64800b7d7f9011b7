// `npm run bench -- [name ...]`: median of three rounds, or `--rounds` of them, ratios within a round. Exits 1 when a goal is
// missed.
// With `--compare` each figure stands beside the committed one of the same kind of machine; then a regression of more than
// 15 % is what it exits 1 for. With `--save` the figures become the committed ones (then: npm run check:fix).
import { parseArgs } from 'node:util';
import { accessBench } from './access.ts';
import { runBench } from './bench.ts';
import { bridgeBench } from './bridge.ts';
import { commandsBench } from './commands.ts';
import { compare } from './compare.ts';
import { machineKind, readFigures, saveFigures } from './figures.ts';
import { glassBench } from './glass.ts';
import { hardwareBench } from './hardware.ts';
import { httpBench } from './http.ts';
import { journalBench } from './journal.ts';
import { lightBench } from './light.ts';
import { liveBench } from './live.ts';
import { manageBench } from './manage.ts';
import { memoryBench } from './memory.ts';
import { messagesBench } from './messages.ts';
import { mqttBench } from './mqtt.ts';
import { pageBench } from './page.ts';
import { panelBench } from './panel.ts';
import { pushBench } from './push.ts';
import { restBench } from './rest.ts';
import { serialBench } from './serial.ts';
import { sipBench } from './sip.ts';
import { speechBench } from './speech.ts';
import { startBench } from './start.ts';
import { videoBench } from './video.ts';
import { writesBench } from './writes.ts';

// What a bench has started ends with this program, also by Ctrl+C.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const benches = [
  startBench,
  memoryBench,
  bridgeBench,
  pageBench,
  pushBench,
  mqttBench,
  liveBench,
  messagesBench,
  glassBench,
  lightBench,
  speechBench,
  restBench,
  manageBench,
  httpBench,
  accessBench,
  serialBench,
  hardwareBench,
  commandsBench,
  journalBench,
  videoBench,
  sipBench,
  writesBench,
  panelBench,
];

const { values: flags, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    compare: { type: 'boolean' },
    save: { type: 'boolean' },
    rounds: { type: 'string', default: '3' },
  },
});
const unknown = names.filter((name) => !benches.some((bench) => bench.name === name));
if (unknown.length > 0) {
  console.error(
    `There is no bench ${unknown.join(', ')}. Benches: ${benches.map(({ name }) => name).join(', ')}.`,
  );
  process.exitCode = 1;
} else {
  const committed = readFigures();
  for (const bench of benches.filter(({ name, isLong }) =>
    names.length === 0 ? !isLong : names.includes(name),
  )) {
    const { figures, lines, met } = await runBench(bench, Number(flags.rounds));
    console.log(`${lines.join('\n')}\n`);
    if (flags.compare) {
      const { lines, hasRegressed } = compare(bench.name, figures, committed, machineKind());
      console.log(`${bench.name}, beside the committed figures:\n${lines.join('\n')}\n`);
      if (hasRegressed) process.exitCode = 1;
    } else if (!met) process.exitCode = 1;
    if (flags.save) saveFigures(bench.name, figures);
  }
}
