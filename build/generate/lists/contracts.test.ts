import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';
import { contractLists } from './contracts.ts';

test('should collect the constants of a contract, on one line or on many', () => {
  const root = temporaryFolder('list');
  mkdirSync(join(root, 'server/parts/buzzer'), { recursive: true });
  writeFileSync(
    join(root, 'server/parts/buzzer/contract.ts'),
    "export const buzzerCommands = {\n};\nexport const buzzerEvents = { buzzer };\nexport const buzzerBroker = { buzzer: 'state' } as const;\n",
  );
  const text = contractLists(root);
  for (const [list, row] of [
    ['allCommands', 'buzzerCommands'],
    ['allEvents', 'buzzerEvents'],
    ['allBrokerUses', 'buzzerBroker'],
  ])
    assert.match(text, new RegExp(`export const ${list} = \\{\\n {2}\\.\\.\\.${row},\\n\\}`));
});
