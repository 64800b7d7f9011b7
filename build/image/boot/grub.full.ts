import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

/** GRUB's commands for bash, which reads the rest of the language in the same way. */
const COMMANDS = `
set() { local name=\${1%%=*}; printf -v "$name" %s "\${1#*=}"; }
load_env() { for each in "\${STATE[@]}"; do set "$each"; done; }
save_env() { for name in "$@"; do echo "$name=\${!name}"; done; }
`;
const script = readFileSync(join(import.meta.dirname, 'grub.cfg'), 'utf8');
/** The part that chooses; the rest boots. */
const chooses = script.slice(0, script.indexOf('# The slot is on the disk'));

/** Boots with what grubenv holds; says which slot was taken, and what was written. */
function boot(state: Readonly<Record<string, string>>): { slot: string; saved: Record<string, string> } {
  const words = Object.entries(state).map(([name, value]) => `'${name}=${value}'`);
  const text = `${COMMANDS}STATE=(${words.join(' ')})\n${chooses}\necho "CHOICE=$CHOICE"\n`;
  const lines = execFileSync('bash', ['-c', text], { encoding: 'utf8' }).trim().split('\n');
  const { CHOICE, ...saved } = Object.fromEntries(lines.map((line) => line.split('=')));
  return { slot: CHOICE, saved };
}

const PROVEN = { ORDER: 'A B', A_OK: '1', A_TRY: '0', B_OK: '0', B_TRY: '0', PROVING: '' };
const NEW_IN_B = { ...PROVEN, ORDER: 'B A', B_OK: '1', PROVING: 'B' };

test('should boot a proven slot as often as it likes, and write nothing', () => {
  assert.deepEqual(boot(PROVEN), { slot: 'A', saved: {} });
  assert.deepEqual(boot({ ...PROVEN, A_TRY: '3' }), { slot: 'A', saved: {} });
  const proven = { ...NEW_IN_B, PROVING: '', B_TRY: '3' };
  assert.deepEqual(boot(proven), { slot: 'B', saved: {} });
});

test('should boot a new version three times, then the version before', () => {
  const state: Record<string, string> = { ...NEW_IN_B };
  const taken = [1, 2, 3, 4, 5].map(() => {
    const { slot, saved } = boot(state);
    Object.assign(state, saved);
    return slot;
  });
  assert.deepEqual(taken, ['B', 'B', 'B', 'A', 'A']);
  assert.deepEqual([state.A_TRY, state.B_TRY], ['0', '3']);
});

test('should do the same with the slots the other way round', () => {
  const state = { ...PROVEN, B_OK: '1', PROVING: 'A', A_TRY: '2' };
  assert.deepEqual(boot(state), { slot: 'A', saved: { A_TRY: '3', B_TRY: '0' } });
  assert.equal(boot({ ...state, A_TRY: '3' }).slot, 'B');
});

test('should leave a slot that was marked bad at once', () => {
  assert.deepEqual(boot({ ...NEW_IN_B, B_OK: '0' }), { slot: 'A', saved: {} });
});

test('should boot something where nothing is good, or grubenv is gone', () => {
  assert.equal(boot({ ...PROVEN, A_OK: '0' }).slot, 'A');
  assert.equal(boot({ ...PROVEN, A_OK: '0', PROVING: 'A' }).slot, 'B');
  assert.equal(boot({}).slot, 'A');
  assert.equal(boot({ ...NEW_IN_B, B_TRY: 'x' }).slot, 'A');
});
