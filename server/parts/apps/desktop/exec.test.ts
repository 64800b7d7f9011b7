import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseDesktopEntry, stringValue } from './desktopEntry.ts';
import { formatExec, parseExec } from './exec.ts';

const fields = { name: 'My App', icon: 'my-icon', file: '/usr/share/applications/app.desktop' };

describe('Exec line', () => {
  const lines: readonly (readonly [string, string[] | null])[] = [
    ['app', ['app']],
    ['  /usr/bin/app  --flag   value ', ['/usr/bin/app', '--flag', 'value']],
    ['app "two words" ""', ['app', 'two words', '']],
    ['app "a \\"quoted\\" \\$HOME \\`id\\` \\\\ \\n"', ['app', 'a "quoted" $HOME `id` \\ \\n']],
    ['app \'single $HOME \\\' joined"up"', ['app', 'single $HOME \\', 'joinedup']],
    ['app\\ with\\ blank', ['app with blank']],
    ['app %f %F %u %U %d %D %n %N %v %m', ['app']],
    ['app %i -x', ['app', '--icon', 'my-icon', '-x']],
    ['app %c %k', ['app', 'My App', '/usr/share/applications/app.desktop']],
    ['app --name=%c 100%% file=%f.', ['app', '--name=My App', '100%', 'file=.']],
    ['app %%f', ['app', '%f']],
    ['app %x', null],
    ['app %', null],
    ['app "open', null],
    ["app 'open", null],
    ['app \\', null],
    ['', null],
    ['   ', null],
    ['%f', null],
    ['"" app', null],
    ['A=b app', null],
    ['./app', null],
    ['../bin/app', null],
  ];
  for (const [line, argv] of lines) {
    test(`should read ${JSON.stringify(line)}`, () => assert.deepEqual(parseExec(line, fields), argv));
  }

  test('should leave %i out when the entry has no icon', () => {
    assert.deepEqual(parseExec('app %i', { ...fields, icon: undefined }), ['app']);
  });

  test('security: should read shell metacharacters as ordinary characters', () => {
    const line = 'app ; rm -rf / && x | y > /etc/z < a $(id) `id` $HOME * ? ~ # & !';
    assert.deepEqual(parseExec(line, fields), line.split(' '));
  });

  test('security: should not read codes or quotes in the text that replaces a code', () => {
    const hostile = { name: '%f "; rm -rf /', icon: '-i %k', file: '/a b/%c.desktop' };
    assert.deepEqual(parseExec('app %c %i %k', hostile), [
      'app',
      hostile.name,
      '--icon',
      hostile.icon,
      hostile.file,
    ]);
  });

  test('property: should give back all arguments that were written, through the file and its escapes', () => {
    const argument = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'));
    const program = argument.filter((text) => text !== '').map((text) => `/bin/${text.replaceAll('=', '')}`);
    fc.assert(
      fc.property(program, fc.array(argument), (first, rest) => {
        const argv = [first, ...rest];
        const entry = parseDesktopEntry(`[Desktop Entry]\nExec=${formatExec(argv)}\n`);
        assert.deepEqual(parseExec(stringValue(entry!, 'Exec')!, fields), argv);
      }),
    );
  });

  test('property: should never throw, and never return an empty program', () => {
    const piece = fc.constantFrom('"', "'", '\\', '%', ' ', 'f', 'a', '=', '/', '$', '\n', '%i', '%%');
    const line = fc.oneof(
      fc.array(piece).map((pieces) => pieces.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(line, (text) => {
        const argv = parseExec(text, fields);
        assert.ok(argv === null || (argv[0] !== '' && argv.length > 0));
      }),
      { numRuns: 2_000 },
    );
  });
});
