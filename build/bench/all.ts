// `npm run bench [name ...]`: median of three rounds, ratios within a round. Exits 1 when a goal is missed.
import { accessBench } from './access.ts';
import { runBench } from './bench.ts';
import { bridgeBench } from './bridge.ts';
import { commandsBench } from './commands.ts';
import { glassBench } from './glass.ts';
import { hardwareBench } from './hardware.ts';
import { httpBench } from './http.ts';
import { journalBench } from './journal.ts';
import { lightBench } from './light.ts';
import { liveBench } from './live.ts';
import { manageBench } from './manage.ts';
import { messagesBench } from './messages.ts';
import { mqttBench } from './mqtt.ts';
import { pageBench } from './page.ts';
import { pushBench } from './push.ts';
import { restBench } from './rest.ts';
import { serialBench } from './serial.ts';
import { sipBench } from './sip.ts';
import { speechBench } from './speech.ts';
import { startBench } from './start.ts';
import { videoBench } from './video.ts';
import { writesBench } from './writes.ts';

const ROUNDS = 3;
const benches = [
  startBench,
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
];

const names = process.argv.slice(2);
const unknown = names.filter((name) => !benches.some((bench) => bench.name === name));
if (unknown.length > 0) {
  console.error(
    `There is no bench ${unknown.join(', ')}. Benches: ${benches.map(({ name }) => name).join(', ')}.`,
  );
  process.exitCode = 1;
} else {
  for (const bench of benches.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const { lines, met } = await runBench(bench, ROUNDS);
    console.log(`${lines.join('\n')}\n`);
    if (!met) process.exitCode = 1;
  }
}
