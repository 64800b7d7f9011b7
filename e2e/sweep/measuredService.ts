import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { freeSipPort } from '../../server/testing/sip/ports.ts';
import { probe, probedEnv } from './probe.ts';

const MB = 2 ** 20;
/** How often healthz is asked, in milliseconds, and how long it may take until the service counts as gone. */
const ASKED_EVERY_MS = 50;
const GONE_MS = 20_000;

/** The figures of a flood. */
export interface Measured {
  readonly worstDelayMs: number;
  readonly worstHealthMs: number;
  /** Answers of healthz; each of them was 200. */
  readonly healthAnswers: number;
  /** Share of one core, 0 to 1. */
  readonly cpuShare: number;
  /** Growth of the resident set at its peak, and of the memory in use after garbage collection, in MB. */
  readonly peakMb: number;
  readonly keptMb: number;
  readonly seconds: number;
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

  static async start(): Promise<MeasuredService> {
    const sipPort = await freeSipPort();
    const dataDir = await mkdtemp(join(tmpdir(), 'faceplate-flood-data-'));
    const loopback = { host: '127.0.0.1', allow: ['127.0.0.1'], discoveryInterface: '127.0.0.1' };
    const settings = { sip: { enabled: true, port: sipPort, ...loopback } };
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
    const { worstDelayMs, cpuShare, peakRss, used } = await probe(this.process);
    const measured = {
      worstDelayMs,
      cpuShare,
      worstHealthMs: health.worst,
      healthAnswers: health.answers,
      peakMb: (peakRss - before.rss) / MB,
      keptMb: (used - before.used) / MB,
      seconds,
    };
    const cells = [worstDelayMs, health.worst, measured.peakMb, measured.keptMb, cpuShare * 100, seconds];
    this.#rows.push(`${name.padEnd(46)}${cells.map((cell) => cell.toFixed(0).padStart(9)).join('')}`);
    return measured;
  }
}

/** The head of the table of `stop`. */
export const TABLE_HEAD = `${'flood'.padEnd(46)}${['loop ms', 'healthz', 'RSS MB', 'kept MB', 'CPU %', 's'].map((cell) => cell.padStart(9)).join('')}`;
