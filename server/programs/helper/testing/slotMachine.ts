import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { RaucUpdates } from '../../../parts/update/raucSlots.ts';
import type { Slot } from '../../../platform/bootSlot.ts';
import { memoryRecord } from '../../../testing/kioskSession.ts';
import { type SelfSigned, selfSigned } from '../../../testing/selfSigned.ts';
import { makeRaucBundle } from '../../../testing/signedFiles.ts';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';
import { answerRequest } from '../packageHelper.ts';

const GRUB_CFG = join(import.meta.dirname, '../../../../build/image/boot/grub.cfg');
/** GRUB's commands for bash, which reads the rest of the language in the same way. */
const COMMANDS = `
set() { local name=\${1%%=*}; printf -v "$name" %s "\${1#*=}"; }
load_env() { while IFS= read -r each; do set "$each"; done < <(grub-editenv "$ENVIRONMENT" list); }
save_env() { for name in "$@"; do grub-editenv "$ENVIRONMENT" set "$name=\${!name}"; done; }
`;
const BACKEND = join(import.meta.dirname, '../bootBackend.ts');
/** What RAUC runs on an image, with the slot and the file of the test. */
const HANDLER = `
const backend = '@BACKEND@';
const { answerRauc } = await import(backend);
const { readFileSync } = await import('node:fs');
const slot = readFileSync('@ROOT@/running', 'utf8');
console.log(await answerRauc(process.argv.slice(2), { slot, grubenv: '@ROOT@/grubenv' }));
`;
/** RAUC as far as the boot loader and its caller see it: marks the slot bad, writes, makes it the first. */
const RAUC = `#!/bin/sh
set -eu
[ "$1" = install ]
slot=$(cat "@ROOT@/target")
backend() { '${process.execPath}' --disable-warning=ExperimentalWarning "@ROOT@/backend.mjs" "$@"; }
[ "$(backend get-current)" = "$(cat "@ROOT@/running")" ]
backend set-state "$slot" bad
echo installing
echo '  0% Installing'
echo ' 40% Copying image to rootfs'
grub-editenv "@ROOT@/grubenv" list >"@ROOT@/while-written"
if [ -e "@ROOT@/broken" ]; then
  echo 'LastError: Installation error: Failed updating slot rootfs.1: No space left on device' >&2
  exit 1
fi
backend set-primary "$slot"
[ "$(backend get-primary)" = "$slot" ]
echo '100% Installing done.'
`;

/** A machine with two slots: the boot loader's own script, the root helper, and a stand-in for RAUC. */
export class SlotMachine implements AsyncDisposable {
  readonly root = temporaryFolder('slots');
  readonly grubenv = join(this.root, 'grubenv');
  /** Where the service puts a bundle. */
  update = join(this.root, 'data/update');
  readonly versions = join(this.root, 'versions');
  readonly signer: SelfSigned = selfSigned('DNS:a');
  /** The version that runs, as its manifest names it. */
  version = '1.0.0';
  /** What root alone writes of the keys that sign updates. */
  keys = this.signer.cert;
  /** The oldest version that may come after it, as its manifest names it. */
  oldest = '0.0.0';
  running: Slot | null = 'A';
  reboots = 0;
  /** How often the machine took its name. */
  named = 0;
  #server: Server | undefined;

  async start(): Promise<void> {
    mkdirSync(this.update, { recursive: true });
    mkdirSync(this.versions);
    writeFileSync(join(this.root, 'keys.pem'), this.signer.cert);
    const handler = HANDLER.replaceAll('@ROOT@', this.root).replaceAll('@BACKEND@', BACKEND);
    writeFileSync(join(this.root, 'backend.mjs'), handler);
    writeFileSync(join(this.root, 'rauc'), RAUC.replaceAll('@ROOT@', this.root), { mode: 0o755 });
    this.set({ ORDER: 'A B', A_OK: '1', A_TRY: '0', B_OK: '0', B_TRY: '0', PROVING: '' });
    this.#server = createServer({ allowHalfOpen: true }, (connection) => {
      let received = '';
      connection.setEncoding('utf8').on('data', (text: string) => {
        received += text;
      });
      const say = (words: object) => void connection.write(`${JSON.stringify(words)}\n`);
      connection.on('end', async () => {
        const answer = await this.ask(received.trim(), (progress) => say({ progress }));
        connection.end(`${JSON.stringify(answer)}\n`);
      });
    });
    await new Promise<void>((resolve) => this.#server!.listen(join(this.root, 'helper.sock'), resolve));
  }

  /** What the root helper answers. */
  ask(line: string | object, onProgress: (percent: number) => void = () => {}) {
    const slot = this.running;
    if (slot !== null) {
      writeFileSync(join(this.root, 'running'), slot);
      writeFileSync(join(this.root, 'target'), slot === 'A' ? 'B' : 'A');
    }
    writeFileSync(
      join(this.root, 'package.json'),
      JSON.stringify({ version: this.version, oldestVersion: this.oldest }),
    );
    const known = async () => ({ pem: this.keys });
    return answerRequest(typeof line === 'string' ? line : JSON.stringify(line), {
      ...{ installDir: this.root, record: memoryRecord(), onProgress },
      keys: { packages: known, updates: known },
      updateFolders: { from: this.update, state: this.versions, program: '', manifest: '' },
      slots: {
        slot,
        grubenv: this.grubenv,
        from: this.update,
        state: this.versions,
        manifest: join(this.root, 'package.json'),
        rauc: join(this.root, 'rauc'),
      },
      provision: {
        boot: join(this.root, 'boot'),
        chosenName: join(this.root, 'hostname.chosen'),
        takeName: async () => void this.named++,
      },
    });
  }

  /** The driver of the service that runs now. */
  driver(): RaucUpdates {
    return new RaucUpdates({
      slot: this.running ?? 'A',
      keys: join(this.root, 'keys.pem'),
      grubenv: this.grubenv,
      versions: this.versions,
      manifest: join(this.root, 'package.json'),
      socket: join(this.root, 'helper.sock'),
      reboot: async () => this.reboots++,
    });
  }

  /** Puts a signed bundle where the service puts one. */
  bundle(version: string, from: SelfSigned = this.signer, compatible?: string): string {
    const made = join(this.root, `${version}.raucb`);
    makeRaucBundle(made, from, { version, ...(compatible !== undefined && { compatible }) });
    mkdirSync(this.update, { recursive: true });
    const path = join(this.update, 'bundle.raucb');
    copyFileSync(made, path);
    return path;
  }

  /** The power comes back, or the machine restarts: the boot loader chooses. */
  boot(versionOf: Readonly<Record<Slot, string>>): Slot {
    const script = readFileSync(GRUB_CFG, 'utf8');
    const chooses = script.slice(0, script.indexOf('# The slot is on the disk'));
    const text = `${COMMANDS}\n${chooses}\necho "CHOICE=$CHOICE"\n`;
    const env = { ...process.env, ENVIRONMENT: this.grubenv };
    const printed = execFileSync('bash', ['-c', text], { encoding: 'utf8', env });
    this.running = /^CHOICE=([AB])$/m.exec(printed)![1] as Slot;
    this.version = versionOf[this.running];
    return this.running;
  }

  /** What GRUB's own program reads. */
  environment(): Record<string, string> {
    const printed = execFileSync('grub-editenv', [this.grubenv, 'list'], { encoding: 'utf8' });
    const lines = printed.trim().split('\n');
    return Object.fromEntries(lines.map((line) => line.split('=') as [string, string]));
  }

  set(values: Readonly<Record<string, string>>): void {
    const words = Object.entries(values).map(([name, value]) => `${name}=${value}`);
    execFileSync('grub-editenv', [this.grubenv, 'set', ...words]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server?.close(resolve) ?? resolve(undefined));
  }
}
