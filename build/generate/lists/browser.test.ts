import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';
import { browserLists } from './browser.ts';

describe('the lists of words and views', () => {
  let root: string;
  beforeEach(() => {
    root = temporaryFolder('lists');
    write('server/parts/led/words.ts', "export const ledWords = { bar: ['a', 'b', 'c'] };");
    write(
      'server/pages/manage/texts/words.ts',
      "const row = ['a', 'b', 'c']; export const shellWords = { close: row, entry_screen: row, entry_system: row };",
    );
  });

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }

  async function list(file: string): Promise<string> {
    const found = Object.entries(await browserLists(root)).find(([path]) => path.endsWith(file));
    assert.ok(found);
    return found[1].replace(/^\/\/.*\n/, '');
  }

  it('should collect the words of parts, wings and the frame', async () => {
    write('server/video/words.ts', "export const videoCommandWords = { 'stream.open': ['a', 'b', 'c'] };");
    assert.equal(
      await list('/words.generated.ts'),
      `import { ledWords } from '../../../parts/led/words.ts';
import { shellWords } from './words.ts';

/** What the app says: English, German, Spanish. */
export const words = {
  ...shellWords,
  ...ledWords,
};
`,
    );
    assert.match(
      await list('/commandWords.generated.ts'),
      /^import \{ videoCommandWords \} from '..\/..\/video\/words.ts';\n[\s\S]*\{\n {2}\.\.\.videoCommandWords,\n\};\n$/,
    );
  });

  it('should list the views in the order of their places, each with the file of its component', async () => {
    write(
      'server/kiosk/words.ts',
      "export const kioskMenu = { console: ['system', 30], remote: ['screen', 10] };",
    );
    write('server/kiosk/view/console.tsx', 'export function Console() {}');
    write('server/kiosk/live/view.tsx', 'export function Remote() {}');
    write('server/parts/log/words.ts', "export const logMenu = { log: ['system', 20, 'developer'] };");
    write('server/parts/log/view.tsx', 'export function Log() {}');
    const rows = (await list('/views.generated.ts')).matchAll(
      /name: '(\w+)',\s+entry: '(\w+)',\s+(isForDevelopers: true)?,?\s*load: .*\('(.*)'\)\)\.(\w+)/g,
    );
    assert.deepEqual(
      [...rows].map(([, ...row]) => row),
      [
        ['remote', 'screen', undefined, '../../../kiosk/live/view.tsx', 'Remote'],
        ['log', 'system', 'isForDevelopers: true', '../../../parts/log/view.tsx', 'Log'],
        ['console', 'system', undefined, '../../../kiosk/view/console.tsx', 'Console'],
      ],
    );
  });

  it('should refuse a word that two folders have, and what would be forgotten', async () => {
    write('server/parts/gpio/words.ts', "export const gpioWords = { bar: ['a', 'b', 'c'] };");
    await assert.rejects(browserLists(root), {
      message: 'server/parts/gpio/words.ts and server/parts/led/words.ts both have bar. Keep one of them.',
    });
    rmSync(join(root, 'server/parts/gpio'), { recursive: true });
    write('server/parts/udp/words.ts', 'export const udpTexts = {};');
    await assert.rejects(browserLists(root), {
      message:
        'server/parts/udp/words.ts: nothing collects udpTexts. Name it one of udpMenu, udpWords, udpCommandWords.',
    });
    rmSync(join(root, 'server/parts/udp'), { recursive: true });
    write('server/parts/tcp/words.ts', "export const tcpMenu = { tcp: ['nowhere', 20] };");
    write('server/parts/tcp/view.tsx', 'export function Tcp() {}');
    await assert.rejects(browserLists(root), /The menu has no entry nowhere\. Take one of screen, system\./);
    rmSync(join(root, 'server/parts/tcp'), { recursive: true });
    write('server/parts/log/words.ts', "export const logMenu = { log: ['system', 20] };");
    await assert.rejects(browserLists(root), {
      message: 'server/parts/log/words.ts has a view in the menu, but no file there exports Log().',
    });
  });
});
