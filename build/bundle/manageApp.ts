import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { settingsSchema } from '../../server/config/settings.ts';
import { type CommandList, commandList } from '../../server/contract/commands.ts';
import { openApi } from '../../server/contract/openapi.ts';
import { putInPlace } from './putInPlace.ts';

/**
 * Bundles the app. It is made beside `target` first, so that a service that serves the old one never meets half of it.
 * Files with a hash in their name never change; the others are index.html and openapi.json.
 */
export async function buildManage(root: string, target: string): Promise<void> {
  const made = `${target}.${process.pid}`;
  await bundlePage(root, made, 'main.tsx');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  writeFileSync(join(made, 'openapi.json'), JSON.stringify(openApi(version, settingsSchema())));
  putInPlace(made, target);
}

/** Bundles the page of stories, which shows each component of the kit by itself. For tests: no panel serves it. */
export async function buildStories(root: string, target: string): Promise<void> {
  await bundlePage(root, target, 'testing/stories.tsx');
}

/** A page with the styles of the app. @param main its first module */
async function bundlePage(root: string, made: string, main: string): Promise<void> {
  const source = join(root, 'server/pages/manage');
  rmSync(made, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: { app: join(source, main), style: join(source, 'style/index.css') },
    outdir: made,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: ['es2022', 'chrome120', 'firefox115', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    metafile: true,
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    loader: { '.woff2': 'file' },
    assetNames: '[name]-[hash]',
    define: {
      COMMANDS: JSON.stringify(commandTable(commandList)),
      SETTING_SCHEMAS: JSON.stringify(settingSchemas()),
    },
    logLevel: 'warning',
  });
  const files = Object.keys(metafile.outputs).map((path) => basename(path));
  const named = (start: string) => files.find((file) => file.startsWith(start)) ?? '';
  const page = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('main.tsx', named('app-'))
    .replace('style/index.css', named('style-'));
  writeFileSync(join(made, 'icon.svg'), readFileSync(join(source, 'icon.svg')));
  writeFileSync(join(made, 'index.html'), page);
}

/** Words of JSON Schema that an editor needs; what is right in detail says the service. */
const EDITED = new Set([
  'type',
  'const',
  'enum',
  'anyOf',
  'items',
  'properties',
  'required',
  'additionalProperties',
  'minimum',
  'maxLength',
  'maxItems',
]);

/** How each setting is edited: its schema by its key, without patterns. */
export function settingSchemas(): Record<string, unknown> {
  const { properties } = settingsSchema() as { properties: Record<string, SettingNode> };
  return Object.fromEntries(
    Object.entries(properties).flatMap(([group, { anyOf, properties: inside = {} }]) =>
      anyOf !== undefined
        ? [[group, slim(anyOf[0])]]
        : Object.entries(inside).map(([name, each]) => [`${group}.${name}`, slim(each.anyOf?.[0])]),
    ),
  );
}

/** A setting, or a group of some. */
interface SettingNode {
  readonly anyOf?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SettingNode>>;
}

function slim(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(slim);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([word]) => EDITED.has(word));
  return Object.fromEntries(
    entries.map(([word, value]) => [
      word,
      word === 'properties'
        ? Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, slim(each)]))
        : slim(value),
    ]),
  );
}

/** What the app has to know of each command that HTTP callers may use: how it is called, and how pages call it. */
export function commandTable(list: CommandList): Record<string, object> {
  const rows = list
    .filter(([, { http, access }]) => http !== undefined && access.http !== undefined)
    .map(
      ([name, { http, access }]) =>
        [
          name,
          {
            method: http!.method,
            path: http!.path,
            scope: access.http === 'open' ? null : (access.scope ?? null),
            ...(http!.query && { query: http!.query }),
            ...(http!.headers && { headers: http!.headers }),
            ...(http!.upload && { upload: { field: http!.upload.field, type: http!.upload.types[0] } }),
            ...(http!.answer && { answer: http!.answer }),
            ...(access.page !== undefined && { page: true }),
          },
        ] as const,
    );
  return Object.fromEntries(rows);
}
