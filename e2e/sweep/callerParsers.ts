import { settingDeclarations } from '../../server/config/settings.ts';
import { readTree } from '../../server/config/settingsFile.ts';
import { commands } from '../../server/contract/commands.ts';
import { EntryPlan } from '../../server/platform/archive/archiveNames.ts';
import { readPageMessage } from '../../server/surfaces/bridge/messages.ts';
import { pageSurfaces } from '../../server/surfaces/bridge/pageSurfaces.ts';
import { jsonMutationsOf, mutationsOf, type SweptParser } from './sweptParser.ts';

const surfaces = pageSurfaces();
const MESSAGES = [
  { id: 1, method: 'container.sendUdp', args: ['127.0.0.1', 9, 'ff00'] },
  { id: 2, method: 'sip.placeCallToIp', args: ['192.0.2.9:5060'] },
  { id: 3, bridge: 'gpioBridge', json: '{"action":"ledOn","red":1,"green":2,"blue":3}' },
  { id: 4, bridge: 'gpioBridge', json: '{"action":"write","pin":2,"level":1}' },
  { subscribe: 'snapshot' },
];

/** A listing of an archive: one name in each line. */
const NAMES = [
  'index.html\nassets/app.js\nassets/style.css\nfonts/',
  'a/b/c/../d\n/etc/passwd\nC:\\x\nÄ.html\na\u0308.html\nA.HTML',
].map((text) => Buffer.from(text));
const LINK = 0o120000 * 2 ** 16;

const SETTINGS = [
  { http: { port: 8080, allowedOrigins: ['http://dashboard.local:3000'] }, 'log.level': 'debug' },
  {
    kiosk: { url: 'https://panel.local/x?y=1', memoryLimit: 'auto', quietHour: 3, parameters: 'room=12&a=b' },
  },
  {
    sip: {
      allow: ['192.0.2.0/24', 'door.local'],
      doors: [{ host: '192.0.2.9', name: 'Front', dtmf: '1#' }],
      registrarAccounts: [{ username: 'door', password: 'secret word' }],
      panelSecret: 'a secret of this house',
    },
    streams: { logins: [{ host: '192.0.2.20', port: 554, user: 'panel', password: 'x' }] },
    projects: { parameters: { 'lobby-panel': 'room=12' } },
  },
];

/** Reads a tree of settings as `PATCH /api/manage/settings` does, before anything is written. */
function readSettings(data: Buffer): boolean {
  let tree: unknown;
  try {
    tree = JSON.parse(data.toString('utf8'));
  } catch {
    // The HTTP server refuses what is not JSON.
    return false;
  }
  let mistakes = 0;
  const layer = readTree(
    tree,
    (key) => key,
    () => mistakes++,
  );
  for (const [key, { value }] of layer)
    if (!settingDeclarations[key].schema.safeParse(value).success) mistakes++;
  return mistakes === 0 && layer.size > 0;
}

/** Messages of the page, and of callers with the token. */
export const callerParsers: readonly SweptParser[] = [
  {
    name: 'page message',
    next: jsonMutationsOf(...MESSAGES),
    read: (data) => {
      const request = readPageMessage(data.toString('utf8'), surfaces);
      if (request.kind !== 'call') return request.kind === 'subscribe';
      return commands[request.command].params.safeParse(request.params).success;
    },
  },
  {
    name: 'archive names',
    next: mutationsOf(...NAMES),
    read: (data, random) => {
      const plan = new EntryPlan(20_000);
      for (const fileName of data.toString('utf8').split('\n'))
        plan.add({
          fileName,
          externalFileAttributes: random() < 0.01 ? LINK : 0,
          compressionMethod: 8,
          isEncrypted: () => false,
        });
      for (const { path } of plan.files)
        if (path.startsWith('/') || path.split('/').some((name) => ['', '.', '..'].includes(name)))
          throw new Error(`a name that leaves the folder was taken: ${path}`);
      return plan.files.length > 0;
    },
  },
  { name: 'settings', next: jsonMutationsOf(...SETTINGS), read: readSettings },
];
