import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../temporaryFolder.ts';
import { startPeerProgram } from './peerProgram.ts';
import { freeSipPort } from './ports.ts';

interface SippOptions {
  /** A built-in scenario (`uac`), or the XML of another one. */
  readonly scenario: { readonly name: string } | { readonly xml: string };
  /** Port of 127.0.0.1 that it calls; without one it waits for calls. */
  readonly target?: number;
  /** User part that it calls. */
  readonly service?: string;
  readonly calls?: number;
  /** Calls per second. */
  readonly rate?: number;
  /** Length of a call in milliseconds. */
  readonly pauseMs?: number;
  readonly limitSeconds?: number;
  readonly tcp?: boolean;
}

/** A running sipp. Exit status 0: every call went as the scenario says. */
interface Sipp {
  readonly port: number;
  /** First port of its RTP. */
  readonly mediaPort: number;
  readonly exited: Promise<number | null>;
  output(): string;
  /** Ends it and deletes its folder; safe to call twice. */
  stop(): Promise<void>;
}

/** Starts sipp on free ports of 127.0.0.1. Needs Debian's sip-tester; playing pcap files needs root. */
export async function startSipp(options: SippOptions): Promise<Sipp> {
  const [port, mediaPort] = [await freeSipPort(), await freeSipPort()];
  const folder = temporaryFolder('sipp');
  const scenario = ['-sn'];
  if ('xml' in options.scenario) {
    const file = join(folder, 'scenario.xml');
    await writeFile(file, options.scenario.xml);
    scenario.splice(0, 1, '-sf', file);
  } else scenario.push(options.scenario.name);
  const { calls = 1, rate = 10, pauseMs = 0, limitSeconds = 30, service = 'panel' } = options;
  const args = [
    ...scenario,
    ...['-i', '127.0.0.1', '-p', String(port), '-mi', '127.0.0.1', '-mp', String(mediaPort)],
    ...['-m', String(calls), '-r', String(rate), '-d', String(pauseMs), '-s', service],
    ...[
      '-timeout',
      `${limitSeconds}s`,
      '-timeout_error',
      '-nostdin',
      '-trace_err',
      '-error_file',
      join(folder, 'errors'),
    ],
    ...(options.tcp === true ? ['-t', 't1'] : []),
    ...(options.target === undefined ? [] : [`127.0.0.1:${options.target}`]),
  ];
  const program = await startPeerProgram('sipp', args, folder);
  return {
    port,
    mediaPort,
    exited: program.exited,
    output: () => program.output(),
    stop: async () => {
      await program.stop();
    },
  };
}
