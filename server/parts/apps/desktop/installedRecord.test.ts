import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { StateFile } from '../../../platform/files/stateFile.ts';
import { silentLogger } from '../../../platform/log.ts';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';
import { installedRecordSchema } from './installedRecord.ts';

const NAME = 'installed-packages.json';
const LOBBY = ['/usr/share/applications/lobby-player.desktop'];

describe('the record of installed packages', () => {
  let folder: string;
  let record: StateFile<Readonly<Record<string, readonly string[]>>>;
  beforeEach(async () => {
    folder = temporaryFolder('record');
    const path = join(folder, NAME);
    record = new StateFile({ path, schema: installedRecordSchema, defaults: {}, log: silentLogger() });
  });

  it('should be kept from a file without a version, even for a package named "version"', async () => {
    const version0 = join(import.meta.dirname, '../../../testing/dataFolders/version0');
    await cp(join(version0, NAME), join(folder, NAME));
    const packages = { 'lobby-player': LOBBY, version: ['/usr/share/applications/version.desktop'] };
    assert.deepEqual(await record.load(), packages);
    assert.deepEqual(JSON.parse(await readFile(join(folder, NAME), 'utf8')), { version: 1, value: packages });
  });

  it('should keep the packages that a later version records in another way', async () => {
    const later = { 'lobby-player': LOBBY, signed: { files: [], by: 'a' } };
    await writeFile(join(folder, NAME), JSON.stringify({ version: 2, value: later }));
    assert.deepEqual(await record.load(), { 'lobby-player': LOBBY });
    await record.save({ ...record.value, other: ['/a.desktop'] });
    assert.deepEqual(JSON.parse(await readFile(join(folder, NAME), 'utf8')), {
      version: 1,
      latest: 2,
      value: { ...later, other: ['/a.desktop'] },
    });
  });
});
