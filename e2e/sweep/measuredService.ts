import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { freeSipPort } from '../../server/testing/sip/ports.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { probe, probedEnv } from './probe.ts';

const MB = 2 ** 20;
/** How often healthz is asked, in milliseconds, and how long it may take until the service counts as gone. */
const ASKED_EVERY_MS = 50;
const GONE_MS = 20_000;

/** The figures of a flood. */
export interface Measured {
  readonly worstDelayMs: number;
  /** Most that the loop computed in one turn: a delay that is not the fault of a busy machine. */
  readonly worstHeldMs: number;
  readonly worstHealthMs: number;
  /** Answers of healthz; each of them was 200. */
  readonly healthAnswers: number;
  /** Share of one core, 0 to 1. */
  readonly cpuShare: number;
  /** Growth of the resident set at its peak, and of the memory in use after garbage collection, in MB. */
  readonly peakMb: number;
  readonly keptMb: number;
  /** Bytes that were appended to the journal and to the log. */
  readonly writtenBytes: number;
  readonly seconds: number;
}

/** What nothing that a stranger sends may reach. Tests assert three times that, as machines are busy. */
const GOALS = { heldMs: 50, growthMb: 60, hourlyKb: 1_024 } as const;
const SLACK = 3;

/** The goals that a flood of somebody without a token missed clearly. */
export function missedGoals({ worstHeldMs, peakMb, writtenBytes, seconds }: Measured): string[] {
  // Strangers have a budget for each minute.
  const hourlyKb = (writtenBytes / 1_024 / Math.max(1, Math.ceil(seconds / 60))) * 60;
  const figures = { heldMs: worstHeldMs, growthMb: peakMb, hourlyKb };
  return (Object.keys(GOALS) as (keyof typeof GOALS)[])
    .filter((name) => figures[name] > GOALS[name] * SLACK)
    .map((name) => `${name}: ${Math.round(figures[name])}, the goal is ${GOALS[name]}`);
}

/** The real service without a browser, with an intercom on loopback, whose loop and memory are watched during floods. */
export class MeasuredService {
  readonly process: FaceplateProcess;
  readonly sipPort: number;
  readonly #dataDir: string;
  readonly #rows: string[] = [];

  private constructor(process: FaceplateProcess, sipPort: number, dataDir: string) {
    this.process = process;
    this.sipPort = sipPort;
    this.#dataDir = dataDir;
  }

  /** @param more settings besides those of the intercom */
  static async start(more: object = {}): Promise<MeasuredService> {
    const sipPort = await freeSipPort();
    const dataDir = temporaryFolder('flood-data');
    const loopback = { host: '127.0.0.1', allow: ['127.0.0.1'], discoveryInterface: '127.0.0.1' };
    const settings = { sip: { enabled: true, port: sipPort, ...loopback }, ...more };
    await writeFile(join(dataDir, 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
    const service = new MeasuredService(new FaceplateProcess({ dataDir, env: probedEnv }), sipPort, dataDir);
    await service.process.start();
    await probe(service.process);
    return service;
  }

  /** Ends the service. @returns how it ended, and the table of all floods */
  async stop() {
    const end = await this.process.stop();
    await rm(this.#dataDir, { recursive: true, force: true });
    return { ...end, table: this.#rows };
  }

  async port(): Promise<number> {
    return Number(new URL(await this.process.url).port);
  }

  /** Runs a flood and measures the service meanwhile. @throws Error when healthz is not answered with 200 */
  async during(name: string, flood: () => Promise<void>): Promise<Measured> {
    const writtenBefore = await this.#written();
    const before = await probe(this.process);
    const health = { worst: 0, answers: 0 };
    const begun = performance.now();
    let isOver = false;
    const asking = (async () => {
      const url = `${await this.process.url}/healthz`;
      while (!isOver) {
        const asked = performance.now();
        const { status } = await fetch(url, { signal: AbortSignal.timeout(GONE_MS) });
        if (status !== 200) throw new Error(`healthz answered ${status}`);
        health.answers++;
        health.worst = Math.max(health.worst, performance.now() - asked);
        await sleep(ASKED_EVERY_MS);
      }
    })();
    try {
      await Promise.all([
        flood().finally(() => {
          isOver = true;
        }),
        asking,
      ]);
    } finally {
      isOver = true;
    }
    const seconds = (performance.now() - begun) / 1_000;
    const { worstDelayMs, worstHeldMs, cpuShare, peakRss, used } = await probe(this.process);
    const measured = {
      writtenBytes: (await this.#written()) - writtenBefore,
      worstDelayMs,
      worstHeldMs,
      cpuShare,
      worstHealthMs: health.worst,
      healthAnswers: health.answers,
      peakMb: (peakRss - before.rss) / MB,
      keptMb: (used - before.used) / MB,
      seconds,
    };
    const written = measured.writtenBytes / 1_024;
    const cells = [worstDelayMs, worstHeldMs, health.worst, measured.peakMb, measured.keptMb];
    cells.push(written, cpuShare * 100, seconds);
    this.#rows.push(`${name.padEnd(46)}${cells.map((cell) => cell.toFixed(0).padStart(9)).join('')}`);
    return measured;
  }

  /** Bytes of the journal and of the log; what the probe prints is no log. */
  async #written(): Promise<number> {
    const headers = { authorization: `Bearer ${await this.process.token()}` };
    // Reading writes what waits.
    await (await fetch(`${await this.process.url}/api/manage/journal?limit=1`, { headers })).arrayBuffer();
    const folder = join(this.#dataDir, 'journal');
    let bytes = Buffer.byteLength(this.process.output.replaceAll(/^probe .*\n?/gm, ''));
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []))
      if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
    return bytes;
  }
}

/** The head of the table of `stop`. */
export const TABLE_HEAD = `${'flood'.padEnd(46)}${['loop ms', 'held ms', 'healthz', 'RSS MB', 'kept MB', 'log KiB', 'CPU %', 's'].map((cell) => cell.padStart(9)).join('')}`;
