import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freeTcpPort } from '../../server/testing/freePort.ts';

const VERSION = 'v1.9.9';
const MODULE = 'github.com/AlexxIT/go2rtc';
const BUILD_LIMIT_MS = 10 * 60_000;
const START_LIMIT_MS = 20_000;

const run = promisify(execFile);

/**
 * Builds go2rtc once for this machine, outside the repository.
 * @returns the program. @throws Error with a sentence that says why it is not available here
 */
export async function buildGo2rtc(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'faceplate-bench');
  const program = join(cache, `go2rtc-${VERSION}`);
  const isThere = await access(program).then(
    () => true,
    () => false,
  );
  if (isThere) return program;
  const { stdout } = await run('go', ['env', 'GOVERSION']).catch(() => ({ stdout: '' }));
  const [, minor = '0'] = /^go1\.(\d+)/.exec(stdout) ?? [];
  if (Number(minor) < 24) throw new Error('go2rtc is left out: it is built with Go 1.24 or newer.');
  const folder = await mkdtemp(join(tmpdir(), 'faceplate-go2rtc-'));
  try {
    // As `go install` does, but without asking for the list of all versions, which not every module proxy has.
    await writeFile(join(folder, 'go.mod'), `module bench\n\ngo 1.24\n\nrequire ${MODULE} ${VERSION}\n`);
    await writeFile(join(folder, 'bench.go'), `package bench\n`);
    const built = join(folder, 'go2rtc');
    await run('go', ['build', '-mod=mod', '-o', built, MODULE], {
      cwd: folder,
      env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' },
      timeout: BUILD_LIMIT_MS,
    });
    await mkdir(cache, { recursive: true });
    await rename(built, program).catch(async () => void (await run('cp', [built, program])));
    return program;
  } catch (error) {
    const said = String((error as { stderr?: string }).stderr ?? error).trim();
    throw new Error(`go2rtc is left out: its build failed (${said.split('\n').at(-1)}).`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** go2rtc with one camera, answering WHEP on loopback. */
export class Go2rtc {
  readonly #program: string;
  #child: ChildProcess | undefined;
  #folder = '';
  #port = 0;

  constructor(program: string) {
    this.#program = program;
  }

  get pid(): number {
    return this.#child!.pid!;
  }

  /** Takes an offer (application/sdp) and answers with SDP. */
  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}/api/webrtc?src=bench`;
  }

  async start(cameraUrl: string): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'faceplate-go2rtc-'));
    this.#port = await freeTcpPort();
    const config = {
      api: { listen: `127.0.0.1:${this.#port}`, origin: '*' },
      rtsp: { listen: '' },
      srtp: { listen: '' },
      webrtc: { listen: `127.0.0.1:${await freeTcpPort()}`, ice_servers: [] },
      log: { level: 'error' },
      streams: { bench: cameraUrl },
    };
    const file = join(this.#folder, 'go2rtc.json');
    await writeFile(file, JSON.stringify(config));
    this.#child = spawn(this.#program, ['-config', file], { stdio: ['ignore', 'inherit', 'inherit'] });
    const deadline = performance.now() + START_LIMIT_MS;
    while (
      !(await fetch(`http://127.0.0.1:${this.#port}/api`)
        .then(({ ok }) => ok)
        .catch(() => false))
    ) {
      if (performance.now() > deadline) throw new Error('go2rtc did not start');
      await sleep(50);
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child !== undefined && child.exitCode === null) {
      child.kill();
      await once(child, 'exit');
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}
