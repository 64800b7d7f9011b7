// `npm run bench -- [name ...]`: median of three rounds, or `--rounds` of them, ratios within a round. Exits 1 when a goal is
// missed.
// With `--compare` each figure is printed beside the committed one of the same kind of machine; then a regression, beyond
// what the rounds differ among themselves, is what it exits 1 for. With `--save` the figures become the committed ones (then: npm run check:fix).
import { parseArgs } from 'node:util';
import { runBench } from './bench.ts';
import { sipBench, sipLoadBench } from './calls/sip.ts';
import { camerasBench } from './cameras/cameras.ts';
import { fieldBench } from './cameras/field.ts';
import { hostsBench } from './cameras/hosts.ts';
import { snapshotBench } from './cameras/snapshot.ts';
import { talkBench } from './cameras/talk.ts';
import { videoBench } from './cameras/video.ts';
import { compare } from './compare.ts';
import { machineKind, readFigures, saveFigures } from './figures.ts';
import { growthBench } from './growth/growth.ts';
import { httpBench } from './http/http.ts';
import { mqttBench } from './mqtt/mqtt.ts';
import { brokerBench } from './mqtt/thousandPanels.ts';
import { bridgeBench } from './pages/bridge.ts';
import { glassBench } from './pages/glass.ts';
import { pageBench } from './pages/page.ts';
import { panelBench } from './panel/panel.ts';
import { electronMemoryBench, memoryBench } from './rest/memory.ts';
import { restBench } from './rest/rest.ts';
import { writesBench } from './rest/writes.ts';
import { startBench } from './start/start.ts';

// What a bench has started ends with this program, also by Ctrl+C.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const benches = [
  startBench,
  memoryBench,
  electronMemoryBench,
  bridgeBench,
  pageBench,
  mqttBench,
  brokerBench,
  glassBench,
  restBench,
  httpBench,
  growthBench,
  videoBench,
  camerasBench,
  snapshotBench,
  talkBench,
  hostsBench,
  sipBench,
  sipLoadBench,
  writesBench,
  panelBench,
  fieldBench,
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
    const began = performance.now();
    const { figures, lines, met } = await runBench(bench, Number(flags.rounds));
    console.log(`${lines.join('\n')}\n  took ${Math.round((performance.now() - began) / 1_000)} s\n`);
    if (flags.compare) {
      const { lines, hasRegressed } = compare(bench.name, figures, committed, machineKind());
      console.log(`${bench.name}, beside the committed figures:\n${lines.join('\n')}\n`);
      if (hasRegressed) process.exitCode = 1;
    } else if (!met) process.exitCode = 1;
    if (flags.save) saveFigures(bench.name, figures);
  }
}
