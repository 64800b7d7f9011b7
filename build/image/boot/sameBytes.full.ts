import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';
import type { Toolbox } from '../toolbox.ts';
import { makeDisk, makeFileSystems, partitions } from './disk.ts';

const EPOCH = 1_767_225_600;

interface Ran {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>> | undefined;
  readonly input: string | undefined;
}

/** What the toolbox is asked to run, which is not run. */
async function ordersIn(work: string): Promise<Ran[]> {
  const ran: Ran[] = [];
  const toolbox = {
    run: async (program: string, args: readonly string[], options: Parameters<Toolbox['run']>[2]) => {
      ran.push({ program, args, env: options?.env, input: (options as { input?: string })?.input });
      return '';
    },
  } as unknown as Toolbox;
  await makeFileSystems(toolbox, 'amd64', work, EPOCH);
  await makeDisk(toolbox, work);
  return ran;
}

describe('an image from the same input', () => {
  let work: string;
  before(() => {
    work = temporaryFolder('same');
  });
  const folder = (name: string) => {
    mkdirSync(join(work, name), { recursive: true });
    return join(work, name);
  };

  test('should be made by the same orders wherever it is made, with the time of the sources', async () => {
    const one = await ordersIn(folder('one'));
    assert.deepEqual(await ordersIn(folder('two')), one);
    const makers = one.filter(({ program }) =>
      /^(mke2fs|bash|mkfs\.vfat|mmd|mcopy|grub-mkimage)$/.test(program),
    );
    assert.ok(makers.length >= 6);
    for (const { program, env } of makers)
      assert.deepEqual([program, env?.SOURCE_DATE_EPOCH, env?.TZ], [program, String(EPOCH), 'UTC']);
  });

  test('should leave no id to chance', async () => {
    const orders = await ordersIn(folder('ids'));
    const text = (program: RegExp) =>
      orders.filter((each) => program.test(each.program)).map(({ args }) => args.join(' '));
    for (const line of [...text(/^mke2fs$/), ...text(/^bash$/)])
      assert.match(line, /-U [0-9a-f-]{36}.* hash_seed=[0-9a-f-]{36}/);
    assert.match(text(/^mkfs\.vfat$/)[0]!, /-i [0-9A-F]{8} --invariant/);
    const table = orders.find(({ program }) => program === 'sfdisk')!.input!;
    assert.match(table, /^label-id: [0-9a-f-]{36}$/m);
    const ids = [...table.matchAll(/uuid=([0-9a-f-]{36})$/gm)].map(([, id]) => id);
    assert.equal(new Set(ids).size, partitions.length);
  });

  test('should pack the root into the same bytes whatever the order and the times of its files', async () => {
    const script = (await ordersIn(folder('tar'))).find(({ program }) => program === 'bash')!.args[1]!;
    const tar = /(tar --create .*?) \| /.exec(script)![1]!;
    const digests = [
      ['a', 'b', 'c/d'],
      ['c/d', 'b', 'a'],
    ].map((names, turn) => {
      const root = folder(`root-${turn}`);
      for (const [index, name] of names.entries()) {
        mkdirSync(join(root, name, '..'), { recursive: true });
        writeFileSync(join(root, name), name);
        // Later than the sources: made while the image was.
        utimesSync(join(root, name), EPOCH + 100 * (turn + index + 1), EPOCH + 1_000 * (turn + index + 1));
      }
      for (const made of ['.', 'c']) utimesSync(join(root, made), EPOCH + turn + 5, EPOCH + turn + 5);
      const here = tar.replace('/build/root', root);
      const env = { ...process.env, SOURCE_DATE_EPOCH: String(EPOCH), TZ: turn === 0 ? 'UTC' : 'Asia/Tokyo' };
      return createHash('sha256')
        .update(execFileSync('sh', ['-c', here], { env }))
        .digest('hex');
    });
    assert.equal(digests[0], digests[1]);
  });
});
