import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { mistakeWords, type SettingKey, settingDeclarations } from '../config/settings.ts';
import { commandList } from './commands.ts';
import { queryInteger } from './fields.ts';
import { mistakeSentence, mistakesOf } from './mistakes.ts';

const VALIDATORS =
  /invalid|expected|received|too (?:big|small)|unrecognized|undefined|does not fit(?!:)|\[object/i;

const sentences = (schema: z.ZodType, value: unknown) =>
  mistakesOf(schema, value).map((mistake) => mistakeSentence(mistake));
const wordsIn = (schema: z.ZodType, value: unknown) =>
  mistakesOf(z.strictObject({ it: schema }), { it: value })[0]?.words;

describe('the words for a value that does not fit', () => {
  it('should name what is allowed, and what came', () => {
    const level = z.union([z.literal(0), z.literal(1)]);
    const door = z.strictObject({ name: z.string().min(1), url: z.string() });
    const either = z.union([door, z.strictObject({ code: z.int() })]);
    const part = z.discriminatedUnion('part', [
      z.strictObject({ part: z.literal('led'), on: z.boolean() }),
      z.strictObject({ part: z.literal('ir') }),
    ]);
    for (const [schema, value, words] of [
      [level, 7, 'must be 0 or 1 (got 7)'],
      [level, null, 'must be 0 or 1 (got null)'],
      [level, undefined, 'is missing: it must be 0 or 1'],
      [z.enum(['auto', 'on']).optional(), 'off', 'must be auto or on (got "off")'],
      [z.union([z.literal(''), z.enum(['a', 'b'])]), 5, 'must be "", a or b (got 5)'],
      [z.union([z.literal('auto'), z.boolean()]), 'yes', 'must be auto, true or false (got "yes")'],
      [z.int().min(0).max(255), 300, 'must be a whole number from 0 to 255 (got 300)'],
      [z.int().min(0).max(255), 1.5, 'must be a whole number from 0 to 255 (got 1.5)'],
      [z.int(), 2 ** 60, 'must be a whole number (got 1152921504606847000)'],
      [z.number().positive().max(5), 0, 'must be a number above 0 and up to 5 (got 0)'],
      [z.number().min(2), Number.NaN, 'must be a number of at least 2 (got NaN)'],
      [z.int().min(0).max(90).multipleOf(5), 7, 'must be a whole number from 0 to 90 in steps of 5 (got 7)'],
      [queryInteger(1, 9), 'ten', 'must be a whole number from 1 to 9 (got "ten")'],
      [z.boolean(), 'true', 'must be true or false (got "true")'],
      [z.string().max(3), 'four', 'must be a text of at most 3 characters (got 4)'],
      [z.string().min(1), '', 'must be a text of at least 1 character (got 0)'],
      [z.string(), ['a'], 'must be a text (got a list)'],
      [z.array(z.string()).max(1), ['a', 'b'], 'must be a list of at most 1 entry (got 2)'],
      [z.array(z.string()), 'a', 'must be a list (got "a")'],
      [z.ipv4(), '10.0.0', 'must be an IPv4 address (got "10.0.0")'],
      [z.string().regex(/^[a-z]+$/, 'must be letters'), 'a1', 'must be letters (got "a1")'],
      [z.string().regex(/^[a-z]+$/, 'must be letters'), undefined, 'is missing: it must be a text'],
      [z.union([z.ipv4(), z.ipv6()], 'must be an address'), undefined, 'is missing: it must be an address'],
      [z.record(z.string(), z.int()), 1, 'must be an object (got 1)'],
      [door, 'x', 'must be an object with name and url (got "x")'],
      [either, 'x', 'must be an object with name and url or an object with code (got "x")'],
      [z.nullable(z.int()), 'x', 'must be a whole number or null (got "x")'],
    ] as const)
      assert.equal(wordsIn(schema, value), words);
    assert.deepEqual(mistakesOf(either, { name: 'a', url: 5 }), [
      { field: 'url', words: 'must be a text (got 5)' },
    ]);
    assert.deepEqual(mistakesOf(z.array(part), [{ part: 'x' }]), [
      { field: '0.part', words: 'must be led or ir (got "x")' },
    ]);
    assert.deepEqual(mistakesOf(part, {}), [{ field: 'part', words: 'is missing: it must be led or ir' }]);
    assert.equal(mistakesOf(part, { part: 'led', on: 1 })[0]?.words, 'must be true or false (got 1)');
  });

  it('should name the fields that are known where one is not', () => {
    const schema = z.strictObject({ pin: z.int(), level: z.int().optional() });
    assert.deepEqual(sentences(schema, { pin: 1, levle: 1 }), [
      'The field "levle" is not known here: known here are pin and level.',
    ]);
    assert.deepEqual(sentences(z.strictObject({}), { a: 1 }), ['The field "a" is not known here.']);
    const long = 'k'.repeat(5_000);
    const [mistake] = mistakesOf(schema, { pin: 1, [long]: 1 });
    assert.equal(mistake?.field, `${'k'.repeat(80)}…`);
  });

  it('should make a sentence of words that are none, and of the whole', () => {
    const one = z.strictObject({ a: z.int().optional() }).refine(() => false, 'give exactly one of a and b');
    assert.deepEqual(sentences(one, {}), ['The request is not valid: give exactly one of a and b.']);
    assert.deepEqual(sentences(one, 'x'), ['The request must be an object (got "x").']);
  });

  it('should repeat no secret, no login, no query, and nothing long', () => {
    const secret = z.string().regex(/^[0-9]+$/, 'must be digits');
    const schema = z.strictObject({
      pin: secret.meta({ secret: true }).optional(),
      inner: z
        .strictObject({ code: z.union([z.int(), z.null()]) })
        .meta({ secret: true })
        .optional(),
      either: z
        .union([
          z.strictObject({ key: z.string().meta({ secret: true }) }),
          z.strictObject({ key: z.int(), id: z.int() }),
        ])
        .optional(),
      url: z
        .string()
        .refine(() => false, 'must be an address')
        .optional(),
    });
    for (const [value, sentence] of [
      [{ pin: 'hunter2' }, 'The field "pin" must be digits.'],
      [{ pin: 4711 }, 'The field "pin" must be a text (got a number).'],
      [{ inner: { code: 'hunter2' } }, 'The field "inner.code" must be a whole number or null.'],
      [
        { either: { key: ['hunter2'] } },
        'The field "either.key" must be a text or a whole number (got a list).',
      ],
      [{ url: 'rtsp://u:hunter2@cam/' }, 'The field "url" must be an address.'],
      [{ url: 'http://cam/x?token=hunter2' }, 'The field "url" must be an address (got "http://cam/x?…").'],
      [{ url: 'http://cam/x#hunter2' }, 'The field "url" must be an address (got "http://cam/x?…").'],
      [
        { url: `x\ny${'z'.repeat(1e6)}hunter2` },
        `The field "url" must be an address (got "x y${'z'.repeat(37)}…").`,
      ],
    ] as const)
      assert.equal(sentences(schema, value)[0], sentence);
    const unquoted = mistakesOf(z.strictObject({ a: z.enum(['x']) }), { a: 'hunter2' }, { quotes: false });
    assert.deepEqual(unquoted, [{ field: 'a', words: 'must be x' }]);
  });

  it('should say no more of a value with a thousand mistakes, or of a thousand allowed values', () => {
    const list = z.array(z.int());
    assert.equal(mistakesOf(list, Array(10_000).fill('x')).length, 100);
    const many = z.enum(Array.from({ length: 1_000 }, (_, index) => `value${index}`));
    assert.ok(mistakesOf(many, 'x')[0]!.words.length < 500);
  });

  it('should have words for every field of every command', () => {
    let fields = 0;
    for (const [name, { params }] of commandList) {
      const shape = params instanceof z.ZodObject ? Object.keys(params.shape) : [];
      const odd = [{ '': 1 }, [[]], 1e300, '\u0001 #\u0001', '', null, true, undefined];
      const values = [...odd, ...odd.map((value) => Object.fromEntries(shape.map((key) => [key, value])))];
      for (const value of values)
        for (const sentence of sentences(params, value)) {
          fields++;
          // Only a surface makes an upload.
          assert.doesNotMatch(
            sentence.replace(/^The field "(?:archive|bundle|backup)" does not fit/, ''),
            VALIDATORS,
            name,
          );
          assert.ok(sentence.length < 700, sentence);
          // A pattern without words of its own: the text is neither too short nor too long.
          assert.doesNotMatch(sentence, /must be a text.*\(got "/, name);
        }
    }
    assert.ok(fields > 500);
  });

  it('should have words for every setting, with no value that others do not see', () => {
    for (const key of Object.keys(settingDeclarations) as SettingKey[])
      for (const value of [
        '\u0001hunter2 #',
        ['\u0001hunter2'],
        [{ name: 'hunter2' }],
        { a: 'hunter2' },
        -1.5,
        null,
      ]) {
        const words = mistakeWords(key, value, true) ?? '';
        assert.doesNotMatch(words, VALIDATORS, key);
        const declaration = settingDeclarations[key];
        if ('secret' in declaration || 'hides' in declaration) assert.doesNotMatch(words, /hunter2/, key);
      }
  });

  it('should know each field whose name says that it is a secret', () => {
    const isSecret = /^(?:password|passphrase|secret|token)$/i;
    for (const [name, { params }] of commandList)
      for (const key of params instanceof z.ZodObject ? Object.keys(params.shape) : [])
        if (isSecret.test(key))
          assert.doesNotMatch(
            sentences(params, { [key]: '\u0001hunter2' }).join(),
            /\(got "[^"]*hunter2/,
            name,
          );
  });
});
