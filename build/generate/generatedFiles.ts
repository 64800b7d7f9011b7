import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  environmentName,
  isEmpty,
  isOwnersAlone,
  type SettingKey,
  settingDeclarations,
  settingsSchema,
} from '../../server/config/settings.ts';
import { containerTypes } from '../../server/contract/containerTypes.ts';
import { catalogue } from '../../server/contract/errors.ts';
import { inlineOpenApi, openApi } from '../../server/contract/openapi.ts';
import { profileSchema } from '../../server/parts/boards/board.ts';
import { videoPicture } from '../bench/cameras/videoPicture.ts';
import { figuresTable, readFigures } from '../bench/figures.ts';
import { startPicture } from '../bench/start/startPicture.ts';
import { foldersTable } from '../check/foldersTable.ts';
import { modules } from '../check/layerRules.ts';
import { apiPage } from '../docs/apiPage.ts';
import { cameraCaseTables } from '../docs/cameraCaseTables.ts';
import { profileTables, type Schema } from '../docs/profileTables.ts';
import { type ApiDescription, clientCalls } from './clientCalls.ts';

const root = join(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

/** Defaults that each machine has its own of. */
const machineDefaults = new Map([
  ['dataDir', '`$XDG_STATE_HOME/faceplate` or `~/.local/state/faceplate`'],
  ['device.name', 'the host name'],
  ['device.language', 'that of the system (`LANG`), else en'],
]);

const description = JSON.parse(JSON.stringify(openApi(version, settingsSchema())));
const inline = JSON.parse(JSON.stringify(inlineOpenApi(version, settingsSchema())));

/** Text of each generated file by its path. */
export const files: Readonly<Record<string, string>> = {
  'docs/openapi.json': `${JSON.stringify(description, null, 2)}\n`,
  'client/calls.ts': clientCalls(inline as ApiDescription),
  'docs/api.md': apiPage(),
  'docs/errors.md': errorsPage(),
  'docs/settings.md': settingsPage(),
  'preload/container.d.ts': containerTypes(version),
  'docs/boards.md': between('docs/boards.md', 'profile', profileTables(profileSchema() as Schema)),
  'docs/benchmarks.md': between('docs/benchmarks.md', 'figures', figuresTable(readFigures())),
  'docs/pictures/start.svg': startPicture(readFigures()),
  'docs/pictures/video.svg': videoPicture(readFigures()),
  'docs/video.md': between('docs/video.md', 'camera cases', cameraCaseTables()),
  'renderer-demo/tokens.css': darkTokens(readOrEmpty('server/pages/glass/look/tokens.css')),
  'docs/contributing.md': between('docs/contributing.md', 'folders', foldersTable(modules)),
};

/** The look of our own pages as the demo has it, which is dark and can be copied without them. */
function darkTokens(css: string): string {
  const text = css
    .replaceAll(/\/\*.*?\*\/\n*/gs, '')
    .replaceAll(/light-dark\([^,]+, ([^)]+)\)/g, '$1')
    .replaceAll(/\n\n {2,}/g, '\n  ');
  return `/* Made from server/pages/glass/look/tokens.css by npm run check:fix. */\n${text}`;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return '';
  }
}

/** A hand-written page with its generated part, between two marks, made again. @throws Error without the marks */
function between(path: string, name: string, text: string): string {
  const page = readOrEmpty(path);
  const begin = `<!-- generated: ${name} -->\n`;
  const end = `<!-- end of ${name} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${path} has lost its marks "generated: ${name}".`);
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`;
}

function errorsPage(): string {
  const rows = Object.entries(catalogue)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(
      ([code, { status, when, sentence }]) =>
        `| ${status} | \`${code}\` | ${asText(when)} | ${asText(sentence)} |`,
    );
  return `# Errors

Every failure, over HTTP and in the page, carries one of these codes:

\`{"error": "<sentence>", "code": "<CODE>", "field": "<path of the bad field, if there is one>"}\`

Handle errors by \`code\`, because the words of \`error\` may change; show \`error\` to users. The sentence of INVALID_REQUEST names the
allowed values and the value that came, but never a secret: \`The field "level" must be 0 or 1 (got 7).\` For what to do, find the
answer in [Troubleshooting](troubleshooting.md#calls-over-http). This page is made from \`server/contract/errors.ts\`.

| status | code | when | usual sentence |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}

function settingsPage(): string {
  const rows = Object.entries(settingDeclarations).map(([key, declaration]) => {
    // Defaults that depend on the machine are described in words.
    const fallback: unknown = machineDefaults.get(key) ?? declaration.default;
    const shown = isEmpty(fallback) ? 'none' : String(fallback);
    const unit = 'unit' in declaration ? ` ${declaration.unit}` : '';
    const flag = 'secret' in declaration ? 'no flag: a secret' : `\`--${key}\``;
    const hides = 'hides' in declaration ? ' ‡' : '';
    const marks = `${'live' in declaration ? ' *' : ''}${isOwnersAlone(key as SettingKey) ? ' †' : ''}${hides}`;
    const name = `\`${key}\`${marks}`;
    return `| ${name} | ${shown}${unit} | ${asText(declaration.description)} | ${flag} | \`${environmentName(key)}\` |`;
  });
  return `# Settings

Change settings in \`/manage/\`, *System*, *Advanced*, over the [API](api.md), or in one of these places. The first that has a value
wins:

1. a flag, such as \`npm start -- --http.port 8080\`;
2. the environment, on an installed panel in \`/etc/default/faceplate\`;
3. \`<dataDir>/settings.json\`, nested: \`{"http":{"port":8080}}\`.

Write lists as JSON or separated by commas, objects as JSON. All mistakes of flags and environment are reported at once, before
anything starts. A value of the file that does not work is [undone](backup.md#settings-that-were-undone).

| mark | what it means |
| --- | --- |
| * | a change over the API acts at once; of the others at the next start |
| † | [only the owner](access.md#settings-of-the-owner) changes it, for example because it lets code or a person in |
| ‡ | [only the owner](access.md#what-only-the-owner-reads) reads its queries, or all of it |

This page is made from \`server/config/settings.ts\`.

| setting | default | what | flag | environment |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}

/** `<name>` of a sentence would be taken for HTML. */
function asText(sentence: string): string {
  return sentence.replaceAll('<', '\\<');
}
