import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { partitions } from '../build/image/boot/disk.ts';
import { temporaryFolder } from '../server/testing/temporaryFolder.ts';

/** The port of the virtual machine behind which the shell of the tests listens. */
export const TEST_PORT = 'faceplate.test';

/**
 * Nobody can log in at a panel, so the tests put a shell of root's into the image that they boot, as a program of their own.
 * A line is one command in base64; the answer is its exit status and its words in base64.
 */
const SHELL = `#!/bin/sh
# A port that is not there yet would be made, as a file.
[ -c /dev/virtio-ports/${TEST_PORT} ] || exit 1
exec 3<>/dev/virtio-ports/${TEST_PORT}
while :; do
  if IFS= read -r line <&3; then
    words=$(printf %s "$line" | base64 -d | sh 2>&1 3>&-)
    code=$?
    printf '%s %s\\n' "$code" "$(printf %s "$words" | base64 -w0)" >&3
  else
    # Nobody listens.
    sleep 0.5
  fi
done
`;
const UNIT = `[Unit]
Description=Shell of the tests
DefaultDependencies=no
After=systemd-udevd.service
StartLimitIntervalSec=0

[Service]
ExecStart=/usr/lib/panel-test/shell
Restart=always
RestartSec=2
OOMScoreAdjust=-1000

[Install]
WantedBy=sysinit.target
`;

/** Where a partition of the image begins, in MiB. */
export function partitionAt(name: string): number {
  let at = 1;
  for (const partition of partitions) {
    if (partition.name === name) return at;
    at += partition.mib;
  }
  throw new Error(`There is no partition ${name}.`);
}

/** Changes files of an ext4 file system that is not mounted. @param place a file, or a file and its `?offset=` in bytes */
export function changeFiles(place: string, commands: readonly string[]): string {
  const work = temporaryFolder('files');
  const script = join(work, 'commands');
  writeFileSync(script, `${commands.join('\n')}\n`);
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  return execFileSync('debugfs', ['-w', '-f', script, place], { env, encoding: 'utf8', stdio: 'pipe' });
}

/** Puts files into a root file system. @param files content by path; a folder that is missing is made, its parent is not */
export function addFiles(place: string, files: Readonly<Record<string, string>>): void {
  const work = temporaryFolder('added');
  const commands = Object.entries(files).flatMap(([path, content], n) => {
    const file = join(work, String(n));
    writeFileSync(file, content);
    return [`mkdir ${dirname(path)}`, `write ${file} ${path}`];
  });
  changeFiles(place, commands);
}

/** Puts the shell into a root file system. */
export function addTestShell(place: string): void {
  const program = '/usr/lib/panel-test/shell';
  const system = '/etc/systemd/system';
  addFiles(place, { [program]: SHELL, [`${system}/panel-test.service`]: UNIT });
  changeFiles(place, [
    `set_inode_field ${program} mode 0100755`,
    `mkdir ${system}/sysinit.target.wants`,
    `symlink ${system}/sysinit.target.wants/panel-test.service ${system}/panel-test.service`,
  ]);
}
