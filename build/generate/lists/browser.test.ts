import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { browserLists } from './browser.ts';

describe('the lists of words and views', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'faceplate-lists-'));
    write('server/parts/led/words.ts', "export const ledWords = { bar: ['a', 'b', 'c'] };");
    write('server/pages/manage/texts/words.ts', "export const shellWords = { close: ['a', 'b', 'c'] };");
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

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
    write('server/kiosk/words.ts', 'export const kioskMenu = { console: 30, screen: 10 };');
    write('server/kiosk/view/console.tsx', 'export function Console() {}');
    write('server/kiosk/live/view.tsx', 'export function Screen() {}');
    write('server/parts/log/words.ts', 'export const logMenu = { log: 20 };');
    write('server/parts/log/view.tsx', 'export function Log() {}');
    const rows = (await list('/views.generated.ts')).matchAll(
      /^ {2}\{ name: '(\w+)', .*\('(.*)'\)\)\.(\w+) \},$/gm,
    );
    assert.deepEqual(
      [...rows].map(([, ...row]) => row),
      [
        ['screen', '../../../kiosk/live/view.tsx', 'Screen'],
        ['log', '../../../parts/log/view.tsx', 'Log'],
        ['console', '../../../kiosk/view/console.tsx', 'Console'],
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
    write('server/parts/log/words.ts', 'export const logMenu = { log: 20 };');
    await assert.rejects(browserLists(root), {
      message: 'server/parts/log/words.ts has a view in the menu, but no file there exports Log().',
    });
  });
});
