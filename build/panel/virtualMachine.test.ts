import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { PanelError } from './arguments.ts';
import type { Machine } from './qemu.ts';
import { VirtualMachine } from './virtualMachine.ts';

// In QEMU's place: with KVM it fails at once, as on a machine whose KVM does not work. Without, it comes up a second later
// and speaks to one at a time through each door, as QEMU does.
const QEMU = `#!${process.execPath}
const { createServer } = require('node:net');
if (process.argv.includes('kvm')) {
  process.stderr.write('KVM: no such thing');
  process.exit(1);
}
setTimeout(() => {
  for (const door of ['qmp.sock', 'control.sock']) {
    let isTaken = false;
    let callers = 0;
    createServer((socket) => {
      callers++;
      if (isTaken) return;
      isTaken = true;
      socket.on('close', () => { isTaken = false; }).on('error', () => {});
      socket.on('data', (text) => {
        socket.write(JSON.stringify({ return: { callers } }) + '\\n');
        if (String(text).includes('"quit"')) process.exit(0);
      });
    }).listen(door);
  }
}, 1000);
`;
const machine: Omit<Machine, 'accelerator'> = {
  arch: 'amd64',
  processors: 1,
  memoryMiB: 64,
  port: 1,
  screen: 'none',
};

test('should start where a try before has failed, and say why that one did', async () => {
  const folder = temporaryFolder('machine');
  const path = process.env.PATH;
  try {
    writeFileSync(join(folder, 'qemu-system-x86_64'), QEMU);
    chmodSync(join(folder, 'qemu-system-x86_64'), 0o755);
    process.env.PATH = `${folder}:${path}`;
    await assert.rejects(
      VirtualMachine.start(folder, { ...machine, accelerator: 'kvm' }),
      (error) => error instanceof PanelError && error.message.includes('KVM: no such thing'),
    );
    // The try before must not take its door.
    const virtual = await VirtualMachine.start(folder, { ...machine, accelerator: 'tcg' });
    await sleep(500);
    assert.deepEqual(await virtual.qmp.ask('query-status'), { callers: 1 });
    await virtual.cut();
  } finally {
    process.env.PATH = path;
  }
});
