import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { parseJoins } from './joinsFile.ts';

type Call = { readonly call: string; readonly with?: unknown };

function parsed(file: object) {
  return parseJoins(JSON.stringify({ version: 1, ...file }));
}

/** The params of a call for a value of the join. */
function paramsOf(kind: 'boolean' | 'integer' | 'string', change: Call, value: boolean | number | string) {
  const [entry] = parsed({ [kind]: { '1': { change } } });
  assert.ok(entry?.change);
  return entry.change.paramsFor(value);
}

function refused(text: string, field: string, words = /./) {
  assert.throws(
    () => parseJoins(text),
    (error) =>
      error instanceof FaceplateError &&
      error.code === 'INVALID_REQUEST' &&
      error.field === field &&
      words.test(error.message),
    `${text.slice(0, 200)} must be refused at ${field}`,
  );
}

const pulse = { call: 'gpio.pulse', with: { pin: 2, level: 1, ms: 500 } };

describe('the file of joins', () => {
  it('should read calls and sources of every kind', () => {
    const entries = parsed({
      boolean: {
        '1': { press: pulse },
        'Room.Light': { change: { call: 'gpio.write', with: { pin: 2, level: '$value' } } },
        fb1: { from: 'gpio.level', where: { pin: 2 } },
      },
      integer: { '5': { change: { call: 'display.set', with: { volume: '$value/655.35' } } } },
      string: { fb7: { from: 'climate.temperature', scale: 0.1 } },
    });
    assert.deepEqual(
      entries.map(({ kind, name }) => `${kind}.${name}`),
      ['boolean.1', 'boolean.Room.Light', 'boolean.fb1', 'integer.5', 'string.fb7'],
    );
    assert.equal(entries[0]!.press!.command, 'gpio.pulse');
    assert.deepEqual(entries[0]!.press!.paramsFor(true), pulse.with);
    const { from } = entries[2]!;
    assert.equal(from!.valueIn({ pin: 2, level: 1 }), 1);
    assert.equal(from!.valueIn({ pin: 3, level: 1 }), undefined);
    assert.deepEqual(parseJoins('\uFEFF{"version":1}'), []);
  });

  it('should take the example of the docs', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../docs/projects.md'), 'utf8');
    const [, example = ''] = /```json\n(\{\n {2}"version": 1,[\s\S]*?\n)```/.exec(page) ?? [];
    assert.equal(parseJoins(example).length, 8);
  });

  it('should evaluate $value as the field takes it', () => {
    const volume = (text: string, value: number) =>
      (paramsOf('integer', { call: 'display.set', with: { volume: text } }, value) as { volume: unknown })
        .volume;
    for (const [text, value, expected] of [
      ['$value', 40, 40],
      ['$value/655.35', 65_535, 100],
      ['$value/655.35', 32_768, 50],
      ['$value*2', 21, 42],
      ['$value*0.5', 3, 2],
      ['$value*2+10', 5, 20],
      ['$value/2-1', 20, 9],
      ['$value+3', 4, 7],
      ['$value-3', 4, 1],
      ['$value*-1+100', 30, 70],
    ] as const)
      assert.equal(volume(text, value), expected, text);
    const zoom = { call: 'display.set', with: { zoom: '$value/100' } };
    assert.deepEqual(paramsOf('integer', zoom, 125), { zoom: 1.25 }, 'a field with fractions is not rounded');
    const write = { call: 'gpio.write', with: { pin: 2, level: '$value' } };
    assert.deepEqual(paramsOf('boolean', write, true), { pin: 2, level: 1 });
    assert.deepEqual(paramsOf('boolean', { call: 'led.on', with: { on: '$value' } }, false), { on: false });
    const dim = { call: 'display.set', with: { brightness: '$value*80+10' } };
    assert.deepEqual(paramsOf('boolean', dim, true), { brightness: 90 });
    const text = { call: 'udp.send', with: { host: '127.0.0.1', port: 9, text: '$value' } };
    assert.deepEqual(paramsOf('string', text, 'hi'), { host: '127.0.0.1', port: 9, text: 'hi' });
    assert.deepEqual(paramsOf('integer', text, 7), { host: '127.0.0.1', port: 9, text: '7' });
    const deep = {
      call: 'http.request',
      with: { url: 'http://10.0.0.5/', headers: { 'x-level': '$value' } },
    };
    assert.deepEqual((paramsOf('string', deep, '9') as { headers: unknown }).headers, { 'x-level': '9' });
  });

  it('should refuse what is wrong, with the path of the entry', () => {
    const file = (fields: object) => JSON.stringify({ version: 1, ...fields });
    const press = (call: object) => file({ boolean: { '1': { press: call } } });
    const change = (call: object) => file({ integer: { '1': { change: call } } });
    const entry = (fields: object) => file({ integer: { fb1: fields } });
    for (const [text, field] of [
      ['', 'joins.json'],
      ['{', 'joins.json'],
      ['[]', 'joins.json'],
      ['null', 'joins.json'],
      ['{}', 'version'],
      ['{"version":2}', 'version'],
      ['{"version":"1"}', 'version'],
      [file({ digital: {} }), 'digital'],
      [file({ boolean: [] }), 'boolean'],
      [file({ boolean: { '1': null } }), 'boolean.1'],
      [file({ boolean: { '1': {} } }), 'boolean.1'],
      [file({ boolean: { 'a/b': { press: pulse } } }), 'boolean.a/b'],
      [file({ boolean: { '': { press: pulse } } }), 'boolean.'],
      [file({ boolean: { '1': { presses: pulse } } }), 'boolean.1.presses'],
      [file({ integer: { '1': { press: pulse } } }), 'integer.1.press'],
      [file({ boolean: { '1': { press: 'gpio.pulse' } } }), 'boolean.1.press'],
      [press({ call: 'gpio.explode' }), 'boolean.1.press.call'],
      [press({ call: 'terminal.exec', with: { command: 'id' } }), 'boolean.1.press.call'],
      [press({ call: 'settings.change', with: {} }), 'boolean.1.press.call'],
      [press({ call: '__proto__' }), 'boolean.1.press.call'],
      [press({ call: 5 }), 'boolean.1.press.call'],
      [press({ call: 'led.on' }), 'boolean.1.press.with.on'],
      [press({ call: 'led.on', with: [] }), 'boolean.1.press.with'],
      [press({ call: 'led.on', with: { on: 'yes' } }), 'boolean.1.press.with.on'],
      [press({ call: 'led.on', with: { on: true, off: 1 } }), 'boolean.1.press.with.off'],
      [press({ call: 'led.on', with: { on: true, off: '$value' } }), 'boolean.1.press.with.off'],
      [press({ call: 'led.on', with: { on: true }, next: 1 }), 'boolean.1.press.next'],
      ...[
        '$value*2*3',
        '$value**2',
        '$value/0',
        '$value*',
        '$values',
        'x$value',
        '$value * 2',
        '($value)',
        '$value%2',
      ].map(
        (volume) =>
          [change({ call: 'display.set', with: { volume } }), 'integer.1.change.with.volume'] as const,
      ),
      [
        file({ string: { s: { change: { call: 'display.set', with: { volume: '$value*2' } } } } }),
        'string.s.change.with.volume',
      ],
      [
        file({ string: { s: { change: { call: 'display.set', with: { volume: '$value' } } } } }),
        'string.s.change.with.volume',
      ],
      [
        change({ call: 'display.set', with: { volume: '$value', brightness: 101 } }),
        'integer.1.change.with.brightness',
      ],
      [entry({ from: 'gpio' }), 'integer.fb1.from'],
      [entry({ from: 5 }), 'integer.fb1.from'],
      [entry({ from: 'nothing.level' }), 'integer.fb1.from'],
      [entry({ from: 'toString.length' }), 'integer.fb1.from'],
      [entry({ from: 'gpio.nothing' }), 'integer.fb1.from'],
      [entry({ from: 'health.memory' }), 'integer.fb1.from'],
      [entry({ from: 'gpio.level', where: 2 }), 'integer.fb1.where'],
      [entry({ from: 'gpio.level', where: { nothing: 2 } }), 'integer.fb1.where.nothing'],
      [entry({ from: 'gpio.level', where: { pin: '2' } }), 'integer.fb1.where.pin'],
      [entry({ from: 'gpio.level', where: { pin: [2] } }), 'integer.fb1.where.pin'],
      [entry({ from: 'gpio.level', scale: '2' }), 'integer.fb1.scale'],
      [entry({ change: { call: 'display.activity' }, scale: 2 }), 'integer.fb1.scale'],
      [entry({ change: { call: 'display.activity' }, where: {} }), 'integer.fb1.where'],
      [file({ boolean: { fb1: { from: 'gpio.level', scale: 2 } } }), 'boolean.fb1.scale'],
    ] as const)
      refused(text, field);
  });

  it('security: should refuse more than 4,000 entries, and params without an end', () => {
    const entries = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`${at}`, { press: { call: 'display.activity' } }]),
      );
    assert.equal(parsed({ boolean: entries(4_000) }).length, 4_000);
    refused(JSON.stringify({ version: 1, boolean: entries(3_999), string: { a: {}, b: {} } }), 'joins.json');
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    refused(
      `{"version":1,"boolean":{"1":{"press":{"call":"http.request","with":{"url":"http://10.0.0.5/","body":${deep}}}}}}`,
      'boolean.1.press.with',
    );
    const own =
      '{"version":1,"boolean":{"1":{"press":{"call":"led.on","with":{"on":true,"__proto__":{"x":1}}}}}}';
    refused(own, 'boolean.1.press.with.__proto__');
  });
});
