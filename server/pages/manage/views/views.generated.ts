// Generated from words.ts of all folders by build/generate/main.ts. Do not edit it.
import type { View } from '../ui/route.ts';

/** All views, in the order of the entries and of their tabs. */
export const views: readonly View[] = [
  { name: 'home', entry: 'home', load: async () => (await import('./home.tsx')).Home },
  {
    name: 'pages',
    entry: 'content',
    load: async () => (await import('../../../kiosk/view/pages.tsx')).Pages,
  },
  {
    name: 'projects',
    entry: 'content',
    load: async () => (await import('../../../parts/projects/view.tsx')).Projects,
  },
  {
    name: 'messages',
    entry: 'content',
    load: async () => (await import('../../../parts/messages/view.tsx')).Messages,
  },
  { name: 'web', entry: 'content', load: async () => (await import('../../../kiosk/view/pages.tsx')).Web },
  {
    name: 'display',
    entry: 'screen',
    load: async () => (await import('../../../parts/display/view.tsx')).Display,
  },
  { name: 'idle', entry: 'screen', load: async () => (await import('../../../parts/display/view.tsx')).Idle },
  {
    name: 'schedule',
    entry: 'screen',
    load: async () => (await import('../../../parts/sleep/view.tsx')).Schedule,
  },
  {
    name: 'remote',
    entry: 'screen',
    load: async () => (await import('../../../kiosk/live/view.tsx')).Remote,
  },
  { name: 'hardware', entry: 'devices', load: async () => (await import('./hardware.tsx')).Hardware },
  { name: 'lines', entry: 'devices', load: async () => (await import('./hardware.tsx')).Lines },
  { name: 'cameras', entry: 'devices', load: async () => (await import('../../../video/view.tsx')).Cameras },
  {
    name: 'intercom',
    entry: 'devices',
    load: async () => (await import('../../../intercom/view.tsx')).Intercom,
  },
  { name: 'parts', entry: 'devices', load: async () => (await import('./hardware.tsx')).Parts },
  {
    name: 'network',
    entry: 'connections',
    load: async () => (await import('../../../parts/network/view.tsx')).Network,
  },
  { name: 'broker', entry: 'connections', load: async () => (await import('./broker.tsx')).Broker },
  {
    name: 'people',
    entry: 'people',
    load: async () => (await import('../../../parts/access/view.tsx')).People,
  },
  {
    name: 'activity',
    entry: 'people',
    load: async () => (await import('../../../parts/journal/viewTimeline.tsx')).Activity,
  },
  { name: 'system', entry: 'system', load: async () => (await import('./system.tsx')).System },
  {
    name: 'backup',
    entry: 'system',
    load: async () => (await import('../../../parts/backup/view.tsx')).Backup,
  },
  { name: 'log', entry: 'system', load: async () => (await import('../../../parts/log/view.tsx')).Log },
  {
    name: 'console',
    entry: 'system',
    load: async () => (await import('../../../kiosk/view/console.tsx')).Console,
  },
  { name: 'settings', entry: 'system', load: async () => (await import('./settings.tsx')).Settings },
  { name: 'api', entry: 'system', isForDevelopers: true, load: async () => (await import('./api.tsx')).Api },
  { name: 'fleet', entry: 'fleet', load: async () => (await import('../../../parts/fleet/view.tsx')).Fleet },
];
