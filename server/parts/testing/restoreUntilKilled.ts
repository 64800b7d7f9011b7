import { zipFile } from '../../testing/zipFile.ts';
import { BackupPanel } from './testBackup.ts';

/** Program of the kill -9 test: restores one backup after the other into the given data folder until it is killed; they count from the given number on. */
const panel = await BackupPanel.make({ dataDir: process.argv[2] ?? '' });
await panel.test.restart();
for (let round = Number(process.argv[3]) + 1; ; round++) {
  const files = Array.from({ length: 20 }, (_, at) => ({ name: `projects/p/f${at}`, content: `${round}` }));
  const project = { name: 'P', version: '0123456789ab', installedAt: '2026-01-01T00:00:00Z' };
  const json = (name: string, value: unknown) => ({ name, content: JSON.stringify(value) });
  const createdAt = '2026-01-01T00:00:00Z';
  const zip = zipFile([
    json('backup.json', { format: 1, version: '1.2.0', createdAt, projects: true, secrets: false }),
    json('settings.json', { kiosk: { parameters: `round=${round}` } }),
    json('projects.json', { active: 'p', projects: { p: project } }),
    json('state/led.json', { version: 1, value: { on: true, red: round % 256, green: 0, blue: 0 } }),
    { name: 'projects/p/index.html', content: `${round}` },
    ...files,
  ]);
  await panel.restore(zip);
  process.stdout.write(`${round}\n`);
}
