import { commandList } from '../../server/contract/commands.ts';

/** Headings of docs/api.md by the beginning of the path, in this order; the rest comes under "Everything else". */
const GROUPS: readonly (readonly [string, string])[] = [
  ['/api/remote/', 'Hardware and system: `/api/remote/`'],
  ['/api/manage/', 'Management: `/api/manage/`'],
  ['/api/stream/', 'Cameras: `/api/stream/`'],
  ['/', 'Everything else'],
];

/** What is added to the scope. */
const FREE_ON_PANEL = {
  token: '',
  loopback: '; no token from the panel itself',
  picture: '; no token from the panel itself; a token also as the password of Basic',
};

/** docs/api.md: every HTTP call in one line, made from the contract. */
export function apiPage(): string {
  const calls = [...commandList].flatMap(([name, { http, access, summary }]) => {
    if (!http) return [];
    const path = http.path.replaceAll(/:(\w+)/g, '{$1}');
    const scope =
      access.http === 'open' ? 'no token' : `${access.scope}${FREE_ON_PANEL[access.http ?? 'token']}`;
    const mqtt = access.mqtt === undefined ? '' : 'yes';
    const cells = [http.method, `\`${path}\``, scope, oneCell(summary), `\`${name}\``, mqtt];
    return [{ path, row: `| ${cells.join(' | ')} |` }];
  });
  calls.push({
    path: '/api/remote/events',
    row: '| GET | `/api/remote/events` | view | Events as they happen, as an event stream; the first is the snapshot. | | |',
  });
  for (const [path, what] of [
    ['/api', 'Where to go on: the paths of the description and of `/manage/`.'],
    ['/openapi.json', 'The description of the API, [openapi.json](openapi.json).'],
    ['/healthz', 'Whether the service answers.'],
  ])
    calls.push({ path: path!, row: `| GET | \`${path}\` | no token | ${what} | | |` });
  const groupOf = (path: string) => GROUPS.find(([beginning]) => path.startsWith(beginning))?.[1];
  const tables = GROUPS.map(([, heading]) => {
    const rows = calls.filter(({ path }) => groupOf(path) === heading).map(({ row }) => row);
    if (rows.length === 0) return '';
    return `\n## ${heading}\n\n| method | path | scope | what | command | MQTT |\n| --- | --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return `# The HTTP API

Every call of the panel, with its scope. [Call the panel from a program](caller.md) starts with your first token.

- **Details.** [openapi.json](openapi.json) (OpenAPI 3.1) has the fields, answers and errors of each call. The panel serves it at
  \`/openapi.json\`, without a token.
- **Try a call** in \`/manage/\`, *System*, *API* (developer mode). It calls the panel that you are looking at.
- **Token.** A call needs the header \`Authorization: Bearer <token>\`, with a token that has the scope of its row. The owner's token has
  all scopes.
- **Format.** Bodies and answers are JSON. [Errors](errors.md) lists the errors. HEAD works wherever GET does. A method that an
  address does not take gets 405, with \`Allow\`.
- **MQTT.** You can also send a command [over MQTT](mqtt.md), by its name, if the last column says yes.

This page is made from the contract of each part, \`contract.ts\`.
${tables.join('')}`;
}

function oneCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
