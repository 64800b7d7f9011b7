import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  booleanValue,
  escapeString,
  localeCandidates,
  localeValue,
  messageLocale,
  parseDesktopEntry,
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
