import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  booleanValue,
  escapeString,
  formatExec,
  localeCandidates,
  localeValue,
  messageLocale,
  parseDesktopEntry,
  parseExec,
  stringValue,
} from './desktopEntry.ts';

const SAMPLE = `# a comment
[Desktop Entry]
Type=Application
Name=Calculator
Name[de]=Rechner
Name[pt_BR]=Calculadora
Name[sr]=Калкулатор
Name[sr@latin]=Kalkulator
 Comment = blanks before the key make it no key
Comment  =   blanks around the sign are dropped
NoDisplay=true
Hidden=1
Terminal=yes

[Desktop Action new]
Name=New window
Exec=other
`;

describe('desktop entry', () => {
  const entry = parseDesktopEntry(SAMPLE)!;

  test('should read the main group and ignore the others', () => {
    assert.equal(stringValue(entry, 'Name'), 'Calculator');
    assert.equal(stringValue(entry, 'Exec'), undefined);
    assert.equal(stringValue(entry, 'Comment'), 'blanks around the sign are dropped');
  });

  test('should read true and 1 as true, and nothing else', () => {
    assert.equal(booleanValue(entry, 'NoDisplay'), true);
    assert.equal(booleanValue(entry, 'Hidden'), true);
    assert.equal(booleanValue(entry, 'Terminal'), false);
    assert.equal(booleanValue(entry, 'DBusActivatable'), false);
  });

  const locales: readonly (readonly [string, string])[] = [
    ['de_AT.UTF-8', 'Rechner'],
    ['de', 'Rechner'],
    ['pt_BR', 'Calculadora'],
    ['pt_PT', 'Calculator'],
    ['sr_YU@latin', 'Kalkulator'],
    ['sr_YU.UTF-8', 'Калкулатор'],
    ['C.UTF-8', 'Calculator'],
    ['', 'Calculator'],
  ];
  for (const [locale, name] of locales) {
    test(`should name it ${name} in "${locale}"`, () => {
      assert.equal(localeValue(entry, 'Name', locale), name);
    });
  }

  test('should try the locales in the order of the specification', () => {
    assert.deepEqual(localeCandidates('sr_RS.UTF-8@latin'), ['sr_RS@latin', 'sr_RS', 'sr@latin', 'sr']);
    assert.deepEqual(localeCandidates('en_GB'), ['en_GB', 'en']);
    assert.deepEqual(localeCandidates('../../etc'), []);
  });

  test('should prefer the language of messages to the general one', () => {
    assert.equal(messageLocale({ LANG: 'en', LC_MESSAGES: 'de', LC_ALL: '' }), 'de');
    assert.equal(messageLocale({ LANG: 'en', LC_MESSAGES: 'de', LC_ALL: 'fr' }), 'fr');
    assert.equal(messageLocale({}), '');
  });

  test('should undo the escapes of the specification and leave others', () => {
    const escaped = parseDesktopEntry('[Desktop Entry]\nName=a\\sb\\nc\\td\\\\n\\x\\');
    assert.equal(stringValue(escaped!, 'Name'), 'a b\nc\td\\n\\x\\');
  });

  test('should read files with CRLF, a byte order mark, and repeated keys', () => {
    const odd = parseDesktopEntry('\ufeff[Desktop Entry]\r\nName=one\r\nName=two\r\n');
    assert.equal(stringValue(odd!, 'Name'), 'two');
  });

  test('should find nothing in a file that is no desktop entry', () => {
    for (const text of [
      '',
      'Name=x',
      '[Other]\nName=x',
      '[Desktop Entry',
      '[Desktop Entry]\0',
      '\x7fELF\0\0',
    ]) {
      assert.equal(parseDesktopEntry(text), null);
    }
    assert.equal(parseDesktopEntry('[Desktop Entry]\n[Broken\nName=x')?.size, 0);
  });

  test('property: should give back every string that was escaped', () => {
    const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'));
    fc.assert(
      fc.property(text, (value) => {
        const written = parseDesktopEntry(`[Desktop Entry]\nName=${escapeString(value)}\nType=x\n`);
        assert.equal(stringValue(written!, 'Name'), value);
        assert.equal(stringValue(written!, 'Type'), 'x');
      }),
    );
  });

  test('property: should never throw, and find only keys that are in the text', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('[Desktop Entry]', '[X]', 'Name=a', 'Name[de]=b', '#c', '=', 'a=', '[]', '\\'),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const parsed = parseDesktopEntry(lines.join('\n'));
        for (const [key, value] of parsed ?? []) {
          assert.ok(lines.some((text) => text.includes(key) && text.includes(value)));
        }
      }),
    );
  });
});

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
