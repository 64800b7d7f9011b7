import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commands } from '../../contract/commands.ts';
import { fittingJson, MAX_PARAMS_BYTES, ParamSchemas, withoutSecrets } from './secrets.ts';

const text = { type: 'string' } as const;
const secret = { type: 'string', secret: true } as const;
const login = { type: 'object', properties: { host: text, password: secret } } as const;
const kind = (value: object) => ({ type: 'object', properties: { kind: text, value } }) as const;
/** As `jsonSchema` makes it of the contract. */
const params = {
  type: 'object',
  properties: {
    name: text,
    level: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    passphrase: secret,
    logins: { type: 'array', items: login },
    target: { oneOf: [kind(text), kind(secret)] },
    headers: { type: 'object', additionalProperties: secret },
  },
} as const;
const schemas = new ParamSchemas(commands);
const shown = (given: unknown, command?: string) =>
  withoutSecrets(given, command === undefined ? params : schemas.of(command));

describe('params in the journal', () => {
  test('security: should show no value of a field that is marked secret', () => {
    assert.deepEqual(
      shown({
        name: 'Hall',
        level: 3,
        passphrase: 'hunter2',
        logins: [{ host: 'cam', password: 'hunter2' }],
        target: { kind: 'a', value: 'hunter2' },
        headers: { Authorization: 'hunter2' },
      }),
      {
        name: 'Hall',
        level: 3,
        passphrase: '…',
        logins: [{ host: 'cam', password: '…' }],
        // Whichever alternative was meant: one of them is secret.
        target: { kind: 'a', value: '…' },
        headers: { Authorization: '…' },
      },
    );
  });

  test('security: should show no value of a field that is not known, nor one of another kind', () => {
    assert.deepEqual(shown({ pasphrase: 'hunter2', name: { password: 'hunter2' }, logins: 'hunter2' }), {
      pasphrase: '…',
      name: '…',
      logins: '…',
    });
    for (const given of ['hunter2', ['hunter2']]) assert.equal(shown(given), '…');
    assert.deepEqual(shown({ name: 'x', ...JSON.parse('{"__proto__":{"a":"hunter2"}}') }), {
      name: 'x',
      ['__proto__']: '…',
    });
  });

  test('security: should mask logins in addresses, and keep the text around them', () => {
    assert.deepEqual(shown({ name: 'rtsp://admin:hunter2@cam/1?user=a&pwd=hunter2 user=bob' }), {
      name: 'rtsp://***@cam/1?user=***&pwd=*** user=bob',
    });
    for (const password of ['hunter#2', 'hunter/2', 'hun@ter2', 'h?unter/2@', 'hunter 2'])
      assert.deepEqual(shown({ name: `rtsp://admin:${password}@10.0.0.5/1` }), {
        name: 'rtsp://***@10.0.0.5/1',
      });
    const command = 'curl -u x http://a:b@c/ && useradd user=bob';
    assert.deepEqual(shown({ command }, 'terminal.exec'), {
      command: 'curl -u x http://***@c/ && useradd user=bob',
    });
  });

  test('security: should show no PIN', () => {
    assert.deepEqual(shown({ pin: '4711' }, 'settingsPage.unlock'), { pin: '…' });
  });

  test('security: every field of the contract that is named like a secret is marked as one', () => {
    /** Pins of the board are no PINs; the token of an answer is not among the params. */
    const pinOfBoard = new Set(['gpio.write', 'gpio.read', 'gpio.pulse', 'system.simulate']);
    /** A key of a remote control. */
    const infrared = new Set(['ir.send', 'system.simulate']);
    const named =
      /^(?:passphrase|password|pass|pwd|pin|code|token|secret|key|headers|authorization|cookie)$/i;
    const found: string[] = [];
    const look = (command: string, schema: Record<string, unknown>, at: string): void => {
      for (const [name, child] of Object.entries(schema)) {
        if (typeof child !== 'object' || child === null) continue;
        const isField = at.endsWith('properties');
        const isPlain =
          (name === 'pin' && pinOfBoard.has(command)) || (name === 'code' && infrared.has(command));
        if (isField && named.test(name) && !isPlain) {
          found.push(`${command} ${name}`);
          assert.ok(JSON.stringify(child).includes('"secret":true'), `${command}: ${name} is not marked`);
        }
        look(command, child as Record<string, unknown>, name);
      }
    };
    for (const command of Object.keys(commands)) look(command, { ...schemas.of(command) }, '');
    assert.ok(found.includes('settingsPage.unlock pin'), String(found));
  });

  test('should tell the size of a file instead of its bytes', () => {
    const bytes = (async function* () {})();
    assert.deepEqual(shown({ name: 'hall', archive: { size: 12, bytes } }, 'projects.install'), {
      name: 'hall',
      archive: { size: 12 },
    });
  });

  test('should hold at most 4 KiB of them, the longest texts shortened first', () => {
    assert.equal(MAX_PARAMS_BYTES, 4_096);
    const fits = { text: 'x'.repeat(4_096 - '{"text":""}'.length) };
    assert.equal(fittingJson(fits), JSON.stringify(fits));
    for (const given of [
      { text: 'x'.repeat(4_096) },
      { name: 'kept', text: 'é'.repeat(1_000_000) },
      { list: Array.from({ length: 100_000 }, (_, i) => i) },
      Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`key ${i}`, 'x'.repeat(i % 100)])),
      'x'.repeat(10_000),
      { text: '\u0000'.repeat(5_000) },
    ]) {
      const text = fittingJson(given);
      assert.ok(Buffer.byteLength(text) <= 4_096, String(text.length));
      JSON.parse(text);
    }
    assert.match(fittingJson({ name: 'kept', text: 'x'.repeat(5_000) }), /"name":"kept","text":"x{3900}…"/);
  });

  test('should look at 1,000 values of a call, however many it has', () => {
    const many = {
      name: 'x',
      logins: Array.from({ length: 100_000 }, () => ({ host: 'cam', password: 'hunter2' })),
    };
    const text = JSON.stringify(shown(many));
    assert.ok(!text.includes('hunter2'));
    assert.ok(text.length < 50_000, String(text.length));
  });
});
