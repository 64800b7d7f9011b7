import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settingsSchema } from '../config/settings.ts';
import { commands } from './commands.ts';
import { openApi } from './openapi.ts';

interface Schema {
  readonly properties: Record<string, Schema>;
  readonly pattern?: string;
  readonly oneOf?: unknown;
  readonly anyOf?: Schema[];
  readonly type?: string;
  readonly additionalProperties?: unknown;
}
interface Operation {
  readonly parameters?: { name: string; schema: Schema }[];
  readonly operationId: string;
  readonly description: string;
  readonly tags: string[];
  readonly requestBody?: {
    required: boolean;
    content: Record<string, { schema: Schema; example?: unknown }>;
  };
}

const document = openApi('1.0.0', settingsSchema()) as unknown as {
  paths: Record<string, Record<string, Operation>>;
  tags: { name: string; description?: string }[];
  components: { schemas: Record<string, Schema> };
};
const { paths } = document;
const bodyOf = (method: string, path: string) => {
  const { required, content } = paths[path]![method]!.requestBody!;
  return { required, schema: content['application/json']!.schema };
};
/** What a reader of the description takes of a text. */
const takes = ({ pattern }: Schema, text: string) => new RegExp(pattern ?? '', 'u').test(text);

// Each of these was described otherwise than it is taken, which a generator of requests finds (e2e/long/schemathesis).
describe('the description of the API', () => {
  it('should not take empty hex for a write, and exactly one of hex and text for a datagram', () => {
    const { hex } = bodyOf('post', '/api/remote/serial/write').schema.properties;
    for (const [text, isTaken] of [
      ['', false],
      [' ', false],
      ['0', false],
      ['0a', true],
      [' 01 Ff ', true],
    ] as const)
      assert.equal(takes(hex!, text), isTaken, text);
    const { schema } = bodyOf('post', '/api/remote/udp/send');
    assert.deepEqual(schema.oneOf, [{ required: ['hex'] }, { required: ['text'] }]);
  });

  it('should take the addresses of cameras that the panel takes', () => {
    const inBody = bodyOf('post', '/api/stream/whep/{id}').schema.properties.url!;
    const inQuery = paths['/api/stream/inspect']!.get!.parameters![0]!.schema;
    for (const [url, isTaken] of [
      ['rtsp://cam/1', true],
      ['RTSPS://u:p@ss@10.0.0.1:322/x?y#z', true],
      ['rtsp://[fe80::1]:65535', true],
      ['rtsp://cam:', true],
      ['rtsp://cam:65536/', false],
      ['rtsp://[::1', false],
      ['rtsp://', false],
      ['rtsp:///x', false],
      ['rtsp://a b/', false],
      ['http://cam/1', false],
    ] as const) {
      assert.equal(takes(inBody, url), isTaken, url);
      assert.equal(takes(inQuery, url), isTaken, url);
      assert.equal(commands['stream.inspect'].params.safeParse({ url }).success, isTaken, url);
    }
  });

  it('should say which bodies may be left out', () => {
    for (const [method, path, isNeeded] of [
      ['patch', '/api/manage/settings', false],
      ['post', '/api/remote/rtc/alarm', false],
      ['post', '/api/remote/udp/send', true],
      ['post', '/api/remote/led/on', true],
    ] as const)
      assert.equal(bodyOf(method, path).required, isNeeded, path);
  });

  it('should name the settings and their values', () => {
    const { schema } = bodyOf('patch', '/api/manage/settings');
    assert.equal(schema.additionalProperties, false);
    assert.equal(schema.properties.dataDir, undefined);
    const { port } = schema.properties.http!.properties;
    assert.deepEqual(port!.anyOf, [{ type: 'integer', minimum: 0, maximum: 65_535 }, { type: 'null' }]);
  });

  it('should use no pattern that only JavaScript knows', () => {
    const patterns = JSON.stringify(paths).match(/"pattern":"(?:[^"\\]|\\.)*"/g) ?? [];
    assert.ok(patterns.length > 20);
    for (const pattern of patterns) assert.doesNotMatch(pattern, /\\[pP]\{/);
    const name = paths['/api/manage/projects']!.post!.parameters![0]!.schema;
    for (const [text, isTaken] of [
      ['Lobby 1', true],
      [' x ', true],
      ['', false],
      ['  ', false],
      ['a\u0085', false],
    ] as const)
      assert.equal(takes(name, text), isTaken, JSON.stringify(text));
  });

  it('should use no schema that is false, no word of its own without x-, and open answers', () => {
    const isSchemaWord = /"(?:secret|typeText)":/;
    assert.doesNotMatch(JSON.stringify(paths), isSchemaWord);
    let answers = 0;
    const walk = (value: unknown, isAnswer: boolean): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, child] of Object.entries(value)) {
        if (key === 'properties')
          for (const [name, schema] of Object.entries(child as object)) assert.notEqual(schema, false, name);
        if (isAnswer && key === 'additionalProperties') assert.notEqual(child, false);
        if (key === 'responses') answers++;
        walk(child, isAnswer || key === 'responses');
      }
    };
    walk(paths, false);
    walk(document.components.schemas, true);
    assert.ok(answers > 80);
  });

  it('should give each call a description, one tag of its list, and each body an example that is taken', () => {
    const tags = document.tags.map(({ name, description }) => {
      assert.ok(description, name);
      return name;
    });
    let [bodies, examples] = [0, 0];
    for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
      const { operationId, description, tags: own, requestBody } = operation;
      assert.ok(description.length > 20, operationId);
      assert.equal(own.length, 1);
      assert.ok(tags.includes(own[0]!), own[0]);
      const json = requestBody?.content['application/json'];
      if (json === undefined) continue;
      // Checkers of examples do not follow rules between fields (if, then).
      if ('allOf' in json.schema) continue;
      bodies++;
      if (json.example !== undefined) examples++;
    }
    assert.ok(examples === bodies && bodies > 40, `${examples} of ${bodies}`);
  });

  it('should refer only to schemas that are there, and to each of them', () => {
    const text = JSON.stringify(document);
    const named = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map((match) => match[1]!);
    assert.deepEqual([...new Set(named)].sort(), Object.keys(document.components.schemas).sort());
    assert.ok(Object.keys(document.components.schemas).length > 20);
    assert.ok('LedState' in document.components.schemas);
  });
});
