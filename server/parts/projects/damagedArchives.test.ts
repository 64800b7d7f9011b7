import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FaceplateError } from '../../contract/errors.ts';
import { ch5zFile, zipFile } from '../../testing/zipFile.ts';
import { TestProjects } from '../testing/testProjects.ts';

const RUNS = 150;
const sound = zipFile([
  { name: 'index.html', content: '<!doctype html>' },
  { name: 'folder/', mode: 0o040755 },
  { name: 'folder/a.js', content: 'run() '.repeat(40), mode: 0o100644 },
  { name: 'stored', content: 'as it is', method: 0 },
]);
const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });

/** Any byte of the archive may be changed: it is installed or refused, and the service survives. */
async function survives(archive: Buffer, runs: number): Promise<void> {
  await using projects = await TestProjects.make();
  const property = fc.asyncProperty(damage, fc.nat(3), async (changes, cut) => {
    const bytes = Buffer.from(
      cut === 0 ? archive.subarray(0, (changes[0]?.[0] ?? 0) % archive.length) : archive,
    );
    for (const [at, value] of changes) if (bytes.length > 0) bytes[at % bytes.length] = value;
    const before = projects.service.list().projects;
    try {
      await projects.install('Fuzz', bytes);
    } catch (error) {
      assert.ok(error instanceof FaceplateError, String(error));
      assert.equal(error.code, 'INVALID_REQUEST', error.message);
      assert.deepEqual(projects.service.list().projects, before);
    }
  });
  await fc.assert(property, { numRuns: runs });
  const files = await projects.onDisk();
  assert.ok(files.every((path) => /^(\.staging$|state\.json$|fuzz)/.test(path)));
}

describe('damaged archives', () => {
  it('should be installed or refused, a .zip', () => survives(sound, RUNS));
  it('should be installed or refused, a .ch5z', () => survives(ch5zFile(sound), RUNS));
});
