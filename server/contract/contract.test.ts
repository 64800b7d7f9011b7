import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { defineCommand } from './command.ts';
import { commandList, commands } from './commands.ts';
import { catalogue } from './errors.ts';
import { bytesToHex, hexField, hexToBytes, noParams, okResult } from './fields.ts';
import { openApi } from './openapi.ts';

describe('the command list', () => {
  it('should give no two commands the same route or the same name in the page', () => {
    const routes = commandList.flatMap(([, { http }]) => (http ? [`${http.method} ${http.path}`] : []));
    assert.equal(new Set(routes).size, routes.length);
    const names = commandList.flatMap(([, { page }]) =>
      (page ?? []).map(
        (surface) => `${surface.object}:${surface.kind === 'action' ? surface.action : surface.method}`,
      ),
    );
    assert.equal(new Set(names).size, names.length);
  });

  it('security: should bound the bodies of callers without a token, or not even compile', () => {
    const open = commandList.filter(([, { access, http }]) => http && access.http && access.http !== 'token');
    assert.ok(open.length > 0);
    for (const [name, { http }] of open) {
      assert.ok(http?.bodyLimit !== undefined && http.bodyLimit <= 256 * 1024, name);
      assert.equal(http.upload, undefined, name);
    }
    assert.equal(commands['pairing.finish'].http?.bodyLimit, 1024);
    const buzzer = { summary: 'A buzzer.', params: noParams, result: okResult };
    const http = { method: 'POST', path: '/api/buzzer' } as const;
    // @ts-expect-error: bodyLimit is missing
    defineCommand({ ...buzzer, http, access: { http: 'open' } });
    // @ts-expect-error: bodyLimit is missing
    defineCommand({ ...buzzer, http, access: { scope: 'view', http: 'loopback' } });
    defineCommand({ ...buzzer, http, access: { scope: 'view', http: 'token' } });
    defineCommand({ ...buzzer, http: { ...http, bodyLimit: 1024 }, access: { http: 'open' } });
  });

  it('security: what a caller without any identity may change should ask for a proof', () => {
    // Where one succeeds it stands in the journal among the calls of tokens, without a budget.
    const changing = commandList.filter(
      ([, { access, reads }]) => access.http === 'open' && access.scope !== 'view' && reads !== true,
    );
    assert.deepEqual(
      changing.map(([name]) => name),
      ['pairing.finish'],
    );
  });

  it('should describe every route in OpenAPI, with every error it can raise', () => {
    type Paths = Record<string, Record<string, { responses: Record<string, object> }>>;
    const { paths, 'x-sockets': sockets } = openApi('1.0.0') as { paths: Paths; 'x-sockets': Paths };
    for (const [name, { http, errors }] of commandList) {
      if (!http) continue;
      // Linters want an answer of 2xx of each path; a WebSocket has none.
      const operation = (http.socket === undefined ? paths : sockets)[http.path.replace(/:(\w+)/g, '{$1}')]?.[
        http.method.toLowerCase()
      ];
      assert.ok(operation, name);
      for (const code of errors) assert.ok(operation.responses[catalogue[code].status], `${name} ${code}`);
    }
  });

  it('should describe files that are sent and received, fields of the query, and bodies of any keys', () => {
    const { paths } = openApi('1.0.0') as { paths: Record<string, Record<string, OpenApiOperation>> };
    const upload = paths['/api/manage/projects']?.post;
    assert.deepEqual(Object.keys(upload?.requestBody?.content ?? {}), [
      'application/zip',
      'application/octet-stream',
    ]);
    assert.deepEqual(
      upload?.parameters?.map((parameter) => [parameter.name, parameter.in]),
      [['name', 'query']],
    );
    const picture = paths['/api/manage/screenshot']?.get?.responses[200];
    assert.deepEqual(picture?.content, { 'image/png': { schema: { type: 'string', format: 'binary' } } });
    assert.ok(paths['/api/manage/settings']?.patch?.requestBody?.content['application/json']);
  });
});

interface OpenApiOperation {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: object & Record<string, object> };
  responses: Record<number, { content: object }>;
}

describe('the error catalogue', () => {
  it('should have sentences a person can read and a status of the contract', () => {
    for (const [code, { status, sentence, when }] of Object.entries(catalogue)) {
      assert.match(code, /^[A-Z][A-Z_]+$/);
      assert.match(sentence, /^[A-Z].*\.$/);
      assert.match(when, /\.$/);
      assert.ok(status >= 400 && status < 600);
    }
  });
});

describe('fields', () => {
  it('should read hex in either case with blanks between bytes, and write it upper case without', () => {
    for (const [text, bytes] of [
      ['', []],
      ['0a', [10]],
      ['0A ff', [10, 255]],
      [' 01  02 ', [1, 2]],
      // As people paste it.
      ['0x0D,0x2A', [13, 42]],
      ['0X0d, 0x2a,\r\n0x00', [13, 42, 0]],
      ['0D:2A', [13, 42]],
      ['0d-2a;ff', [13, 42, 255]],
      ['\\x0D\\x2A', [13, 42]],
      ['01\n02\t03', [1, 2, 3]],
      ['000x11', [0, 17]],
    ] as const) {
      assert.ok(hexField.safeParse(text).success, text);
      assert.deepEqual([...hexToBytes(text)], bytes);
    }
    for (const text of ['0', '0 1', 'gg', '0x', '0xD', '0x1 2', '{0x01}', 'x01', '\\0D'])
      assert.match(hexField.safeParse(text).error?.message ?? '', /also as 0x0D or/, text);
    const every = Uint8Array.from({ length: 256 }, (_, i) => i);
    assert.deepEqual(hexToBytes(bytesToHex(every)), every);
    assert.equal(bytesToHex(Uint8Array.of(1, 171)), '01AB');
  });

  it('should read any bytes back, however their hex is written', () => {
    const blanks = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), blanks, fc.boolean(), (bytes, gaps, lower) => {
        const digits = bytesToHex(bytes);
        const pairs = (lower ? digits.toLowerCase() : digits).match(/../g) ?? [];
        const text = pairs.map((pair, i) => ' '.repeat(gaps[i % gaps.length] ?? 0) + pair).join('');
        assert.deepEqual(hexToBytes(hexField.parse(text)), bytes);
      }),
    );
  });

  it('should take exactly one of hex and text for a datagram, and only IPv4 addresses', () => {
    const { params } = commands['udp.send'];
    const target = { host: '127.0.0.1', port: 9 };
    assert.ok(params.safeParse({ ...target, hex: '' }).success);
    assert.ok(params.safeParse({ ...target, text: 'x' }).success);
    for (const wrong of [
      target,
      { ...target, hex: '00', text: 'x' },
      { ...target, host: 'localhost', hex: '' },
      { ...target, port: 0, hex: '' },
    ]) {
      assert.ok(!params.safeParse(wrong).success, JSON.stringify(wrong));
    }
  });

  it('should take rtsp and rtsps addresses only', () => {
    const url = (text: string) =>
      commands['stream.open'].params.safeParse({ id: 'a', url: text, sdp: 'v=0' }).success;
    assert.ok(url('rtsp://cam/1') && url('rtsps://u:p@10.0.0.1:322/x'));
    for (const text of ['file:///etc/passwd', 'http://cam/1', 'rtsp://', 'rtsp:x', 'javascript:1', ''])
      assert.ok(!url(text), text);
  });

  it('should refuse an alarm that sleeps when it wakes, and ignore what is read-only', () => {
    const { params } = commands['rtc.setAlarm'];
    const alarm = { enabled: true, onTime: '07:00', offTime: '22:00', onDays: [] };
    assert.ok(params.safeParse({ ...alarm, nextOn: null, nextOff: 'whatever' }).success);
    for (const wrong of [
      { offTime: '07:00' },
      { onTime: '24:00' },
      { onTime: '7:00' },
      { onDays: [7] },
      { extra: 1 },
    ]) {
      assert.ok(!params.safeParse({ ...alarm, ...wrong }).success, JSON.stringify(wrong));
    }
  });
});
