import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Machine, qemuArguments } from './qemu.ts';

const machine: Machine = { accelerator: 'tcg', processors: 2, memoryMiB: 2048, port: 8123, screen: 'none' };

test('security: should listen on loopback and in its folder alone', () => {
  for (const screen of ['window', 'vnc', 'none'] as const) {
    const words = qemuArguments({ ...machine, screen });
    const listening = words.filter((word) => /server=on|hostfwd=|^127|to=99/.test(word));
    assert.ok(listening.length >= 6);
    for (const word of listening)
      assert.match(
        word,
        /hostfwd=tcp:127\.0\.0\.1:8123-:8080$|^127\.0\.0\.1:0,to=99$|(path=|unix:)[\w.]+\.sock,/,
      );
    for (const word of words.filter((each) => each.includes('hostfwd')))
      assert.equal(word.split('hostfwd').length, 2);
  }
});

test('should emulate with all processors where KVM does not work', () => {
  const words = qemuArguments(machine).join(' ');
  assert.match(words, /-accel tcg,thread=multi/);
  assert.match(words, /-smp 2 -m 2048/);
  assert.doesNotMatch(words, /kvm|-snapshot/);
  assert.match(qemuArguments({ ...machine, accelerator: 'kvm' }).join(' '), /-accel kvm -cpu host/);
});

test('should drop what a trial writes', () => {
  assert.ok(qemuArguments({ ...machine, isTrial: true }).includes('-snapshot'));
});
