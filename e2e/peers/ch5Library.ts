import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { runProgram } from '../../server/testing/python.ts';

/** Of the maker, as it is: it is fetched for this test and not shipped. */
const LIBRARY = '@crestron/ch5-crcomlib@2.17.2';
/** What npm prints when it cannot reach the packages. */
const NO_NETWORK = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|E404|network/i;

/** Fetches the bundle of the library into a folder. @returns undefined where packages cannot be reached */
export async function ch5Library(folder: string): Promise<Buffer | undefined> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  const packed = await runProgram(folder, 'npm', ['pack', LIBRARY], env);
  if (packed.code !== 0) {
    expect(packed.output).toMatch(NO_NETWORK);
    return undefined;
  }
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  const unpacked = await runProgram(folder, 'tar', ['xzf', archive ?? ''], env);
  expect(unpacked.code, unpacked.output).toBe(0);
  return readFile(join(folder, 'package/build_bundles/umd/cr-com-lib.js'));
}
