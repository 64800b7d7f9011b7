import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freeTcpPort } from '../../server/testing/freePort.ts';
import type { SelfSigned } from '../../server/testing/selfSigned.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';

/** A projector that speaks PJLink class 1 without a password (PJLink specification, section 4). */
export const projector = `
power=0
printf 'PJLINK 0\\r'
while IFS= read -r -d $'\\r' line; do
  case "$line" in
    '%1POWR ?') printf '%%1POWR=%s\\r' "$power" ;;
    '%1POWR '[01]) power=\${line: -1}; printf '%%1POWR=OK\\r' ;;
    *) printf '%%1%s=ERR1\\r' "\${line:2:4}" ;;
  esac
done`;

/** An amplifier with the words of Denon: it says its volume when asked, and whenever it changes. */
export const amplifier = `
volume=50
while IFS= read -r -d $'\\r' line; do
  [[ $line =~ ^MV([0-9]{2})$ ]] && volume=\${BASH_REMATCH[1]}
  [[ $line == MV* ]] && printf 'MV%s\\r' "$volume"
done`;

/** A device of other people's making, which ends with its test. */
export class Device implements AsyncDisposable {
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(port: number, process: ChildProcess) {
    this.port = port;
    this.#process = process;
  }

  /** socat at a port, with a program of bash for each connection. */
  static async socat(program: string): Promise<Device> {
    const folder = temporaryFolder('device');
    const file = join(folder, 'device.sh');
    await writeFile(file, program);
    const port = await freeTcpPort();
    const listen = `TCP-LISTEN:${port},bind=127.0.0.1,reuseaddr,fork`;
    // -d -d -d: it says when it listens.
    const process = spawn('socat', ['-d', '-d', '-d', listen, `EXEC:bash ${file}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    for await (const line of createInterface({ input: process.stderr! }))
      if (/ listening on /.test(line)) break;
    process.stderr!.resume();
    return new Device(port, process);
  }

  /** Python's own HTTP server, with TLS where it gets a certificate. */
  static async relay(pair?: SelfSigned): Promise<Device> {
    const folder = temporaryFolder('device');
    const files = pair === undefined ? [] : [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    if (pair !== undefined) {
      await writeFile(files[0]!, pair.cert);
      await writeFile(files[1]!, pair.key);
    }
    const process = spawn('python3', [join(import.meta.dirname, 'relay.py'), ...files], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const [line] = (await once(createInterface({ input: process.stdout! }), 'line')) as [string];
    return new Device(Number(line), process);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      process.kill(-this.#process.pid!, 'SIGKILL');
      await once(this.#process, 'exit');
    }
  }
}
