import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settingDeclarations, settingsSchema } from '../config/settings.ts';
import { settingWords } from '../config/settingWords.ts';
import { fieldsWords } from './manage/fields/words.ts';
import {
  draftOf,
  type Field,
  fieldOf,
  mistakeIn,
  purposeText,
  type Schema,
  valueFrom,
  valueText,
} from './manage/settingValue.ts';
import { words } from './manage/texts/words.generated.ts';

interface Node {
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Node>>;
}

/** The schema of each setting, by its key; null is a word for the default. */
const schemas = Object.fromEntries(
  Object.entries((settingsSchema() as Node).properties!).flatMap(([group, { anyOf, properties }]) =>
    anyOf !== undefined
      ? [[group, anyOf[0]!] as const]
      : Object.entries(properties!).map(([name, each]) => [`${group}.${name}`, each.anyOf![0]!] as const),
  ),
);
const field = (key: string) => fieldOf(schemas[key]!, key.split('.').at(-1));
const kinds = (keys: readonly string[]) => keys.map((key) => field(key).kind);

/** The same as an editor that is opened and saved without a change. */
const unchanged = (key: string, value: unknown) => valueFrom(field(key), draftOf(field(key), value));

describe('editors of settings', () => {
  it('should be made from the schemas: no setting is written as JSON', () => {
    assert.deepEqual(
      kinds(['sip.doors', 'streams.logins', 'kiosk.inject', 'streams.cameras']),
      Array(4).fill('forms'),
    );
    assert.deepEqual(kinds(['mqtt.scopes', 'approval.commands']), ['several', 'several']);
    assert.deepEqual(
      kinds(['bridge.origins', 'idle.wakePins', 'mqtt.authorities', 'idle.photos']),
      Array(4).fill('chips'),
    );
    assert.deepEqual(kinds(['update.login', 'projects.parameters']), ['form', 'pairs']);
    assert.deepEqual(kinds(['sip.enabled', 'kiosk.headless', 'log.level']), ['switch', 'choice', 'choice']);
    assert.deepEqual(kinds(['http.port', 'https.port', 'kiosk.url', 'idle.saver']), [
      'number',
      'number',
      'text',
      'text',
    ]);
    assert.deepEqual(field('https.port'), { kind: 'number', words: ['off'], unit: '', min: 0 });
    assert.deepEqual(field('kiosk.headless'), { kind: 'choice', choices: ['auto', true, false] });
  });

  it('should know what is a secret, what is long, and the units', () => {
    const inside = (key: string, name: string) => {
      const list = field(key) as Extract<Field, { kind: 'forms' }>;
      return list.item.fields.find((each) => each.name === name)!;
    };
    assert.equal((inside('sip.registrarAccounts', 'password').field as { isSecret: boolean }).isSecret, true);
    assert.equal(
      (inside('sip.registrarAccounts', 'username').field as { isSecret: boolean }).isSecret,
      false,
    );
    assert.equal((inside('kiosk.inject', 'js').field as { isLong: boolean }).isLong, true);
    assert.equal((inside('kiosk.pages', 'seconds').field as { unit: string }).unit, 's');
    assert.deepEqual(
      [inside('kiosk.pages', 'seconds').isNeeded, inside('kiosk.pages', 'url').isNeeded],
      [false, true],
    );
  });

  it('should have words for each property of each setting', () => {
    const names = new Set<string>();
    const collect = (one: Field): void => {
      if (one.kind === 'forms') collect(one.item);
      else if (one.kind === 'form')
        for (const { name, field: own } of one.fields) {
          names.add(name);
          collect(own);
        }
    };
    for (const key of Object.keys(schemas)) collect(field(key));
    assert.ok(names.size > 10);
    assert.deepEqual(
      [...names].filter((name) => !Object.hasOwn(fieldsWords, `field_${name}`)),
      [],
    );
  });

  it('should have words for each choice that is no name', () => {
    const texts = new Set<string>();
    for (const key of Object.keys(schemas)) {
      const one = field(key);
      if ((one.kind === 'choice' || one.kind === 'several') && key !== 'approval.commands')
        for (const choice of one.choices) if (typeof choice === 'string') texts.add(choice);
    }
    const known = (text: string) =>
      ['en', 'de', 'es'].includes(text) ||
      Object.hasOwn(words, `choice_${text}`) ||
      Object.hasOwn(words, `scope_${text}`);
    assert.deepEqual(
      [...texts].filter((text) => !known(text)),
      [],
    );
  });

  it('should save what was there, without a change', () => {
    const pages = [
      { name: 'Weather', url: 'https://weather.example/' },
      { name: 'Home', url: 'http://hub.lan/', seconds: 20 },
    ];
    for (const [key, value] of [
      ['kiosk.pages', pages],
      ['bridge.origins', ['http://hub.lan']],
      ['idle.wakePins', [0, 3]],
      ['mqtt.scopes', ['view']],
      ['http.port', 8080],
      ['https.port', 'off'],
      ['projects.parameters', { lobby: 'room=1' }],
      ['kiosk.browserArguments', ['--enable-features=A,B']],
    ] as const)
      assert.deepEqual(unchanged(key, value), value, key);
    assert.deepEqual(unchanged('mqtt.authorities', '/etc/ca.pem'), ['/etc/ca.pem']);
    assert.deepEqual(unchanged('idle.photos', ''), []);
  });

  it('should take what was typed, and leave it to the service to find what is wrong', () => {
    assert.equal(valueFrom(field('http.port'), ' 8081 '), 8081);
    assert.equal(valueFrom(field('http.port'), 'many'), 'many');
    assert.equal(valueFrom(field('kiosk.url'), ' http://hub.lan/ '), 'http://hub.lan/');
    assert.deepEqual(valueFrom(field('idle.wakePins'), ['2', 'x', '']), [2, 'x']);
    assert.deepEqual(
      valueFrom(field('sip.doors'), [{ name: 'Front', peer: '10.0.0.9', dtmf: '', gapMs: '200' }]),
      [{ name: 'Front', peer: '10.0.0.9', gapMs: 200 }],
    );
    assert.deepEqual(valueFrom(field('kiosk.logins'), [{ origin: 'http://hub.lan', password: ' pw ' }]), [
      { origin: 'http://hub.lan', username: '', password: ' pw ' },
    ]);
  });

  it('security: should leave the login of a camera to the panel unless it is changed', () => {
    const camera = { name: 'Yard', url: 'rtsp://10.0.0.7/live', login: { user: 'panel', set: true } };
    const { login: _login, ...rest } = camera;
    assert.deepEqual(unchanged('streams.cameras', [camera]), [rest]);
    assert.deepEqual(valueFrom(field('streams.cameras'), [{ ...camera, login: null }]), [
      { ...rest, login: null },
    ]);
    const login = { user: 'panel', password: 'new' };
    assert.deepEqual(valueFrom(field('streams.cameras'), [{ ...camera, login }]), [{ ...rest, login }]);
  });

  it('should find the place of a mistake in the sentence of the service', () => {
    const said = (words: string) =>
      mistakeIn('sip.doors', `The settings have mistakes: sip.doors: ${words}.`);
    assert.deepEqual(said('0.peer: must be an IP address'), {
      path: '0.peer',
      words: 'must be an IP address',
    });
    assert.deepEqual(said('2.login.user: is missing'), { path: '2.login.user', words: 'is missing' });
    assert.deepEqual(said('must not name two doors alike'), {
      path: '',
      words: 'must not name two doors alike',
    });
    assert.deepEqual(said('0.peer: is wrong; sip.port: must be a number'), {
      path: '0.peer',
      words: 'is wrong',
    });
    assert.deepEqual(mistakeIn('sip.doors', 'The panel cannot be reached.'), {
      path: '',
      words: 'The panel cannot be reached.',
    });
  });

  it('should say what a setting is for, without its form in a file', () => {
    const texts = Object.entries(settingDeclarations).flatMap(([key, { description }]) => [
      description,
      settingWords[key]?.de ?? '',
      settingWords[key]?.es ?? '',
    ]);
    const plain = texts.map(purposeText);
    assert.deepEqual(
      plain.filter((text) => /[[\]{}]|JSON|docs\//.test(text)),
      [],
    );
    assert.equal(
      purposeText('Pages by name: [{"name":"Weather","seconds":20}]. Those with seconds rotate.'),
      'Pages by name. Those with seconds rotate.',
    );
    assert.ok(plain.every((text, at) => texts[at] === '' || text.length > 5));
  });

  it('should show a value in one line', () => {
    assert.equal(valueText(undefined), '');
    assert.equal(valueText(['a', 'b']), 'a, b');
    assert.equal(valueText([{ a: 1 }]), '[{"a":1}]');
  });
});
