import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { Tree } from './layers.ts';
import { checkPartDocs } from './partDocs.ts';
import { readTree } from './tree.ts';

describe('the documentation of each part', () => {
  let tree: Tree;
  before(async () => {
    tree = await readTree(join(import.meta.dirname, '../..'));
  });

  /** The problems of this project after a change of one of its files. */
  const problemsAfter = (file: string, change: (text: string) => string) =>
    checkPartDocs(new Map([...tree, [file, change(tree.get(file) ?? '')]]));

  it('should all be there in this project', () => {
    assert.deepEqual(checkPartDocs(tree), []);
  });

  it('should name a board part, a call and an event that the docs leave out', () => {
    const withBuzzer = (json: string) => json.replace('{', '{ "buzzer": { "driver": "simulated" },');
    assert.deepEqual(problemsAfter('server/parts/boards/simulated.json', withBuzzer), [
      'docs/hardware.md: it does not mention `buzzer`. Add a sentence or a row.',
    ]);
    const without = (name: string) => (text: string) => text.replaceAll(`\`${name}`, '`');
    for (const [file, name] of [
      ['docs/container.md', 'ledColor'],
      ['docs/container.md', 'sendUdpRaw'],
      ['docs/container.md', 'serial'],
      ['docs/intercom.md', 'openDoor'],
    ] as const) {
      const problems = problemsAfter(file, without(name));
      const sentence = `${file}: it does not mention \`${name}\`. Add a sentence or a row.`;
      assert.ok(problems.includes(sentence), `${sentence} is missing in ${problems.join('\n')}`);
    }
  });

  it('should name a service without a test', () => {
    assert.deepEqual(
      problemsAfter('server/parts/buzzer/service.ts', () => ''),
      ['server/parts/buzzer/service.ts: there is no service.test.ts beside it. Write it.'],
    );
  });
});
