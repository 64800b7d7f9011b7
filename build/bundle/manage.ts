// Makes our own pages that are bundled, where their sources are newer: `dist/manage`, the app behind /manage/ and behind the
// PIN on the glass, `dist/glass`, and `dist/keys`, the keyboard on the screen: `node build/bundle/manage.ts`. `npm test` runs it each time,
// `npm start` where something is stale.
import { join } from 'node:path';
import { stalePages } from '../setup/machine/stalePages.mjs';

const root = join(import.meta.dirname, '../..');
const stale = stalePages(root);

// The bundler is loaded only where there is something to do.
if (stale.includes('manage'))
  await (await import('./manageApp.ts')).buildManage(root, join(root, 'dist/manage'));
for (const name of ['glass', 'keys'] as const)
  if (stale.includes(name))
    await (await import('./layerPage.ts')).buildLayer(root, name, join(root, 'dist', name));
